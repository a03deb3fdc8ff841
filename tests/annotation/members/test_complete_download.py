"""A person's download has all tables that lead to them, or says what it leaves out and why."""

import json

import pytest
from django.apps import apps

from accounts.auditing import record
from accounts.models import Person
from annotation.members.data_download import LEFT_OUT, own_data
from annotation.members.membership import rater_for
from annotation.members.standing import end_exclusion, exclude, reply
from parts.checks.models import RaterNotice
from parts.routing.models import QuotaMember, RoutingQuota
from tests.annotation.test_erasing import STUDIES, filled, people, study_called
from tests.conftest import live_study, make_person

__all__ = ["filled", "people"]
pytestmark = pytest.mark.django_db

IN_DOWNLOAD = {
    "accounts": {
        "Person": "account", "SignInLink": "account", "SecondFactor": "account", "KnownAddress": "account",
        "Identity": "audit", "AuditEntry": "audit",
    },
    "annotation": {
        "Membership": "memberships", "Rater": "memberships", "Assignment": "tasks_and_drafts", "Annotation": "answers",
        "DraftConflict": "drafts_kept_aside", "SpotCheck": "notes_on_answers", "FlagAnswer": "answers_to_flags",
        "RaterExclusion": "exclusions", "ExclusionReply": "exclusions", "RaterPause": "pauses",
        "Adjudication": "final_answers",
    },
    "way_in": {
        "Consent": "consents", "StepPassage": "steps", "PersonalReply": "about_you",
        "PracticeAnswer": "practice_answers",
    },
    "checks": {"RaterNotice": "pauses_by_rules"},
    "crowds": {"CrowdStay": "entries", "CrowdId": "entries", "CrowdBrowser": "entries"},
    "rater_messages": {"MessageThread": "messages", "RaterMessage": "messages"},
    "sign_on": {"OutsideIdentity": "signs_in_with"},
    "mail": {"MailAddress": "e_mail", "OutgoingMail": "mails"},
    "routing": {"QuotaMember": "groups", "RoutingQuota": "groups"},
    "revision_sessions": {"RevisionSession": "session_turns", "Turn": "session_turns"},
}  # fmt: skip
"""By app and table: the list of the file that its rows are in."""

CHECKS, PLACES, COPIES = "figures about your work", "places and order of tasks", "copies of your answers"
OTHERS, RUN, STAFF = "what others did with your answers", "work for studies that you run", "accounts of operators"
NOT_IN_DOWNLOAD = {
    "admin": {"LogEntry": STAFF},
    "accounts": {
        "Person_groups": STAFF, "Person_user_permissions": STAFF, "BrowserSession": "sessions of browsers",
    },
    "annotation": {
        "Slot": PLACES, "SeenItem": PLACES, "Rating": COPIES,
        "KeptResponse": COPIES, "SpanReview": OTHERS, "DrawnAnswer": OTHERS, "Reviewer": RUN, "ReadComments": RUN,
        "Unblinding": RUN, "Invitation": RUN, "TaskPreparation": RUN, "Batch": RUN, "JudgeRun": RUN,
        "StudyDeletion": RUN, "ItemCopy": RUN, "Token": "secrets", "TokenStudy": "secrets",
    },
    "llm": {
        "Call": COPIES, "Completion": COPIES, "Reservation": COPIES, "Budget": RUN, "StudyPrompt": RUN, "Stop": RUN,
    },
    "retrieval": {"TrialSearch": RUN, "PaperUpload": RUN},
    "webhooks": {"Webhook": RUN, "WebhookDelivery": RUN},
    "stopping": {"ExtraPlace": PLACES, "ResultPeek": RUN, "StopContinuation": RUN},
    "routing": {"RoutedRater": PLACES},
    "checks": {"CheckLook": CHECKS, "FiledCheck": CHECKS, "DueCheck": PLACES},
    "second_stage": {"SecondStageCase": PLACES},
    "dry_runs": {"StudyDryRun": RUN},
    "revision_sessions": {"TurnLabel": OTHERS},
    "judges": {"RunWork": RUN, "MetricRequest": RUN, "Judgment": RUN},
    "preparing": {"PreparationStep": RUN, "Suggestion": RUN, "PreparedText": RUN, "PreparationCall": RUN},
    "reports": {"KeptReport": RUN, "KeptExport": RUN}, "preregistration": {"Preregistration": RUN},
    "managing": {"ItemUpload": RUN, "UploadStep": RUN},
}  # fmt: skip
"""By app and table: what the file calls it where it says what it leaves out."""


def flat(lists):
    return {f"{app}.{table}": title for app, tables in lists.items() for table, title in tables.items()}


def tables_that_lead_to_people():
    """Person, and each table with a path of foreign keys to it."""
    found, grows = {Person}, True
    while grows:
        grows = False
        for model in apps.get_models(include_auto_created=True):
            fields = model._meta.concrete_fields
            if model not in found and any(field.is_relation and field.related_model in found for field in fields):
                found.add(model)
                grows = True
    return {model._meta.label for model in found}


def test_each_table_that_leads_to_people_is_in_the_download_or_among_its_exceptions():
    told, left = flat(IN_DOWNLOAD), flat(NOT_IN_DOWNLOAD)
    found = tables_that_lead_to_people()
    assert found - set(told) - set(left) == set()
    assert set(told) | set(left) == found
    assert set(told) & set(left) == set()
    assert set(left.values()) | {"subjects and values of the audit"} == set(LEFT_OUT)


def test_the_download_has_rows_for_what_is_kept(people):
    told = json.loads("".join(own_data(people.ann)))
    assert {row["what"]: row["why"] for row in told["left_out"]} == LEFT_OUT
    pks = {"person": [people.ann.pk], "rater": [rater_for(study_called(slug), people.ann).pk for slug in STUDIES]}
    missing = []
    for name, title in flat(IN_DOWNLOAD).items():
        assert title in told, name
        model = apps.get_model(name)
        for field, owners in pks.items():
            known = {one.name for one in model._meta.concrete_fields}
            shown = {f"{field}__in": owners, **({"paused": True} if title == "pauses_by_rules" else {})}
            if field in known and model.objects.filter(**shown).exists() and not told[title]:
                missing.append(name)
    assert missing == []
    assert told["audit"]


def test_decisions_about_a_person_are_in_their_file_without_checks_and_researchers_names(owner, rater):
    study = live_study(owner, rater)
    row = rater_for(study, rater)
    made = exclude(row, "WHY-EXCLUDED", owner)
    reply(made, "MY-REPLY", rater)
    end_exclusion(made, "WHY-BACK", owner)
    rule = {"figure": "gold", "below": 0.5, "of": 7, "do": "pause"}
    for paused in (True, False):
        RaterNotice.objects.create(rater=row, rule=rule, share=0.125, number=7, paused=paused)
    record("rater noticed", row.name, actor=None, about=rater, study=study.slug, new={"rule": rule, "share": 0.125})
    group = RoutingQuota.objects.create(study=study, key="group.country.DE", most=3, taken=2, first_lane=1, last_lane=1)
    QuotaMember.objects.create(rater=row, quota=group)
    text = "".join(own_data(rater))
    told = json.loads(text)
    [excluded] = told["exclusions"]
    assert (excluded["reason"], excluded["reason_of_end"]) == ("WHY-EXCLUDED", "WHY-BACK")
    assert [one["text"] for one in excluded["your_replies"]] == ["MY-REPLY"]
    assert [set(one) for one in told["pauses_by_rules"]] == [{"study", "from", "decided_at"}]
    assert told["groups"] == [{"study": study.slug, "group": "group.country.DE"}]
    by = {(one["action"], one["by"]) for one in told["audit"]}
    assert by >= {("rater excluded", "others"), ("exclusion answered", "you"), ("rater included", "others")}
    assert "rater noticed" not in text
    assert "0.125" not in text
    assert owner.username not in json.dumps(told["audit"] + told["exclusions"])
    assert json.loads("".join(own_data(make_person("other"))))["exclusions"] == []
