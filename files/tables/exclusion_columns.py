"""The columns of `raters.jsonl`. Exports load this module without the importer."""

from annotation.models import RaterExclusion, Study
from annotation.typed_columns import text, time, yes_no
from files.tables.typed_tables import TypedTable

RATERS = TypedTable(
    (
        text("rater", "a name in ratings"),
        yes_no("excluded", "true: a researcher has excluded the rater, and figures can leave their answers out"),
        text("reason", "why"),
        time("excluded_at", "since when"),
    ),
    ("rater", "excluded"),
)  # fmt: skip


def has_exclusions(study: Study) -> bool:
    """Whether a rater of the study is excluded now."""
    return RaterExclusion.objects.filter(rater__study=study, ended_at=None).exists()
