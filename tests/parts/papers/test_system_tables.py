"""Tables of systems: people's scores and their differences, and judges as re-rankers."""

import pytest
from scipy.stats import ttest_rel

from tests.parts.papers.made_tables import tables, values
from tests.reports.ranked_studies import items, judged, ranking, run, study

pytestmark = pytest.mark.django_db
ITEMS = items("one", "two", "three", "four")
RANKS = {"one": (4, 3, 1, 2), "two": (4, 3, 2, 1), "three": (3, 4, 1, 2), "four": (4, 2, 1, 3)}
"""Of weak, middle, strong and edited: their s_i are 5 minus these."""


def people(question="overall"):
    return [ranking(key, rater, question, *ranks) for key, ranks in RANKS.items() for rater in ("ann", "bob")]


def marks(key, *wrong, rater="ann"):
    spans = [{"output": name, "start": 0, "end": 3, "text": "one", "label": "wrong"} for name in wrong]
    none = [one["id"] for one in ITEMS[0]["outputs"] if one["id"] not in wrong]
    return {"item": key, "rater": rater, "question": "factual", "value": {"spans": spans, "none": none}}


def verdict(key, index, verdict):
    return {
        "review": "span", "item": key, "rater": "ann", "question": "factual", "index": index, "number": 1,
        "ordinal": 0, "verdict": verdict, "reason": "so", "reviewer": "eve", "at": "2026-03-01T12:00:00Z",
    }  # fmt: skip


def test_scores_and_shares_of_systems(tmp_path):
    spans = [marks("one", "weak", "middle"), marks("two", "weak")]
    reviews = [verdict("one", 0, "confirmed"), verdict("one", 1, "rejected"), verdict("two", 0, "confirmed")]
    made = study(tmp_path / "scored", ITEMS, [*people(), *spans], reviews=reviews)
    scores, differences = tables(made, "instrusum_4", "instrusum_footnote_8")
    found = values(scores)
    assert {name: cells["overall"] for (_, name), cells in found.items()} == {
        "weak": 1.25, "middle": 2, "strong": 3.75, "edited": 3
    }  # fmt: skip
    assert {name: cells["factual"] for (_, name), cells in found.items()} == {
        "weak": 0, "middle": 1, "strong": 1, "edited": 1
    }  # fmt: skip
    assert scores["rows"][2]["cells"]["overall"]["low"] <= 3.75 <= scores["rows"][2]["cells"]["overall"]["high"]
    rows = values(differences)
    assert len(rows) == 12
    own = rows["overall", "middle, weak"]
    t = ttest_rel([2, 2, 1, 3], [1, 1, 2, 1])
    assert (own["difference"], own["items"], own["p"]) == (0.75, 4, pytest.approx(t.pvalue))
    cells = next(row for row in differences["rows"] if row["name"] == "middle, weak")["cells"]
    assert cells["difference"]["se"] == pytest.approx(0.75 / t.statistic)
    shares = rows["factual", "middle, weak"]
    assert (shares["difference"], shares["items"], shares["p"]) == (1, 2, pytest.approx(0.1573, abs=1e-4))
    same = next(row for row in differences["rows"] if (row["part"], row["name"]) == ("factual", "edited, middle"))
    assert same["cells"]["p"] == {"value": None, "reason": "the two systems differ on no item"}


def test_shares_are_those_of_the_chosen_people(tmp_path):
    spans = [marks("one", "weak"), marks("one", rater="bob")]
    made = study(tmp_path / "group", ITEMS, spans, reviews=[verdict("one", 0, "confirmed")])

    def share(**chosen):
        return values(tables(made, "instrusum_4", **chosen)[0])["", "weak"]["factual"]

    assert (share(), share(people={"ann"}), share(people={"bob"})) == (0, 0, 1)
    assert share(raters={"ann"}) == 1  # a judge is none of the people


def test_judges_pick_outputs_and_their_models_write_some(tmp_path):
    given = (("weak", 1), ("middle", 2), ("strong", 3), ("edited", 3))
    scores = [judged(key, "m", "overall", value, output=name) for key in RANKS for name, value in given]
    scores += [judged("one", "z", "overall", 1, output=name) for name in ("weak", "middle")]
    made = study(tmp_path / "picked", ITEMS, people(), scores, runs=[run("m", "llm_eval", "lab/m")])
    (table,) = tables(made, "instrusum_8")
    found = {name: cells for (_, name), cells in values(table).items()}
    assert list(found) == ["random pick", "best possible pick", "m", "z"]
    assert (found["random pick"]["picked"], found["best possible pick"]["picked"]) == (2.5, 4)
    # m ties strong and edited: a random one of s_i (4, 3), (3, 4), (4, 3), (4, 2)
    assert found["m"] == {"generator": 2, "picked": 3.375, "gain": 0.875, "items": 4}
    assert (found["z"]["generator"], found["z"]["picked"], found["z"]["items"]) == (None, 1.5, 1)
    reasons = [row["cells"]["generator"].get("reason") for row in table["rows"]]
    assert reasons[-1] == "the judge's model is not known"


def test_a_judge_whose_model_wrote_nothing_is_no_generator(tmp_path):
    scores = [judged("one", "x", "overall", 1, output=name) for name in ("weak", "middle")]
    made = study(tmp_path / "none", ITEMS, people(), scores, runs=[run("x", "llm_eval", "lab/x")])
    (table,) = tables(made, "instrusum_8")
    cell = table["rows"][-1]["cells"]["generator"]
    assert cell == {"value": None, "reason": "no system of the study is known to be of the judge's model"}


def test_a_study_without_answers_has_no_tables_of_systems(tmp_path):
    assert not {"instrusum_4", "instrusum_footnote_8", "instrusum_8"} & set(tables(study(tmp_path / "bare", ITEMS, [])))


def test_items_of_other_pools_are_left_out(tmp_path):
    lines = [{**one, "pool": "qualification"} if one["id"] == "four" else one for one in ITEMS]
    made = study(tmp_path / "pools", lines, [one for one in people() if one["item"] != "four"])
    found = values(tables(made, "instrusum_4")[0])
    assert {name: cells["overall"] for (_, name), cells in found.items()} == {
        "weak": pytest.approx(4 / 3), "middle": pytest.approx(5 / 3), "strong": pytest.approx(11 / 3),
        "edited": pytest.approx(10 / 3),
    }  # fmt: skip
