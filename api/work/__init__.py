"""The tasks of an annotator, for a program that works on them."""
