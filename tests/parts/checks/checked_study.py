"""A live study with hidden checks of each kind, and people who work in it."""

import json
from uuid import uuid4

from django.urls import reverse

from annotation.members.membership import add_member, rater_for
from annotation.models import Study
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from parts.checks.preparing import prepare_checks
from tests.conftest import make_person

SYSTEMS = ("north", "south", "west")
WORDS = "The ferry sails at nine. It comes back at noon. Bring a ticket. Nobody waits for item {} of {}."
BINARY = [{"key": "good", "type": "binary", "text": "Good?"}]
SCALE = [{"key": "well", "type": "likert", "min": 1, "max": 5, "text": "How well?"}]
QUESTIONS = {
    "rating": SCALE, "pairwise": [{"key": "better", "type": "preference", "text": "Which?"}],
    "listwise": [{"key": "overall", "type": "rank", "ranks": 3, "text": "Overall"}],
}  # fmt: skip
FORMS = {
    "rating": {"q-well": "4"}, "pairwise": {"q-better": "A"},
    "listwise": {"q-overall-A": "1", "q-overall-B": "2", "q-overall-C": "3"},
}  # fmt: skip
GOLD = {
    "rating": {"well": 4},
    "pairwise": {"better": "north"},
    "listwise": {"overall": {"north": 1, "south": 2, "west": 3}},
}
CHECKS = {
    "first": 2, "gold": {"share": 0.1}, "twins": {"share": 0.2, "after": 3}, "repeats": {"share": 0.2, "after": 3},
}  # fmt: skip
EVERY_KIND = {"gold", "twins", "repeats"}


def make_checked_study(
    folder, owner, protocol="rating", items=18, golden=8, checks=CHECKS, redundancy=2, options=None, slug="checked"
):
    """Import the study and let it go live; `folder` takes its files."""
    body = {
        "slug": slug, "title": "Checked", "protocol": protocol, "redundancy": redundancy,
        "questions": QUESTIONS[protocol], "guidelines": "Read.", "options": {"seed": 5, **(options or {})},
        **({"recruiting": {"checks": checks}} if checks else {}),
    }  # fmt: skip
    folder.mkdir(exist_ok=True)
    (folder / "study.json").write_text(json.dumps(body))
    lines = [line(f"i{n:02}") for n in range(items)]
    lines += [line(f"g{n:02}") | {"pool": "attention", "gold": GOLD[protocol]} for n in range(golden)]
    (folder / "items.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    study = import_study(folder, owner=owner).study
    while plan_chunk(study):
        pass
    Study.objects.filter(pk=study.pk).update(status="live")
    study.refresh_from_db()
    return study


def line(key):
    outputs = [{"id": system, "text": WORDS.format(key, system)} for system in SYSTEMS]
    return {"id": key, "document": f"Document of {key}.", "instruction": f"Instruction of {key}.", "outputs": outputs}


def rater_in(study, name):
    """A person who annotates in the study, and their rater, whose name the draws depend on."""
    person = make_person(name)
    add_member(study, person, "annotator", None)
    rater = rater_for(study, person)
    rater.name = f"rater-{name}"
    rater.save()
    return person, rater


def open_next(client, study):
    """The address of the signed-in annotator's next task, or of the page after the last."""
    return client.post(reverse("annotation:next_task", args=[study.slug]))["Location"]


def send(client, address, protocol, **more):
    """Submit an answer; return the response."""
    form = FORMS[protocol] | {"guidelines_version": "1", "revision": "0", "client_key": str(uuid4())} | more
    return client.post(f"{address}submit/", form)


def work_through(client, study, rater, most=200, submit=send):
    """Answer tasks until none is left, with a worker that always keeps up; yield each task's address."""
    prepare_checks(rater)
    address = open_next(client, study)
    for _ in range(most):
        if "/work/" not in address:
            return
        yield address
        response = submit(client, address, study.protocol)
        assert response.status_code == 302, response.content[-500:]
        prepare_checks(rater)
        address = response["Location"]
