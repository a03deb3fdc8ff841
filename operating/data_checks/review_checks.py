"""Rules about reviews of answers and labels of turns: numbered without gaps, and the last one counts."""

from operating.data_check import DataCheck, sql_check

NUMBERED = {
    "span_reviews": ("annotation_spanreview", ("rating_id", "index"), "number"),
    "spot_checks": ("annotation_spotcheck", ("annotation_id",), "number"),
    "final_answers": ("annotation_adjudication", ("question_id", "item_id", "unit"), "number"),
    "flag_answers": ("annotation_flaganswer", ("rater_id", "task_id"), "number"),
    "turn_labels": ("revision_sessions_turnlabel", ("turn_id", "kind", "rater_id", "run", "replicate"), "revision"),
}


def _numbered(name: str, table: str, columns: tuple[str, ...], number: str) -> DataCheck:
    of = ", ".join(f'"{column}"' for column in columns)
    current = f'MAX(CASE WHEN is_current THEN "{number}" ELSE 0 END)'
    return sql_check(
        f"numbering_of_{name}",
        f"The {name.replace('_', ' ')} of one thing are not numbered 1, 2, 3, or the last one is not the current one.",
        f'SELECT {of}, COUNT(*) AS "rows", MAX("{number}") AS highest FROM "{table}" GROUP BY {of} '  # noqa: S608
        f'HAVING COUNT(*) <> MAX("{number}") OR {current} <> MAX("{number}") '
        "OR SUM(CASE WHEN is_current THEN 1 ELSE 0 END) <> 1",
    )


CHECKS = tuple(_numbered(name, *about) for name, about in NUMBERED.items())
