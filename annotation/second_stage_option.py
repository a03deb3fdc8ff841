"""The option by which annotators give final answers in a second stage."""

SECOND_STAGE = "adjudication"
