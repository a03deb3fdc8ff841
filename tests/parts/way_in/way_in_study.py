"""A study with steps on the way in, and what tests do on its pages."""

import json

from annotation.models import Guideline, Item, Membership, Output, Question, Study
from annotation.studies.planning import plan_chunk
from parts.way_in.models import PracticeAnswer, StepPassage

CONSENT = {
    "key": "consent", "kind": "consent", "text": "We ask you to rate texts.", "privacy": "We keep no more than we say.",
    "retention": "Ten years.", "on_withdrawal": "erase",
}  # fmt: skip
SCREEN = {
    "key": "screen", "kind": "screen", "questions": [
        {"key": "native", "text": "Is English your native language?", "choices": ["yes", "no"], "fits": ["yes"]},
        {"key": "degree", "text": "Your highest degree?", "choices": ["none", "Bachelor's", "Master's"],
         "at_least": "Bachelor's"},
        {"key": "years", "text": "Years of experience?", "number": True, "least": 1},
    ],
}  # fmt: skip
BACKGROUND = {
    "key": "background", "kind": "questionnaire",
    "questions": [{"key": "age", "text": "Your age?", "choices": ["18-24", "25-34", "35+"]}],
}  # fmt: skip
TRAINING = {"key": "training", "kind": "training", "items": 1}
QUALIFICATION = {
    "key": "test", "kind": "qualification", "items": 2, "attempts": 2, "cooldown_hours": 24,
    "rules": [{"question": "follows", "least": 2}, {"question": "how_well", "within": 1, "least": 1}],
}  # fmt: skip
FITTING = {"reply-native": "yes", "reply-degree": "Master's", "reply-years": "3"}
RIGHT = {"q-follows": "true", "q-how_well": "5"}
WRONG = {"q-follows": "false", "q-how_well": "1"}


def with_own_words(body):
    """A study file from a template whose consent says what the template asks for."""
    return json.loads(json.dumps(body).replace("Say here who", "The group at the harbour knows who"))


def add_practice(study, key, pool):
    """An item with one output, whose right answer is that it follows, 5 of 5."""
    item = Item.objects.create(
        study=study, key=key, digest=key, document="It sails at nine.", instruction="Say when.", pool=pool,
        gold={"follows": True, "how_well": 5}, feedback="GOLD-REASON: it says nine.",
    )  # fmt: skip
    Output.objects.create(item=item, position=0, key="SECRET-SYSTEM", text="At nine.", digest="x")
    return item


def study_with_steps(owner, rater, steps, slug="study"):
    """A live rating study of two items with one output each, practice items, and these steps."""
    study = Study.objects.create(
        slug=slug, title="A study", protocol="rating", redundancy=2, recruiting={"steps": steps}
    )
    Guideline.objects.create(study=study, number=1, text="Read.")
    Question.objects.create(study=study, position=0, key="follows", type="binary", text="Does it follow?")
    Question.objects.create(
        study=study, position=1, key="how_well", type="likert", text="How well?", spec={"min": 1, "max": 5}
    )
    for number in range(2):
        item = Item.objects.create(study=study, key=f"item-{number}", digest=f"{number}", document="D", instruction="I")
        Output.objects.create(item=item, position=0, key="SECRET-SYSTEM", text="Text", digest="x")
    for number in range(4):
        add_practice(study, f"test-{number}", "qualification")
    for number in range(2):
        add_practice(study, f"train-{number}", "training")
    Membership.objects.create(study=study, person=owner, role="owner")
    Membership.objects.create(study=study, person=rater, role="annotator")
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    study.status = Study.Status.LIVE
    study.save()
    return study


class Walk:
    """A client on the way into a study."""

    def __init__(self, client, study):
        self.client, self.study = client, study
        self.base = f"/studies/{study.slug}/"

    def page(self):
        return self.client.get(f"{self.base}way-in/")

    def post(self, step, **form):
        return self.client.post(f"{self.base}way-in/", {"step": step, **form})

    def consent(self):
        digest = self.page().context["digest"]
        return self.post("consent", digest=digest, agree="yes")

    def answer(self, form):
        """Answer the task that is next."""
        number = PracticeAnswer.objects.filter(passage__outcome="open", passage__rater__study=self.study).count()
        return self.client.post(f"{self.base}way-in/task/", {"number": number, **form})

    def attempt(self, step, *forms):
        """Make an attempt at a step with these answers, and return its outcome."""
        assert self.post(step).status_code == 302
        for form in forms:
            assert self.answer(form).status_code == 302
        return StepPassage.objects.filter(step=step, rater__study=self.study).order_by("-pk").first().outcome

    def next(self):
        return self.client.post(f"{self.base}next/")
