"""What agents spend on a folder of notes with Remem and without it: the work behind `remem bench`."""
