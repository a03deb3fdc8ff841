"""Runs of the judges that compare outputs, on a study of each rating protocol, from their start to their ratings."""

import re
from collections import Counter

import pytest

from annotation.models import Rating
from annotation.questions import question_types
from annotation.questions.rank import closed
from annotation.studies.study_erasure import erase_study
from files.reading import import_study
from files.writing import export_study
from judges.configuration import ConfigurationRefusedError
from judges.models import Judgment
from llm.models import Call
from tests.files.writing.conftest import bytes_of
from tests.judges.comparing_studies import QUESTIONS, comparing_study, item
from tests.judges.scripted_judges import configured, run_to_end
from tests.llm.calls import write_endpoints

pytestmark = pytest.mark.django_db

GUIDED = {"examples": "other"}
PAIR_JUDGES = [
    ("llm_compare", {}, 1),
    ("pair_forced", {}, 2),
    ("pair_guided", {"examples": "none", "both_orders": True}, 2),
    ("pair_guided", {**GUIDED, "guidelines": "other"}, 1),
]


@pytest.fixture
def model(model, settings, tmp_path):
    """The model of other tests of judges, with room for explanations."""
    write_endpoints(settings, tmp_path, context=32_768)
    return model


def asked(study):
    """Keys of the study's questions for which a judge can answer."""
    return tuple(one["key"] for one in QUESTIONS[study.protocol] if one["type"] != "text")


def ratings(run):
    return list(Rating.objects.filter(rater=run.rater).select_related("question", "output", "other_output", "item"))


@pytest.mark.thorough
@pytest.mark.parametrize("protocol", sorted(QUESTIONS))
@pytest.mark.parametrize(("judge", "options", "orders"), PAIR_JUDGES)
def test_choices_are_rows_of_pairs_in_the_order_shown(tmp_path, model, protocol, judge, options, orders):
    study = comparing_study(tmp_path, protocol)
    run = run_to_end(study, protocol=judge, questions=asked(study), options=options)
    units = 2 * 3 * orders
    assert (run.status, run.counts) == ("finished", {"valid": units * len(asked(study))})
    rows = ratings(run)
    assert Counter(row.question.key for row in rows) == dict.fromkeys(asked(study), units)
    for row in rows:
        assert (row.level, row.number, row.run, row.replicate) == ("choice", None, "1", 1)
        assert row.shown == [row.output.key, row.other_output.key]
        ties = question_types()[row.question.type].takes_ties(row.question.spec) and judge != "pair_forced"
        assert row.value in (*row.shown, *(["tie"] if ties else []))
        assert bool(row.explanation) is (judge == "llm_compare")
        shows = judge == "pair_guided" and options.get("guidelines") != "other"
        assert row.guidelines_version == (1 if shows else None)
    shown = Counter((row.question.key, row.item.key, *sorted(row.shown)) for row in rows)
    assert set(shown.values()) == {orders}
    assert len({(row.question.key, row.item.key, *row.shown) for row in rows}) == len(rows)
    if orders == 1:
        assert len({(row.item.key, *row.shown) for row in rows}) == units, "every question shows the same order"


@pytest.mark.parametrize("protocol", sorted(QUESTIONS))
def test_rankings_are_rows_of_items_in_the_order_shown(tmp_path, model, protocol):
    study = comparing_study(tmp_path, protocol)
    run = run_to_end(study, protocol="llm_rank", questions=asked(study))
    assert (run.status, run.counts) == ("finished", {"valid": 2 * len(asked(study))})
    for row in ratings(run):
        assert (row.level, row.output, row.other_output) == ("rank", None, None)
        assert sorted(row.shown) == sorted(row.value) == ["north", "south", "west"]
        assert closed(row.value) == row.value
        assert row.explanation
        judgment = Judgment.objects.get(run=run, item=row.item, question=row.question)
        assert judgment.order == row.shown
        prompt = model.asked[judgment.place].text()
        assert re.findall(r"it sails at (\d)\.", prompt) == [str("nsw".index(key[0])) for key in row.shown]
    tiers = [row for row in ratings(run) if row.question.key == "tiers"]
    assert all(sorted(row.value.values()) == [1, 1, 2] for row in tiers)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("judge", "options"),
    [("llm_compare", {}), ("pair_forced", {}), ("pair_guided", GUIDED), ("llm_rank", {})],
)
def test_a_model_that_takes_schemas_replies_in_json(tmp_path, model, judge, options):
    study = comparing_study(tmp_path, "pairwise")
    with pytest.raises(ConfigurationRefusedError, match="without json_schema"):
        configured(study, judge, ("better",), options={**options, "schema": "yes"})
    given = {"protocol": judge, "questions": ("better",), "options": {**options, "schema": "yes"}}
    run = run_to_end(study, model="campus/able", **given)
    assert set(run.counts) == {"valid"}
    assert len(ratings(run)) == run.counts["valid"]
    assert all(request.schema for request in model.asked)


def test_the_number_of_a_reply_names_the_output_shown_at_its_place(tmp_path, model):
    study = comparing_study(tmp_path, "pairwise")
    model.replies = ["Explanation: So.\nDecision: 2"] * 6
    rows = ratings(run_to_end(study, protocol="llm_compare", questions=("better",)))
    assert len(rows) == 6
    assert all(row.value == row.shown[1] == row.other_output.key for row in rows)


@pytest.mark.thorough
def test_exported_rows_are_those_of_the_runs_when_they_are_imported_again(tmp_path, model):
    study = comparing_study(tmp_path, "listwise")
    both = {"both_orders": True, "reference": "candidate", **GUIDED}
    run_to_end(study, protocol="pair_guided", questions=asked(study)[:2], options=both, references=("gold",))
    for judge in ("pair_forced", "llm_compare", "llm_rank"):
        run_to_end(study, protocol=judge, questions=asked(study)[:2])
    rows = Rating.objects.filter(study=study).count()
    assert rows == 2 * (12 + 12 + 6 + 2)
    export_study(study, tmp_path / "first")
    import_study(tmp_path / "first")
    assert Rating.objects.filter(study=study).count() == rows
    export_study(study, tmp_path / "second")
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")
    erase_study(study, None)
    again = import_study(tmp_path / "first").study
    export_study(again, tmp_path / "third")
    assert bytes_of(tmp_path / "third") == bytes_of(tmp_path / "first")
    run = run_to_end(again, protocol="llm_rank", questions=asked(again)[:2])
    assert (run.rater.name, run.name) == ("llm_rank/campus/small", "2")  # the imported judge, not another one


def test_replies_that_cannot_be_read_become_no_ratings(tmp_path, model):
    study = comparing_study(tmp_path, "pairwise")
    model.replies = ["Both are good.", "Output (a)", "Output (c)"]
    run = run_to_end(study, protocol="pair_forced", questions=("better",), pairs="baseline", baseline="west")
    assert run.counts == {"invalid": 2, "valid": 6}
    assert len(ratings(run)) == 6
    assert all("west" in row.shown for row in ratings(run))


def test_a_reference_as_candidate_takes_two_calls_per_pair_and_keeps_both_results(tmp_path, model):
    study = comparing_study(tmp_path, "pairwise")
    options = {**GUIDED, "reference": "candidate", "both_orders": True}
    given = {"protocol": "pair_guided", "options": options, "references": ("human",)}
    run = run_to_end(study, questions=("better",), **given)
    assert run.counts == {"valid": 12}
    assert Call.objects.filter(study=study, status="answered").count() == 24
    points = {"win": 2, "tie": 1, "loss": 0}
    for row in ratings(run):
        said = row.metadata["against_reference"]
        assert sorted(said) == sorted(row.shown)
        first, second = (points[said[key]] for key in row.shown)
        assert row.value == ("tie" if first == second else row.shown[first < second])
        assert row.metadata["reference_shown"] == (2 if row.shown == sorted(row.shown) else 1)
    with pytest.raises(ConfigurationRefusedError, match="must allow ties"):
        configured(study, questions=("strict",), **given)


def test_items_without_the_reference_named_are_not_judged(tmp_path, model):
    other = [{"id": "by-model", "text": "By bus.", "writer": "model"}]
    items = [item("one"), item("two", references=other), item("three", references=[]), item("four", references=None)]
    study = comparing_study(tmp_path, "pairwise", items)
    options = {**GUIDED, "reference": "context"}
    for named, judged in ((("human",), {"one"}), (("by-model",), {"two"}), (("human", "model"), {"one", "two"})):
        run = run_to_end(study, protocol="pair_guided", questions=("better",), options=options, references=named)
        assert {row.item.key for row in ratings(run)} == judged
    assert "By bus." in model.asked[-1].text()
    with pytest.raises(ConfigurationRefusedError, match=r"No item has a reference by gpt\."):
        run_to_end(study, protocol="pair_guided", questions=("better",), options=options, references=("gpt",))


@pytest.mark.parametrize(
    ("judge", "given", "reason"),
    [
        ("pair_guided", {"options": {**GUIDED, "reference": "context"}}, "Name whose: human, model, or the id"),
        ("pair_guided", {"options": GUIDED, "references": ("human",)}, "reads no references as configured"),
        ("llm_compare", {"references": ("human",)}, "reads no references as configured"),
        ("llm_rank", {"questions": ("why",)}, "why: A question for a text has no answer"),
        ("pair_forced", {"options": {"ties": True}}, "The option ties is unknown here"),
    ],
)
def test_a_configuration_that_cannot_be_judged_is_refused_in_a_sentence(tmp_path, model, judge, given, reason):
    study = comparing_study(tmp_path, "rating")
    with pytest.raises(ConfigurationRefusedError, match=reason):
        configured(study, judge, **given)


def test_a_study_without_guidelines_has_none_to_be_shown(tmp_path, model):
    study = comparing_study(tmp_path, "pairwise", guidelines=" ")
    with pytest.raises(ConfigurationRefusedError, match="the study has none"):
        configured(study, "pair_guided", ("better",), options=GUIDED)
    configured(study, "pair_guided", ("better",), options={**GUIDED, "guidelines": "other"})
