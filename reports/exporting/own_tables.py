"""The tables of an export that an import reads again: those of the core, then those of parts."""

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
from reports.exporting.adjudication_lines import adjudication_lines, has_adjudications
from reports.exporting.annotation_line_texts import annotation_chunks
from reports.exporting.example_lines import example_lines, has_examples
from reports.exporting.excluded_lines import rater_lines
from reports.exporting.item_line_texts import item_chunks
from reports.exporting.rating_line_texts import rating_chunks, score_chunks
from reports.exporting.rating_lines import rating_lines, score_lines
from reports.exporting.review_lines import has_reviews, review_lines
from reports.exporting.run_lines import has_runs, run_lines
from reports.exporting.study_lines import annotation_lines, exported_items
from reports.exporting.table_list import StudyTable, computed_by
from sessions.files.session_columns import LABEL_SAMPLES, LABELS, SESSIONS
from sessions.files.session_counts import has_label_samples, has_labels, has_sessions


def _has_shown_examples(study: Study) -> bool:
    return has_examples(study) and not is_blind(study)  # their outputs may be named after the systems


STUDY_TABLES = (
    StudyTable("items", "items with their outputs", ITEMS, exported_items, chunks=item_chunks),
    StudyTable(
        "ratings", "people's current answers, one per question and unit", RATINGS, rating_lines,
        chunks=rating_chunks,
    ),
    StudyTable(
        "scores", "current answers of models and metrics", SCORES, score_lines, chunks=score_chunks
    ),
    StudyTable(
        "annotations", "all revisions of people's answers to tasks, whatever their status", ANNOTATIONS,
        annotation_lines, chunks=annotation_chunks,
    ),
    StudyTable(
        "examples", "judged examples that researchers wrote for models, never shown to annotators", EXAMPLES,
        example_lines, _has_shown_examples,
    ),
    StudyTable("runs", "runs of models and metrics, with their configuration", RUNS, run_lines, has_runs,
        naming=frozenset({"baseline"}),
    ),
    StudyTable(
        "sessions", "revision sessions with their turns, one session per line", SESSIONS,
        computed_by("sessions.files.session_export.session_lines"), has_sessions,
        naming=frozenset({"model"}),
    ),
    StudyTable("labels", "labels of turns by people and models, with all revisions", LABELS,
        computed_by("sessions.files.session_export.label_lines"), has_labels,
    ),
    StudyTable(
        "label_samples", "samples of turns that several people label, in the order of their queues", LABEL_SAMPLES,
        computed_by("sessions.files.session_export.label_sample_lines"), has_label_samples,
    ),
    StudyTable(
        "reviews", "researchers' verdicts on marked spans, spot checks of answers and answers to flags", REVIEWS,
        review_lines, has_reviews,
    ),
    StudyTable(
        "adjudications", "researchers' final answers, with all revisions", ADJUDICATIONS, adjudication_lines,
        has_adjudications,
    ),
    StudyTable(
        "raters", "raters whom a researcher has excluded; their answers are in the other files", RATERS,
        rater_lines, has_exclusions,
    ),
)  # fmt: skip


def study_tables() -> tuple[StudyTable, ...]:
    """Return all tables of a study's own data."""
    return (*STUDY_TABLES, *(table for part in parts() for table in part.tables))
