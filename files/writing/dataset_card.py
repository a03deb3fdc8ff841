"""The card of an export, `README.md`, and its `CITATION.cff`.

The card begins with what Hugging Face's `load_dataset(folder)` reads: a configuration per table, with the types of its
columns.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Count
from django.template.loader import render_to_string

from annotation.models import Rater, Rating, Study
from annotation.pools import no_copies
from annotation.typed_columns import Column, ColumnKind
from config.software_version import SOFTWARE_VERSION

JSONL, CSV, PARQUET = "jsonl", "csv", "parquet"
SIMPLE: Mapping[ColumnKind, str] = {
    ColumnKind.TEXT: "string", ColumnKind.WHOLE: "int64", ColumnKind.NUMBER: "float64", ColumnKind.YES_NO: "bool",
    ColumnKind.JSON: "string", ColumnKind.TEXT_OR_JSON: "string", ColumnKind.VALUE: "string",
}  # fmt: skip


@dataclass(frozen=True)
class DescribedTable:
    """A table that has a file: its name, the table's key, what a row is, its columns and the number of its rows.

    `loaded` is the file for loaders that want one type per column, and `loaded_columns` those that it has.
    """

    name: str
    key: str
    about: str
    columns: Sequence[Column]
    rows: int
    loaded: str
    loaded_columns: Sequence[Column]

    @property
    def config(self) -> str:
        return self.key.replace("/", "_")

    @property
    def form(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def in_file(self) -> list[Column]:
        """The columns that the file has."""
        if self.form != JSONL:
            return list(self.columns)
        return [column for column in self.columns if not column.added and not column.beside]

    @property
    def described(self) -> list[tuple[str, str, str]]:
        """Each column's name, kind and meaning."""
        return [(column.name, column.kind.value, column.about.replace("|", "/").replace("\n", " "))
                for column in self.in_file]  # fmt: skip


@dataclass(frozen=True)
class Card:
    """What the card of an export is made from."""

    study: Study
    tables: Sequence[DescribedTable]
    counts: Mapping[str, Any]
    guidelines: Mapping[int, str]
    agreement: Sequence[Mapping[str, Any]]
    """What it states of people's agreement: `question` and `figures` of each question."""

    def text(self) -> str:
        """The card, with its front matter."""
        about = {
            "study": self.study, "tables": self.tables, "counts": self.counts, "guidelines": self.guidelines,
            "raters": _raters(self.study), "agreement": self.agreement, "version": SOFTWARE_VERSION,
            "questions": list(self.study.questions.order_by("position")),
        }  # fmt: skip
        front = "\n".join(_front_matter(self.study, self.tables))
        return f"---\n{front}\n---\n\n{render_to_string('files/dataset_card.md', about)}"


def _raters(study: Study) -> dict[str, Any]:
    """How many people and machines answered, and how many answers each person gave; no names."""
    rows = (
        Rating.objects.filter(no_copies(study), study=study, is_current=True)
        .values_list("rater")
        .annotate(n=Count("pk"))
        .order_by()
    )
    answers = dict(rows)
    kinds = dict(Rater.objects.filter(study=study).values_list("pk", "kind"))
    people = sorted(count for rater, count in answers.items() if kinds[rater] == Rater.Kind.HUMAN)
    machines = len(answers) - len(people)
    if not people:
        return {"people": 0, "machines": machines}
    found = {"people": len(people), "least": people[0], "median": f"{median(people):g}", "most": people[-1]}
    return {**found, "machines": machines}


def _front_matter(study: Study, tables: Sequence[DescribedTable]) -> Iterator[str]:
    if study.license:
        yield f"license: {json.dumps(study.license)}"
    yield f"language:\n- {json.dumps(study.language)}"
    yield f"pretty_name: {json.dumps(study.title or study.slug)}"
    yield "tags:\n- interrater"
    if not tables:
        return
    yield "configs:"
    first = next((table.key for table in tables if table.key in ("ratings", "items")), tables[0].key)
    preferred = "ratings" if any(table.key == "ratings" for table in tables) else first
    for table in tables:
        yield f"- config_name: {table.config}\n  data_files: {json.dumps(table.loaded)}"
        if table.key == preferred:
            yield "  default: true"
        if table.form == CSV:
            yield '  keep_default_na: false\n  na_values:\n  - ""'
    yield "dataset_info:"
    for table in tables:
        yield f"- config_name: {table.config}\n  features:"
        for column in table.loaded_columns:
            yield f"  - {json.dumps(_feature(column, table.form), ensure_ascii=False)}"


def _feature(column: Column, form: str) -> dict[str, Any]:
    """The type of a column as Hugging Face's cards write it, in words that `datasets` knows from 2.21 on."""
    return {"name": column.name, **_typed(column, form)}


def _typed(column: Column, form: str) -> dict[str, Any]:
    if column.kind in SIMPLE:
        return {"dtype": SIMPLE[column.kind]}
    if column.kind is ColumnKind.TIME:
        return {"dtype": "timestamp[us, tz=UTC]" if form == PARQUET else "string"}
    if form == CSV:
        return {"dtype": "string"}
    if column.kind is ColumnKind.TEXTS:
        return {"list": "string"}
    if column.kind is ColumnKind.RANKING:
        return {"list": [{"name": "system", "dtype": "string"}, {"name": "rank", "dtype": "int64"}]}
    fields = [{"name": field.name, **_typed(field, form)} for field in column.fields]
    return {"list" if column.kind is ColumnKind.RECORDS else "struct": fields}


def citation_text(study: Study) -> str:
    """`CITATION.cff` of the data set; the study's own `citation` is its preferred reference as a text."""
    said = {
        "cff-version": "1.2.0",
        "message": study.citation or "If you use this data set, please cite it as below.",
        "title": study.title or study.slug,
        "type": "dataset",
        "authors": [{"name": f"The researchers of {study.slug}"}],
        "license": study.license or None,
        "abstract": study.description or None,
    }
    return "".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in said.items() if value is not None
    )
