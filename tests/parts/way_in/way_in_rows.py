"""A row of each table of the way into a study, for tests that open every page and use every model."""

from django.utils import timezone

from parts.way_in.models import Consent, ConsentVersion, PersonalReply, PracticeAnswer, StepPassage

SCREEN = {"key": "screen", "kind": "screen",
          "questions": [{"key": "native", "text": "Native?", "choices": ["yes", "no"]}]}  # fmt: skip
CONSENT = {"key": "consent", "kind": "consent", "text": "CANARY-TEXT", "retention": "A year.", "on_withdrawal": "keep"}


def add_way_in_rows(study, rater, *, declares=True):
    """A study that declares a consent and a screen that the rater has passed, and an answer in a training."""
    if declares:
        study.recruiting = {"steps": [CONSENT, SCREEN]}
        study.save(update_fields=["recruiting"])
    now, person = timezone.now(), rater.person
    version = ConsentVersion.objects.create(
        study=study,
        number=1,
        digest="d" * 64,
        text="CANARY-TEXT",
        privacy="P",
        retention="A year.",
        on_withdrawal="keep",
    )
    consent = Consent.objects.create(rater=rater, version=version, agreed_at=now)
    passage = StepPassage.objects.create(
        rater=rater,
        step="screen",
        attempt=1,
        outcome="passed",
        opened_at=now,
        ended_at=now,
        guidelines_version=1,
    )
    item = study.items.first()
    shown = list(item.outputs.order_by("position").values_list("key", flat=True)[:1])
    answer = PracticeAnswer.objects.create(
        passage=passage, number=0, item=item, shown=shown, answers={"follows": True},
        submitted_at=now, read_at=now,
    )  # fmt: skip
    reply = PersonalReply.objects.create(
        study=study, person=person, step="screen", question="native", value="CANARY-REPLY", given_at=now
    )
    return {"consentversion": version, "consent": consent, "steppassage": passage, "practiceanswer": answer,
            "personalreply": reply}  # fmt: skip
