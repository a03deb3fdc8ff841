"""After a test of concurrency: its rows must not contradict each other."""

from operating.data_check import all_checks, run_check

RACES = frozenset({
    "answers_missing_in_audit", "answers_without_place", "budget_reserved_drift", "budget_spent_drift",
    "current_is_not_newest", "duplicate_current_answers", "filled_places_without_answer",
    "held_places_without_assignment", "open_erasures", "orphan_rows", "outputs_of_another_item",
    "places_of_another_item", "ratings_of_another_rater", "ratings_of_another_revision", "ratings_of_another_study",
    "revision_gaps", "run_progress_drift", "tasks_over_quota", "turn_ratings_of_others", "turns_after_unfinished",
    "turns_out_of_order",
})  # fmt: skip
"""What a race could break. Digests, files and kept counts of tests are made by hand."""
RACING_MODULES = (
    "annotation/desk/test_conflicting_drafts.py", "annotation/desk/test_desk.py", "annotation/desk/test_leases.py",
    "annotation/studies/test_assignment_plans.py", "annotation/studies/test_redundancy.py",
    "annotation/studies/test_steps_and_claims.py", "parts/checks/test_check_claims.py",
    "parts/stopping/test_third_raters.py", "sessions/test_giving.py",
)  # fmt: skip
"""Modules whose tests let several threads or processes write at once."""


def contradictions() -> dict[str, list]:
    """What the checks find now, by their names."""
    found = {check.key: run_check(check) for check in all_checks() if check.key in RACES}
    return {key: finding.rows for key, finding in found.items() if finding.count}
