"""How a person's stay in a study ends."""

COMPLETE, SCREENED_OUT, FAILED = "complete", "screened_out", "failed"
WITHDRAWN, TIMED_OUT = "withdrawn", "timed_out"
OUTCOMES = {
    COMPLETE: "Complete",
    SCREENED_OUT: "Not a fit",
    FAILED: "Did not pass",
    WITHDRAWN: "Withdrawn",
    TIMED_OUT: "Timed out",
}
"""Each outcome in words for researchers."""
