"""Figures beyond the papers': standing in for people, biases, calibration, corrected means, systems, panels."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import JudgeRun, Question, Rater, Study
from files.reading import import_study
from reports.figures.meta_evaluation_report import RaterComparison, meta_evaluation
from reports.figures.rows import ChoiceInvalidError
from reports.figures.rows.answer_probabilities import allowed_steps
from reports.figures.rows.output_style import style_counts
from reports.figures.rows.run_facts import example_outputs
from tests.files.writing.conftest import item, write_study
from tests.reports.compared_study import ITEMS, OUTPUTS, PEOPLE, imported, probed

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def compared(rows_of_module, tmp_path_factory):
    return rows_of_module(lambda: imported(tmp_path_factory.mktemp("compared") / "in"))


@pytest.fixture(scope="module")
def figures(rows_of_module, compared):
    """The figures of each question of the study as it was imported."""
    return rows_of_module(lambda: meta_evaluation(compared, RaterComparison(), replicates=50)["questions"])


@pytest.fixture
def study(compared, db):
    return Study.objects.get(pk=compared.pk)


def question(study, key="how_well", **chosen):
    return meta_evaluation(study, RaterComparison(**chosen), replicates=50)["questions"][key]


def test_a_good_judge_may_replace_people_and_a_bad_one_may_not(figures):
    judges = figures["how_well"]["judges"]
    good, bad = (judges[name]["alternative_annotator"] for name in ("even", "far"))
    assert (good["by"], good["epsilon"], good["passes"], good["missing"]) == ("scores", 0.1, True, [])
    assert list(good["people"]) == list(PEOPLE)
    assert {one["items"] for one in good["people"].values()} == {ITEMS}
    assert good["omega"] == 1
    assert bad["passes"] is False
    assert bad["rho"] < good["rho"]
    low, high = good["rho_ci"]
    assert low <= good["rho"] <= high


def test_what_the_test_lacks_is_said(tmp_path):
    judges = question(imported(tmp_path / "two", slug="two", people=PEOPLE[:2]))["judges"]
    found = judges["even"]["alternative_annotator"]
    assert found["passes"] is None
    assert found["missing"] == ["3 people are needed; 2 answered."]
    assert "3 people" in found["undefined"]["passes"]


def test_labels_are_tested_by_equality(figures):
    found = figures["follows"]["judges"]["even"]["alternative_annotator"]
    assert (found["by"], found["passes"]) == ("labels", True)


def test_a_judge_on_another_scale_is_tested_by_its_choices(tmp_path):
    items = [item(f"i{number}", outputs=OUTPUTS) for number in range(30)]
    ratings = [
        {"item": one["id"], "output": output, "rater": rater, "question": "how_well", "value": 5 - 2 * place}
        for one in items for rater in PEOPLE for place, output in enumerate(OUTPUTS)
    ]  # fmt: skip
    scores = [
        {"item": one["id"], "output": output, "rater": "overlap", "rater_kind": "metric", "question": "how_well",
         "value": 0.9 - place / 10}
        for one in items for place, output in enumerate(OUTPUTS)
    ]  # fmt: skip
    study = import_study(write_study(tmp_path / "in", items, ratings, scores)).study
    found = question(study)["judges"]["overlap"]
    assert (found["alternative_annotator"]["by"], found["alternative_annotator"]["passes"]) == ("choices", True)
    assert {one["units"] for one in found["alternative_annotator"]["people"].values()} == {90}
    assert found["corrected"]["on_scale"] is False


def test_probes_are_in_the_bias_card(study):
    probed(study, "even", 1, 40)
    probed(study, "even", 3, 40)
    replaced = probed(study, "even", 40, 40)
    JudgeRun.objects.filter(pk=replaced.pk).update(replaced_by=JudgeRun.objects.exclude(pk=replaced.pk).first())
    judges = question(study)["judges"]
    card = judges["even"]["bias"]
    assert list(card) == ["position", "length", "own_family", "verbosity", "injection", "self_agreement"]
    assert (card["injection"]["judge"], card["injection"]["matters"]) == (0.05, True)
    assert card["injection"]["sentence"] == "Hidden instructions turned 4 of 80 judgments."
    assert judges["far"]["bias"]["injection"]["undefined"]["judge"] == "no injected instruction was tried"
    assert card["own_family"]["undefined"]["judge"]


@pytest.mark.thorough
def test_probabilities_are_compared_with_shares_of_people(figures):
    judges = figures["follows"]["judges"]
    even, far = (judges[name]["calibration"] for name in ("even", "far"))
    assert even["outputs"] == ITEMS * len(OUTPUTS)
    assert sum(one["n"] for one in even["bins"]) == even["outputs"]
    assert even["brier_of_people"] < even["brier"] < far["brier"]
    assert "calibration" not in figures["how_well"]["judges"]["even"]  # its distributions are of yes and no


def test_probabilities_of_steps_are_read_from_distributions_over_them(tmp_path):
    items = [item(f"i{number}", outputs=OUTPUTS) for number in range(4)]
    about = [{"item": one["id"], "output": output, "question": "how_well"} for one in items for output in OUTPUTS]
    ratings = [{**one, "rater": "ann", "value": 4} for one in about]
    given = [{"4": 0.75, "5": 0.25}] * 10 + [{"bad": 1.0}, [0.5]]
    scores = [
        {**one, "rater": "even", "rater_kind": "model", "value": 4.25, "distribution": distribution}
        for one, distribution in zip(about, given, strict=True)
    ]
    study = import_study(write_study(tmp_path / "in", items, ratings, scores)).study
    found = question(study)["judges"]["even"]["calibration"]
    assert found["outputs"] == 10
    assert [(one["probability"], one["share"]) for one in found["bins"]] == [(0, 0), (0.25, 0), (0.75, 1)]
    assert found["brier"] == pytest.approx(2 * 0.25**2)
    assert allowed_steps(Question.objects.get(study=study, key="comment"), yes_or_no=False) == ()


@pytest.mark.thorough
def test_means_are_corrected_with_outputs_that_only_the_judge_answered(tmp_path):
    study = imported(tmp_path / "some", slug="some", unrated=24)
    judges = question(study)["judges"]
    for name, judge in judges.items():
        assert judge["corrected"]["on_scale"]
        for system in OUTPUTS:
            found = judge["corrected"]["systems"][system]
            assert (found["labels"], found["outputs"]) == (8, ITEMS), name
    even = judges["even"]["corrected"]["systems"]["east"]
    assert even["prediction_powered_worth"] > 8
    assert even["prediction_powered_se"] < even["people_se"]
    yes = question(study, "follows")["judges"]["even"]["corrected"]["systems"]["east"]
    assert yes["sensitivity_specificity"] is not None or yes["undefined"]["sensitivity_specificity"]


def test_outputs_shown_as_examples_are_left_out_of_corrected_means(study):
    even = Rater.objects.get(study=study, name="even")
    pool = {"how_well": [["item00", "east", 4.0], ["item01", "north", 3.0], ["gone", "east", 3.0]]}
    JudgeRun.objects.create(
        rater=even, name="drawn", configuration={"examples": {"source": "random", "pool": pool}}, status="finished"
    )
    assert len(example_outputs(study)[even.pk, "how_well"]) == 2
    corrected = question(study)["judges"]["even"]["corrected"]
    assert corrected["examples_left_out"] == 2
    labels = {name: one["labels"] for name, one in corrected["systems"].items()}
    assert labels == {"east": ITEMS - 1, "north": ITEMS - 1, "south": ITEMS}


def test_systems_are_ranked_by_people_and_by_each_judge(figures):
    systems = figures["how_well"]["systems"]
    assert (systems["baseline"], list(systems["judges"])) == ("east", ["even", "far"])
    people = systems["people"]
    strengths = {name: one["value"] for name, one in people["strengths"].items()}
    assert sorted(strengths, key=strengths.get) == ["south", "north", "east"]
    assert people["strengths"]["east"]["rank"] == 1
    assert list(people["length_controlled"]) == ["north", "south"]
    assert people["length_controlled"]["south"]["win_rate"] < 0.5
    assert set(people["style_controlled"]["effects"]) == {"length", "list_items", "headers", "bold"}
    assert people["style_controlled"]["effects"]["bold"]["undefined"]["value"]


@pytest.mark.thorough
def test_the_study_names_the_baseline(tmp_path):
    study = imported(tmp_path / "named", systems={"south": {"baseline": True}})
    assert question(study)["systems"]["baseline"] == "south"


def test_style_is_counted_in_texts():
    text = "# Title\n\n- **one** point\n- another\n3. third\nplain __bold__ text, a # sign and 2 * 3\n"
    assert style_counts(text) == (len(text.split()), 3, 1, 2)


def test_a_panel_is_one_more_judge(study, capsys):
    found = question(study, panel=frozenset({"even", "far"}))
    panel = found["judges"]["panel of even, far"]
    assert (panel["kind"], panel["panel"], panel["left_out"]) == ("panel", ["even", "far"], 0)
    assert panel["outputs"] == ITEMS * len(OUTPUTS)
    assert panel["alternative_annotator"]["rho"] > found["judges"]["far"]["alternative_annotator"]["rho"]
    call_command("meta_evaluate", study.slug, "--json", "--panel", "even", "far", "--epsilon", "0.1")
    report = json.loads(capsys.readouterr().out)
    assert report["panel"] == ["even", "far"]
    assert report["beyond_papers"]["epsilon"] == 0.1
    assert "panel of even, far" in report["questions"]["follows"]["judges"]


@pytest.mark.thorough
def test_a_panel_may_have_people_and_needs_two_judges_of_one_shape(study):
    found = question(study, panel=frozenset({"even", "ann"}))
    assert "panel of even, ann" in found["judges"]
    assert found["people"]["raters"] == 2
    with pytest.raises(ChoiceInvalidError, match="at least two"):
        question(study, panel=frozenset({"even"}))
    with pytest.raises(ChoiceInvalidError, match="no rater called nobody"):
        question(study, panel=frozenset({"even", "nobody"}))
    Rater.objects.create(study=study, name="silent", kind="model")
    lonely = question(study, panel=frozenset({"even", "silent"}))
    assert lonely["undefined"]["panel"].startswith("a panel needs two judges")


@pytest.mark.thorough
@pytest.mark.parametrize("epsilon", ["2", "-0.1", "much", "nan"])
def test_epsilon_is_between_0_and_1(study, epsilon):
    with pytest.raises(CommandError, match="epsilon"):
        call_command("meta_evaluate", study.slug, "--epsilon", epsilon)
