"""The seconds of video that belong to an irregularity, told to a video system as a bookmark."""
