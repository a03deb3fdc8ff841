"""What synthetic raters answer to each type of question fits the question, and follows merit, accuracy and bias."""

import pytest

from annotation.answers import Sheet
from annotation.models import Question
from annotation.protocols import protocols
from parts.dry_runs.synthetic_answers import SyntheticRater, synthetic_form, true_merit

SHEET = Sheet.of(["north", "south", "west"], ["One.", "Two.", "Three."], "Text.")
PAIR = Sheet.of(["north", "south"], ["One.", "Two."], "Text.")
ONE = Sheet.of(["north"], ["One."], "Text.")
SPECS = {
    "binary": {}, "likert": {"min": 1, "max": 5}, "slider": {"min": 0, "max": 1, "step": 0.1}, "text": {},
    "category": {"choices": ["a", "b", "c"]}, "spans": {"categories": ["wrong"]},
}  # fmt: skip


def question(kind, spec=None, key="one"):
    return Question(key=key, type=kind, spec=SPECS.get(kind, {}) if spec is None else spec, position=0)


def answers(protocol, questions, sheet, **more):
    rater = SyntheticRater("ann", **{"accuracy": 1.0, "bias": 0.0, "seed": 1, **more})
    found = protocols()[protocol]
    form = synthetic_form(found, questions, sheet, rater.merits("item", sheet))
    return found.read_form(form, questions, sheet)


@pytest.mark.parametrize("kind", sorted(SPECS))
def test_the_desk_accepts_answers_to_every_type_of_question(kind):
    assert "one" in answers("rating", [question(kind)], ONE)


def test_comparisons_follow_the_merits():
    merits = {key: true_merit(1, "item", key) for key in SHEET.keys}
    best, worst = max(merits, key=merits.get), min(merits, key=merits.get)
    ranks = answers("listwise", [question("rank", {"ranks": 3})], SHEET)["one"]
    assert (ranks[best], max(ranks, key=ranks.get)) == (1, worst)
    extremes = answers("listwise", [question("best_worst")], SHEET)["one"]
    assert (extremes["best"], extremes["worst"]) == (best, worst)
    assert answers("pairwise", [question("preference")], PAIR)["one"] in ("north", "south", "tie")


def test_a_bias_prefers_what_is_shown_first():
    for order in (["north", "south"], ["south", "north"]):
        sheet = Sheet.of(order, ["One.", "Two."], "Text.")
        assert answers("pairwise", [question("preference")], sheet, bias=1.0)["one"] == order[0]


def test_a_question_that_is_not_asked_is_not_answered():
    asked = [
        question("binary", key="first"),
        question("text", {"when": {"question": "first", "equals": "never"}}, "why"),
    ]
    assert "why" not in answers("rating", asked, ONE)
