"""The leaderboard of judges: for each question their figures, and each of them beside one more person, the ceiling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agreement.catalogue.meta_catalogue import JUDGES_AND_PEOPLE, TAU_OF_CLOSE_SYSTEMS
from reports.pages.display.judge_cards import JudgeCard, ReplacementTest, judge_card, replacement_test
from reports.pages.display.plot_data import PlotData, dot_data
from reports.pages.display.plots import DotPlot
from reports.pages.display.printed_figures import BOTH_WAYS, FIXED, number
from reports.pages.display.system_views import SystemViews, system_views
from reports.pages.display.undefined_reasons import UndefinedReasons

Json = Mapping[str, Any]
RunsOfJudges = Mapping[str, Sequence[tuple[int, str]]]
CEILING = "one more person"
JUDGE = "judge"


@dataclass(frozen=True)
class Measure:
    """A column of the leaderboard: a figure's name in the report, its short title, and whether higher is better."""

    name: str
    title: str
    higher: bool = True
    near_zero: bool = False

    @property
    def line(self) -> str:
        return JUDGES_AND_PEOPLE[self.name].line

    @property
    def unit(self) -> str:
        return JUDGES_AND_PEOPLE[self.name].unit

    @property
    def anchor(self) -> str:
        return JUDGES_AND_PEOPLE[self.name].anchor


TAU = Measure("item_kendall_tau_b", "Item tau")
SYSTEM_TAU = Measure("system_kendall_tau_b", "System tau")
PEARSON = Measure("pearson", "Pearson\N{RIGHT SINGLE QUOTATION MARK}s r")
AUC = Measure("auc_roc", "AUC")
LEAVE_ONE_OUT = Measure("leave_one_out", "Leave-one-out")
ACCURACY = Measure("accuracy", "Accuracy")
ALPHA = Measure("alpha_nominal", "Alpha")
POSITION = Measure("position_bias", "Position bias", higher=False, near_zero=True)
LENGTH = Measure("length_bias_rate", "Length bias", higher=False, near_zero=True)
OF_SCORES = (TAU, SYSTEM_TAU, PEARSON, AUC, ACCURACY, LENGTH)
OF_CHOICES = (LEAVE_ONE_OUT, ACCURACY, ALPHA, SYSTEM_TAU, POSITION, LENGTH)
COSTS = (("price_per_1000", "Price per 1,000"), ("seconds_per_1000", "Seconds per 1,000"))


@dataclass(frozen=True)
class LeaderboardCell:
    """A figure as text, with its interval, or the number of the reason why there is none."""

    value: str
    interval: tuple[str, str] | None = None
    note: int = 0
    number: float | None = None
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class LeaderboardRow:
    """A judge, or one more person; `answers` are people's answers on which both are compared.

    `unfinished` are the judge's answers of unfinished runs, which are left out.
    """

    name: str
    kind: str
    family: str
    reruns: int
    cells: list[LeaderboardCell]
    costs: list[str]
    is_ceiling: bool = False
    answers: int = 0
    unfinished: int = 0


@dataclass(frozen=True)
class LeaderboardHead:
    """A column's title, its line, and its anchor in the definitions; `key` is what the table can be sorted by."""

    key: str
    title: str
    line: str
    anchor: str
    direction: str


@dataclass(frozen=True)
class BesidePerson:
    """Judges below the person with whom they are compared: both against the other people, on the same answers."""

    heads: list[LeaderboardHead]
    rows: list[LeaderboardRow]
    reasons: list[tuple[int, str]]


@dataclass(frozen=True)
class LeaderboardSection:
    """The judges of one question, sorted; `replacement_tests` and `cards` are empty for labels."""

    prefix: str
    key: str
    text: str
    first: Measure
    heads: list[LeaderboardHead]
    rows: list[LeaderboardRow]
    plot: DotPlot
    plotted: PlotData
    people: int
    labels: int
    items: int
    replicates: int
    has_costs: bool
    reasons: list[tuple[int, str]]
    problem: str
    beside: BesidePerson
    replacement_tests: list[ReplacementTest] = field(default_factory=list)
    cards: list[JudgeCard] = field(default_factory=list)
    systems: SystemViews | None = None

    @property
    def basis(self) -> str:
        """What the figures rest on, as captions say it."""
        of_people = f"{self.people} people" if self.people else f"{self.labels} labels by people"
        return f"n = {self.items} items, {of_people}" + (f". {self.note}" if self.note else "")

    @property
    def note(self) -> str:
        """What the intervals of a column do not hold."""
        return TAU_OF_CLOSE_SYSTEMS if any(head.key == SYSTEM_TAU.name for head in self.heads) else ""

    @property
    def every_plot(self) -> list[PlotData]:
        """The plot of the judges, and the calibration of each judge that has one."""
        return [self.plotted, *(card.calibration.data for card in self.cards if card.calibration)]


def leaderboard(report: Json, sort: str = "", runs: RunsOfJudges | None = None) -> list[LeaderboardSection]:
    """A section for each question that judges answered; `runs` are the runs of each judge to link to.

    `sort` is the name of a figure, of a cost, or `judge`; a question without it is sorted by its first figure.
    """
    return [
        _section(f"q{place}", key, question, sort, runs or {})
        for place, (key, question) in enumerate(report["questions"].items(), 1)
        if question["judges"] and "people" in question
    ]


def _apart(judge: str) -> str:
    """A judge's name in the tables, which cannot be that of the ceiling."""
    return f"{judge} (judge)" if judge.startswith(CEILING) else judge


def _section(prefix: str, key: str, question: Json, sort: str, runs: RunsOfJudges) -> LeaderboardSection:
    people, judges = question["people"], {_apart(name): figures for name, figures in question["judges"].items()}
    chosen = any(one.get("shape") == "choice" for one in judges.values()) or "positive" in question
    wanted = OF_CHOICES if chosen else OF_SCORES
    measures = [one for one in wanted if any(_value(figures, one) is not None for figures in judges.values())] or [TAU]
    first, reasons = measures[0], UndefinedReasons()
    order = _order(judges, measures, sort)
    rows = [_row(name, judges[name], measures, reasons) for name in order]
    beside = _beside({name: judges[name] for name in order}, measures)
    plotted = _plotted(prefix, key, first, beside)
    has_costs = any(row.costs for row in rows)
    sorted_by = sort if sort in _sortable(measures, has_costs) else first.name
    detailed = {name: judges[name] for name in order if "alternative_annotator" in judges[name]}
    return LeaderboardSection(
        prefix=prefix,
        key=key,
        text=question.get("text", ""),
        first=first,
        heads=_heads(measures, has_costs, sorted_by),
        rows=rows,
        plot=plotted.dot_plot(),
        plotted=plotted,
        people=people.get("raters", 0),
        labels=people.get("labels", 0),
        items=question["bootstrap"]["items"],
        replicates=question["bootstrap"]["replicates"],
        has_costs=has_costs,
        reasons=reasons.listed,
        problem=question.get("undefined", {}).get("panel", ""),
        beside=beside,
        replacement_tests=[
            replacement_test(name, figures["alternative_annotator"]) for name, figures in detailed.items()
        ],
        cards=[
            judge_card(f"{key}-{place}", name, figures, runs.get(name, ()), f"{prefix}-j{place}")
            for place, (name, figures) in enumerate(detailed.items())
        ],
        systems=system_views(question["systems"]) if "systems" in question else None,
    )


def _beside(judges: Json, measures: Sequence[Measure]) -> BesidePerson:
    """A group of rows for each set of answers on which judges are compared with people: the person, then the judges."""
    sides = [figures["one_more_person"][side] for figures in judges.values() for side in ("person", "judge")]
    measures = [one for one in measures if any(_value(side, one) is not None for side in sides)] or measures[:1]
    reasons = UndefinedReasons()
    groups: list[tuple[Json, list[str]]] = []
    for name, figures in judges.items():
        own = figures["one_more_person"]
        same = next((names for one, names in groups if one == own["person"]), None)
        if same is None:
            groups.append((own["person"], [name]))
        else:
            same.append(name)
    rows = []
    for person, names in groups:
        ceiling = CEILING if len(groups) == 1 else f"{CEILING}, beside {', '.join(names)}"
        answers = _answers(judges[names[0]]["one_more_person"])
        rows.append(replace(_row(ceiling, person, measures, reasons, is_ceiling=True), answers=answers))
        for name in names:
            own = judges[name]["one_more_person"]
            rows.append(replace(_row(name, own["judge"], measures, reasons), answers=_answers(own)))
    return BesidePerson(_heads(measures, False, ""), rows, reasons.listed)


def _answers(beside: Json) -> int:
    return int(beside["labels"] if "labels" in beside else max(beside["scores"], beside["choices"]))


def _plotted(prefix: str, key: str, first: Measure, beside: BesidePerson) -> PlotData:
    """The first measure of the judges and of the person beside them, whose interval is a band if there is one."""
    place = next((place for place, head in enumerate(beside.heads[1:]) if head.key == first.name), 0)
    cells = {row.name: row.cells[place] for row in beside.rows}
    people = [row.name for row in beside.rows if row.is_ceiling]
    band = cells[people[0]].ends if len(people) == 1 else None
    return dot_data(
        f"{prefix}-judges",
        f"{first.title}, {key}",
        first.title,
        {name: cell.number for name, cell in cells.items()},
        {name: None if cell.ends is None else list(cell.ends) for name, cell in cells.items()},
        FIXED.get(first.unit, BOTH_WAYS),
        None if band is None else list(band),
    )


def _sortable(measures: Sequence[Measure], has_costs: bool) -> list[str]:
    return [JUDGE, *(one.name for one in measures), *((name for name, _ in COSTS) if has_costs else ())]


def _heads(measures: Sequence[Measure], has_costs: bool, sorted_by: str) -> list[LeaderboardHead]:
    def direction(name: str, descending: bool) -> str:
        return "" if name != sorted_by else "descending" if descending else "ascending"

    heads = [LeaderboardHead(JUDGE, "Judge", "", "", direction(JUDGE, False))]
    heads += [
        LeaderboardHead(one.name, one.title, one.line, one.anchor, direction(one.name, one.higher)) for one in measures
    ]
    if has_costs:
        heads += [LeaderboardHead(name, title, "", "", direction(name, False)) for name, title in COSTS]
    return heads


def _order(judges: Json, measures: Sequence[Measure], sort: str) -> list[str]:
    """The judges' names, the best first; those without a value last."""
    if sort == JUDGE:
        return sorted(judges)
    if sort in [name for name, _ in COSTS] and any(one.get(sort) is not None for one in judges.values()):
        return sorted(judges, key=lambda name: (judges[name].get(sort) is None, judges[name].get(sort) or 0.0, name))
    measure = next((one for one in measures if one.name == sort), measures[0])

    def place(name: str) -> tuple[bool, float, str]:
        value = _value(judges[name], measure)
        known = 0.0 if value is None else abs(value) if measure.near_zero else value
        return value is None, -known if measure.higher else known, name

    return sorted(judges, key=place)


def _value(figures: Json, measure: Measure) -> float | None:
    value: float | None = figures.get(measure.name)
    return value


def _row(
    name: str, figures: Json, measures: Sequence[Measure], reasons: UndefinedReasons, *, is_ceiling: bool = False
) -> LeaderboardRow:
    costs = [number(figures[cost], "scale") if figures.get(cost) is not None else "" for cost, _ in COSTS]
    return LeaderboardRow(
        name=name,
        kind=str(figures.get("kind", "")),
        family=figures.get("family") or "",
        reruns=int(figures.get("reruns", 1)),
        cells=[_cell(figures, measure, reasons) for measure in measures],
        costs=costs if any(costs) else [],
        is_ceiling=is_ceiling,
        unfinished=int(figures.get("unfinished_left_out", 0)),
    )


def _cell(figures: Json, measure: Measure, reasons: UndefinedReasons) -> LeaderboardCell:
    value = _value(figures, measure)
    if value is None:
        known = figures.get("undefined", {}).get(measure.name)
        return LeaderboardCell("", note=reasons.number(known or "the figure does not fit such answers"))
    ends = figures.get(f"{measure.name}_ci")
    interval = (number(ends[0], measure.unit), number(ends[1], measure.unit)) if ends else None
    return LeaderboardCell(number(value, measure.unit), interval, 0, value, (ends[0], ends[1]) if ends else None)
