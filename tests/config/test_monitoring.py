"""Figures for monitoring: who may read them, what is counted, that processes are summed, and what alerts name."""

import os
import re
from datetime import timedelta

import pytest
from django.utils import timezone
from ruamel.yaml import YAML

from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from config import process_counts
from config.background.kinds import QUEUES
from config.readiness import states
from llm.models import Budget
from operating.last_backup import note_backup
from reports.models import KeptReport
from retrieval.models import TrialSearch
from tests.house import ROOT
from tests.processes import child, finished

TOKEN = "token-of-the-monitoring"
OTHER_PROCESS = """
from django.conf import settings
settings.METRICS_TOKEN, settings.VAR = {token!r}, {var!r}
from config.process_counts import count
count("claims", 5)
"""

FILE = ROOT / "deploy" / "prometheus" / "alerts.yml"
RULES = YAML(typ="safe", pure=True).load(FILE.read_text(encoding="utf-8"))["groups"][0]["rules"]
OF_PROMETHEUS = {"up"}
KNOWN = {"or", "by", "max", "min", "sum", "rate", "absent"}
TOKENS = re.compile(r'\s*([A-Za-z_]\w*|"[^"]*"|=~|[=<>]=?|\d+(?:\.\d+)?|\[\d+[smhd]\]|[(){},*])')
LABELLED = re.compile(r"(interrater_\w+)\{(\w+)|by \((\w+)\) \((interrater_\w+)")

pytestmark = [pytest.mark.quick, pytest.mark.both, pytest.mark.django_db]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of this process: the library opens its files once."""
    yield tmp_path_factory.mktemp("metrics")
    os.environ.pop(process_counts.LIBRARYS_FOLDER, None)


@pytest.fixture
def counted(settings, folder):
    settings.METRICS_TOKEN, settings.VAR = TOKEN, folder
    return folder


def figures(client):
    """The figures by name and labels."""
    response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200
    found = re.findall(r"^(interrater_[^ ]+) (\S+)$", response.content.decode(), re.MULTILINE)
    return {name: float(value) for name, value in found}


def test_without_the_setting_there_is_no_such_page(client, settings):
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer \xe9"])
def test_without_the_token_it_does_not_exist_either(client, counted, given):
    assert client.get("/metrics", headers={"Authorization": given}).status_code == 404


def test_claims_submits_and_requests_are_counted(client, counted, study, rater):
    process_counts.count("claims")
    before = figures(client)
    client.force_login(rater)
    assignment = next_assignment(study, rater_for(study, rater))
    form = {"revision": "0", "q-follows": "true", "q-how_well": "4"}
    client.post(f"/work/{assignment.key}/submit/", form)
    found = figures(client)
    assert found["interrater_claims_total"] == before["interrater_claims_total"] + 2  # the task, and the next one
    assert found['interrater_submits_total{status="submitted"}'] == 1
    assert found['interrater_request_seconds_count{part="annotation",status="302"}'] == 1


@pytest.mark.thorough
def test_the_counts_of_other_processes_are_added(client, counted):
    process_counts.count("claims", 2)
    before = figures(client)["interrater_claims_total"]
    with child(OTHER_PROCESS.format(token=TOKEN, var=str(counted))) as other:
        finished(other)
    assert figures(client)["interrater_claims_total"] == before + 5


def test_queues_say_how_long_their_oldest_row_waits(client, counted, study, owner):
    assert figures(client)['interrater_queue_rows{kind="report"}'] == 0
    due = timezone.now() - timedelta(minutes=5)
    KeptReport.objects.create(study=study, kind="agreement", due_at=due)
    found = figures(client)
    assert found['interrater_queue_rows{kind="report"}'] == 1
    assert 299 < found['interrater_queue_age_seconds{queue="jobs"}'] < 400
    assert found['interrater_queue_age_seconds{queue="calls"}'] == 0
    TrialSearch.objects.create(
        study=study, item=study.items.first(), asked_by=owner, query="ferry", due_at=due - timedelta(minutes=5)
    )
    found = figures(client)
    assert 599 < found['interrater_queue_age_seconds{queue="calls"}'] < 700
    assert {name for name in found if "queue_age" in name} == {
        f'interrater_queue_age_seconds{{queue="{queue}"}}' for queue in QUEUES
    }


def test_nothing_is_loaded_or_written_without_the_setting(settings, tmp_path):
    settings.METRICS_TOKEN, settings.VAR = "", tmp_path
    process_counts.count("claims")
    assert list(tmp_path.iterdir()) == []


def words_of(expression: str) -> list[str]:
    """The tokens of an expression; fails at one that is of none of our forms, or at unbalanced brackets."""
    found, at = [], 0
    while at < len(expression):
        token = TOKENS.match(expression, at)
        assert token, expression[at:]
        found.append(token[1])
        at = token.end()
    for opening, closing in ("()", "{}"):
        assert found.count(opening) == found.count(closing), expression
    return found


def names_of(rule) -> set[str]:
    """The figures that a rule names."""
    plain = re.sub(r"\{[^}]*\}|by \(\w+\)", "", rule["expr"])
    return {word for word in words_of(plain) if re.fullmatch(r"[a-z_]\w*", word)} - KNOWN - OF_PROMETHEUS


def labels_of(rule) -> set[tuple[str, str]]:
    found = LABELLED.findall(rule["expr"])
    return {(name or other, label or by) for name, label, by, other in found}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_every_alert_is_about_a_figure_that_metrics_has(rule, client, counted):
    for name in ("claims", "lease_expiries"):
        process_counts.count(name)
    client.get("/healthz")
    present = figures(client)
    names = {one.partition("{")[0] for one in present}
    assert words_of(rule["expr"])
    assert names_of(rule)
    assert names_of(rule) <= names
    for name, label in labels_of(rule):
        assert any(one.startswith(f"{name}{{") and f'{label}="' in one for one in present), (name, label)
    assert rule["annotations"]["summary"].endswith(".")
    assert set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])) <= {
        label for _, label in labels_of(rule)
    }


def test_a_name_or_a_form_that_is_wrong_is_found():
    assert names_of({"expr": 'sum(rate(interrater_gone_total{a="b"}[5m])) > 1'}) == {"interrater_gone_total"}
    with pytest.raises(AssertionError):
        words_of("sum(interrater_workers > 1")
    with pytest.raises(AssertionError):
        words_of("sum(interrater_workers) ?? 1")


def test_parts_backups_and_budgets_are_figures(client, counted, study, tmp_path):
    assert figures(client)["interrater_backup_age_seconds"] == float("inf")
    assert figures(client)["interrater_budget_share"] == 0
    note_backup(tmp_path / "one.zip", 1, 1, 0.1)
    Budget.objects.create(study=study, cap=1000, spent=850, reserved=100)
    found = figures(client)
    assert 0 <= found["interrater_backup_age_seconds"] < timedelta(minutes=1).total_seconds()
    assert found["interrater_budget_share"] == pytest.approx(0.95)
    assert {f'interrater_part_state{{part="{part}"}}' for part in states()} <= found.keys()
    assert found['interrater_part_state{part="workers"}'] == 1
