"""Systems as people and judges see them: ranks, win rates at equal length, and strengths without style."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.text import slugify

from agreement.catalogue.meta_catalogue import BEYOND_AGREEMENT
from agreement.catalogue.report_catalogue import Figure
from reports.pages.display.printed_figures import number
from reports.pages.display.undefined_reasons import UndefinedReasons

Json = Mapping[str, Any]
PEOPLE = "People"
FEATURES = {"length": "Words", "list_items": "List items", "headers": "Headers", "bold": "Bold"}


@dataclass(frozen=True)
class ViewCell:
    value: str
    interval: tuple[str, str] | None = None
    note: int = 0
    beside: str = ""
    number: float | None = None
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class SystemTable:
    """One table: a column for people and for each judge."""

    figure: Figure
    rows_are: str
    rows: list[tuple[str, list[ViewCell]]]
    reasons: list[tuple[int, str]]
    folded: bool = True

    @property
    def key(self) -> str:
        """What names it in the addresses of its files."""
        return slugify(self.figure.title)


@dataclass(frozen=True)
class SystemViews:
    heads: list[str]
    baseline: str
    tables: list[SystemTable]


def system_views(found: Json) -> SystemViews:
    """The tables of a question's `systems`, ordered by people's strengths."""
    seen = {PEOPLE: found["people"], **found["judges"]}
    order = sorted(found["people"]["strengths"], key=lambda name: _rank_key(found["people"]["strengths"][name], name))
    tables = [_strengths("strengths", "Strengths and ranks", seen, order)]
    if found["baseline"] is not None:
        tables.append(_rates(seen, [name for name in order if name != found["baseline"]]))
    controlled = {name: one["style_controlled"] for name, one in seen.items()}
    tables += [_strengths("strengths", "", controlled, order), _effects(controlled)]
    return SystemViews(list(seen), found["baseline"] or "", tables)


def _rank_key(strength: Json, name: str) -> tuple[bool, float, str]:
    return strength["value"] is None, -(strength["value"] or 0.0), name


def _strengths(key: str, title: str, seen: Json, order: list[str]) -> SystemTable:
    reasons = UndefinedReasons()
    figure = BEYOND_AGREEMENT["style_controlled.strengths"]
    if title:
        line = "Log-odds of winning against an average system, from all choices; a tie is half a win."
        figure = Figure(title, line, figure.unit, figure.good, figure.anchor, "System")
    rows = [(name, [_strength(one[key][name], reasons) for one in seen.values()]) for name in order]
    return SystemTable(figure, "System", rows, reasons.listed, folded=not title)


def _strength(found: Json, reasons: UndefinedReasons) -> ViewCell:
    cell = _cell(found, "value", "strength", reasons)
    if found["rank"] is None:
        return cell
    low, high = found["rank_ci"]
    between = f"{low}" if low == high else f"{low} to {high}"
    return replace(cell, beside=f"rank {found['rank']} ({between})")


def _rates(seen: Json, order: list[str]) -> SystemTable:
    reasons, rows = UndefinedReasons(), []
    for name in order:
        cells = []
        for one in seen.values():
            rate = one["length_controlled"][name]
            cell = _cell(rate, "controlled", "share", reasons)
            plain = "" if rate["win_rate"] is None else f"as judged {number(rate['win_rate'], 'share')}"
            cells.append(replace(cell, beside=plain))
        rows.append((name, cells))
    return SystemTable(BEYOND_AGREEMENT["length_controlled.controlled"], "System", rows, reasons.listed)


def _effects(seen: Json) -> SystemTable:
    reasons = UndefinedReasons()
    names = list(next(iter(seen.values()))["effects"])
    rows = [
        (FEATURES.get(name, name), [_cell(one["effects"][name], "value", "strength", reasons) for one in seen.values()])
        for name in names
    ]
    return SystemTable(BEYOND_AGREEMENT["style_controlled.effects"], "Feature", rows, reasons.listed)


def _cell(found: Json, key: str, unit: str, reasons: UndefinedReasons) -> ViewCell:
    if found[key] is None:
        return ViewCell("", note=reasons.number(found["undefined"].get(key, "")))
    ends = found.get(f"{key}_ci")
    interval = (number(ends[0], unit), number(ends[1], unit)) if ends else None
    return ViewCell(number(found[key], unit), interval, number=found[key], ends=(ends[0], ends[1]) if ends else None)
