"""Planning a study before its first answer: how many items and raters a figure needs, by simulation."""
