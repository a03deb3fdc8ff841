"""The tables of an export that an import reads again: those of every study, then those of sessions and of parts."""

from annotation.blinding import is_blind
from annotation.models import Study
from config.parts import parts
from files.tables.exclusion_columns import RATERS, has_exclusions
from files.tables.typed_tables import (
    ADJUDICATIONS,
    ANNOTATIONS,
    EXAMPLES,
    ITEMS,
    RATINGS,
    REVIEWS,
    RUNS,
    SCORES,
)
from files.writing.adjudication_lines import adjudication_lines, has_adjudications
from files.writing.annotation_batches import annotation_batches
from files.writing.example_lines import example_lines, has_examples
from files.writing.excluded_lines import rater_lines
from files.writing.item_batches import item_batches
from files.writing.rating_batches import rating_batches, score_batches
from files.writing.review_lines import has_reviews, review_lines
from files.writing.run_lines import has_runs, run_lines
from files.writing.table_list import StudyTable


def _has_shown_examples(study: Study) -> bool:
    return has_examples(study) and not is_blind(study)  # their outputs may be named after the systems


STUDY_TABLES = (
    StudyTable("items", "items with their outputs", ITEMS, batches=item_batches, place=1),
    StudyTable(
        "ratings", "people's current answers, one per question and unit", RATINGS, batches=rating_batches, place=1,
    ),
    StudyTable(
        "scores", "current answers of models and metrics", SCORES, batches=score_batches, place=1,
    ),
    StudyTable(
        "annotations", "all revisions of people's answers to tasks, whatever their status", ANNOTATIONS,
        batches=annotation_batches, place=1,
    ),
    StudyTable(
        "examples", "judged examples that researchers wrote for models, never shown to annotators", EXAMPLES,
        example_lines, _has_shown_examples, place=1,
    ),
    StudyTable("runs", "runs of models and metrics, with their configuration", RUNS, run_lines, has_runs,
        naming=frozenset({"baseline"}), place=1,
    ),
    StudyTable(
        "reviews", "researchers' verdicts on marked spans, spot checks of answers and answers to flags", REVIEWS,
        review_lines, has_reviews, place=3,
    ),
    StudyTable(
        "adjudications", "researchers' final answers, with all revisions", ADJUDICATIONS, adjudication_lines,
        has_adjudications, place=3,
    ),
    StudyTable(
        "raters", "raters whom a researcher has excluded; their answers are in the other files", RATERS,
        rater_lines, has_exclusions, place=3,
    ),
)  # fmt: skip


def study_tables() -> tuple[StudyTable, ...]:
    """Return all tables of a study's own data, in the order in which they are described."""
    tables = (*STUDY_TABLES, *(table for part in parts() for table in part.tables))
    return tuple(sorted(tables, key=lambda table: table.place))
