"""The questions that a reader chooses for tables: by the command, on the page and in the API; none without the part."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.members.membership import add_member
from config.parts import parts_by_key
from reports.comparison_tables import comparison_questions
from reports.pages.forms import MetaEvaluationForm
from tests.reports.compared_study import imported
from tests.reports.computing import read

pytestmark = pytest.mark.django_db
BY_DEFAULT = "AUC-ROC against people's majority of follows; distances to people's means of how_well."
CHOSEN = "AUC-ROC against people's majority of how_well; distances to people's means of follows."


@pytest.fixture
def study(tmp_path):
    return imported(tmp_path, item_count=3)


def test_the_command_takes_them(study, capsys):
    def note(*more):
        call_command("meta_evaluate", study.slug, "--json", *more)
        return json.loads(capsys.readouterr().out)["tables"]["risum_4"]["notes"][0]

    assert note() == BY_DEFAULT
    assert note("--majority-of", "how_well", "--mean-of", "follows") == CHOSEN
    with pytest.raises(CommandError, match="There is no question called nothing"):
        note("--mean-of", "nothing")


def test_the_page_offers_them(study, owner, client):
    add_member(study, owner, "owner", None)
    client.force_login(owner)
    address = reverse("reports:tables", args=[study.slug])
    page = read(client, f"{address}?majority_of=how_well&mean_of=follows").content.decode()
    assert CHOSEN.replace("'", "&#x27;") in page
    assert (
        '<label>Majority of <select name="majority_of"><option value="">the first yes-or-no question</option>' in page
    )
    assert page.count('<option value="follows" selected>') == page.count('<option value="how_well" selected>') == 1


def test_the_api_describes_them(owner, client):
    client.force_login(owner)
    page = client.get("/api/schema/").json()["paths"]["/api/studies/{slug}/meta-evaluation/"]
    said = {one["name"]: one.get("description") for one in page["get"]["parameters"]}
    assert said["majority_of"] == "People's question for AUC in riSum's table 4."
    assert said["mean_of"] == "People's question for the distances of that table."


def test_without_the_part_there_are_none(monkeypatch):
    monkeypatch.setattr(parts_by_key()["papers"], "comparison_tables", None)
    comparison_questions.cache_clear()
    try:
        assert not MetaEvaluationForm().fields.keys() & {"majority_of", "mean_of"}
    finally:
        comparison_questions.cache_clear()
