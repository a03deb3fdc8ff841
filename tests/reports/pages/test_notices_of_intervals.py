"""Where intervals are too short, the page, the copied table and the command say so."""

import pytest
from django.core.management import call_command

from annotation.members.membership import add_member
from files.reading import import_study
from tests.files.writing.conftest import item, write_study
from tests.reports.compared_study import imported
from tests.reports.computing import read

pytestmark = pytest.mark.django_db

ITEMS, RATERS = 12, ("ann", "bob", "cy")


def answered(folder, rare, owner):
    """A study of yes or no in which two raters say no about the first output of the first `rare` items."""
    items = [item(f"i{number}", outputs=("a", "b")) for number in range(ITEMS)]
    ratings = [
        {
            "item": f"i{number}",
            "output": output,
            "rater": rater,
            "question": "follows",
            "value": not (number < rare and output == "a" and rater != "cy"),
        }
        for number in range(ITEMS)
        for output in ("a", "b")
        for rater in RATERS
    ]
    made = import_study(write_study(folder, items, ratings, [])).study
    add_member(made, owner, "owner", None)
    return made


@pytest.mark.parametrize(("rare", "covered"), [(1, "30 %"), (4, "83 %"), (8, None)])
def test_intervals_of_alpha_with_few_rare_answers_have_a_notice(tmp_path, client, owner, capsys, rare, covered):
    study = answered(tmp_path / "in", rare, owner)
    client.force_login(owner)
    page = " ".join(read(client, f"/studies/{study.slug}/report/").content.decode().split())
    latex = client.get(f"/studies/{study.slug}/report/files/q1-agreement.tex").content.decode()
    call_command("agreement", study.slug)
    said = "held the true value in"
    for text in (page, latex.replace("\\%", "%"), capsys.readouterr().out):
        assert (f"{said} {covered}" in text) if covered else said not in text


def test_the_tau_of_systems_says_how_often_its_interval_holds(tmp_path, client, owner):
    study = imported(tmp_path / "in")
    add_member(study, owner, "owner", None)
    client.force_login(owner)
    page = " ".join(read(client, f"/studies/{study.slug}/leaderboard/").content.decode().split())
    assert "95 % intervals held the true tau in" in page
