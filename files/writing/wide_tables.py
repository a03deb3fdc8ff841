"""Wide tables: one row per rater and unit, or per answer to a task, with one column per question.

They follow from the long ones of the same name. A question's column is called by its key, with a line below it if the
key is a column's name already.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from annotation.machine_shapes import CHOICE, RANKING, SCORE, own_level
from annotation.models import Annotation, Question, Rater, Rating, Study
from annotation.protocols import Protocol, protocol_of
from annotation.questions import question_types
from annotation.typed_columns import Column, ColumnKind, as_ranking, number, ranking, records, text
from files.tables.typed_tables import ANNOTATIONS
from files.writing.column_batches import KEPT, LONG, ColumnBatch, from_json, parsed
from files.writing.own_tables import STUDY_TABLES
from files.writing.rating_batches import ITEM, LEVEL, UNIT
from files.writing.table_list import TableRows

UNITS = ("item", "output", "outputs", "session", "turn", "rater", "rater_kind")
SAID = ("shown", "seconds", "submitted_at", "guidelines_version", "run", "replicate", "third_rater")
FIXED = frozenset({*UNITS, *SAID})
OF_ANNOTATIONS = tuple(column for column in ANNOTATIONS.columns if column.name != "answers")
NUMBERS = (ColumnKind.WHOLE, ColumnKind.YES_NO, ColumnKind.NUMBER)


@dataclass(frozen=True)
class WideTable:
    """A table whose batches are made of those of the `long` one."""

    key: str
    about: str
    long: str
    columns: Callable[[Study], Sequence[Column]]
    widened: Callable[[Study], Callable[[ColumnBatch], ColumnBatch]]
    """What makes a batch of one of the long table."""

    def rows(self, study: Study, long: TableRows) -> TableRows:
        """The table's rows from those of the long one."""
        make, columns = self.widened(study), tuple(self.columns(study))
        return TableRows(self.key, self.about, columns, lambda: map(make, long.batches()), made_of=long, make=make)


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
    return [column for column in table.typed_for(study).columns if column.name in FIXED]


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


OCCASION = (
    ITEM, UNIT, "rater", "submitted_at", "guidelines_version", "run", "replicate", "shown", "third_rater",
)  # fmt: skip
"""What the ratings of one row have in common."""
Cell = tuple[str, Any]
"""The name of a question's column, and a value in it."""


def _widened_ratings(study: Study, key: str) -> Callable[[ColumnBatch], ColumnBatch]:
    """What makes a row per unit, rater and time of the ratings of an item, in the order in which they first appear."""
    columns = QUESTION_COLUMNS[key](study)
    ways = {one.column.name: from_json(one.column) for one in columns.values()}

    def cell(question: str, level: str, value: str) -> Cell:
        found = columns.get((question, "")) or columns[question, level]
        return found.column.name, ways[found.column.name](found.write(parsed(value)))

    kept = lru_cache(maxsize=KEPT)(cell)

    def widened(batch: ColumnBatch) -> ColumnBatch:
        occasions: dict[tuple[Any, ...], list[tuple[int, dict[str, Any]]]] = {}
        common = zip(*(batch.values(name) for name in OCCASION), strict=True)
        answers = zip(batch.values("question"), batch.values(LEVEL), batch.values("value"), strict=True)
        for place, (occasion, answer) in enumerate(zip(common, answers, strict=True)):
            name, value = (kept if len(answer[2]) < LONG else cell)(*answer)
            same = occasions.setdefault(occasion, [])
            cells = next((cells for _, cells in same if name not in cells), None)
            if cells is None:
                same.append((place, cells := {}))
            cells[name] = value
        rows = [row for same in occasions.values() for row in same]
        told = {name: [values[place] for place, _ in rows] for name, values in batch.columns.items() if name in FIXED}
        return ColumnBatch(len(rows), told | {name: [cells.get(name) for _, cells in rows] for name in ways})

    return widened


def _columns(found: Mapping[Any, QuestionColumn]) -> list[Column]:
    return [one.column for one in found.values()]


def _annotated(study: Study) -> dict[str, QuestionColumn]:
    """Return a column per question of a task. One that is asked per output has a list of {system, value}."""
    questions, protocol = _questions(study), protocol_of(study)
    names = _names(questions, OF_ANNOTATIONS)
    machines = Rater.objects.filter(study=study).exclude(kind=Rater.Kind.HUMAN)
    lenient = Annotation.objects.filter(rater__in=machines).exists()
    found = {}
    for question in sorted(questions, key=lambda question: question.key):  # as answers are kept
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


def _widened_annotations(study: Study) -> Callable[[ColumnBatch], ColumnBatch]:
    """What makes a row per revision."""
    columns = _annotated(study)
    each, ways = _asked_per_output(columns), {key: from_json(one.column) for key, one in columns.items()}

    def cells(answers: str, outputs: str) -> dict[str, Any]:
        shown, found = parsed(outputs), {}
        for key, value in json.loads(answers).items():
            if key in columns:
                said = {shown[0]: value} if key in each and len(shown) == 1 else value
                found[columns[key].column.name] = ways[key](columns[key].write(said))
        return found

    kept = lru_cache(maxsize=KEPT)(cells)

    def widened(batch: ColumnBatch) -> ColumnBatch:
        pairs = zip(batch.values("answers"), batch.values("outputs"), strict=True)
        rows = [(kept if len(pair[0]) < LONG else cells)(*pair) for pair in pairs]
        told = {name: values for name, values in batch.columns.items() if name != "answers"}
        names = [one.column.name for one in columns.values()]
        return ColumnBatch(batch.size, told | {name: [row.get(name) for row in rows] for name in names})

    return widened


QUESTION_COLUMNS: Mapping[str, Callable[[Study], dict[tuple[str, str], QuestionColumn]]] = {
    "ratings": _rated_by_people, "scores": _rated_by_machines,
}  # fmt: skip
WIDE = (
    WideTable(
        "wide/ratings", "people's current answers, one row per rater and unit", "ratings",
        lambda study: [*_of_ratings(study, "ratings"), *_columns(_rated_by_people(study))],
        lambda study: _widened_ratings(study, "ratings"),
    ),
    WideTable(
        "wide/scores", "current answers of models and metrics, one row per rater, run and unit", "scores",
        lambda study: [*_of_ratings(study, "scores"), *_columns(_rated_by_machines(study))],
        lambda study: _widened_ratings(study, "scores"),
    ),
    WideTable(
        "wide/annotations", "all revisions of answers to tasks, one row per revision", "annotations",
        lambda study: [*OF_ANNOTATIONS, *_columns(_annotated(study))], _widened_annotations,
    ),
)  # fmt: skip
