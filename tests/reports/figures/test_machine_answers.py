"""Which answers of machines a report reads: chosen by kind and by name, in the question's shape, of one rerun."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.members.membership import add_member
from annotation.members.tokens import issue_token
from annotation.models import JudgeRun, Rater
from files.reading import import_study
from reports.figures.agreement_report import agreement_report
from reports.figures.rows import ChoiceInvalidError
from reports.figures.rows.rater_shares import rater_shares
from tests.api.conftest import Program, problem
from tests.conftest import make_person
from tests.files.writing.conftest import item, write_study
from tests.reports.computing import read

pytestmark = pytest.mark.django_db
JUDGE = {"item": "harbour", "rater": "judge", "rater_kind": "model", "question": "how_well"}
OUTPUTS = ("north", "south")


@pytest.fixture
def imported(tmp_path):
    """A function that imports scores into a study whose two outputs `ann` and `bob` rated 4 and 2."""

    def add(*scores, **more):
        ratings = [
            {"item": "harbour", "output": output, "rater": name, "question": "how_well", "value": value}
            for name in ("ann", "bob")
            for output, value in zip(OUTPUTS, (4, 2), strict=True)
        ]
        return import_study(write_study(tmp_path / "in", [item(outputs=OUTPUTS)], ratings, scores, **more)).study

    return add


def scored(*values, **more):
    return [{**JUDGE, "output": output, "value": value, **more} for output, value in zip(OUTPUTS, values, strict=True)]


def how_well(study, *kinds, names=(), **more):
    report = agreement_report(study, frozenset(kinds), names=frozenset(names), replicates=0, **more)
    return report["questions"]["how_well"]


def test_raters_are_chosen_by_name_alone_or_beside_kinds(imported):
    study = imported(*scored(4.5, 2.5), *scored(1, 1, rater="other"))
    assert how_well(study, names=["judge"])["system_mean"] == {"north": 4.5, "south": 2.5}
    assert (how_well(study, names=["judge", "ann"])["raters"], how_well(study, "human")["raters"]) == (2, 2)
    assert how_well(study, "human", names=["judge"])["raters"] == 3
    with pytest.raises(ChoiceInvalidError, match="There is no rater called nobody"):
        how_well(study, "human", names=["nobody"])
    assert [one.name for one in rater_shares(study, ["human"], ["judge"])] == ["ann", "bob", "judge"]


def test_the_command_takes_names(imported, capsys):
    imported(*scored(4.5, 2.5), *({**JUDGE, "rater": "a, b", "outputs": list(OUTPUTS), "value": "tie"},))
    call_command("agreement", "ferries", "--json", "--raters", "judge", "a, b")
    report = json.loads(capsys.readouterr().out)
    assert (report["kinds"], report["raters"]) == ([], ["a, b", "judge"])
    assert (report["questions"]["how_well"]["raters"], report["questions"]["how_well"]["other_shapes"]) == (1, 1)
    call_command("agreement", "ferries", "--kinds", "human", "--raters", "a, b")
    assert "Left out, in another shape: 1" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no rater called nobody"):
        call_command("agreement", "ferries", "--raters", "nobody")
    with pytest.raises(CommandError, match="--raters takes names of raters"):
        call_command("agreement", "ferries", "--raters", "no\0body")


def test_the_api_takes_a_name_per_parameter(imported, owner):
    study = imported(*scored(4.5, 2.5), *scored(1, 1, rater="a, b"))
    add_member(study, owner, "owner", None)
    program = Program(issue_token(study, owner, name="reads", scope="read"))
    path = f"/api/studies/{study.slug}/agreement/"
    report = read(program, path, {"raters": ["judge", "a, b"]}).json()
    assert (report["raters"], report["questions"]["how_well"]["raters"]) == (["a, b", "judge"], 2)
    assert "There is no rater called nobody" in problem(read(program, path, {"raters": "nobody"}), 400)["detail"]
    assert problem(program.get(path, {"kinds": ["human", "model"]}), 400)


def test_only_the_questions_own_shape_is_read_and_the_others_are_counted(imported):
    ranking = {**JUDGE, "rater": "ranker", "value": {"north": 1, "south": 2}}
    yes = {**JUDGE, "output": "north", "rater": "yes", "question": "follows", "value": 0.75}
    study = imported(*scored(4.5, 2.5), ranking, yes)
    both = how_well(study, "human", "model")
    assert (both["raters"], both["ratings"], both["other_shapes"]) == (3, 6, 1)
    follows = agreement_report(study, frozenset({"model"}), replicates=0)["questions"]["follows"]
    assert (follows["system_mean"], follows["other_shapes"]) == ({"north": 0.75}, 0)


def test_reruns_are_not_mixed(imported):
    first, second = scored(1, 1, run="run-1"), scored(5, 3, run="run-2")
    study = imported(*first, *second[:1], *scored(2, 2, run="run-1", replicate=1))
    one = how_well(study, names=["judge"])
    assert (one["system_mean"], one["other_reruns"]) == ({"north": 5}, 4)
    judge = Rater.objects.get(name="judge")
    JudgeRun.objects.create(rater=judge, name="run-2", configuration={}, status="stopped")
    assert how_well(study, names=["judge"])["system_mean"] == {"north": 2, "south": 2}


def test_a_later_time_makes_the_latest_rerun(imported):
    times = {"run-1": "2026-03-02T12:00:00Z", "run-2": "2026-03-01T12:00:00Z"}
    study = imported(*(line for run, at in times.items() for line in scored(5, len(run), run=run, submitted_at=at)))
    assert how_well(study, names=["judge"])["other_reruns"] == 2


def test_a_replaced_run_is_read_by_no_figure_and_kept(imported):
    study = imported(*scored(1, 1, run="run-1"), *scored(5, 3, run="run-0"))
    judge = Rater.objects.get(name="judge")
    new = JudgeRun.objects.create(rater=judge, name="run-0", configuration={}, status="finished")
    JudgeRun.objects.create(rater=judge, name="run-1", configuration={}, status="finished", replaced_by=new)
    one = how_well(study, names=["judge"])
    assert (one["system_mean"], one["other_reruns"]) == ({"north": 5, "south": 3}, 0)
    assert judge.ratings.count() == 4


def test_a_machine_is_read_under_the_guidelines_that_it_was_shown(imported):
    shown = scored(5, 3, guidelines_version=1)
    study = imported(*shown, *scored(4, 4, rater="unshown"), guidelines="One.")
    assert how_well(study, "human", "model")["raters"] == 4  # people's ratings have no version
    assert how_well(study, "human", "model", guidelines="all")["raters"] == 4
    report = agreement_report(study, frozenset(), names=frozenset({"judge", "unshown"}), replicates=0)
    assert report["guidelines"] == {
        "version": 1,
        "pooled": False,
        "ratings": {"1": 2},
        "machines": {"1": 2},
        "shown": 1,
        "left_out": {},
    }
    assert report["questions"]["how_well"]["raters"] == 2
    assert agreement_report(study, replicates=0)["guidelines"]["ratings"] == {"none": 4}


def test_people_are_read_as_if_there_were_no_machines(imported, tmp_path):
    alone = agreement_report(imported(), replicates=20)
    study = imported(*scored(1, 5, run="r"), *scored(5, 1, run="s"), {**JUDGE, "rater": "r", "value": {"north": 1}})
    assert agreement_report(study, replicates=20) == alone


def test_the_page_offers_machines_by_name(imported, client):
    study = imported(*scored(4.5, 2.5), {**JUDGE, "rater": "<b>r</b>", "value": {"north": 1}})
    client.force_login(make_person("operator", is_superuser=True))
    page = read(client, f"/studies/{study.slug}/report/", {"kinds": "human", "raters": ["judge", "<b>r</b>"]})
    assert page.status_code == 200
    assert b"1 answer by machines has another shape" in page.content
    assert b'value="&lt;b&gt;r&lt;/b&gt;" checked' in page.content
    assert read(client, f"/studies/{study.slug}/report/", {"raters": "nobody"}).status_code == 404
