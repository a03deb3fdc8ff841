"""How similar two systems' outputs for the same items are: what the tables 12 and 13 of InstruSum share."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.text_lengths import count_words
from judges.metrics.rouge import RougeText, RougeTokenizer, compared
from parts.papers.chosen_questions import MEAN_OF
from parts.papers.figures.output_similarity import similarity_report
from parts.papers.figures.system_outcomes import SystemOutcomes
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import TableBody, TableCell, TableColumn, cell_of
from parts.papers.rows.output_texts import texts_by_item
from parts.papers.tables.pair_outcomes import left_out_note, outcomes_of

MOST_SYSTEMS = 10
"""If the study does not say which systems belong together, all pairs are compared, if there are not more systems."""
MOST_ITEMS, MOST_COMPARISONS = 500, 5000
SEED = 1
MOST_JUDGES = 4
ANCHOR = "similarity-of-outputs"
VARIANTS = {"rouge_1": "rouge1", "rouge_2": "rouge2"}
NOT_JUDGED = "the rater judged no pair of these systems' outputs for the items compared"

SystemPair = tuple[str, str]


def same_model_pairs(
    systems: Sequence[str], described: Mapping[str, Mapping[str, Any]]
) -> tuple[list[SystemPair], ...]:
    """The pairs of systems of one model: (specific, generic), and others, such as two ways of decoding.

    Systems without a model are in no pair.
    """
    generic: list[SystemPair] = []
    others: list[SystemPair] = []
    for one, other in combinations(systems, 2):
        facts = described.get(one, {}), described.get(other, {})
        if "model" not in facts[0] or facts[0]["model"] != facts[1].get("model"):
            continue
        marked = bool(facts[0].get("generic")), bool(facts[1].get("generic"))
        if marked[0] == marked[1]:
            others.append((one, other))
        else:
            generic.append((other, one) if marked[0] else (one, other))
    return generic, others


def similarity_table(answers: PaperAnswers, pairs: Sequence[SystemPair], sides: tuple[str, str]) -> TableBody | None:
    """A row per pair of systems: ROUGE, mean words, and how often raters prefer the first; `sides` name the two."""
    if not pairs:
        return None
    most = max(1, min(MOST_ITEMS, MOST_COMPARISONS // len(pairs)))
    measured = _measured(answers, pairs, most)
    raters, question, left_out = _raters(answers)
    columns = [
        TableColumn("rouge_1", "ROUGE-1", "share", ANCHOR), TableColumn("rouge_2", "ROUGE-2", "share", ANCHOR),
        TableColumn("first_words", f"Words, {sides[0]}", "score"),
        TableColumn("second_words", f"Words, {sides[1]}", "score"), TableColumn("items", "Items", "count"),
    ]  # fmt: skip
    rows = []
    for pair in pairs:
        own = measured.get(pair)
        if own is None:
            continue
        values = dict(zip((*VARIANTS, "first_words", "second_words"), own[:, 1:].T, strict=True))
        report = similarity_report(values, replicates=answers.replicates)
        won = [_won(outcomes, pair, own[:, 0].astype(np.int64), answers.replicates) for _, outcomes in raters]
        rows.append((", ".join(pair), [*(cell_of(report, column.key) for column in columns), *won]))
    wins = [TableColumn(f"win_rate_{name}", f"Win rate, {name}", "share", ANCHOR) for name, _ in raters]
    notes = [
        "Means over the items that have both outputs. ROUGE is the F1 of shared words and of shared pairs of words, "
        "without stemming.",
        f"At most {most} items per pair of systems, drawn by a seed.",
    ]
    if raters:
        notes.append(f"Win rates are how often the first output is preferred in the question {question}.")
        notes += left_out_note(left_out)
    return TableBody("Systems", [*columns, *wins], rows, notes=notes)


def _measured(answers: PaperAnswers, pairs: Sequence[SystemPair], most: int) -> dict[SystemPair, Floats]:
    """For each pair with an item that has both: item, ROUGE-1, ROUGE-2 and both lengths in words, (items, 5)."""
    drawn = _drawn(answers, pairs, most)
    wanted = sorted({item for items in drawn.values() for item in items})
    tokenizer = RougeTokenizer(stemming=False, split=False)
    found: dict[SystemPair, list[tuple[float, ...]]] = {pair: [] for pair in pairs}
    systems = sorted({system for pair in pairs for system in pair})
    for item, texts in texts_by_item(answers.rated, systems, wanted):
        prepared: dict[str, RougeText] = {}
        for pair in pairs:
            if item not in drawn[pair]:
                continue
            for system in pair:
                if system not in prepared:
                    prepared[system] = tokenizer.prepare(texts[system])
            one, other = (prepared[system] for system in pair)
            rouge = [compared(other, one, (variant,), "f1") for variant in VARIANTS.values()]
            found[pair].append((item, *rouge, *(count_words(texts[system]) for system in pair)))
    return {pair: np.array(rows, dtype=np.float64) for pair, rows in found.items() if rows}


def _drawn(answers: PaperAnswers, pairs: Sequence[SystemPair], most: int) -> dict[SystemPair, set[int]]:
    """At most `most` of the items that have both outputs of each pair."""
    outputs = answers.codes.arrays
    code = answers.codes.system_code
    having = {name: outputs.item[outputs.system == code[name]] for pair in pairs for name in pair}
    rng = np.random.default_rng(SEED)
    drawn = {}
    for one, other in pairs:
        both = np.intersect1d(having[one], having[other])
        drawn[one, other] = set((rng.permutation(both)[:most] if both.size > most else both).tolist())
    return drawn


def _raters(answers: PaperAnswers) -> tuple[list[tuple[str, SystemOutcomes]], str, int]:
    """The outcomes of people and of the best judges in one question, its key, and the number of other judges."""
    chosen = answers.compared.questions.get(MEAN_OF.name)
    asked = [key for key in answers.compared_questions if chosen in (None, key)]
    for key in asked:
        found, left_out = outcomes_of(answers, key, MOST_JUDGES)
        if found:
            return found, key, left_out
    return [], "", 0


def _won(outcomes: SystemOutcomes, pair: SystemPair, items: Ints, replicates: int) -> TableCell:
    """The first system's share of wins over its judged items."""
    met = outcomes.against(pair[1])
    own = met.only((met.first == outcomes.systems.index(pair[0])) & np.isin(met.item, items))
    if not own.item.size:
        return TableCell(None, reason=NOT_JUDGED)
    return cell_of(similarity_report({"won": own.shares[:, 0]}, replicates=replicates), "won")
