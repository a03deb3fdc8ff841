"""A table of judges' ratings of turns beside two baselines and other people: KIWI, tables 5 and 7."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.meta_evaluation.label_figures import OTHERS
from annotation.models import JudgeRun, Study
from config.model_fields import canonical_json
from judges.split_of_run import ratings_of
from parts.papers.judge_configurations import seed_of, shots_of, without_seed
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import TableBody, TableCell, TableColumn, cell_of
from reports.figures.label_answers import choices_of
from reports.figures.protocol_figures import protocol_figures
from reports.figures.study_answers import Report

FIGURES = (("accuracy", "Accuracy"), ("precision", "Precision"), ("recall", "Recall"), ("f1", "F1"))
SPREAD = ("accuracy", "f1")
PEOPLE = "one more person"
BASELINES = ("majority", "random")
ANCHOR = "labels-of-turns"
NO_SPLIT = "the judge has only one split"
EXPECTED = "expected figures do not vary with a draw"
NO_SECOND = "nobody rated a turn a second time"
NO_DEVIATION = "a deviation needs more turns"
NOTES = {
    "two_way": "All other ratings count as not good. Precision, recall and F1 are those of good turns. Judges that may "
    "give the middle rating are left out.",
    "all_labels": "Precision, recall and F1 are means over all ratings. Judges that never give the middle rating are "
    "left out.",
}
COMMON = (
    "The label of a turn is its user's rating. Figures are of the test parts of splits: a judge's own, or three by "
    "turn if it has none. Judges that differ only by the seed of their split are averaged.",
    "Majority gives the most common training rating, with precision, recall and F1 of 0 for a rating never given; "
    "random draws by the training shares, and its figures are expectations.",
    "The person is a second rater, over all turns rated twice. The deviations in that row are the bootstrap's, those "
    "of judges are over splits. Intervals draw items.",
)


@dataclass(frozen=True)
class TurnJudges:
    """The judges of one row, by name, and what their newest runs say; None for what they do not say."""

    names: tuple[str, ...]
    ratings: Sequence[str] | None = None
    shots: int | None = None
    is_trained: bool = False
    seeds: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        """The first name, how many more there are, and what the judge chose among, was shown and was split by."""
        more = f" and {len(self.names) - 1} more" if len(self.names) > 1 else ""
        said = [] if self.ratings is None else [f"{len(self.ratings)} ratings"]
        if self.is_trained:
            said.append("trained")
        if self.shots is not None:
            said.append("no examples" if not self.shots else f"{self.shots} example{'s' if self.shots > 1 else ''}")
        if self.seeds:
            said.append(f"seed{'s' if len(self.seeds) > 1 else ''} {', '.join(map(str, self.seeds))}")
        return f"{self.names[0]}{more}" + (f" ({', '.join(said)})" if said else "")


def judges_by_split(study: Study, names: Iterable[str]) -> list[TurnJudges]:
    """The judges in groups, each of those whose newest runs differ only by their split's seed, in order of name.

    A judge without a run is a group by itself.
    """
    runs = JudgeRun.objects.filter(rater__study=study, replaced_by=None).order_by("pk")
    configurations = dict(runs.values_list("rater__name", "configuration"))
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        same = without_seed(configurations.get(name)) or canonical_json({"judge": name})
        groups.setdefault(same, []).append(name)
    return [_group(own, configurations) for own in groups.values()]


def _group(names: Sequence[str], configurations: Mapping[str, Any]) -> TurnJudges:
    first = configurations.get(names[0])
    seeds = [seed for name in names if (seed := seed_of(configurations.get(name))) is not None]
    is_trained = isinstance(first, dict) and isinstance(first.get("split"), dict)
    return TurnJudges(tuple(names), ratings_of(first), shots_of(first), is_trained, tuple(sorted(seeds)))


def turn_judge_table(answers: PaperAnswers, way: str) -> TableBody | None:
    """The table in one way of grouping ratings, for each question about turns whose labels belong to a user."""
    rows: list[tuple[str, list[TableCell]]] = []
    parts: list[str] = []
    labels: list[str] = []
    for key, question in answers.questions.items():
        figures = protocol_figures(answers.study)
        folded = figures.folded_labels(question) if figures else {}
        if not folded:
            continue
        report = answers.figures(key)
        split = {name: one for name, one in report["judges"].items() if "splits" in one}
        every = judges_by_split(answers.study, split)
        groups = [one for one in every if _chooses_among_all(one, split, folded) == (way == "all_labels")]
        if not groups:
            continue
        labels = [report["positive"], OTHERS] if way == "two_way" else list(choices_of(question))
        own = [*_baselines(split, groups, way, labels), *_judges(split, groups, way, labels)]
        own.append((PEOPLE, _person(report["people"].get("second"), way, labels)))
        rows += own
        parts += [key] * len(own)
    if not rows:
        return None
    columns = [TableColumn(name, title, "share", ANCHOR) for name, title in FIGURES]
    columns += [TableColumn(f"spread:{name}", f"{name.capitalize()}, deviation", "share") for name in SPREAD]
    columns += [TableColumn(f"label:{name}", f"Says {name}", "share") for name in labels]
    columns += [TableColumn("units", "Turns", "score"), TableColumn("splits", "Splits", "count")]
    return TableBody("Judge", columns, rows, parts if len(set(parts)) > 1 else (), [NOTES[way], *COMMON])


def _chooses_among_all(judges: TurnJudges, split: Mapping[str, Report], folded: Mapping[str, str]) -> bool:
    """Whether judges could give the labels that are `folded`, by their run, or did, if it does not say."""
    if judges.ratings is not None:
        return any(label in judges.ratings for label in folded)
    tables = [split[name]["confusion"] for name in judges.names]
    return any(row.get(label, 0) for table in tables for row in table.values() for label in folded)


def _judges(
    split: Mapping[str, Report], groups: Sequence[TurnJudges], way: str, labels: Sequence[str]
) -> list[tuple[str, list[TableCell]]]:
    """A row per group of judges: their mean over splits, with the deviation over splits or over the group."""
    rows = []
    for judges in groups:
        reports = [split[name]["splits"] for name in judges.names]
        if len(reports) == 1:
            rows.append((judges.title, _single(reports[0], way, labels)))
            continue
        own = [report[way]["judge"] for report in reports]
        cells = [_mean([one[name] for one in own]) for name, _ in FIGURES]
        cells += [_deviation([one[name] for one in own]) for name in SPREAD]
        cells += [_mean([one["labels"][label] for one in own]) for label in labels]
        cells += [_mean([report["units"] for report in reports]), TableCell(float(len(reports)))]
        rows.append((judges.title, cells))
    return rows


def _single(report: Report, way: str, labels: Sequence[str]) -> list[TableCell]:
    spread, undefined = report.get(f"{way}_spread", {}), report["undefined"]
    return [
        *(cell_of(report, (way, "judge", name)) for name, _ in FIGURES),
        *(
            TableCell(spread.get(name), reason=undefined.get(f"{way}_spread.{name}", NO_SPLIT)) for name in SPREAD
        ),
        *(cell_of(report, (way, "judge", "labels", label)) for label in labels),
        TableCell(report["units"]), TableCell(float(report["splits"])),
    ]  # fmt: skip


def _baselines(
    split: Mapping[str, Report], groups: Sequence[TurnJudges], way: str, labels: Sequence[str]
) -> list[tuple[str, list[TableCell]]]:
    """Both baselines on the turns of each group of judges; once if they are the same for all groups."""
    found: list[tuple[str, str, list[TableCell]]] = []
    for judges in groups:
        reports = [split[name]["splits"] for name in judges.names]
        for baseline in BASELINES:
            given = [report[way].get(baseline) for report in reports]
            units = [_mean([report["units"] for report in reports]), TableCell(float(_splits(reports)))]
            if any(one is None for one in given):
                reason = reports[0]["undefined"].get(f"{way}.{baseline}", "")
                known = [TableCell(None, reason=reason)] * (len(FIGURES) + len(SPREAD) + len(labels))
            else:
                known = [_mean([one[name] for one in given]) for name, _ in FIGURES]
                known += [TableCell(None, reason=EXPECTED)] * len(SPREAD)
                known += [_mean([one["labels"].get(label) for one in given]) for label in labels]
            found.append((baseline, judges.title, [*known, *units]))
    rows = []
    for baseline in BASELINES:
        own = [(judge, cells) for name, judge, cells in found if name == baseline]
        same = all(cells[:-2] == own[0][1][:-2] for _, cells in own)
        rows += [
            (baseline if same else f"{baseline}, turns of {judge}", cells)
            for judge, cells in own[: 1 if same else None]
        ]
    return rows


def _splits(reports: Sequence[Report]) -> int:
    return len(reports) if len(reports) > 1 else int(reports[0]["splits"])


def _person(second: Report | None, way: str, labels: Sequence[str]) -> list[TableCell]:
    """Second ratings, with the bootstrap's deviations."""
    if second is None or not second["units"]:
        return [TableCell(None, reason=NO_SECOND)] * (len(FIGURES) + len(SPREAD) + len(labels) + 2)
    figures = []
    for name, _ in FIGURES:
        cell = cell_of(second, (way, name))
        figures.append(TableCell(cell.value, cell.low, cell.high, second[way].get(f"{name}_sd"), cell.reason))
    return [
        *figures, *(TableCell(second[way].get(f"{name}_sd"), reason=NO_DEVIATION) for name in SPREAD),
        *(cell_of(second, (way, "labels", label)) for label in labels),
        TableCell(float(second["units"])), TableCell(1.0),
    ]  # fmt: skip


def _known(values: Sequence[Any]) -> list[float]:
    return [float(value) for value in values if value is not None and np.isfinite(value)]


def _mean(values: Sequence[Any]) -> TableCell:
    known = _known(values)
    complete = len(known) == len(values)
    return (
        TableCell(float(np.mean(known))) if known and complete else TableCell(None, reason="a split has no such turn")
    )


def _deviation(values: Sequence[Any]) -> TableCell:
    known = _known(values)
    return TableCell(float(np.std(known, ddof=1))) if len(known) > 1 else TableCell(None, reason=NO_SPLIT)
