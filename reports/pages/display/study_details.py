"""The parts of a report's details that are about the whole study: times, exclusions, the methods paragraph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agreement.answers.time_quartiles import CLOCKS
from agreement.catalogue.details_catalogue import DETAIL_COLUMNS, DETAIL_TABLES, EXCLUDED
from annotation.models import Study
from annotation.questions import question_types
from reports.kept.kept_reports import Kept
from reports.pages.display.counted_items import CountedItems
from reports.pages.display.printed_figures import Json, PrintedFigure, number, plain
from reports.pages.display.question_details import PrintedDetails, question_details
from reports.pages.display.question_sections import QuestionSection
from reports.pages.display.row_order import Sorting
from reports.pages.display.tables import Table

FEW_NAMES = 10
"""Single entries that a row of the log names."""
DASH = "\N{EN DASH}"


@dataclass(frozen=True)
class StudyDetails:
    """The study's own details, as the page prints them."""

    tables: list[Table]
    methods: Json


def with_details(
    study: Study, sections: Sequence[QuestionSection], details: Json | None, disagreement: Kept | None,
    sorting: Sorting, leads: Mapping[str, CountedItems],
) -> list[QuestionSection]:  # fmt: skip
    """The sections with their details, if these are computed; `sorting` is the reader's order of tables.

    `leads` lead to the items of questions, by their keys; {} for pages without addresses, as in a bundle.
    """
    if details is None:
        return list(sections)
    questions = details["questions"]
    compared = disagreement.figures["questions"] if disagreement and disagreement.is_there else {}
    types = question_types()
    scales = {one.key: types[one.type].scale(one.spec) for one in study.questions.all()}
    return [
        replace(
            section,
            details=_placed(
                question_details(
                    questions.get(section.key, {}),
                    compared.get(section.key, {}).get("matrix"),
                    scales.get(section.key),
                    leads.get(section.key),
                ),
                section,
                sorting,
            ),
        )
        for section in sections
    ]


def _placed(details: PrintedDetails, section: QuestionSection, sorting: Sorting) -> PrintedDetails:
    """The details with their tables under keys of the question, in the reader's order, resting on what it rests on."""
    placed = [replace(one, prefix=section.prefix, sorting=sorting, basis=section.basis) for one in details.tables]
    return replace(details, tables=placed)


def study_details(figures: Json | None, sorting: Sorting) -> StudyDetails | None:
    """The study's details; None if they are not computed yet."""
    if figures is None:
        return None
    made = (_times(figures["time"]), _exclusions(figures["exclusions"]))
    tables = [replace(table, prefix="study", sorting=sorting) for table in made if table is not None]
    return StudyDetails(tables, figures["methods"])


def _times(time: Json) -> Table | None:
    """Quartiles of all answers, of quarters by the words to read, and of systems."""
    rows = [(_name(row), _clocks(row)) for row in (*time["all"], *time["words"], *time["systems"])]
    if not any(row[clock] for row in time["all"] for clock in CLOCKS):
        return None
    return Table(DETAIL_TABLES["time"], [DETAIL_COLUMNS["answers"], *(DETAIL_COLUMNS[one] for one in CLOCKS)], rows)


def _name(row: Json) -> str:
    if "low" in row:
        return f"{row['low']:,} to {row['high']:,} words to read"
    return str(row["name"] or "All answers")


def _clocks(row: Json) -> list[PrintedFigure]:
    cells = [plain(DETAIL_COLUMNS["answers"], number(row["answers"], "count"))]
    for clock in CLOCKS:
        figure, quartiles = DETAIL_COLUMNS[clock], row[clock]
        if quartiles is None:
            cells.append(plain(figure, "", row["undefined"].get(clock, "")))
            continue
        first, median, third = (number(one, "count") for one in quartiles)
        cells.append(PrintedFigure(clock, figure, median, (first, third)))
    return cells


def _exclusions(log: Sequence[Json]) -> Table | None:
    if not log:
        return None
    heads = [DETAIL_COLUMNS[name] for name in ("number", "counted", "dates", "which")]
    rows = [(EXCLUDED[row["kind"]].title, _exclusion(row)) for row in log]
    return Table(DETAIL_TABLES["exclusions"], heads, rows)


def _exclusion(row: Json) -> list[PrintedFigure]:
    ends: list[Any] = list(dict.fromkeys(day for day in (row["first"], row["last"]) if day))
    return [
        plain(DETAIL_COLUMNS["number"], f"{row['number']:,} {row['of'] if row['number'] != 1 else row['of'][:-1]}"),
        plain(DETAIL_COLUMNS["counted"], "left out" if row["left_out"] else "counted"),
        plain(DETAIL_COLUMNS["dates"], " to ".join(ends) or DASH),
        plain(DETAIL_COLUMNS["which"], _entries(row)),
    ]


def _entries(row: Json) -> str:
    """The first single entries with their reasons and ratings."""
    shown = []
    for one in row["entries"][:FEW_NAMES]:
        about = [one["reason"], (one["at"] or "")[:10], "" if one["ratings"] is None else f"{one['ratings']:,}"]
        told = ", ".join(part for part in about if part)
        shown.append(f"{one['name']} ({told})" if told else one["name"])
    more = len(row["entries"]) - len(shown)
    return "; ".join([*shown, *([f"{more} more"] if more else [])]) or DASH
