"""The tables of the leaderboard as plain values, which `table_formats` writes as files to copy."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from django.utils.text import slugify

from reports.pages.display.judge_cards import JudgeCard, ReplacementTest
from reports.pages.display.leaderboard import COSTS, LeaderboardSection
from reports.pages.display.system_views import SystemTable
from reports.pages.display.table_texts import text_cell

Json = Mapping[str, Any]
Columns = Sequence[tuple[str, str]]
"""Keys and titles."""


class NotedFigure(Protocol):
    """A cell with a figure, or with the number of the reason why there is none."""

    @property
    def value(self) -> str: ...
    @property
    def note(self) -> int: ...
    @property
    def number(self) -> float | None: ...
    @property
    def ends(self) -> tuple[float, float] | None: ...


def leaderboard_texts(sections: Sequence[LeaderboardSection]) -> dict[str, dict[str, Any]]:
    """Every table of every question by the key in its address, which begins with the question's place."""
    found: dict[str, dict[str, Any]] = {}
    for section in sections:
        found[f"{section.prefix}-judges"] = _judges(section)
        found[f"{section.prefix}-beside"] = _beside(section)
        if section.replacement_tests:
            found[f"{section.prefix}-replacements"] = _replacements(section)
        for card in section.cards:
            found |= _of_card(section, card)
        for table in section.systems.tables if section.systems else ():
            heads = section.systems.heads if section.systems else []
            found[f"{section.prefix}-{table.key}"] = _systems(section, table, heads)
        for key, table_of_section in found.items():
            if key.startswith(f"{section.prefix}-"):
                table_of_section["basis"] = section.basis
    return found


def _table(
    title: str, rows_are: str, columns: Columns, rows: Iterable[tuple[str, Sequence[Json]]], notes: Sequence[str] = ()
) -> dict[str, Any]:
    keys = [key for key, _ in columns]
    return {
        "title": title,
        "source": "",
        "rows_are": rows_are,
        "columns": [{"key": key, "title": name, "unit": ""} for key, name in columns],
        "rows": [{"name": name, "cells": dict(zip(keys, cells, strict=True))} for name, cells in rows],
        "notes": list(notes),
    }


def _noted(cell: NotedFigure, reasons: Mapping[int, str], beside: str = "") -> dict[str, Any]:
    if cell.note:
        return {"value": None, "reason": reasons[cell.note]}
    found: dict[str, Any] = {"value": cell.value if cell.number is None else cell.number, "text": cell.value}
    if cell.ends:
        found |= {"low": cell.ends[0], "high": cell.ends[1]}
    return found | ({"counts": beside} if beside else {})


def _text(text: str) -> dict[str, Any]:
    return {"value": text} if text else {"value": None, "reason": "none"}


def _judges(section: LeaderboardSection) -> dict[str, Any]:
    reasons = dict(section.reasons)
    costs = COSTS if section.has_costs else ()
    columns = [(head.key, head.title) for head in section.heads[1:]]
    rows = [
        (
            row.name,
            [*(_noted(cell, reasons) for cell in row.cells), *(_text(one) for one in row.costs or [""] * len(costs))],
        )
        for row in section.rows
    ]
    return _table(f"Judges, {section.key}", "Judge", columns, rows)


def _beside(section: LeaderboardSection) -> dict[str, Any]:
    reasons = dict(section.beside.reasons)
    columns = [*((head.key, head.title) for head in section.beside.heads[1:]), ("answers", "Answers")]
    rows = [
        (row.name, [*(_noted(cell, reasons) for cell in row.cells), {"value": row.answers}])
        for row in section.beside.rows
    ]
    table = _table(f"Judges beside one more person, {section.key}", "Judge", columns, rows)
    table["columns"][-1]["unit"] = "count"
    return table


def _replacements(section: LeaderboardSection) -> dict[str, Any]:
    columns = [
        ("verdict", "May it?"), ("winning_rate", "Winning rate"), ("constant", "If constant"),
        ("shuffled", "If shuffled"), ("people_alpha", "People\N{RIGHT SINGLE QUOTATION MARK}s alpha"),
        ("advantage", "Advantage probability"), ("by", "Compared by"), ("missing", "What is missing"),
    ]  # fmt: skip

    def cells(one: ReplacementTest) -> list[Json]:
        missing = ", ".join([*one.missing, *([one.reason] if one.reason else [])]) or "nothing"
        return [
            _text(one.verdict),
            _text(one.omega),
            _text(one.constant),
            _text(one.shuffled),
            text_cell(one.alpha),
            text_cell(one.rho),
            _text(one.by),
            _text(missing),
        ]

    rows = [(one.name, cells(one)) for one in section.replacement_tests]
    epsilon = section.replacement_tests[0].epsilon
    notes = [
        f"Epsilon {epsilon}. The judge wins against a person by a one-sided test of the means of items, with the "
        "correction of Benjamini and Yekutieli."
    ]
    return _table(f"May a judge replace a person? {section.key}", "Judge", columns, rows, notes)


def _systems(section: LeaderboardSection, table: SystemTable, heads: Sequence[str]) -> dict[str, Any]:
    reasons = dict(table.reasons)
    columns = [(f"judge_{place}" if place else "people", head) for place, head in enumerate(heads)]
    rows = [(name, [_noted(cell, reasons, cell.beside) for cell in cells]) for name, cells in table.rows]
    return _table(f"{table.figure.title}, {section.key}", table.rows_are, columns, rows)


def _of_card(section: LeaderboardSection, card: JudgeCard) -> dict[str, dict[str, Any]]:
    """The tables of one judge: biases, each person, bins of probabilities, and means of systems."""
    found = {f"{card.prefix}-biases": _biases(section, card), f"{card.prefix}-systems": _means(section, card)}
    tests = [one for one in section.replacement_tests if one.name == card.name and one.people]
    if tests:
        found[f"{card.prefix}-persons"] = _persons(section, tests[0])
    if card.calibration:
        columns = [("n", "n"), ("mean", "Mean"), ("share", "Share of people")]
        rows = [(name, [_text(str(n)), _text(mean), _text(share)]) for name, n, mean, share in card.calibration.bins]
        title = f"Calibration of {card.name}, {section.key}"
        found[f"{card.prefix}-bins"] = _table(title, "Probabilities", columns, rows)
    return found


def _biases(section: LeaderboardSection, card: JudgeCard) -> dict[str, Any]:
    columns = [
        ("judge", "Judge"), ("people", "People"), ("difference", "Difference"), ("matters", "Does it matter?"),
    ]  # fmt: skip
    none: Json = {"value": None, "reason": "none"}
    rows = [
        (
            line.figure.title,
            [
                text_cell(line.judge),
                text_cell(line.people) if line.people else none,
                text_cell(line.difference) if line.difference else none,
                _text(line.verdict),
            ],
        )
        for line in card.biases
    ]
    return _table(f"What sways {card.name}, {section.key}", "Bias", columns, rows)


def _means(section: LeaderboardSection, card: JudgeCard) -> dict[str, Any]:
    of_methods = [(slugify(figure.title).replace("-", "_"), figure.title) for figure in card.methods]
    columns = [
        ("people", "Answers of people"), ("judge", "Answers of the judge"), *of_methods,
        ("worth", "Worth in people\N{RIGHT SINGLE QUOTATION MARK}s answers"),
    ]  # fmt: skip
    rows = [
        (
            row.system,
            [{"value": row.labels}, {"value": row.outputs}, *(text_cell(one) for one in row.means), _text(row.worth)],
        )
        for row in card.corrected
    ]
    table = _table(f"Systems by people, {card.name} and both, {section.key}", "System", columns, rows)
    for column in table["columns"][:2]:
        column["unit"] = "count"
    return table


def _persons(section: LeaderboardSection, test: ReplacementTest) -> dict[str, Any]:
    columns = [
        ("items", "Items"), ("judge", "Judge as good"), ("person", "Person as good"), ("p", "p"),
        ("verdict", "The judge"),
    ]  # fmt: skip
    rows = [
        (
            one.name,
            [
                _text(str(one.items)), _text(one.judge_advantage), _text(one.person_advantage), _text(one.p),
                _text(one.verdict),
            ],
        )
        for one in test.people
    ]  # fmt: skip
    notes = [
        f"Epsilon {test.epsilon}. p is one-sided and without correction; the verdict has that of Benjamini and "
        "Yekutieli."
    ]
    return _table(f"{test.name} against each person, {section.key}", "Person", columns, rows, notes)
