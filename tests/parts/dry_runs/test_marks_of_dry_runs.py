"""A dry run says so on every page, in the API and in files, and sends nothing."""

import json
from io import BytesIO

import pytest
from PIL import Image

from annotation.models import Study
from files.writing import export_study
from parts.mail.mail_queue import InvitationsRefusedError, invite_by_mail, reachable
from parts.mail.models import MailKind
from reports.pages.plot_files import kept_plot, plot_files
from reports.report_kinds import report_kinds
from tests.world import SOME_ROUTES, build_world

pytestmark = pytest.mark.django_db
MARK = "Do not report them."
OF_NO_STUDY = ("accounts:", "admin", "api:docs", "llm:models")
NOT_OF_ONE_STUDY = {
    "annotation:home", "annotation:project", "annotation:archived", "annotation:my_day", "annotation:account_tokens",
    "annotation:my_data", "mail:my_mail", "mail:stop_mail", "mail:confirm_address",
    "mail:forgotten_password", "reports:statistics", "managing:deletion", "managing:new_study",
    "managing:from_template", "annotation:invitation",
}  # fmt: skip
"""Pages about several studies or a person; those that list studies name a dry run as such."""
LISTS = {"annotation:home", "annotation:project"}
PLOT = {"kind": "dots", "title": "T", "axis": [0, 1], "axis_title": "x", "band": None,
        "points": [{"name": "a", "value": 0.5, "low": 0.2, "high": 0.8}]}  # fmt: skip


def made_dry(slug="study"):
    study = Study.objects.get(slug=slug)
    Study.objects.filter(pk=study.pk).update(options={**study.options, "dry_run": {"of": "another"}})
    return Study.objects.get(pk=study.pk)


@pytest.mark.thorough
def test_every_page_of_a_dry_run_says_so():
    clients, address = build_world()
    made_dry()
    missing = []
    for route in SOME_ROUTES:
        for person in ("owner", "annotator"):
            response = clients[person].get(address(route))
            if response.streaming:
                b"".join(response)  # read to its end, the file behind it is closed
            if response.status_code != 200 or response.streaming or route.startswith(OF_NO_STUDY):
                continue
            page = response.content.decode(errors="replace")
            if "<html" not in page or (route in NOT_OF_ONE_STUDY and route not in LISTS):
                continue
            said = "Dry run</span>" if route in LISTS and person == "owner" else MARK
            if said not in page and not (route in LISTS and person == "annotator"):
                missing.append((route, person))
    assert not missing, "\n".join(map(str, missing))


def test_the_api_marks_the_study_its_lists_entries_and_reports():
    clients, address = build_world()
    assert "dry_run" not in clients["owner"].get(address("api:study")).json()
    made_dry()
    lists = ("api:study", "api:items", "api:ratings", "api:annotations", "api:raters", "api:turns")
    for route in (*lists, "api:one_of_items", "api:one_of_ratings", "api:one_of_annotations", "api:one_of_raters"):
        assert clients["owner"].get(address(route)).json()["dry_run"] is True, route
    [listed] = [one for one in clients["owner"].get(address("api:studies")).json()["studies"] if one["slug"] == "study"]
    assert listed["dry_run"] is True


@pytest.fixture
def dry(make_study):
    make_study("study")
    return made_dry()


def test_kinds_of_reports_that_are_shown_carry_the_mark(dry, monkeypatch):
    shown = {key for key, kind in report_kinds().items() if kind.is_shown}
    assert shown == {"agreement", "details", "disagreement", "meta_evaluation", "session", "rater_checks", "power"}
    for key, kind in report_kinds().items():
        monkeypatch.setattr("reports.report_kinds.import_string", lambda name: lambda study, choices: {"figure": 1})
        assert kind.compute(dry, {}) == ({"dry_run": True, "figure": 1} if key in shown else {"figure": 1})


@pytest.mark.thorough
def test_a_plot_of_a_dry_run_has_a_watermark(dry):
    plain, marked = plot_files(PLOT), plot_files(PLOT, is_dry_run=True)
    assert kept_plot(dry, PLOT)["svg"] == marked["svg"].decode() != plain["svg"].decode()
    one, other = (Image.open(BytesIO(files["png"])) for files in (plain, marked))
    assert one.size == other.size
    assert one.tobytes() != other.tobytes()


def test_the_manifest_and_the_card_of_an_export_say_so(dry, tmp_path):
    assert export_study(dry, tmp_path / "out")["dry_run"] is True
    assert json.loads((tmp_path / "out" / "manifest.json").read_bytes())["dry_run"] is True
    assert MARK in (tmp_path / "out" / "README.md").read_text()


def test_a_dry_run_sends_no_mails(dry, owner):
    with pytest.raises(InvitationsRefusedError, match="dry run"):
        invite_by_mail(dry, ["someone@example.org"], owner, 7)
    assert not reachable(dry, MailKind.REMINDER).exists()
