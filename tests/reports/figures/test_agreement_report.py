"""The agreement report: its shape, what it pools, and the public reference figures."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.models import Output, Rater, Rating, Slot
from files.reading import import_study
from reports.figures.agreement_report import agreement_report
from reports.figures.rows import ChoiceInvalidError
from tests.reports.computing import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated(make_study):
    """Two people and a model who answer two questions about each of six outputs; guidelines 1, then 2."""
    study = make_study()
    questions = {question.key: question for question in study.questions.all()}
    for name, kind in (("ann", "human"), ("bob", "human"), ("judge", "model")):
        rater = Rater.objects.create(study=study, name=name, kind=kind)
        for number, output in enumerate(Output.objects.order_by("pk")):
            version = None if kind == "model" else 1 + number % 2
            for key, value in (("how_well", 1 + (number + (name == "bob")) % 5), ("comment", f"{name} {number}")):
                Rating.objects.create(
                    study=study, question=questions[key], rater=rater, item=output.item, output=output,
                    level="interval" if key == "how_well" else "text", value=value,
                    number=value if key == "how_well" else None, guidelines_version=version,
                )  # fmt: skip
    return study


def test_each_question_is_reported_by_its_level_and_texts_are_counted(rated):
    report = agreement_report(rated, guidelines="all", replicates=10)
    assert (report["study"], report["protocol"], report["items"]) == ("study", "rating", 2)
    assert list(report["questions"]) == ["follows", "how_well", "comment"]
    assert report["questions"]["comment"] == {"level": "text", "ratings": 12, "raters": 2}
    assert report["questions"]["how_well"]["ratings"] == 12
    assert report["questions"]["follows"]["alpha_nominal"] is None
    assert report["questions"]["follows"]["undefined"]["alpha_nominal"]


def test_versions_are_not_pooled_unless_asked_and_the_report_says_so(rated):
    report = agreement_report(rated, replicates=10)
    assert report["guidelines"] == {
        "version": 2,
        "pooled": False,
        "ratings": {"1": 12, "2": 12},
        "left_out": {"people": 12},
    }
    assert report["questions"]["how_well"]["ratings"] == 6
    assert agreement_report(rated, guidelines=1, replicates=10)["questions"]["how_well"]["ratings"] == 6
    pooled = agreement_report(rated, guidelines="all", replicates=10)
    assert pooled["guidelines"] == {"version": None, "pooled": True, "ratings": {"1": 12, "2": 12}}
    with pytest.raises(ChoiceInvalidError, match="no ratings under guidelines version 3"):
        agreement_report(rated, guidelines=3)


def test_kinds_of_raters_are_chosen(rated):
    both = agreement_report(rated, frozenset({"human", "model"}), guidelines="all", replicates=10)
    assert both["questions"]["how_well"]["raters"] == 3
    assert agreement_report(rated, frozenset({"model"}), replicates=10)["questions"]["how_well"]["ratings"] == 6


def test_the_command_prints_json_or_a_table(rated, capsys):
    call_command("agreement", "study", "--json", "--kinds", "human,model")
    assert json.loads(capsys.readouterr().out)["kinds"] == ["human", "model"]
    call_command("agreement", "study", "--guidelines", "1")
    assert "Alpha, nominal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing"], "no study called 'nothing'"),
        (["study", "--kinds", "robots"], "--kinds takes human, model, metric"),
        (["study", "--guidelines", "latest"], "--guidelines takes the number of a version, or all"),
        (["study", "--guidelines", "9"], "no ratings under guidelines version 9"),
    ],
)
def test_the_command_refuses_unknown_choices(rated, arguments, says):
    with pytest.raises(CommandError, match=says):
        call_command("agreement", *arguments)


def differences(expected, found, place=""):
    """The figures of `expected` that `found` lacks or that differ, to four decimals."""
    if isinstance(expected, dict):
        return [
            line
            for key, value in expected.items()
            if key != "judges"  # these are of another report
            for line in differences(value, found.get(key) if isinstance(found, dict) else None, f"{place}.{key}")
        ]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = zip(expected, found, strict=True)
        return [line for one, other in pairs for line in differences(one, other, place)]
    if isinstance(expected, float):
        same = isinstance(found, float) and abs(found - expected) <= 0.00005001
    else:
        same = expected == found
    return [] if same else [f"{place}: {expected} expected, {found} found"]


@pytest.mark.parametrize("name", ["qags-cnndm", "hanna", "pandalm", "wmt16-tur-eng"])
def test_public_data_gives_the_published_figures(name, reference_data, capsys):
    import_study(reference_data / name)
    expected = json.loads((reference_data / name / "expected.json").read_text())
    expected.pop("note_on_pairs", None)
    listed = {"questions": expected.pop("listed", {})}
    for options, values in (((), expected), (("--pair-coding", "sorted"), listed)):
        call_command("agreement", name, "--json", *options)
        assert differences(values, json.loads(capsys.readouterr().out)) == []


def test_surplus_answers_count_and_are_reported(study, client, owner):
    """Three raters on a task that needs two: the report counts the third answer and says that it is surplus."""
    raters = [Rater.objects.create(study=study, name=name) for name in ("ann", "bob", "cyn")]
    late = next_assignment(study, raters[2])
    Slot.objects.filter(holder=raters[2]).update(state="open", holder=None, lease_until=None)
    form = {"q-follows": ["true"], "q-how_well": ["4"]}
    for rater in raters[:2]:
        while assignment := next_assignment(study, rater):
            submit(assignment, Submission(form, revision=0))
    assert agreement_report(study, replicates=10)["surplus"] == 0
    assert submit(late, Submission(form, revision=0)).surplus
    report = agreement_report(study, replicates=10)
    assert (report["surplus"], report["questions"]["follows"]["ratings"]) == (1, 13)
    client.force_login(owner)
    page = read(client, reverse("reports:report", args=[study.slug])).content.decode()
    assert "1 answer came in after the task had all its raters" in page
