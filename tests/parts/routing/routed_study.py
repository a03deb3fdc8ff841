"""A live study with topics, groups and seats, and people who work in it."""

import json

from django.utils import timezone

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Slot, Study
from annotation.studies.lifecycle import make_live
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from parts.way_in.models import PersonalReply
from tests.conftest import make_person

TOPICS = ("law", "biology", "music")
STEP = {
    "key": "about", "kind": "screen",
    "questions": [
        {"key": "country", "text": "Country?", "choices": ["DE", "AT", "CH"]},
        {"key": "native", "text": "Native?", "choices": ["yes", "no"]},
        {"key": "field", "text": "Field?", "choices": [*TOPICS, "none"]},
    ],
}  # fmt: skip
FORM = {"q-good": ["true"]}


def source(question):
    return {"step": "about", "question": question}


def make_routed_study(folder, owner, routing, items=12, redundancy=2, slug="routed", live=True, checks=None, **more):
    """Import the study; item n has the topic n modulo 4, of which the fourth is none."""
    body = {
        "slug": slug, "title": "Routed", "protocol": "rating", "redundancy": redundancy, "guidelines": "Read.",
        "questions": [{"key": "good", "type": "binary", "text": "Good?"}], "options": {"seed": 5, **more},
        "recruiting": {"steps": [STEP], **({"checks": checks} if checks else {})},
        **({"routing": routing} if routing else {}),
    }  # fmt: skip
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "study.json").write_text(json.dumps(body))
    lines = []
    for n in range(items):
        line = {"id": f"i{n:03}", "document": f"Document {n}.", "outputs": [{"id": "north", "text": f"Text {n}."}]}
        lines.append(line | ({"category": [TOPICS[n % 4]]} if n % 4 < 3 else {}))
    (folder / "items.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    study = import_study(folder, owner=owner).study
    while plan_chunk(study):
        pass
    if live:
        make_live(Study.objects.get(pk=study.pk), owner)
    return Study.objects.get(pk=study.pk)


def make_rater(study, name, topics=None, **said):
    """A person who has passed the steps and said these things."""
    person = make_person(name)
    add_member(study, person, "annotator", None)
    rater = rater_for(study, person)
    rater.topics, rater.admitted = topics, True
    rater.save()
    for question, value in said.items():
        PersonalReply.objects.create(
            study=study, person=person, step="about", question=question, value=value, given_at=timezone.now()
        )
    return rater


def answer(rater):
    """Claim and answer the next task; its topic, "" for none, or None if there is no task."""
    study = Study.objects.get(pk=rater.study_id)
    rater.refresh_from_db()
    assignment = next_assignment(study, rater)
    if assignment is None:
        return None
    submit(Assignment.objects.get(pk=assignment.pk), Submission(FORM, revision=0))
    return (assignment.task.item.categories or [""])[0]


def taken_by(rater):
    return Slot.objects.filter(holder=rater).count()
