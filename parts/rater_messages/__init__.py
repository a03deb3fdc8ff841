"""Messages between raters and the researchers of a study: a thread per rater and task, blind both ways."""
