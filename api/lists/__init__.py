"""What is in a study, in lists of pages and as single entries, in the shape of the lines of its files."""
