"""Wide tables: one row per rater and unit, or per answer to a task, with one column per question.

They follow from the long ones of the same name. A question's column is called by its key, with a line below it if the
key is a column's name already.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.blinding import Names, names_of, systems_of
from annotation.machine_shapes import CHOICE, RANKING, SCORE, own_level
from annotation.models import Annotation, Question, Rater, Rating, Study
from annotation.protocols import Protocol, Unit, protocol_of
from annotation.questions import question_types
from annotation.typed_columns import Column, ColumnKind, as_ranking, number, ranking, records, text
from config.text_validation import given
from files.tables.typed_tables import ANNOTATIONS
from files.writing.annotation_line_texts import AnnotationText, annotation_texts
from files.writing.file_writers import Chunk
from files.writing.own_tables import STUDY_TABLES
from files.writing.rating_line_texts import machine_rows, members, people_rows
from files.writing.rating_lines import HUMAN, RawRating, parsed, raw_ratings, raw_scores
from files.writing.study_lines import Line, annotation_lines
from files.writing.table_list import DerivedTable
from files.writing.table_statements import Row
from files.writing.wide_line_texts import Cell, wide_annotation_writer, wide_rating_writer

UNIT = ("item", "output", "outputs", "session", "turn", "rater", "rater_kind")
SAID = ("shown", "seconds", "submitted_at", "guidelines_version", "run", "replicate", "third_rater")
OF_ANNOTATIONS = tuple(column for column in ANNOTATIONS.columns if column.name != "answers")
NUMBERS = (ColumnKind.WHOLE, ColumnKind.YES_NO, ColumnKind.NUMBER)


@dataclass(frozen=True)
class QuestionColumn:
    """A question's column, and how an answer is written in it."""

    column: Column
    write: Callable[[Any], Any]


def _names(questions: Iterable[Question], fixed: Sequence[Column]) -> dict[str, str]:
    """Return the name of each question's column, by its key."""
    taken, names = {column.name for column in fixed}, {}
    for question in questions:
        names[question.key] = _free(question.key, taken)
    return names


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _questions(study: Study) -> list[Question]:
    return list(study.questions.order_by("position"))


def _of_people(question: Question, name: str) -> QuestionColumn:
    kind = question_types()[question.type]
    column = kind.column(name, question.spec)
    return QuestionColumn(_about(column, question), kind.column_value)


def _about(column: Column, question: Question) -> Column:
    return Column(column.name, column.kind, question.text or f"the answer to {question.key}", column.fields)


def _of_ratings(study: Study, key: str) -> list[Column]:
    """Return the columns of ratings that are the same for all questions."""
    table = next(table for table in STUDY_TABLES if table.key == key)
    return [column for column in table.typed_for(study).columns if column.name in (*UNIT, *SAID)]


def _rated_by_people(study: Study) -> dict[tuple[str, str], QuestionColumn]:
    questions = _questions(study)
    names = _names(questions, _of_ratings(study, "ratings"))
    return {(question.key, ""): _of_people(question, names[question.key]) for question in questions}


def _rated_by_machines(study: Study) -> dict[tuple[str, str], QuestionColumn]:
    """Return a column per question and level of machines' answers; those in other shapes have names of their own."""
    machines = Rater.objects.filter(study=study).exclude(kind=Rater.Kind.HUMAN)
    rows = Rating.objects.filter(study=study, rater__in=machines, is_current=True)
    found = set(rows.order_by().values_list("question__key", "level").distinct())
    questions = _questions(study)
    fixed = _of_ratings(study, "scores")
    names = _names(questions, fixed)
    taken = {*names.values(), *(column.name for column in fixed)}
    columns = {}
    for question in questions:
        for level in sorted(level for key, level in found if key == question.key):
            own = level == own_level(question)
            name = names[question.key] if own else _free(f"{question.key}_{OTHER[level]}", taken)
            columns[question.key, level] = _of_machines(question, level, name)
    return columns


OTHER = {SCORE: "score", CHOICE: "choice", RANKING: "ranking"}
"""What names the columns of answers in another shape than the question's own."""


def _of_machines(question: Question, level: str, name: str) -> QuestionColumn:
    if level == SCORE:
        return QuestionColumn(_about(number(name), question), float)
    if level == CHOICE:
        return QuestionColumn(_about(text(name), question), str)
    if level == RANKING:
        return QuestionColumn(_about(ranking(name), question), as_ranking)
    return _of_people(question, name)


def _wide(
    study: Study, groups: Iterator[list[RawRating]], columns: Mapping[tuple[str, str], QuestionColumn]
) -> Iterator[Line]:
    """Yield a row per unit, rater and time of the ratings of each item, in the order in which they first appear."""
    protocol, names, systems = protocol_of(study), names_of(study), systems_of(study)
    for group in groups:
        rows: dict[tuple[Any, ...], list[Line]] = {}
        for rating in group:
            found = columns.get((rating.question, "")) or columns[rating.question, rating.level]
            same = rows.setdefault(_occasion(rating), [])
            row = next((row for row in same if found.column.name not in row), None)
            if row is None:
                row = _circumstances(rating, protocol, names, systems)
                same.append(row)
            value = parsed(rating.value)
            row[found.column.name] = found.write(names.value(rating.level, value))
        for same in rows.values():
            yield from same


def _occasion(rating: RawRating) -> tuple[Any, ...]:
    """What the ratings of one row have in common."""
    return (
        rating.output, rating.other, rating.variant, rating.rater, rating.submitted_at, rating.guidelines_version,
        rating.run, rating.replicate, rating.shown, rating.third_rater,
    )  # fmt: skip


def _circumstances(rating: RawRating, protocol: Protocol, names: Names, systems: frozenset[str]) -> Line:
    unit = Unit(names.shown(rating.output), names.shown(rating.other), names.known(rating.variant, systems))
    return given(
        {
            "item": rating.item if protocol.files.ratings_name_items else None,
            **protocol.unit_line(unit),
            "rater": rating.rater,
            "rater_kind": None if rating.kind == HUMAN else rating.kind,
            "shown": None if rating.shown is None else names.listed(parsed(rating.shown)),
            "seconds": rating.seconds,
            "submitted_at": rating.submitted_at or None,
            "guidelines_version": rating.guidelines_version,
            "run": rating.run or None,
            "replicate": rating.replicate,
            "third_rater": bool(rating.third_rater) or None,
        }
    )


def _wide_writer(study: Study, columns: Mapping[tuple[str, str], QuestionColumn]) -> Callable[[list[Row]], Chunk]:
    def write(question: str, level: str, value: Any) -> Cell:
        found = columns.get((question, "")) or columns[question, level]
        return found.column.name, members({found.column.name: found.write(value)})

    return wide_rating_writer(study, write)


def wide_people_writer(study: Study) -> Callable[[list[Row]], Chunk]:
    """What writes the wide lines of a list of people's ratings."""
    return _wide_writer(study, _rated_by_people(study))


def wide_machine_writer(study: Study) -> Callable[[list[Row]], Chunk]:
    """The same of models and metrics."""
    return _wide_writer(study, _rated_by_machines(study))


def _rating_chunks(study: Study) -> Iterator[Chunk]:
    return map(wide_people_writer(study), people_rows(study))


def _score_chunks(study: Study) -> Iterator[Chunk]:
    return map(wide_machine_writer(study), machine_rows(study))


def _wide_ratings(study: Study) -> Iterator[Line]:
    return _wide(study, raw_ratings(study), _rated_by_people(study))


def _wide_scores(study: Study) -> Iterator[Line]:
    return _wide(study, raw_scores(study), _rated_by_machines(study))


def _columns(found: Mapping[Any, QuestionColumn]) -> list[Column]:
    return [one.column for one in found.values()]


def _annotated(study: Study) -> dict[str, QuestionColumn]:
    """Return a column per question of a task. One that is asked per output has a list of {system, value}."""
    questions, protocol = _questions(study), protocol_of(study)
    names = _names(questions, OF_ANNOTATIONS)
    machines = Rater.objects.filter(study=study).exclude(kind=Rater.Kind.HUMAN)
    lenient = Annotation.objects.filter(rater__in=machines).exists()
    found = {}
    for question in questions:
        one = _of_people(question, names[question.key])
        if lenient and one.column.kind in NUMBERS:  # a machine's number may be off the scale
            one = QuestionColumn(_about(number(one.column.name), question), float)
        each = question.spec.get("per", protocol.asks_per) == "output" and _shows_several(protocol, study)
        found[question.key] = _per_output(one) if each else one
    return found


def _shows_several(protocol: Protocol, study: Study) -> bool:
    """Return whether tasks of the study may show several outputs."""
    if protocol.asks_per == "task":
        return True
    return any(len(plan.outputs) > 1 for plan in protocol.plan(("a", "b"), study.options))


def _per_output(one: QuestionColumn) -> QuestionColumn:
    inner = Column("value", one.column.kind, fields=one.column.fields)
    column = records(one.column.name, one.column.about, text("system"), inner)
    return QuestionColumn(column, lambda value: [
        {"system": system, "value": one.write(said)} for system, said in value.items()
    ])  # fmt: skip


def _asked_per_output(columns: Mapping[str, QuestionColumn]) -> set[str]:
    return {key for key, one in columns.items() if [field.name for field in one.column.fields] == ["system", "value"]}


def wide_answers_writer(study: Study) -> Callable[[list[AnnotationText]], Chunk]:
    """What writes the wide lines of a list of annotations."""
    columns = _annotated(study)
    each = _asked_per_output(columns)

    def write(question: str, value: Any, output: str | None) -> Cell:
        found = columns[question]
        said = {output: value} if output is not None and question in each else value
        return found.column.name, members({found.column.name: found.write(said)})

    return wide_annotation_writer(columns.keys(), write)


def _annotation_chunks(study: Study) -> Iterator[Chunk]:
    return map(wide_answers_writer(study), annotation_texts(study))


def _wide_annotations(study: Study) -> Iterator[Line]:
    columns = _annotated(study)
    each = _asked_per_output(columns)
    for line in annotation_lines(study):
        row = {name: value for name, value in line.items() if name != "answers"}
        for key, value in line["answers"].items():
            if key in columns:
                alone = key in each and len(line["outputs"]) == 1
                row[columns[key].column.name] = columns[key].write({line["outputs"][0]: value} if alone else value)
        yield row


WIDE = (
    DerivedTable(
        "wide/ratings", "people's current answers, one row per rater and unit",
        lambda study: [*_of_ratings(study, "ratings"), *_columns(_rated_by_people(study))], _wide_ratings,
        _rating_chunks,
    ),
    DerivedTable(
        "wide/scores", "current answers of models and metrics, one row per rater, run and unit",
        lambda study: [*_of_ratings(study, "scores"), *_columns(_rated_by_machines(study))], _wide_scores,
        _score_chunks,
    ),
    DerivedTable(
        "wide/annotations", "all revisions of answers to tasks, one row per revision",
        lambda study: [*OF_ANNOTATIONS, *_columns(_annotated(study))], _wide_annotations, _annotation_chunks,
    ),
)  # fmt: skip
