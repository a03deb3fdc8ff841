"""Peeks: every page, file and address of the API that shows results is counted while a stop plan is running."""

import re
from datetime import timedelta
from fnmatch import fnmatchcase
from functools import cache

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from accounts.models import AuditEntry
from annotation.members.membership import add_member
from annotation.members.tokens import issue_token
from annotation.models import Rating, Study
from config.background.claiming import process_row
from config.database_clock import database_now
from config.model_fields import canonical_json
from config.parts import OPTIONAL
from files.reading import import_study
from parts.stopping import peeking
from parts.stopping.models import ResultPeek, StopLook, StopPlan
from reports.figures.agreement_report import agreement_report
from reports.models import KeptExport, KeptReport
from reports.pages.seen_results import ResultPage
from tests.api.conftest import Program
from tests.conftest import make_person
from tests.files.writing.conftest import item, write_study
from tests.house import app_of, sources
from tests.reports.computing import read
from tests.test_routes import row_of
from tests.world import ROUTES

pytestmark = pytest.mark.django_db
RULES = {"looks": [10**6], "rules": [{"figure": "score", "question": "how_well", "until": "width", "width": 1.0}]}
POWER = "figure=score&aim=width&goal=1&question=how_well&runs=50&most_items=50"
COUNTED = {
    "reports:report": "report", "reports:report_file": "file", "reports:report_plot": "plot",
    "reports:report_plot_file": "plot", "reports:glance": "overview", "reports:glance_file": "file",
    "reports:leaderboard": "judges", "reports:leaderboard_file": "file", "reports:leaderboard_plot": "plot",
    "reports:leaderboard_plot_file": "plot", "reports:frozen": "judges", "reports:tables": "tables",
    "reports:table_file": "file", "reports:table_plot": "plot", "reports:table_plot_file": "plot",
    "reports:rater_checks": "rater_checks", "power:power": "power", "reports:export_file": "export",
    "managing:disagreement": "disagreement", "managing:disagreement_file": "file",
    "managing:progress": "disagreement", "managing:items": "disagreement",
    "api:agreement": "api_report", "api:details": "api_report", "api:meta_evaluation": "api_report",
    "api:rater_checks": "api_report", "api:export": "export", "api:export_file": "export",
    "api:kept_export_file": "export", "api:annotations": "answer_list", "api:ratings": "answer_list",
    "api:one_of_ratings": "answer_list", "api:sessions": "answer_list", "api:adjudications": "answer_list",
}  # fmt: skip
ELSEWHERE = ("api:session_report", "api:turns", "api:one_of_sessions", "api:one_of_adjudications",
             "api:one_of_annotations")  # fmt: skip
"""Counted by the same functions as others above; they need rows that this study does not have."""
NO_RESULTS = (
    "managing:*_file", "managing:adjudicate", "managing:balance", "managing:build", "managing:copying",
    "managing:delete_study", "managing:deletion", "dry_runs:dry_runs", "managing:duplicate", "managing:edit_item",
    "managing:from_template", "managing:item", "managing:new_item", "managing:new_study", "managing:plan",
    "managing:upload", "managing:uploaded", "api:import_upload", "api:upload",
    "api:uploads", "api:upload_parts", "api:docs", "api:schema", "api:studies", "api:study",
    "api:items", "api:one_of_items", "api:raters", "api:one_of_raters", "api:assignments", "api:one_of_assignments",
    "api:runs", "api:one_of_runs", "api:kept_export", "api:kept_exports", "api:work*", "reports:exports",
    "preregistration:*", "reports:statistics",
)  # fmt: skip
"""Pages without results: of single answers, of plans, counts and settings, and of the looks that the plan takes."""
WITH_REPORTS = {
    path for path in sources() if "from reports.kept.kept_reports import" in path.read_text(encoding="utf-8")
}
MAY_SHOW = (
    "reports", "managing", "api", "operating",
    *(key for key in OPTIONAL if f"parts.{key}" in map(app_of, WITH_REPORTS)),
)  # fmt: skip
"""Other apps cannot show figures: they have no kept reports."""


@cache
def opened():
    """The routes of MAY_SHOW that answer GET."""
    ours = [route for route in ROUTES if route.split(":")[0] in MAY_SHOW]
    return [route for route in ours if row_of(route, "GET")["researcher"] != "405"]


def test_every_address_that_may_show_results_is_counted_or_said_to_have_none():
    unknown = [
        route for route in opened()
        if route not in COUNTED and route not in ELSEWHERE and not any(fnmatchcase(route, one) for one in NO_RESULTS)
    ]  # fmt: skip
    assert unknown == []
    assert set(COUNTED) <= set(opened())


def with_plan(study):
    """The study, running under a plan."""
    body = canonical_json(RULES)
    StopPlan.objects.create(
        study=study,
        body=body,
        sha256="0" * 64,
        fixed_at=database_now(),
        in_time=True,
    )
    Study.objects.filter(pk=study.pk).update(status="live", options={**study.options, "stopping": RULES})
    return Study.objects.get(pk=study.pk)


@pytest.fixture
def running(tmp_path, settings):
    """A study with judges and people, and its owner."""
    settings.VAR = tmp_path / "var"
    items, ratings, scores = [], [], []
    for number in range(6):
        items.append(item(f"i{number}", outputs=("a", "b")))
        for place, output in enumerate(("a", "b")):
            for value, rater in ((1 + number % 3 + place, "ann"), (1 + (number + place) % 4, "bob")):
                shared = {"item": f"i{number}", "output": output, "rater": rater}
                ratings.append({**shared, "question": "how_well", "value": value})
            judged = {"item": f"i{number}", "output": output, "rater": "judge", "rater_kind": "model"}
            scores.append({**judged, "question": "how_well", "value": 1.5 + place + number / 10})
    study = with_plan(import_study(write_study(tmp_path / "study", items, ratings, scores)).study)
    owner = make_person("owner")
    add_member(study, owner, "owner", None)
    return study, owner


class Addresses:
    """The address of each counted route, read from the pages that link to it."""

    def __init__(self, study, client):
        self.study, self.client, self.pages = study, client, {}

    def page(self, route, query=None):
        if route not in self.pages:
            response = read(self.client, reverse(route, args=[self.study.slug]), query)
            self.pages[route] = response.content.decode()
        return self.pages[route]

    def key(self, route, pattern):
        found = re.search(pattern, self.page(route))
        assert found, f"{route} links to no {pattern}"
        return found[1]

    def of(self, route):
        slug, page = self.study.slug, route.replace("table_", "tables_").replace("frozen", "leaderboard")
        page = re.sub(r"_(plot_file|plot|file)$", "", page)
        if route.endswith("export_file") and route != "api:export_file":
            if not KeptExport.objects.exists():
                self.client.post(reverse("reports:exports", args=[slug]), {"form": "jsonl"})
                assert process_row("export", KeptExport.objects.get().pk)
            return reverse(route, args=[slug, KeptExport.objects.get().pk])
        if route == "reports:frozen":
            self.page("reports:leaderboard")
            self.client.post(reverse("reports:freeze", args=[slug]))
            return reverse(route, args=[slug, KeptReport.objects.exclude(frozen_as=None).get().frozen_as])
        if route == "power:power":
            return (
                reverse(route, args=[slug]) + "?figure=score&aim=width&goal=1&question=how_well&runs=50&most_items=50"
            )
        if route == "api:export_file":
            return reverse(route, args=[slug, "items.jsonl"])
        if route == "api:one_of_ratings":
            return reverse(route, args=[slug, Rating.objects.first().pk])
        if route.endswith("_plot"):
            return reverse(route, args=[slug, self.key(page, r"plots/([a-z0-9_-]+)/")])
        if route.endswith("_plot_file"):
            return reverse(route, args=[slug, self.key(page, r"plots/([a-z0-9_-]+)/"), "csv"])
        if route == "reports:table_file":
            return reverse(route, args=[slug, self.key(page, r"tables/([a-z0-9_-]+)\.csv"), "csv"])
        if route.endswith("_file"):
            return reverse(route, args=[slug, self.key(page, r"files/([a-z0-9_-]+)\.csv"), "csv"])
        return reverse(route, args=[slug])


@pytest.fixture
def days(monkeypatch):
    """A function that lets another day begin."""
    today = [database_now()]
    monkeypatch.setattr(peeking, "database_now", lambda: today[0])

    def next_day():
        today[0] += timedelta(days=1)
        return today[0].date()

    return next_day


def status_of(asks, address):
    """The status when everything is computed; a file is read to its end, which closes it."""
    response = read(asks, address)
    if response.streaming:
        b"".join(response)
    return response.status_code


@pytest.mark.thorough
def test_each_of_them_counts_and_only_once_a_day(running, client, days):
    study, owner = running
    client.force_login(owner)
    program = Program(issue_token(study, owner, name="reads", scope="read"))
    addresses, wrong = Addresses(study, client), []
    for route, kind in COUNTED.items():
        address, asks = addresses.of(route), program if "api" in route.split(":")[0] else client
        day = days()
        for _ in range(2):
            assert status_of(asks, address) == 200, route
        found = list(ResultPeek.objects.filter(day=day).values_list("kind", flat=True))
        if found != [kind]:
            wrong.append((route, found))
    assert wrong == []
    assert AuditEntry.objects.filter(study=study.slug, action=peeking.PEEKED).count() == ResultPeek.objects.count()


def test_pages_without_figures_and_those_of_the_plan_count_nothing(running, client):
    study, owner = running
    client.force_login(owner)
    for name in ("reports:report", "stopping:stop_rules", "reports:exports", "annotation:study", "managing:balance"):
        assert client.get(reverse(name, args=[study.slug])).status_code == 200
    assert not ResultPeek.objects.exists()


def test_the_report_says_how_many_peeks_there_were_by_whom_and_of_what(running, client):
    study, owner = running
    researcher, operator = make_person("researcher"), make_person("operator", is_superuser=True)
    add_member(study, researcher, "researcher", None)
    for person in (owner, researcher, operator):
        peeking.note_peek(study, person, ResultPage.REPORT)
    peeking.note_peek(study, owner, ResultPage.EXPORT)
    peeks = agreement_report(study, replicates=0)["stopping"]["peeks"]
    assert (peeks["total"], peeks["people"]) == (4, 3)
    assert peeks["roles"] == {"operator": 1, "owner": 2, "researcher": 1}
    assert peeks["kinds"] == {"export": 1, "report": 3}
    client.force_login(owner)
    for name in ("reports:report", "stopping:stop_rules"):
        shown = read(client, reverse(name, args=[study.slug])).content.decode()
        assert "3 people looked at results 4 times" in shown
        assert "2 by an owner" in shown


def test_a_peek_makes_no_kept_report_out_of_date(running, client):
    study, owner = running
    client.force_login(owner)
    read(client, reverse("reports:report", args=[study.slug]))
    assert ResultPeek.objects.count() == 1
    assert not KeptReport.objects.filter(status="queued").exists()


def test_nothing_is_counted_without_a_plan_and_after_its_end(running):
    study, owner = running
    plan = study.stop_plan
    Study.objects.filter(pk=study.pk).update(status="closed")
    peeking.note_peek(Study.objects.get(pk=study.pk), owner, ResultPage.REPORT)
    Study.objects.filter(pk=study.pk).update(status="paused")
    now = database_now()
    StopLook.objects.create(
        plan=plan, number=1, planned=6, answers=6, taken_at=now, decision="stop", status="done", ended_at=now
    )
    peeking.note_peek(Study.objects.get(pk=study.pk), owner, ResultPage.REPORT)
    study.options = {}
    peeking.note_peek(study, owner, ResultPage.REPORT)
    assert not ResultPeek.objects.exists()


def test_the_database_keeps_peeks_and_lets_none_be_there_twice(running):
    study, owner = running
    peeking.note_peek(study, owner, ResultPage.REPORT)
    peek = ResultPeek.objects.get()
    with pytest.raises(DatabaseError), transaction.atomic():
        ResultPeek.objects.update(role="annotator")
    with pytest.raises(DatabaseError), transaction.atomic():
        peek.delete()
    peek.pk = None
    with pytest.raises(DatabaseError), transaction.atomic():
        peek.save(force_insert=True)
