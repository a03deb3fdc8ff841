"""The meta-evaluation report: the public figures, and whom and what it compares."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import JudgeRun, Rater
from files.reading import import_study
from reports.figures.meta_evaluation_report import RaterComparison, meta_evaluation
from tests.files.writing.conftest import item, write_study

pytestmark = pytest.mark.django_db
SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
OUTPUTS = ("east", "north", "south")
BOTH = [item("harbour", outputs=OUTPUTS), item("island", outputs=OUTPUTS)]


@pytest.fixture
def compared(tmp_path):
    """A function that imports machines' lines; `ann` and `bob` rate the outputs of two items 5, 3, 1 and 4, 3, 1."""

    def add(*scores, **more):
        ratings = [
            {"item": name, "output": output, "rater": rater, "question": "how_well", "value": value}
            for name in ("harbour", "island")
            for rater, values in (("ann", (5, 3, 1)), ("bob", (4, 3, 1)))
            for output, value in zip(OUTPUTS, values, strict=True)
        ]
        return import_study(write_study(tmp_path / "in", BOTH, ratings, scores, **more)).study

    return add


def line(name, value, **more):
    return {"item": name, "rater": "judge", "rater_kind": "model", "question": "how_well", "value": value, **more}


def scores(name, *values, **more):
    return [line(name, value, output=output, **more) for output, value in zip(OUTPUTS, values, strict=True)]


def choice(name, better, first, second, **more):
    return line(name, better, outputs=[first, second], shown=[first, second], **more)


def how_well(study, **chosen):
    return meta_evaluation(study, RaterComparison(**chosen), replicates=20)["questions"]["how_well"]


def judge(study, name="judge", **chosen):
    return how_well(study, **chosen)["judges"][name]


@pytest.mark.skipif(not SHARED.exists(), reason="the public data sets are not here")
def test_the_figures_of_hanna_come_out_to_four_decimals(capsys):
    import_study(SHARED / "hanna")
    call_command("meta_evaluate", "hanna", "--json")
    report = json.loads(capsys.readouterr().out)
    expected = json.loads((SHARED / "hanna" / "expected.json").read_text(encoding="utf-8"))["questions"]
    assert len(expected) == 2
    for question, figures in expected.items():
        found = report["questions"][question]["judges"]
        for name, own in figures["judges"].items():
            assert {key: round(found[name][key], 4) for key in own} == own
            low, high = found[name]["item_kendall_tau_b_ci"]
            assert low < own["item_kendall_tau_b"] < high


def test_scores_rankings_and_choices_give_the_same_order(compared):
    ranking = {"east": 1, "north": 2, "south": 3}
    pairs = [("east", "north"), ("east", "south"), ("north", "south")]
    study = compared(
        *(one for name in ("harbour", "island") for one in scores(name, 0.9, 0.5, 0.1)),
        *(line(name, ranking, rater="ranks") for name in ("harbour", "island")),
        *(choice(name, better, other, better, rater="chooses") for name in ("harbour", "island")
          for better, other in pairs),
    )  # fmt: skip
    found = how_well(study)
    assert list(found["judges"]) == ["chooses", "judge", "ranks"]
    for name, shape in (("judge", "score"), ("ranks", "ranking"), ("chooses", "choice")):
        own = found["judges"][name]
        assert (own["shape"], own["item_kendall_tau_b"], own["system_kendall_tau_b"]) == (shape, 1, 1)
        assert (own["accuracy"], own["pairs"], own["winners"]["perfect_agreement"]) == (1, 6, 1)
    assert found["judges"]["chooses"]["position_bias"] == -1
    assert found["judges"]["judge"]["undefined"]["position_bias"] == "no judgment has a known order"


def test_reruns_are_averaged_and_their_spread_is_given(compared):
    study = compared(
        *(one for name in ("harbour", "island") for one in scores(name, 3, 2, 1, replicate=1)),
        *(one for name in ("harbour", "island") for one in scores(name, 1, 2, 3, replicate=2)),
    )
    found = judge(study)
    assert (found["reruns"], found["item_kendall_tau_b"], found["accuracy"]) == (2, 0, 0.5)
    assert found["spread"]["item_kendall_tau_b"] == pytest.approx(2**0.5)


def test_replaced_and_unfinished_runs_are_left_out(compared):
    study = compared(
        *(one for name in ("harbour", "island") for one in scores(name, 3, 2, 1, run="good")),
        *(one for name in ("harbour", "island") for one in scores(name, 1, 2, 3, run="bad")),
    )
    rater = Rater.objects.get(study=study, name="judge")
    JudgeRun.objects.filter(rater=rater).delete()
    good = JudgeRun.objects.create(rater=rater, name="good", configuration={}, status="finished")
    bad = JudgeRun.objects.create(rater=rater, name="bad", configuration={}, status="stopped")
    assert (judge(study)["reruns"], judge(study)["accuracy"]) == (1, 1)
    JudgeRun.objects.filter(pk=bad.pk).update(status="finished")
    assert judge(study)["reruns"] == 2
    JudgeRun.objects.filter(pk=bad.pk).update(replaced_by=good)
    assert (judge(study)["reruns"], judge(study)["accuracy"]) == (1, 1)


def test_both_orders_of_a_pair_are_kept_apart(compared):
    """The first output shown is always chosen: right in one order, wrong in the other."""
    study = compared(
        *(choice(name, first, first, second) for name in ("harbour", "island")
          for first, second in (("east", "south"), ("south", "east"))),
    )  # fmt: skip
    found = judge(study)
    assert (found["position_bias"], found["accuracy"]) == (1, 0.5)
    assert found["both_orders"]["pairs"] == 2
    assert (found["both_orders"]["accuracy"], found["both_orders"]["self_accuracy"]) == (0.5, 0)


def test_people_can_be_judges_and_the_group_can_be_named(compared):
    study = compared(*scores("harbour", 3, 2, 1))
    found = how_well(study, kinds=frozenset(), raters=frozenset({"bob"}))
    assert (found["people"]["raters"], list(found["judges"])) == (1, ["bob"])
    assert found["judges"]["bob"]["kind"] == "human"
    assert found["judges"]["bob"]["item_kendall_tau_b"] == 1
    alone = how_well(study, people=frozenset({"ann"}))
    assert (alone["people"]["raters"], list(alone["judges"])) == (1, ["judge"])
    assert alone["people"]["undefined"]["pearson"]


def test_questions_are_compared_across_and_by_category(tmp_path, capsys):
    items = [
        item("harbour", outputs=OUTPUTS, category="sea"),
        item("island", outputs=OUTPUTS, category=["sea", "land"]),
    ]
    ratings = [
        {"item": one["id"], "output": output, "rater": "ann", "question": question, "value": value}
        for one in items
        for question, values in (("how_well", (5, 3, 1)), ("follows", (True, False, False)))
        for output, value in zip(OUTPUTS, values, strict=True)
    ]
    lines = [one for name in ("harbour", "island") for one in scores(name, 3, 2, 1)]
    study = import_study(write_study(tmp_path / "in", items, ratings, lines)).study
    call_command("meta_evaluate", study.slug, "--json", "--across", "how_well:follows", "--by-category")
    report = json.loads(capsys.readouterr().out)
    (across,) = report["across"]
    assert (across["judged"], across["against"]) == ("how_well", "follows")
    assert (across["judges"]["judge"]["auc_roc"], across["judges"]["judge"]["auc_roc_se"]) == (1, 0)
    categories = report["questions"]["how_well"]["by_category"]
    assert {name: one["judges"]["judge"]["outputs"] for name, one in categories.items()} == {"land": 3, "sea": 6}
    with pytest.raises(CommandError, match="no question called other"):
        call_command("meta_evaluate", study.slug, "--across", "other:follows")
    with pytest.raises(CommandError, match="across takes JUDGED:PEOPLE"):
        call_command("meta_evaluate", study.slug, "--across", "how_well")


def test_the_command_prints_a_line_per_judge(compared, capsys):
    study = compared(*scores("harbour", 3, 2, 1), *scores("island", 3, 2, 1))
    call_command("meta_evaluate", study.slug)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "ferries (rating), 2 items"
    assert any(text.split()[:3] == ["judge", "1.0000", "1.0000"] for text in printed)
    with pytest.raises(CommandError, match="no rater called nobody"):
        call_command("meta_evaluate", study.slug, "--raters", "nobody")
    with pytest.raises(CommandError, match="No question has the label splendid"):
        call_command("meta_evaluate", study.slug, "--positive", "splendid")
    with pytest.raises(CommandError, match="--kinds takes metric and model"):
        call_command("meta_evaluate", study.slug, "--kinds", "human")


def test_a_person_s_answers_to_one_question_are_compared_with_others_answers_to_another(tmp_path):
    """In the first question `bob` is of one mind with `ann`, in the second of the opposite."""
    ratings = [
        {"item": name, "output": output, "rater": rater, "question": question, "value": value}
        for name in ("harbour", "island")
        for rater, question, values in (
            ("ann", "follows", (True, False, False)), ("bob", "follows", (False, True, True)),
            ("bob", "how_well", (5, 3, 1)),
        )
        for output, value in zip(OUTPUTS, values, strict=True)
    ]  # fmt: skip
    study = import_study(write_study(tmp_path / "in", BOTH, ratings)).study
    chosen = RaterComparison(kinds=frozenset(), raters=frozenset({"bob"}), across=(("how_well", "follows"),))
    report = meta_evaluation(study, chosen, replicates=0)
    assert report["across"][0]["judges"]["bob"]["auc_roc"] == 1
    assert report["questions"]["follows"]["judges"]["bob"]["auc_roc"] == 0


def test_outputs_of_different_rankings_are_not_choices(tmp_path):
    """`ann` ranks two pairs of an item, one of them twice: three pairs or more would compare what she never did."""
    outputs = ("east", "north", "south", "west")
    asked = [{"key": "overall", "type": "rank", "text": "Overall?", "ranks": 4}]
    ratings = [
        {"item": "harbour", "rater": "ann", "question": "overall", "value": value}
        for value in ({"east": 1, "north": 2}, {"south": 1, "west": 2}, {"north": 1, "east": 2})
    ]
    ranking = {"item": "harbour", "rater": "judge", "rater_kind": "model", "question": "overall"}
    own = [ranking | {"value": {"north": 1, "east": 2, "south": 3, "west": 4}}]
    folder = write_study(tmp_path / "in", [item(outputs=outputs)], ratings, own, protocol="listwise", questions=asked)
    found = meta_evaluation(import_study(folder).study, replicates=0)["questions"]["overall"]["judges"]["judge"]
    assert (found["pairs"], found["accuracy"], found["outputs"]) == (2, 1, 4)


@pytest.mark.thorough
@pytest.mark.parametrize("unit", [1.7e308, 1e-200, 1e-310])
def test_scores_of_any_size_have_the_same_figures(compared, unit):
    values = (1.0, 0.75, -1.0)
    names = {"large": unit, "plain": 1.0}
    study = compared(*(
        one for rater, by in names.items() for name in ("harbour", "island")
        for one in scores(name, *(value * by for value in values), rater=rater)
    ))  # fmt: skip
    found = how_well(study)["judges"]
    for key in ("pearson", "item_kendall_tau_b", "system_kendall_tau_b", "accuracy"):
        assert found["large"][key] == pytest.approx(found["plain"][key])
    assert found["plain"]["pearson"] < 1


def test_people_are_chosen_for_labels_as_for_scores(tmp_path):
    asked = [{"key": "kind", "type": "category", "text": "Which?", "choices": ["a", "b"]}]
    ratings = [
        {"item": name, "output": "north", "rater": rater, "question": "kind", "value": value}
        for name in ("harbour", "island")
        for rater, value in (("ann", "a"), ("bob", "b"), ("cleo", "b"))
    ]
    folder = write_study(tmp_path / "in", [item("harbour"), item("island")], ratings, questions=asked)
    study = import_study(folder).study

    def accuracy(*people):
        chosen = RaterComparison(raters=frozenset({"bob"}), people=frozenset(people))
        found = meta_evaluation(study, chosen, replicates=0)["questions"]["kind"]
        assert found["judges"]["bob"]["kind"] == "human"
        return found["people"]["labels"], found["judges"]["bob"]["accuracy"]

    assert accuracy("ann") == (2, 0)
    assert accuracy("cleo") == (2, 1)
    assert accuracy() == (4, None)  # one label each way: no majority
