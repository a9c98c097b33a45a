"""Evidence on the floor: time stamps over the heads that tables sign, and packages of what the archive has."""
