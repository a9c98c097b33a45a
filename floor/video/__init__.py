"""Bookmarks: report the time span of video for an irregularity to a video system."""
