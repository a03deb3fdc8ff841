"""What is left of somebody who came by a link after they leave: in tables, pages, files, mails, sessions and audit."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, BrowserSession, Identity
from annotation.models import Annotation
from config.background.claiming import process_row
from parts.checks.models import RaterNotice
from parts.mail.mail_queue import tell_notes
from parts.mail.models import MailAddress, OutgoingMail
from reports.kept.kept_exports import folder_of, request_export
from tests.annotation.test_erasing import everything
from tests.clock import at_time
from tests.fewer import first_cases
from tests.parts.crowds.crowd_study import Guest, crowd_study, prolific_ids
from tests.parts.way_in.test_leaving import texts_of
from tests.parts.way_in.way_in_study import CONSENT, SCREEN, Walk

pytestmark = pytest.mark.django_db
OF_RESEARCHERS = ("", "funnel/", "submissions/", "submissions/submissions.csv", "submissions/approve.csv",
                  "submissions/bonuses.csv", "messages/?show=all", "people/", "background/", "attention/",
                  "report/", "checks/")  # fmt: skip
ASKED = {**SCREEN, "questions": [{"key": "field", "text": "Your field?"}]}
BY_THEM = ("pid1", "session1", "FIELD-OF-GUEST", "ASKED-BY-GUEST", "FLAG-OF-GUEST", "guest@mail.example")
ABOUT_THEM = ("REPLY-TO-GUEST", "WHY-PAUSED", "WHY-EXCLUDED", "WHY-INCLUDED", "ANSWER-OF-GUEST", "NOTICE-OUTCOME",
              "NOTE-ON-GUEST", "FLAG-ANSWER")  # fmt: skip


def researchers_see(owner):
    client = Client()
    client.force_login(owner)
    pages = [client.get(f"/studies/study/{page}") for page in OF_RESEARCHERS]
    return "\n".join(page.content.decode() for page in pages if page.status_code == 200)


def make_history(study, guest, owner):
    """Everything that a guest and researchers write to and about each other; return the guest's rater."""
    walk, base = Walk(guest.client, study), guest.base
    walk.consent()
    walk.post("screen", **{"reply-field": "FIELD-OF-GUEST"})
    guest.work(1)
    task = guest.client.post(f"{base}next/")["Location"]
    rater = guest.stay.rater
    office = Client()
    office.force_login(owner)
    answered = Annotation.objects.get(rater=rater)
    key = rater.assignments.get(task=answered.task).key
    for thread in ("study", key):
        assert guest.client.post(f"{base}my-messages/{thread}/", {"text": "ASKED-BY-GUEST"}).status_code == 302
    assert guest.client.post(f"{task}flag/", {"reason": "FLAG-OF-GUEST"}).status_code == 302
    flagged = rater.assignments.exclude(flag="").get()
    for address, form in (
        (f"messages/{rater.pk}/", {"text": "REPLY-TO-GUEST"}),
        (f"messages/{rater.pk}/{answered.task_id}/", {"text": "REPLY-TO-GUEST"}),
        (f"raters/{rater.pk}/exclude/", {"reason": "WHY-EXCLUDED"}),
    ):
        assert office.post(f"{base}{address}", form).status_code == 302, address
    assert guest.client.post(f"{base}my-standing/", {"text": "ANSWER-OF-GUEST"}).status_code == 302
    notice = RaterNotice.objects.create(rater=rater, rule={}, share=0.1, number=3)
    for address, form in (
        (f"raters/{rater.pk}/include/", {"reason": "WHY-INCLUDED"}),
        (f"rater-notices/{notice.pk}/answer/", {"outcome": "NOTICE-OUTCOME"}),
        (f"raters/{rater.pk}/pause/", {"do": "pause", "reason": "WHY-PAUSED"}),
        ("review/checks/", {"answer": answered.pk, "verdict": "problem", "note": "NOTE-ON-GUEST", "number": 0}),
    ):
        assert office.post(f"{base}{address}", form).status_code == 302, address
    form = {
        f"{flagged.pk}-outcome": "resolved",
        f"{flagged.pk}-note": "FLAG-ANSWER",
        f"{flagged.pk}-flag": flagged.flag,
    }
    assert office.post(f"{base}attention/flags/{flagged.pk}/", form).status_code == 302
    MailAddress.objects.create(person=rater.person, address="guest@mail.example", confirmed_at=timezone.now())
    with at_time(timezone.now() + timedelta(hours=2)):
        assert tell_notes(study, timezone.now()) == 1
    return rater


@pytest.mark.parametrize("rule", first_cases(["keep", "erase"]))
def test_nothing_of_a_guest_who_has_left_is_kept_anywhere(
    owner, settings, tmp_path, rule, django_capture_on_commit_callbacks
):
    settings.VAR = tmp_path / "var"
    study = crowd_study(owner, steps=[CONSENT | {"on_withdrawal": rule}, ASKED])
    guest = Guest(study)
    guest.enter(prolific_ids())
    rater, person = make_history(study, guest, owner), guest.person
    kept = request_export(study, "jsonl", None, "test")
    assert process_row("export", kept.pk)
    name, before = rater.name, everything()
    assert all(one in before for one in (*BY_THEM, *ABOUT_THEM, name))
    seen = researchers_see(owner)
    assert {one for one in (name, "pid1", "ASKED-BY-GUEST") if one not in seen} == set()
    with django_capture_on_commit_callbacks(execute=True):
        page = guest.client.post("/studies/study/leave/")
    assert "CGONE1" in page.content.decode()
    text, seen = everything(), researchers_see(owner) + texts_of(study, tmp_path / "after")
    gone = (*BY_THEM, *ABOUT_THEM) if rule == "erase" else (*BY_THEM[:4], BY_THEM[5], "REPLY-TO-GUEST")
    for one in gone:
        assert one not in text + seen, [line[:200] for line in (text + seen).split("\n") if one in line]
    assert not OutgoingMail.objects.exists()
    assert not MailAddress.objects.exists()
    assert not BrowserSession.objects.filter(person=person).exists()
    assert not Identity.objects.filter(person=person).exists()
    if rule == "erase":
        assert name not in text + seen, [line[:200] for line in text.split("\n") if name in line]
        assert list(folder_of(study.pk).iterdir()) == []
        assert not AuditEntry.objects.filter(subject__contains=name).exclude(old=None, new=None).exists()
    assert Client().get("/").status_code == 302
    assert guest.client.get("/")["Location"].startswith("/sign-in")
