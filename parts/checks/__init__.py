"""Hidden checks among raters' tasks: see README.md."""
