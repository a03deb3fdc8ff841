"""Every table that refers to people is listed with what becomes of its rows, and no name is left anywhere else."""

import io
import zipfile
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db import transaction

from accounts.models import AuditEntry, Identity, Person, SignInLink
from annotation.members.invitations import invite
from annotation.members.membership import add_member, rater_for
from annotation.members.rater_erasure import erase_rater
from annotation.models import Invitation, KeptResponse, Membership, Rater, Reviewer, Slot, SpotCheck, Study, Token
from annotation.studies.assignment_plan import plan_of
from parts.crowds.models import CrowdId
from parts.mail.models import MailAddress
from parts.preregistration.models import Preregistration
from parts.rater_messages.models import RaterMessage
from parts.routing.models import RoutingQuota
from parts.second_stage.settings import has_stage, named_adjudicators
from reports.models import KeptExport, KeptReport
from tests.annotation.test_erasing import STUDIES, ann_of, everything, filled, people, study_called
from tests.fewer import first_cases

pytestmark = pytest.mark.postgresql
__all__ = ["filled", "people"]
PEOPLE = (Person, Rater, Reviewer, Identity, Membership)
DELETED, EMPTIED, STAYS = "deleted", "emptied", "stays"
"""The row goes, its column becomes empty, or it stays with a rater, reviewer or identity that leads to nobody."""

ROWS_ABOUT_PEOPLE = {
    "accounts.BrowserSession.person": ("deleted", "deleted"),
    "accounts.SignInLink.person": ("deleted", "deleted"),
    "accounts.SignInLink.made_by": ("deleted", "deleted"),
    "accounts.SecondFactor.person": ("deleted", "deleted"),
    "accounts.KnownAddress.person": ("deleted", "deleted"),
    "accounts.Identity.person": ("emptied", "emptied"),
    "accounts.AuditEntry.actor": ("stays", "stays"),
    "accounts.AuditEntry.about": ("stays", "stays"),
    "annotation.Unblinding.by": ("emptied", "emptied"),
    "annotation.Membership.person": ("deleted", "deleted"),
    "annotation.Invitation.created_by": ("emptied", "emptied"),
    "annotation.Invitation.accepted_by": ("deleted", "deleted"),
    "annotation.Rater.person": ("emptied", "deleted"),
    "annotation.Slot.holder": ("emptied stays", "emptied"),
    "annotation.Assignment.rater": ("stays", "deleted"),
    "annotation.SeenItem.rater": ("stays", "deleted"),
    "checks.DueCheck.rater": ("stays", "deleted"),
    "annotation.Annotation.rater": ("stays", "deleted"),
    "annotation.Rating.rater": ("stays", "deleted"),
    "annotation.TaskPreparation.person": ("emptied", "emptied"),
    "annotation.Batch.released_by": ("emptied", "emptied"),
    "annotation.Reviewer.person": ("emptied", "emptied"),
    "annotation.SpanReview.by": ("stays", "stays"),
    "annotation.SpotCheck.by": ("stays", "stays"),
    "annotation.Adjudication.by": ("stays", "stays"),
    "annotation.FlagAnswer.rater": ("stays", "deleted"),
    "annotation.FlagAnswer.by": ("stays", "stays"),
    "annotation.ReadComments.by": ("stays", "stays"),
    "routing.RoutedRater.rater": ("deleted", "deleted"),
    "routing.RoutingQuota.rater": ("deleted", "deleted"),
    "routing.QuotaMember.rater": ("deleted", "deleted"),
    "annotation.JudgeRun.rater": ("", ""),
    "annotation.DrawnAnswer.rater": ("stays", "deleted"),
    "annotation.StudyDeletion.asked_by": ("emptied", "emptied"),
    "annotation.ItemCopy.asked_by": ("emptied", "emptied"),
    "annotation.Token.made_by": ("deleted", "deleted"),
    "annotation.KeptResponse.person": ("deleted", "deleted"),
    "llm.Call.person": ("emptied", "emptied"),
    "llm.Completion.person": ("emptied", "deleted"),
    "llm.StudyPrompt.created_by": ("emptied", "emptied"),
    "llm.Budget.person": ("deleted", "deleted"),
    "llm.Reservation.person": ("emptied", "emptied"),
    "llm.Stop.stopped_by": ("emptied", "emptied"),
    "retrieval.TrialSearch.asked_by": ("deleted", "deleted"),
    "retrieval.PaperUpload.asked_by": ("deleted", "deleted"),
    "webhooks.Webhook.made_by": ("deleted", "deleted"),
    "checks.CheckLook.rater": ("stays", "deleted"),
    "checks.RaterNotice.rater": ("stays", "deleted"),
    "checks.RaterNotice.answered_by": ("emptied", "emptied"),
    "annotation.RaterExclusion.rater": ("stays", "deleted"),
    "annotation.RaterExclusion.by": ("emptied", "emptied"),
    "annotation.RaterExclusion.ended_by": ("emptied", "emptied"),
    "checks.FiledCheck.rater": ("stays", "deleted"),
    "crowds.CrowdStay.rater": ("stays", "deleted"),
    "crowds.CrowdId.person": ("deleted", "deleted"),
    "crowds.CrowdBrowser.person": ("deleted", "deleted"),
    "dry_runs.StudyDryRun.asked_by": ("emptied", "emptied"),
    "sign_on.OutsideIdentity.person": ("deleted", "deleted"),
    "mail.MailAddress.person": ("deleted", "deleted"),
    "mail.OutgoingMail.person": ("deleted", "deleted"),
    "rater_messages.MessageThread.rater": ("deleted", "deleted"),
    "rater_messages.RaterMessage.by": ("emptied", "emptied"),
    "annotation.RaterPause.rater": ("stays", "deleted"),
    "annotation.RaterPause.by": ("emptied", "emptied"),
    "annotation.RaterPause.ended_by": ("emptied", "emptied"),
    "second_stage.SecondStageCase.rater": ("stays", "deleted"),
    "stopping.ResultPeek.by": ("emptied", "emptied"),
    "stopping.StopContinuation.by": ("emptied", "emptied"),
    "way_in.Consent.rater": ("stays", "deleted"),
    "way_in.StepPassage.rater": ("stays", "deleted"),
    "way_in.PersonalReply.person": ("deleted", "deleted"),
    "revision_sessions.RevisionSession.rater": ("stays", "deleted"),
    "revision_sessions.TurnLabel.rater": ("stays", "deleted"),
    "judges.RunWork.started_by": ("emptied", "emptied"),
    "judges.MetricRequest.asked_by": ("emptied", "emptied"),
    "reports.KeptReport.requested_by": ("emptied", "deleted"),
    "reports.KeptExport.requested_by": ("emptied", "emptied"),
    "preregistration.Preregistration.by": ("emptied", "emptied"),
    "managing.ItemUpload.person": ("emptied", "emptied"),
}
"""What becomes of each row that refers to somebody: if their answers are kept, and if they are erased.

Nothing is said of judges' runs, because no person has any.
"""

FOR_STAFF = ("admin.LogEntry.user", "accounts.Person_groups.person", "accounts.Person_user_permissions.person")
"""Rows of Django's own tables about operators, whose accounts are not erased."""


def columns_about_people():
    """Each foreign key of a table to people, raters, reviewers, identities or memberships."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if field.is_relation and issubclass(field.related_model, PEOPLE):
                yield f"{model._meta.label}.{field.name}", model, field


def test_each_table_about_people_says_what_becomes_of_its_rows():
    found = {name for name, _, _ in columns_about_people()}
    assert found - set(ROWS_ABOUT_PEOPLE) - set(FOR_STAFF) == set()
    assert set(ROWS_ABOUT_PEOPLE) - found == set()
    to_people = {name for name, _, field in columns_about_people() if field.related_model is Person}
    assert [name for name in to_people & set(ROWS_ABOUT_PEOPLE) if STAYS in "".join(ROWS_ABOUT_PEOPLE[name])] == []


def rows_of(person):
    """By column: the keys of the rows that refer to this person, and to whom each refers."""
    pks = {model: list(model.objects.filter(person=person).values_list("pk", flat=True)) for model in PEOPLE[1:]}
    pks[Person] = [person.pk]
    for name, model, field in columns_about_people():
        named = {f"{field.attname}__in": pks[field.related_model]}
        yield name, model, named, set(model._base_manager.filter(**named).values_list("pk", flat=True))


def erase_everywhere(person, *, keep_answers):
    for slug in STUDIES:
        study = study_called(slug)
        Membership.objects.filter(study=study).exclude(person=person).update(role="owner")
        erase_rater(rater_for(study, person), None, keep_answers=keep_answers)


@pytest.mark.parametrize("keep_answers", first_cases([True, False]))
def test_rows_about_people_end_as_the_list_says(people, keep_answers):
    """Ann annotates, and Olive runs all studies."""
    dora = Person.objects.create_user("dora", full_name="Dora Fullname")
    link = SignInLink.objects.get(person=people.ben)
    link.pk, link.token_hash, link.study, link.made_by = None, "t", "the-rating", people.owner
    link.save()
    ann = ann_of(study_called("the-rating"), people)
    RoutingQuota.objects.create(study=ann.study, rater=ann, key=f"share.{ann.pk}", most=9, first_lane=1, last_lane=1)
    for plan in Preregistration.objects.all():
        plan.pk, plan.number, plan.by = None, 2, people.owner
        plan.save()
    KeptExport.objects.update(requested_by=people.owner)
    ends = {name: set() for name in ROWS_ABOUT_PEOPLE}
    for slug in STUDIES:
        add_member(study_called(slug), dora, "owner", None)
    for person in (people.ann, people.owner):
        savepoint = transaction.savepoint()
        before = list(rows_of(person))
        erase_everywhere(person, keep_answers=keep_answers)
        for name, model, wanted, pks in before:
            left = model._base_manager.filter(pk__in=pks)
            stays = left.filter(**wanted).count()
            counts = {DELETED: len(pks) - left.count(), EMPTIED: left.count() - stays, STAYS: stays}
            if name in ends:
                ends[name] |= {what for what, count in counts.items() if count}
        transaction.savepoint_rollback(savepoint)
    wanted = {name: set(pair[0 if keep_answers else 1].split()) for name, pair in ROWS_ABOUT_PEOPLE.items()}
    wrong = {name: (found, wanted[name]) for name, found in ends.items() if found != wanted[name]}
    assert wrong == {}


def name_ann_everywhere(people):
    """Name Ann and her raters in settings, notes and kept choices, as researchers can; return what names her."""
    MailAddress.objects.update(pending="ann@new.example")
    words = "Ask Ann Fullname (ann@mail.example, ann-user-name, ann@new.example, CANARY-PARTICIPANT)."
    for slug in STUDIES:
        study, rater = study_called(slug), ann_of(study_called(slug), people)
        named = f"{words} {rater.name}"
        lists = {"most_of": {rater.name: 3, "other": 2}, "lists": {rater.name: [study.items.first().key]}}
        more = {"plan": lists, "adjudication": {"by": "annotators", "raters": [rater.name]},
                "asked": ["ann-user-name", "somebody"], "notes": {"ann@mail.example": words}}  # fmt: skip
        Study.objects.filter(pk=study.pk).update(options={**study.options, **more}, contact=words, description=words)
        slot = Slot.objects.filter(study=study, state="open").first() or Slot.objects.filter(study=study).first()
        Slot.objects.filter(pk=slot.pk).update(kept_for=rater.name)
        invite(study, "annotator", people.owner, note=words[:200])
        KeptReport.objects.filter(study=study).update(choices={"raters": [rater.name, "other"]})
        kept = KeptReport.objects.filter(study=study, status="done").first()
        frozen = {"frozen_as": f"frozen-{slug}", "pk": None}
        for key, value in frozen.items():
            setattr(kept, key, value)
        kept.save()
        AuditEntry.objects.create(
            action="plan changed", study=slug, subject=rater.name, old={"plan": lists}, new={"why": named}
        )
        KeptResponse.objects.filter(study=study).update(body=named)
        RaterMessage.objects.create(
            thread=rater_for(study, people.ben).message_threads.create(), from_rater=False, by=people.owner, text=words
        )
        plan = Preregistration.objects.filter(study=study).first()
        body = plan.body.replace('"hypotheses":""', f'"hypotheses":"{named}"')
        plan.pk, plan.number, plan.body, plan.chosen = None, 2, body, {"hypotheses": named}
        plan.save()
    Token.objects.update(name=words[:50])
    return ("ann-user-name", "Ann Fullname", "ann@mail.example", "ann@new.example", "CANARY-PARTICIPANT")


def kept_files():
    """All that is in the files under VAR, unpacked."""
    for path in sorted(Path(settings.VAR).rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            yield data
            if zipfile.is_zipfile(io.BytesIO(data)):
                with zipfile.ZipFile(io.BytesIO(data)) as packed:
                    yield from (packed.read(name) for name in packed.namelist())


@pytest.mark.parametrize("keep_answers", first_cases([True, False]))
def test_no_setting_note_choice_or_file_names_somebody_who_was_erased(people, keep_answers):
    names = name_ann_everywhere(people)
    raters = [ann_of(study_called(slug), people).name for slug in STUDIES]
    assert all(name in everything() for name in (*names, *raters))
    checks = list(SpotCheck.objects.values_list("note", flat=True))
    erase_everywhere(people.ann, keep_answers=keep_answers)
    text = everything()
    gone = names if keep_answers else (*names, *raters)
    assert [(name, line[:300]) for line in text.split("\n") for name in gone if name in line] == []
    assert [name for data in kept_files() for name in gone if name.encode() in data] == []
    assert not CrowdId.objects.exists()
    assert not KeptExport.objects.filter(has_file=True).exists()
    assert not KeptResponse.objects.exclude(body="").exists()
    if keep_answers:
        assert list(SpotCheck.objects.values_list("note", flat=True)) == checks
    for slug in STUDIES:
        study = study_called(slug)
        assert (plan_of(study).most_of, plan_of(study).lists) == ({"other": 2}, {})
        assert (has_stage(study), named_adjudicators(study)) == (False, [])
        assert not Slot.objects.filter(study=study).exclude(kept_for="").exists()
        assert (study.options["asked"], study.options["notes"]) == (["somebody"], {})
        assert study.contact == "Ask (erased) ((erased), (erased), (erased), (erased))."
        assert Invitation.objects.filter(study=study, note__contains="(erased)").exists()


def test_a_user_name_that_is_an_id_of_the_study_stays_in_its_settings(people):
    study = study_called("the-rating")
    Person.objects.filter(pk=people.ann.pk).update(username="item-0", full_name="north")
    lists = {"lists": {ann_of(study, people).name: ["item-1"], "other": ["item-0"]}}
    Study.objects.filter(pk=study.pk).update(options={**study.options, "plan": lists, "system": "north"})
    erase_rater(ann_of(study, people), None, keep_answers=True)
    assert study_called("the-rating").options["plan"] == {"lists": {"other": ["item-0"]}}
    assert study_called("the-rating").options["system"] == "north"
