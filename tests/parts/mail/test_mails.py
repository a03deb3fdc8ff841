"""Mails: who gets which, what they say, how they stop, and that they are sent by workers, not by pages."""

import re
from datetime import timedelta
from email import message_from_string

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry
from accounts.preferences import save_preferences
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.data_download import own_data
from annotation.members.membership import rater_for
from annotation.members.rater_erasure import erase_rater
from annotation.models import Annotation, Batch, Invitation, Membership, Rater, Study
from annotation.review.spot_checks import check
from annotation.studies.file_sections import FileFacts, study_sections
from config.background.claiming import claim, run_waiting
from config.background.kinds import works
from files.writing import export_study
from parts.mail import mail_queue, own_address
from parts.mail.background.news import look_after_mail
from parts.mail.models import MailAddress, OutgoingMail, RefusedAddress
from parts.mail.reminder_section import set_reminder_days
from parts.way_in.entry_step import steps_of
from parts.way_in.models import Consent, ConsentVersion, StepPassage
from parts.way_in.step_kinds.consent import digest_of
from tests.annotation.test_erasing import everything
from tests.conftest import SYSTEMS
from tests.parts.mail.small_mail_server import SmallMailServer
from tests.parts.way_in.way_in_study import CONSENT, SCREEN

pytestmark = pytest.mark.quick
ADDRESS = "ann@mail.example"
FORM = {"q-follows": ["true"], "q-how_well": ["4"]}


@pytest.fixture(autouse=True)
def site(settings):
    settings.SENDS_MAIL = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.DEFAULT_FROM_EMAIL = "study@site.example"


@pytest.fixture
def smtp(settings):
    with SmallMailServer() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        yield server


@pytest.fixture
def reached(study, rater):
    """The rater, who has confirmed an address and joined long ago."""
    rater_for(study, rater)
    Membership.objects.update(created_at=timezone.now() - timedelta(days=30))
    return MailAddress.objects.create(person=rater, address=ADDRESS, confirmed_at=timezone.now())


@pytest.fixture
def office(owner):
    client = Client()
    client.force_login(owner)
    return client


def link_in(text):
    return re.search(r"http\S+/(e-mail|invitations?)/\S+", text)[0].replace("http://127.0.0.1:8000", "")


def test_an_address_is_confirmed_by_its_link_before_anything_else_is_sent(client, rater, study):
    client.force_login(rater)
    assert client.post("/my-settings/e-mail/", {"address": ADDRESS}).status_code == 302
    assert mail.outbox == []  # a worker sends it, not the page
    run_waiting()
    [sent] = mail.outbox
    assert sent.to == [ADDRESS]
    assert MailAddress.objects.get().address == ""
    nobody = Client()
    link = link_in(sent.body)
    assert nobody.get(link).status_code == 200
    assert MailAddress.objects.get().address == ""  # opening it changes nothing
    assert nobody.post(link).status_code == 200
    assert MailAddress.objects.get().address == ADDRESS
    assert nobody.post(link).status_code == 404
    assert nobody.get("/e-mail/confirm/invented/").status_code == 404
    assert ADDRESS not in str(list(AuditEntry.objects.values()))
    assert ADDRESS in "".join(own_data(rater))
    client.post("/my-settings/e-mail/choices/", {"remove": "yes"})
    assert not MailAddress.objects.exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "address",
    ["", "ann", "a\r\nBcc: b@c.example", f"{ADDRESS}\nBcc: x@y.example", "é@mail.example", "a" * 250 + ADDRESS],
)
def test_what_is_no_single_address_is_refused(client, office, rater, study, address):
    client.force_login(rater)
    assert client.post("/my-settings/e-mail/", {"address": address}).status_code == 422
    if "\n" not in address:
        assert office.post("/studies/study/mail/", {"addresses": address, "days": 3}).status_code == 422
    assert not OutgoingMail.objects.exists()


def test_a_title_makes_no_headers(reached, study, smtp):
    Study.objects.update(title="A study\r\nBcc: other@mail.example\n\nText")
    study.refresh_from_db()
    mail_queue.remind(study, mail_queue.idle_raters(study, 3), None)
    run_waiting()
    [(receiver, text)] = smtp.mails
    headers = message_from_string(text)
    assert receiver == ADDRESS
    assert headers["Bcc"] is None
    assert headers["Subject"].replace("\n", "") == "Tasks wait for you: A study Bcc: other@mail.example Text"


def test_an_invitation_is_sent_once_works_and_leaves_no_address(office, study, smtp):
    assert office.post("/studies/study/mail/", {"addresses": f"{ADDRESS}\n{ADDRESS}\n", "days": 3}).status_code == 302
    assert ADDRESS in everything()
    run_waiting()
    [(receiver, text)] = smtp.mails
    assert receiver == ADDRESS
    body = message_from_string(text).get_payload(decode=True).decode()
    assert "A study" in body
    assert "owner" not in body
    assert ADDRESS not in everything()
    page = Client().get(re.search(r"http://[^/]*(/invitation\S*)", body)[1])
    assert page.status_code == 200
    assert Invitation.objects.get().note == "by e-mail"
    stop = message_from_string(text)["List-Unsubscribe"].replace("\n", "").strip("<> ").partition("8000")[2]
    assert Client().post(stop, {"List-Unsubscribe": "One-Click"}).status_code == 200
    office.post("/studies/study/mail/", {"addresses": ADDRESS.upper(), "days": 3})
    run_waiting()
    assert len(smtp.mails) == 1
    assert ADDRESS not in str(list(RefusedAddress.objects.values()))
    assert Client().post(stop, {"again": "yes"}).status_code == 200
    assert not RefusedAddress.objects.exists()


def test_one_click_stops_a_kind_without_signing_in_or_a_token_of_forms(reached, study):
    mail_queue.remind(study, mail_queue.idle_raters(study, 3), None)
    run_waiting()
    [sent] = mail.outbox
    headers = sent.message()
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stop = headers["List-Unsubscribe"].strip("<>").partition("8000")[2]
    assert stop in sent.body
    strict = Client(enforce_csrf_checks=True)
    assert strict.get(stop).status_code == 200
    assert MailAddress.objects.get().wants_reminder is True
    assert strict.post(stop, {"List-Unsubscribe": "One-Click"}).status_code == 200
    row = MailAddress.objects.get()
    assert (row.wants_reminder, row.wants_batch, row.wants_notes) == (False, True, True)
    assert strict.post(stop[:-3] + "xx/").status_code == 404
    assert "No more of these mails will be sent." in strict.post(stop).content.decode()
    assert "These mails come again." in strict.post(stop, {"again": "yes"}).content.decode()
    assert MailAddress.objects.get().wants_reminder is True
    strict.post(stop)
    assert mail_queue.idle_raters(study, 3) == []


@pytest.mark.parametrize(("language", "subject", "said"), [
    ("", "Tasks wait for you: A study", 'in the study "A study"'),
    ("de", "Aufgaben warten auf Sie: A study", "In der Studie „A study“"),
    ("xx", "Tasks wait for you: A study", "You get this mail because"),
])  # fmt: skip
def test_a_mail_is_in_the_language_that_its_reader_has_chosen(reached, rater, study, language, subject, said):
    save_preferences(rater, language=language)
    mail_queue.remind(study, mail_queue.idle_raters(study, 3), None)
    run_waiting()
    assert mail.outbox[0].subject == subject
    assert said in mail.outbox[0].body


def test_reminders_go_to_idle_raters_with_open_tasks_once(office, study, rater, reached):
    page = office.get("/studies/study/mail/").content.decode()
    assert ADDRESS not in page
    assert "1 rater with open tasks" in page
    assert office.post("/studies/study/mail/reminders/", {"now": "yes"}).status_code == 302
    assert office.post("/studies/study/mail/reminders/", {"now": "yes"}).status_code == 302
    run_waiting()
    assert [one.subject for one in mail.outbox] == ["Tasks wait for you: A study"]
    assert not any(one in mail.outbox[0].body for one in ("owner", "rater", *SYSTEMS))
    OutgoingMail.objects.all().delete()
    given = rater_for(study, rater)
    submit(next_assignment(study, given), Submission(form=FORM, revision=0, guidelines_version=1))
    assert mail_queue.idle_raters(study, 3) == []  # has just worked
    Annotation.objects.filter(rater=given).update(is_current=True)
    Rater.objects.update(paused_at=timezone.now())
    assert mail_queue.idle_raters(study, 0.0000001) == []  # is paused


def test_reminders_go_to_people_who_have_not_begun_and_end_after_some(study, rater, owner):
    Study.objects.update(recruiting={"steps": [CONSENT, SCREEN]}, options={"mail": {"remind_after_days": 4}})
    study.refresh_from_db()
    MailAddress.objects.create(person=rater, address=ADDRESS, confirmed_at=timezone.now())
    assert mail_queue.idle_raters(study, 4) == []  # has just joined
    Membership.objects.update(created_at=timezone.now() - timedelta(days=30))
    assert mail_queue.newcomers(study, 4) == [rater]  # has not opened a page
    mine = rater_for(study, rater)
    assert mail_queue.idle_raters(study, 4) == [mine]
    Rater.objects.update(admitted=False)
    for number in range(5):
        mail_queue.remind(study, mail_queue.idle_raters(study, 4), None)
        run_waiting()
        old = OutgoingMail.objects.filter(created_at__gt=timezone.now() - timedelta(days=1))
        old.update(created_at=timezone.now() - timedelta(days=5 + number), occasion=f"before {number}")
    assert len(mail.outbox) == 3
    assert "a few steps before your first task" in mail.outbox[0].body
    assert mail_queue.idle_raters(study, 4) == []
    worked = timezone.now() - timedelta(days=5, hours=12)
    Consent.objects.create(rater=mine, version=agreed(study), agreed_at=worked)
    assert mail_queue.idle_raters(study, 4) == [mine]  # two of the reminders came before they did something
    OutgoingMail.objects.update(created_at=timezone.now() - timedelta(days=9))
    assert mail_queue.idle_raters(study, 6) == []  # did something in the last six days
    ended = {"outcome": "failed", "opened_at": worked, "ended_at": worked}
    StepPassage.objects.create(rater=mine, step="screen", attempt=1, **ended)
    assert mail_queue.idle_raters(study, 4) == []  # does not fit: nothing to do
    set_reminder_days(study, 4, owner, 1)
    assert study.options["mail"] == {"remind_after_days": 4, "remind_at_most": 1}


def agreed(study):
    """The version of the study's consent, which somebody agreed to."""
    return ConsentVersion.objects.create(
        study=study, number=1, digest=digest_of(steps_of(study)[0]), text="t", retention="r", on_withdrawal="erase"
    )


def test_who_joined_and_never_came_is_counted_on_the_page_and_reminded_by_a_press(office, study, rater):
    MailAddress.objects.create(person=rater, address=ADDRESS, confirmed_at=timezone.now())
    Membership.objects.update(created_at=timezone.now() - timedelta(days=30))
    assert "1 rater with open tasks" in office.get("/studies/study/mail/").content.decode()
    assert not Rater.objects.filter(person=rater).exists()  # showing the page stores nothing
    office.post("/studies/study/mail/reminders/", {"now": "yes"})
    run_waiting()
    assert [one.to for one in mail.outbox] == [[ADDRESS]]


@pytest.mark.parametrize("most", [0, 21, "3", True])
def test_a_number_of_reminders_that_is_none_is_refused(most):
    section = study_sections()["mail"]
    (problem,) = section.problems({"remind_after_days": 3, "remind_at_most": most}, FileFacts(None, ()))
    assert (problem.field, problem.reason) == ("mail.remind_at_most", "must be a whole number from 1 to 20")


def test_a_study_declares_reminders_and_workers_send_them(office, study, reached, owner, tmp_path):
    look_after_mail()
    assert not OutgoingMail.objects.exists()
    assert office.post("/studies/study/mail/reminders/", {"days": "4"}).status_code == 302
    assert AuditEntry.objects.filter(action="reminders changed").count() == 1
    assert office.post("/studies/study/mail/reminders/", {"days": "400"}).status_code == 302
    study.refresh_from_db()
    assert study.options["mail"] == {"remind_after_days": 4}
    for _ in range(2):
        look_after_mail()
    assert [one.kind for one in OutgoingMail.objects.all()] == ["reminder"]
    export_study(study, tmp_path / "one")
    texts = "\n".join(path.read_text() for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert "remind_after_days" in texts
    assert ADDRESS not in texts
    set_reminder_days(study, None, owner)
    assert "mail" not in study.options


def test_batches_and_notes_are_told_once(study, rater, owner, reached):
    Batch.objects.create(study=study, number=0)
    given = rater_for(study, rater)
    answer = submit(next_assignment(study, given), Submission(form=FORM, revision=0, guidelines_version=1))
    note = check(answer, "problem", "NOTE-WORDS", owner, number=0)
    look_after_mail()
    assert [one.kind for one in OutgoingMail.objects.all()] == ["batch"]  # a note settles first
    note_at = timezone.now() - timedelta(hours=1)
    OutgoingMail.objects.all().delete()
    mail_queue.tell_notes(study, timezone.now() + timedelta(hours=1))
    mail_queue.tell_notes(study, timezone.now() + timedelta(hours=1))
    run_waiting()
    [sent] = mail.outbox
    assert "NOTE-WORDS" not in sent.body
    assert note.at > note_at


def test_what_is_not_wanted_any_more_when_a_worker_comes_is_not_sent(study, rater, reached):
    mail_queue.remind(study, mail_queue.idle_raters(study, 3), None)
    own_address.remove_address(rater)
    run_waiting()
    assert mail.outbox == []
    assert OutgoingMail.objects.get().status == "failed"


def test_a_removed_member_gets_no_mail(study, rater, reached):
    mail_queue.remind(study, mail_queue.idle_raters(study, 3), None)
    Membership.objects.filter(person=rater).update(active=False)
    run_waiting()
    assert mail.outbox == []


def test_a_server_that_refuses_for_now_is_asked_again_and_one_that_refuses_for_good_is_not(office, study, smtp):
    smtp.answer = b"451 later"
    office.post("/studies/study/mail/", {"addresses": ADDRESS, "days": 3})
    run_waiting()
    row = OutgoingMail.objects.get()
    assert (row.status, row.tries, row.address) == ("queued", 1, ADDRESS)
    assert row.due_at > timezone.now()
    smtp.answer = b"550 unknown"
    OutgoingMail.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    run_waiting()
    row = OutgoingMail.objects.get()
    assert (row.status, row.address, smtp.mails) == ("failed", "", [])


def test_a_server_that_cannot_be_reached_is_asked_for_a_day(office, study, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    office.post("/studies/study/mail/", {"addresses": ADDRESS, "days": 3})
    run_waiting()
    assert OutgoingMail.objects.get().status == "queued"
    before = timezone.now() - timedelta(minutes=1)
    OutgoingMail.objects.update(due_at=before, created_at=before - timedelta(days=2))
    run_waiting()
    row = OutgoingMail.objects.get()
    assert (row.status, row.address) == ("failed", "")


def test_nothing_is_sent_inside_a_transaction(office, study, smtp, django_db_blocker):
    seen = []
    office.post("/studies/study/mail/", {"addresses": ADDRESS, "days": 3})
    depth = len(connection.savepoint_ids)  # the test's own transaction
    smtp.after_taking = lambda: seen.append(len(connection.savepoint_ids))
    taken = claim(works()["outgoing_mail"], OutgoingMail.objects.get().pk)
    taken.work.run(taken)
    assert seen
    assert set(seen) <= {depth, 0}


def test_a_killed_worker_sends_once_more_and_no_more(office, study, smtp):
    office.post("/studies/study/mail/", {"addresses": ADDRESS, "days": 3})
    row = OutgoingMail.objects.get()
    for _ in range(4):  # each worker is killed after the server took the mail
        taken = claim(works()["outgoing_mail"], row.pk)
        if taken is not None:
            taken.finish = _killed
            with pytest.raises(_KilledError):
                taken.work.run(taken)
        OutgoingMail.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        run_waiting() if taken is None else None
    assert len(smtp.mails) == 2
    assert len({message_from_string(text)["Message-ID"] for _, text in smtp.mails}) == 1
    row.refresh_from_db()
    assert (row.status, row.address) == ("failed", "")


class _KilledError(Exception):
    pass


def _killed(**_):
    raise _KilledError


def test_without_mail_there_are_no_pages_tabs_links_or_mails(client, office, settings, study, rater, reached):
    settings.SENDS_MAIL = False
    client.force_login(rater)
    assert client.get("/my-settings/e-mail/").status_code == 404
    assert "e-mail" not in client.get("/my-settings/").content.decode().lower()
    assert office.get("/studies/study/mail/").status_code == 404
    assert "/studies/study/mail/" not in office.get("/studies/study/people/").content.decode()
    look_after_mail()
    mail_queue.remind(study, mail_queue.idle_raters(study, 3), None)
    run_waiting()
    assert mail.outbox == []


def test_an_address_goes_with_the_person(study, rater, reached):
    mail_queue.remind(study, mail_queue.idle_raters(study, 3), None)
    erase_rater(rater_for(study, rater), None, keep_answers=True)
    assert ADDRESS not in everything()
    assert not OutgoingMail.objects.exists()


def test_confirmations_have_a_limit(client, rater, study):
    client.force_login(rater)
    for number in range(own_address.MOST_CONFIRMATIONS):
        assert client.post("/my-settings/e-mail/", {"address": f"a{number}@mail.example"}).status_code == 302
    assert client.post("/my-settings/e-mail/", {"address": "more@mail.example"}).status_code == 422
    assert MailAddress.objects.get().pending == f"a{own_address.MOST_CONFIRMATIONS - 1}@mail.example"


def test_invitations_have_a_limit(office, study, monkeypatch):
    monkeypatch.setattr(mail_queue, "MOST_INVITATIONS", 1)
    two = {"addresses": "a@mail.example\nb@mail.example", "days": 3}
    assert "No more than 1" in office.post("/studies/study/mail/", two).content.decode()
    assert not Invitation.objects.exists()
