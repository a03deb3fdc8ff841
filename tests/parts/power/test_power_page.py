"""The page and the command that say how many items and raters a study needs."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Study
from reports.models import KeptReport
from tests.conftest import live_study
from tests.parts.stopping.stop_studies import annotator, answer, stopping_study
from tests.reports.computing import read

pytestmark = [pytest.mark.quick, pytest.mark.django_db]
ASKED = "?figure=win_rate&aim=power&goal=0.8&share=0.7&runs=60&most_items=400"


def test_a_worker_simulates_what_the_page_asks_for_and_it_is_kept(client, owner, rater):
    study = live_study(owner, rater)
    client.force_login(owner)
    path = f"/studies/{study.slug}/power/"
    assert "What you aim at" in client.get(path).content.decode()
    assert not KeptReport.objects.exists()
    assert "Simulating" in client.get(path + ASKED).content.decode()
    shown = read(client, path + ASKED).content.decode()
    assert "Items, raters and cost" in shown
    assert "a power of 0.8" in shown
    assert KeptReport.objects.get().kind == "power"
    assert client.get(f"{path}?figure=alpha&aim=power").status_code == 422
    client.force_login(rater)
    assert client.get(path).status_code == 404


def test_the_page_has_minutes_and_money_in_the_currency_of_the_study(client):
    study, owner = stopping_study(None, items=20)
    Study.objects.filter(pk=study.pk).update(options={"seed": 1, "pace": {"minutes_per_task": 3, "currency": "GBP"}})
    client.force_login(owner)
    path = f"/studies/{study.slug}/power/"
    assert 'value="GBP"' in client.get(path).content.decode()
    costs = "&pay_per_hour=20&fee_percent=25&fixed_cost=50"
    shown = read(client, f"{path}{ASKED}{costs}").content.decode()
    for text in ("Total (GBP)", "Fee (GBP)", "fixed cost of 50.00 GBP", "3 minutes per task", "25 % of the pay",
                 "The study as it is planned now"):  # fmt: skip
        assert text in shown, text
    planned = KeptReport.objects.get().parsed_figures()["planned"]
    assert (planned["items"], planned["minutes"], planned["pay"], planned["total"]) == (20, 60, 20, 75)


def test_hours_and_cost_count_the_steps_of_each_person(client):
    study, owner = stopping_study(None, items=20)
    options = {"seed": 1, "pace": {"minutes_per_task": 3, "step_minutes": 12}, "plan": {"most": 4}}
    steps = {"steps": [{"key": "consent", "kind": "consent", "text": "Yes?"}]}
    Study.objects.filter(pk=study.pk).update(options=options, recruiting=steps)
    client.force_login(owner)
    path = f"/studies/{study.slug}/power/"
    assert 'value="12"' in client.get(path).content.decode()
    shown = read(client, f"{path}{ASKED}&pay_per_hour=20").content.decode()
    assert "include the steps: 12 minutes per person" in shown
    assert "A person does at most 4 tasks." in shown
    planned = KeptReport.objects.get().parsed_figures()["planned"]
    assert (planned["people"], planned["minutes"], planned["pay"]) == (5, 60 + 5 * 12, 40)


def printed(*given):
    out = StringIO()
    call_command("power", *given, stdout=out)
    return out.getvalue()


def test_the_command_prints_json_that_its_seed_decides(owner, rater):
    live_study(owner, rater)
    asked = ("study", "--json", "--share", "0.7", "--runs", "60", "--most-items", "400", "--seed", "5")
    first = json.loads(printed(*asked))
    assert first == json.loads(printed(*asked))
    assert (first["seed"], [row["raters"] for row in first["sizes"]]) == (5, [1, 2, 3, 5])
    assert "raters" in printed("study", "--runs", "60", "--most-items", "100")
    with pytest.raises(CommandError, match="goal"):
        printed("study", "--goal", "2")


def test_values_of_a_pilot_take_the_place_of_assumed_ones():
    study, _ = stopping_study(None, items=12, redundancy=2, slug="pilot")
    for name in ("ann", "bob"):
        rater = annotator(study, name)
        for number in range(12):
            answer(study, rater, str(1 + number % 5), "true" if number % 4 else "false")
    asked = ("pilot", "--json", "--figure", "score", "--aim", "width", "--goal", "1", "--runs", "60")
    assumed = json.loads(printed(*asked))["assumed"]
    found = json.loads(printed(*asked, "--question", "how_well"))["assumed"]
    assert found["deviation"] != assumed["deviation"]
    assert found["share"] == assumed["share"]
    with pytest.raises(CommandError, match="too few"):
        printed(*asked, "--question", "comment")
