"""HREF, section 4.2: systems that are the same model decoded in different ways, such as greedily and by sampling."""

from collections import defaultdict
from itertools import combinations

from annotation.blinding import shown_systems
from annotation.models import Study
from parts.papers.baseline_preferences import baseline_preferences
from parts.papers.figures.paired_rates import paired_rate_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of

ANCHOR = "expected-win-rates"
ALL = "all pairs"
ONE_PAIR = "this row is about all pairs"
OF_ALL = "correlations are over all pairs"
NOTES = (
    "Pairs of systems with the same model in the study's description of its systems, in the order of their names. "
    "Each has its expected win rate against the baseline; the difference is the first minus the second.",
    "Correlations are over pairs, so they need three. Intervals draw items.",
)


class DecodingPairs(PaperTable):
    key = "href_4_decoding"
    title = "One model, several ways of decoding"
    source = "HREF, section 4.2"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        same = same_model_pairs(answers.study)
        for one in baseline_preferences(answers) if same else ():
            pairs = [(model, names) for model, names in same if set(names) <= set(one.table.systems)]
            if not pairs:
                continue
            report = paired_rate_report(one.table, [names for _, names in pairs], replicates=answers.replicates)
            for number, (model, names) in enumerate(pairs):
                place = ("pairs", str(number))
                rows.append((model, [
                    TableCell(names[0]), cell_of(report, (*place, "first")),
                    TableCell(names[1]), cell_of(report, (*place, "second")),
                    cell_of(report, (*place, "difference")), *[TableCell(None, reason=OF_ALL)] * 2,
                ]))  # fmt: skip
            whole = [cell_of(report, ("spearman",)), cell_of(report, ("pearson",))]
            rows.append((ALL, [*[TableCell(None, reason=ONE_PAIR)] * 5, *whole]))
            parts += [one.part] * (len(pairs) + 1)
        if not rows:
            return None
        columns = [
            TableColumn("first_system", "First system"), TableColumn("first", "Its win rate", "share", ANCHOR),
            TableColumn("second_system", "Second system"), TableColumn("second", "Its win rate", "share", ANCHOR),
            TableColumn("difference", "Difference", "difference"), TableColumn("spearman", "Spearman", "alpha"),
            TableColumn("pearson", "Pearson", "alpha"),
        ]  # fmt: skip
        return TableBody("Model", columns, rows, parts, NOTES)


def same_model_pairs(study: Study) -> list[tuple[str, tuple[str, str]]]:
    """Each pair of described systems with one model: (model, both names in order)."""
    systems: dict[str, list[str]] = defaultdict(list)
    for name, facts in shown_systems(study).items():
        if "model" in facts:
            systems[facts["model"]].append(name)
    return [(model, pair) for model in sorted(systems) for pair in combinations(sorted(systems[model]), 2)]


TABLE = DecodingPairs()
