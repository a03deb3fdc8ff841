"""The tables of an export that an import reads again, each with its columns and its lines."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from annotation.blinding import is_blind, names_of, systems_of
from annotation.exclusion_columns import RATERS, has_exclusions
from annotation.file_tables.typed_tables import (
    ADJUDICATIONS,
    ANNOTATIONS,
    EXAMPLES,
    ITEMS,
    RATINGS,
    REVIEWS,
    RUNS,
    SCORES,
    TypedTable,
)
from annotation.models import Study
from annotation.protocols import Protocol, protocol_of
from preparing.files.preparing_columns import PREPARING
from preparing.files.preparing_lines import has_preparation, preparing_lines
from recruiting.checks.check_columns import CHECKS, has_checks
from recruiting.stopping.look_columns import LOOKS, has_looks
from reports.exporting.adjudication_lines import adjudication_lines, has_adjudications
from reports.exporting.annotation_line_texts import annotation_chunks
from reports.exporting.example_lines import example_lines, has_examples
from reports.exporting.excluded_lines import rater_lines
from reports.exporting.file_writers import Chunk, json_chunks
from reports.exporting.item_line_texts import item_chunks
from reports.exporting.rating_line_texts import rating_chunks, score_chunks
from reports.exporting.rating_lines import rating_lines, score_lines
from reports.exporting.review_lines import has_reviews, review_lines
from reports.exporting.run_lines import has_runs, run_lines
from reports.exporting.study_lines import annotation_lines, exported_items
from reports.exporting.table_list import Line, computed_by
from sessions.files.session_columns import LABEL_SAMPLES, LABELS, SESSIONS
from sessions.files.session_counts import has_label_samples, has_labels, has_sessions

ONLY_SESSIONS = frozenset({"question", "documents"})
UNIT_KEYS = frozenset({"output", "outputs", "session", "turn"})
"""The columns of ratings that name units of some protocol."""
Lines = Callable[[Study], Iterator[Line]]


@dataclass(frozen=True)
class StudyTable:
    """A table of the study's own data."""

    key: str
    about: str
    typed: TypedTable
    lines: Lines
    exists: Callable[[Study], bool] | None = None
    """Whether the study has any rows; without it, the table is looked through for some."""
    naming: frozenset[str] = frozenset()
    """The keys of lines under which systems are named that the lines do not already call as they are shown."""
    chunks: Callable[[Study], Iterator[Chunk]] | None = None
    """The lines of JSONL, if they can be had faster than from objects; of studies that are not blinded."""

    def shown_lines(self, study: Study) -> Iterator[Line]:
        """The lines, with systems called as the people who run the study see them."""
        names = names_of(study)
        if not self.naming or not names.are_codes:
            return self.lines(study)
        systems = systems_of(study)
        return (names.beneath(line, self.naming, systems) for line in self.lines(study))

    def json_chunks(self, study: Study) -> Iterator[Chunk]:
        """The lines of JSONL, with systems called as the people who run the study see them."""
        if self.chunks is not None and not names_of(study).are_codes:
            return self.chunks(study)
        return json_chunks(self.shown_lines(study))

    def typed_for(self, study: Study) -> TypedTable:
        """The columns that the study's protocol uses."""
        return _of_protocol(self.key, self.typed, protocol_of(study))


def _of_protocol(key: str, typed: TypedTable, protocol: Protocol) -> TypedTable:
    """Return a table with the columns that studies of the protocol use, and no others."""
    files = protocol.files
    if key == "items":
        unused = files.unused_item_keys | (ONLY_SESSIONS - files.item_keys)
        return typed.with_columns(files.item_keys).without(unused | {f"{name}_turns" for name in unused})
    if key in ("ratings", "scores"):
        used = protocol.unit_keys | (protocol.machine_unit_keys if key == "scores" else frozenset())
        unused = UNIT_KEYS - used | (frozenset() if files.ratings_name_items else {"item"})
        return typed.with_columns(used).without(unused)
    return typed


def _is_prepared(study: Study) -> bool:
    return has_preparation(study) and not is_blind(study)  # it says which models wrote what


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
        "preparing", "what was drawn, asked, suggested and written before there were items", PREPARING,
        preparing_lines, _is_prepared,
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
        "checks", "current answers of people to hidden checks of their work", CHECKS,
        computed_by("recruiting.checks.filed_checks.shown_check_lines"), has_checks,
    ),
    StudyTable(
        "raters", "raters whom a researcher has excluded; their answers are in the other files", RATERS,
        rater_lines, has_exclusions,
    ),
    StudyTable(
        "looks", "looks of stop rules, with what they found and decided", LOOKS,
        computed_by("recruiting.stopping.filed_looks.look_lines"), has_looks,
        naming=frozenset({"figures"}),
    ),
)  # fmt: skip
