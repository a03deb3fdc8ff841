"""Tables of a question's figures: pairs of raters and of systems, positions, dimensions and categories."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.text import slugify

from agreement.catalogue.report_catalogue import FIGURES
from agreement.catalogue.table_catalogue import COLUMNS, TABLES
from reports.pages.display.printed_figures import (
    BOTH_WAYS,
    FIXED,
    Axis,
    Json,
    PrintedFigure,
    axis_around,
    number,
    p_value,
    plain,
    printed,
)
from reports.pages.display.tables import Table, column

KAPPAS = ("cohen_kappa_pairs", "kappa_linear_pairs", "kappa_quadratic_pairs")
DIMENSIONS = ("item_tau_b", "alpha_masi_rankings", "alpha_ordinal_ranks", "alpha_interval_ranks")
PARTS = (("mean", "means of items"), ("annotator", "per rater"))
"""The two parts of a report on two dimensions."""
BY_CATEGORY = (
    "ratings", "items", "percent_agreement", "leave_one_out", "alpha_nominal", "alpha_ordinal", "alpha_interval",
    "icc_single", "icc_average", "alpha_masi", "alpha_masi_rankings", "gwet_ac1", "free_kappa_best", "free_kappa_worst",
    "alpha_best", "alpha_worst", "alpha_implied_pairs", "split_half", "span_alpha", "span_f1", "severity_alpha",
    "span_accuracy",
)  # fmt: skip
"""The figures of each category: counts and agreement, whatever the question."""
SYSTEMS_BY_CATEGORY = (
    "system_mean", "system_score", "system_win_or_tie_rate", "system_without_confirmed_span", "system_severity",
    "system_best_worst",
)  # fmt: skip
MEAN_COLUMNS = ("items", "mean_difference", "t_p", "t_p_holm", "wilcoxon_p", "wilcoxon_p_holm")
SHARE_COLUMNS = (
    "items",
    "first_only",
    "second_only",
    "mean_difference",
    "mcnemar_p",
    "mcnemar_p_holm",
    "exact_p",
    "exact_p_holm",
)
MINUS = " \N{MINUS SIGN} "


def question_tables(report: Json) -> list[Table]:
    """The tables of one question's figures, in the order in which they are read."""
    made = (_win_tie_loss(report), _comparisons(report), _kappas(report), _positions(report))
    return [table for table in made if table is not None]


def _win_tie_loss(report: Json) -> Table | None:
    counts: Mapping[str, Mapping[str, Mapping[str, int]]] = report.get("win_tie_loss") or {}
    if not counts:
        return None
    figure = FIGURES["win_tie_loss"]
    every = sorted({*counts, *(other for met in counts.values() for other in met)})
    systems = sorted(every, key=lambda name: -_share_won(counts.get(name, {})))

    def cell(met: Mapping[str, int] | None) -> PrintedFigure:
        return plain(figure, f"{met['win']} / {met['tie']} / {met['loss']}" if met else "\N{EN DASH}")

    rows = [(system, [cell(counts.get(system, {}).get(other)) for other in systems]) for system in systems]
    return Table(figure, [column(system) for system in systems], rows, "win_tie_loss")


def _share_won(met: Mapping[str, Mapping[str, int]]) -> float:
    """The share of its comparisons that a system won; a tie is half a win."""
    points = sum(one["win"] + one["tie"] / 2 for one in met.values())
    return points / max(sum(one["win"] + one["tie"] + one["loss"] for one in met.values()), 1)


def _comparisons(report: Json) -> Table | None:
    """The paired tests between systems, with the columns of the tests that the report has."""
    compared: Sequence[Json] = report.get("comparisons") or []
    if not compared:
        return None
    names = SHARE_COLUMNS if "mcnemar_p" in compared[0] else MEAN_COLUMNS
    undefined = report.get("undefined", {})
    rows = [(MINUS.join(row["systems"]), list(_compared(row, names, undefined))) for row in compared]
    return Table(
        FIGURES["comparisons"], [COLUMNS[f"comparisons.{name}"] for name in names], rows,
        first=slugify(COLUMNS["comparisons.mean_difference"].title),
    )  # fmt: skip


def _compared(row: Json, names: Sequence[str], undefined: Mapping[str, str]) -> Iterator[PrintedFigure]:
    """The cells of one pair of systems."""
    about = ".".join(("comparisons", *row["systems"]))
    for name in names:
        figure, value = COLUMNS[f"comparisons.{name}"], row[name]
        reason = undefined.get(f"{about}.{name.removesuffix('_holm')}", "")
        if figure.unit == "p":
            yield plain(figure, "", reason) if value is None else plain(figure, p_value(value), value=value)
        else:
            yield printed(name, figure, value, row.get(f"{name}_ci"), reason, None)


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
            cells.append(printed(name, FIGURES[name], report[name][place], interval, reason, BOTH_WAYS))
        rows.append((" · ".join(pair), cells))
    heads = [FIGURES[name] for name in names]
    return Table(FIGURES["kappa_raters"], heads, rows, first=slugify(heads[0].title))


def _positions(report: Json) -> Table | None:
    places: Sequence[Json] = report.get("score_by_position") or []
    if not places:
        return None
    n, score = COLUMNS["score_by_position.n"], COLUMNS["score_by_position.score"]
    rows = [
        (
            str(row["position"] + 1),
            [plain(n, str(row["n"]), value=row["n"]), plain(score, number(row["score"], "score"), value=row["score"])],
        )
        for row in places
    ]
    return Table(FIGURES["score_by_position"], [n, score], rows)


def dimensions_table(compared: Sequence[Json], texts: Mapping[str, str]) -> Table | None:
    """Agreement of each two ranked questions, one row per pair and part; `texts` has the questions by their keys."""
    if not compared:
        return None
    groups, figures = FIGURES["dimensions.groups"], [FIGURES[f"dimensions.{name}"] for name in DIMENSIONS]
    rows = []
    for row in compared:
        undefined = row.get("undefined", {})
        pair = " · ".join(texts.get(key, key) for key in row["questions"])
        for part, label in PARTS:
            cells = [
                printed(
                    name, figure, row[part].get(name), row[part].get(f"{name}_ci"),
                    undefined.get(f"{part}.{name}", ""), BOTH_WAYS,
                )
                for name, figure in zip(DIMENSIONS, figures, strict=True)
            ]  # fmt: skip
            rows.append(
                (f"{pair}, {label}", [plain(groups, str(row[part]["groups"]), value=row[part]["groups"]), *cells])
            )
    return Table(TABLES["dimensions"], [groups, *figures], rows)


def category_tables(report: Json, scale: Axis | None) -> list[Table]:
    """Agreement in each category, and each system's figures in each; none unless categories were asked for."""
    parts: Mapping[str, Json] = report.get("by_category") or {}
    if not parts:
        return []
    names = [name for name in BY_CATEGORY if any(part.get(name) is not None for part in parts.values())]
    rows = [(category, list(_of_category(part, names))) for category, part in parts.items()]
    made = [Table(TABLES["by_category"], [FIGURES[name] for name in names], rows)]
    for name in SYSTEMS_BY_CATEGORY:
        systems = sorted({system for part in parts.values() for system in part.get(name) or {}})
        if systems:
            made.append(_systems_by_category(name, parts, systems, scale))
    return made


def _of_category(part: Json, names: Sequence[str]) -> Iterator[PrintedFigure]:
    for name in names:
        reason = part.get("undefined", {}).get(name, "")
        axis = FIXED.get(FIGURES[name].unit)
        yield printed(name, FIGURES[name], part.get(name), part.get(f"{name}_ci"), reason, axis)


def _systems_by_category(name: str, parts: Mapping[str, Json], systems: list[str], scale: Axis | None) -> Table:
    figure = FIGURES[name]
    found = [part.get(name) or {} for part in parts.values()]
    axis = axis_around(figure.unit, [value for own in found for value in own.values()], scale)
    rows = []
    for category, part in parts.items():
        values, intervals = part.get(name) or {}, part.get(f"{name}_ci") or {}
        undefined = part.get("undefined", {})
        cells = [
            printed(
                name, figure, values.get(one), intervals.get(one), undefined.get(f"{name}.{one}", "no answers"), axis
            )
            for one in systems
        ]
        rows.append((category, cells))
    return Table(figure, [column(system) for system in systems], rows, variant="by_category")
