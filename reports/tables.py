"""Tables of a report's page: of pairs of raters, of pairs of systems, of places, dimensions and categories."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agreement.catalogue import FIGURES, Figure
from reports.figures import Axis, Json, Shown, axis_around, number, shown

KAPPAS = ("cohen_kappa_pairs", "kappa_linear_pairs", "kappa_quadratic_pairs")
DIMENSIONS = ("item_tau_b", "alpha_masi_rankings", "alpha_ordinal_ranks", "alpha_interval_ranks")
PARTS = (("mean", "means of items"), ("annotator", "each rater"))
"""The two parts of a report on two dimensions."""
BY_CATEGORY = (
    "ratings", "items", "percent_agreement", "alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_masi",
    "alpha_masi_rankings", "gwet_ac1", "span_alpha", "span_f1", "span_accuracy",
)  # fmt: skip
"""What is shown for each category: agreement, of all questions alike."""
SYSTEMS_BY_CATEGORY = ("system_mean", "system_score", "system_win_or_tie_rate", "system_without_confirmed_span")
FOLDED_FROM = 16
"""Longer tables are opened by whoever wants them."""
FEW_COLUMNS = 3
UNIT = (0.0, 1.0)
BOTH_WAYS = (-1.0, 1.0)


@dataclass(frozen=True)
class Table:
    """A table and what it says; each head is (text, what it says), each row (name, cells).

    `figure` gives what `title`, `line` and `anchor` leave empty; `lines` explains the columns.
    """

    figure: Figure
    corner: str
    heads: list[tuple[str, str]]
    rows: list[tuple[str, list[Shown]]]
    note: str = ""
    lines: list[Figure] = field(default_factory=list)
    title: str = ""
    line: str = ""
    anchor: str = ""

    @property
    def folded(self) -> bool:
        return len(self.rows) >= FOLDED_FROM

    @property
    def few(self) -> bool:
        """Whether it has so few columns that across a whole page they would stand far from their rows' names."""
        return len(self.heads) <= FEW_COLUMNS


def tables(report: Json) -> list[Table]:
    """The tables of one question's figures, in the order in which they are read."""
    made = (_win_tie_loss(report), _comparisons(report), _kappas(report), _positions(report))
    return [table for table in made if table is not None]


def _plain(figure: Figure, text: str, reason: str = "") -> Shown:
    return Shown("", figure, text, reason=reason)


def _kappas(report: Json) -> Table | None:
    raters = report.get("kappa_raters")
    names = [name for name in KAPPAS if report.get(name)]
    if not raters or not names:
        return None
    undefined = report.get("undefined", {})
    rows = []
    for place, pair in enumerate(raters):
        cells = []
        for name in names:
            interval = (report.get(f"{name}_ci") or [None] * len(raters))[place]
            reason = undefined.get(f"{name}.{place}", "")
            cells.append(shown(name, FIGURES[name], report[name][place], interval, reason, BOTH_WAYS))
        rows.append((" · ".join(pair), cells))
    heads = [(FIGURES[name].title, FIGURES[name].line) for name in names]
    return Table(FIGURES["kappa_raters"], "Raters", heads, rows, lines=[FIGURES[name] for name in names])


def _win_tie_loss(report: Json) -> Table | None:
    counts: Mapping[str, Mapping[str, Mapping[str, int]]] = report.get("win_tie_loss") or {}
    if not counts:
        return None
    figure = FIGURES["win_tie_loss"]
    systems = sorted({*counts, *(other for met in counts.values() for other in met)})

    def cell(met: Mapping[str, int] | None) -> Shown:
        return _plain(figure, f"{met['win']} / {met['tie']} / {met['loss']}" if met else "\N{EN DASH}")

    rows = [(system, [cell(counts.get(system, {}).get(other)) for other in systems]) for system in systems]
    note = "Wins / ties / losses of the system of the row against that of the column."
    return Table(figure, "System", [(system, "") for system in systems], rows, note)


def _comparisons(report: Json) -> Table | None:
    compared: Sequence[Json] = report.get("comparisons") or []
    if not compared:
        return None
    figure, undefined = FIGURES["comparisons"], report.get("undefined", {})

    def cell(row: Json, name: str, test: str, text: str) -> Shown:
        one, other = row["systems"]
        return _plain(figure, text, undefined.get(f"comparisons.{one}.{other}.{test}", "") if row[name] is None else "")

    rows = []
    for row in compared:
        difference = row["mean_difference"]
        cells = [
            _plain(figure, str(row["items"])),
            cell(
                row, "mean_difference", "mean_difference", number(difference, "score") if difference is not None else ""
            ),
            cell(row, "t_p_holm", "t_p", _p(row["t_p_holm"])),
            cell(row, "wilcoxon_p_holm", "wilcoxon_p", _p(row["wilcoxon_p_holm"])),
        ]
        rows.append((" \N{MINUS SIGN} ".join(row["systems"]), cells))
    heads = [
        ("Items", "items that have both systems"),
        ("Mean difference", "the first less the second, over items"),
        ("p, paired t", "two-sided, after Holm's correction"),
        ("p, Wilcoxon", "two-sided, after Holm's correction"),
    ]
    return Table(
        figure, "Systems", heads, rows, "p-values are two-sided and corrected by Holm's method for their number."
    )


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return "< 0.001" if value < 0.0005 else f"{value:.3f}"


def _positions(report: Json) -> Table | None:
    places: Sequence[Json] = report.get("score_by_position") or []
    if not places:
        return None
    figure = FIGURES["score_by_position"]
    rows = [
        (str(row["position"] + 1), [_plain(figure, str(row["n"])), _plain(figure, number(row["score"], "score"))])
        for row in places
    ]
    heads = [("Outputs ranked", "how many stood there"), ("Mean score", "of the outputs that stood there")]
    return Table(figure, "Place on the page", heads, rows)


def dimensions_table(compared: Sequence[Json], texts: Mapping[str, str]) -> Table | None:
    """How far each two ranked questions agree, a row each and part; `texts` names questions by their keys."""
    if not compared:
        return None
    figures = [FIGURES[f"dimensions.{name}"] for name in DIMENSIONS]
    rows = []
    for row in compared:
        undefined = row.get("undefined", {})
        pair = " · ".join(texts.get(key, key) for key in row["questions"])
        for part, called in PARTS:
            cells = [
                shown(
                    name, figure, row[part].get(name), row[part].get(f"{name}_ci"),
                    undefined.get(f"{part}.{name}", ""), BOTH_WAYS,
                )
                for name, figure in zip(DIMENSIONS, figures, strict=True)
            ]  # fmt: skip
            cells.insert(0, _plain(FIGURES["dimensions.groups"], str(row[part]["groups"])))
            rows.append((f"{pair}, {called}", cells))
    groups = FIGURES["dimensions.groups"]
    heads = [(figure.title.removeprefix("Dimensions, "), figure.line) for figure in [groups, *figures]]
    return Table(
        figures[0],
        "Two questions",
        heads,
        rows,
        lines=[groups, *figures],
        title="Agreement between dimensions",
        line="Whether outputs that are good in one way are good in the other; 1 is the same order, 0 is chance.",
    )


def category_tables(report: Json, scale: Axis | None) -> list[Table]:
    """Agreement in each category, and each system's figure in each; none where categories were not asked for."""
    parts: Mapping[str, Json] = report.get("by_category") or {}
    if not parts:
        return []
    names = [name for name in BY_CATEGORY if any(part.get(name) is not None for part in parts.values())]
    rows = [(category, list(_of_category(part, names))) for category, part in parts.items()]
    heads = [(FIGURES[name].title, FIGURES[name].line) for name in names]
    agreement = Table(
        FIGURES["percent_agreement"],
        "Category",
        heads,
        rows,
        lines=[FIGURES[name] for name in names],
        title="Agreement by category",
        line="Of the items of each category; an item of several counts in each.",
        anchor="by-category",
    )
    made = [agreement]
    for name in SYSTEMS_BY_CATEGORY:
        systems = sorted({system for part in parts.values() for system in part.get(name) or {}})
        if systems:
            made.append(_systems_by_category(name, parts, systems, scale))
    return made


def _of_category(part: Json, names: Sequence[str]) -> Iterator[Shown]:
    for name in names:
        reason = part.get("undefined", {}).get(name, "")
        axis = None if FIGURES[name].unit == "count" else BOTH_WAYS if FIGURES[name].unit == "alpha" else UNIT
        yield shown(name, FIGURES[name], part.get(name), part.get(f"{name}_ci"), reason, axis)


def _systems_by_category(name: str, parts: Mapping[str, Json], systems: list[str], scale: Axis | None) -> Table:
    figure = FIGURES[name]
    found = [part.get(name) or {} for part in parts.values()]
    axis = axis_around(figure.unit, [value for own in found for value in own.values()], scale)
    rows = []
    for category, part in parts.items():
        values, intervals = part.get(name) or {}, part.get(f"{name}_ci") or {}
        undefined = part.get("undefined", {})
        cells = [
            shown(name, figure, values.get(one), intervals.get(one), undefined.get(f"{name}.{one}", "no answer"), axis)
            for one in systems
        ]
        rows.append((category, cells))
    heads = [(system, "") for system in systems]
    return Table(figure, "Category", heads, rows, title=f"{figure.title}, by category")
