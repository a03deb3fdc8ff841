"""Stop rules: a plan fixed before the first answer, looks taken by workers, and third raters where two disagree."""
