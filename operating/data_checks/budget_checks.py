"""Rules about what calls have cost, and about the counts of runs."""

from operating.data_check import sql_check

PAYS = (
    "c.study_id = b.study_id AND (b.run = '' OR c.run = b.run) AND (b.person_id IS NULL OR c.person_id = b.person_id)"
)
HOLDS = PAYS.replace("c.", "h.")

CHECKS = (
    sql_check(
        "budget_spent_drift",
        "A budget says that another amount was spent than the calls in the ledger cost.",
        "SELECT * FROM (SELECT b.id, b.study_id, b.run, b.spent, "  # noqa: S608
        f"(SELECT COALESCE(SUM(c.price_charged), 0) FROM llm_call c WHERE {PAYS}) AS charged FROM llm_budget b) n "
        "WHERE n.spent <> n.charged",
    ),
    sql_check(
        "budget_reserved_drift",
        "A budget has more or less reserved than running calls and open reservations hold.",
        "SELECT * FROM (SELECT b.id, b.study_id, b.run, b.reserved, "  # noqa: S608
        f"(SELECT COALESCE(SUM(c.price_reserved), 0) FROM llm_call c WHERE {PAYS} AND c.status = 'running') + "
        f'(SELECT COALESCE(SUM(h."left"), 0) FROM llm_reservation h WHERE {HOLDS} AND h.closed_at IS NULL) AS held '
        "FROM llm_budget b) n WHERE n.reserved <> n.held",
    ),
    sql_check(
        "run_progress_drift",
        "The work of a run has counted other judgments than there are.",
        "SELECT w.run_id, w.planned, n.judgments FROM judges_runwork w JOIN "
        "(SELECT run_id, COUNT(*) AS judgments FROM judges_judgment GROUP BY run_id) n ON n.run_id = w.run_id "
        "WHERE w.is_planned AND w.planned <> n.judgments",
    ),
)
