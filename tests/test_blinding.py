"""A blinded study shows its researchers no system's name, at any address and in no file, until it is unblinded."""

import io
import json
import re
import zipfile

import pytest

from accounts.models import Person
from annotation.blinding import code_of, names_of, unblind
from annotation.models import Output, Rating, Study, Task, Unblinding
from annotation.protocols import Unit
from annotation.review.adjudicating import adjudicate
from annotation.studies.corrections import StudyRefusedError
from api.lists.entry_kinds import KINDS
from config.erasure import open_erasure
from llm.models import Call, Completion
from parts.way_in.models import PracticeAnswer
from reports.kept.kept_reports import compute_here
from reports.report_kinds.agreement import agreement_choices
from reports.report_kinds.details import details_choices
from reports.report_kinds.disagreement import disagreement_choices
from reports.report_kinds.meta_evaluation import comparison_choices
from sessions.models import RevisionSession
from tests.crawling import OF_A_KIND, Addresses
from tests.world import ROUTES, SOME_ROUTES

CANARY = re.compile(r"CANARY-SYS-[a-z]+")
NAMES = {"system-north": "CANARY-SYS-north", "system-south": "CANARY-SYS-south", "system-west": "CANARY-SYS-west"}
LEAVE = re.compile(r"(?:href|hx-get|action)=\"(/[^\"#]*)")
MODEL = "CANARY-SYS-host/CANARY-SYS-small"
FILES = (
    "items.jsonl", "ratings.jsonl", "annotations.jsonl", "scores.jsonl", "study.yaml", "README.md", "runs.jsonl",
    "adjudications.jsonl", "reviews.jsonl",
)  # fmt: skip
READERS = ("owner", "superuser", "token_read", "token_account")
FORMS_OF_THE_ADMIN = ("/add/", "/history/")
LATER = ("token_account",)
"""Readers whose crawls are left to make thorough, because others open the same addresses."""


@pytest.fixture
def blinded(world):
    """The world's study with canaries for its systems' names, blinded."""
    clients, address = world
    study = Study.objects.get(slug="study")
    with open_erasure("test"):
        Unblinding.objects.filter(study=study).delete()
        for old, new in NAMES.items():
            Output.objects.filter(item__study=study, key=old).update(key=new)
        for rating in Rating.objects.filter(study=study):
            text = json.dumps([rating.value, rating.shown])
            for old, new in NAMES.items():
                text = text.replace(old, new)
            value, shown = json.loads(text)
            Rating.objects.filter(pk=rating.pk).update(value=value, shown=shown)
        for answer in PracticeAnswer.objects.filter(item__study=study):
            shown = [NAMES.get(key, key) for key in answer.shown]
            PracticeAnswer.objects.filter(pk=answer.pk).update(shown=shown)
        Output.objects.filter(key="CANARY-SYS-west").update(
            edited_from="CANARY-SYS-north", metadata={"made_by": "CANARY-SYS-west"}
        )
        RevisionSession.objects.update(model=MODEL)
        Task.objects.filter(variant="endpoint/model").update(variant=MODEL)
        Completion.objects.update(model=MODEL)
        Call.objects.update(endpoint="CANARY-SYS-host", model="CANARY-SYS-small")
    item = study.items.order_by("pk").first()
    question = study.questions.first()
    adjudicate(item, question, Unit("CANARY-SYS-north"), True, "It does.", Person.objects.get(username="owner"),
               number=0)  # fmt: skip
    study.systems = {"CANARY-SYS-north": {"family": "CANARY-SYS-family", "model": "CANARY-SYS-model"}}
    study.options = {**study.options, "blind_researchers": True, "models": [MODEL]}
    study.save()
    return clients, address, study


def compute_all(study):
    compute_here(study, "agreement", agreement_choices())
    compute_here(study, "meta_evaluation", comparison_choices())
    compute_here(study, "raters", {"kinds": ["human"], "raters": []})
    compute_here(study, "disagreement", disagreement_choices())
    compute_here(study, "details", details_choices())
    compute_here(study, "items", {})
    compute_here(study, "balance", {})


def sent(client, address):
    response = client.get(address)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    if response.get("Content-Type") == "application/zip":
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            body = b"\n".join([*(name.encode() for name in archive.namelist()), *map(archive.read, archive.namelist())])
    return body.decode(errors="replace") + str(response.headers)


def leaks(client, start, skip=(), of_a_kind=None):
    """The addresses reached from `start` by links whose response has a canary, each with one.

    Addresses that contain a text of `skip` are not opened, and only so many that differ in numbers alone.
    """
    found, waiting = {}, Addresses(start, of_a_kind, 700, skip)
    for path in waiting:
        text = sent(client, path)
        if match := CANARY.search(text):
            found[path] = text[max(0, match.start() - 80) : match.end() + 40]
        waiting.add(LEAVE.findall(text))
    assert len(waiting.seen) > 40
    return found


def starts(address, routes=ROUTES):
    return [
        "/", *(address(route) for route in routes), *(f"/api/studies/study/export/{name}" for name in FILES),
        *(f"/api/studies/study/{key}/" for key in KINDS), "/api/studies/study/annotations/?since=2020-01-01T00:00:00Z",
        "/api/studies/study/export/?format=csv", "/api/studies/study/export.zip?format=csv",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.thorough] * (one in LATER)) for one in READERS])
@pytest.mark.parametrize(
    ("routes", "skip", "of_a_kind"),
    [
        pytest.param(SOME_ROUTES, FORMS_OF_THE_ADMIN, OF_A_KIND, id="some"),
        pytest.param(ROUTES, (), None, id="all", marks=pytest.mark.thorough),
    ],
)
def test_no_address_shows_the_people_who_run_a_blinded_study_a_name(blinded, name, routes, skip, of_a_kind):
    clients, address, study = blinded
    compute_all(Study.objects.get(pk=study.pk))
    found = leaks(clients[name], starts(address, routes), skip, of_a_kind)
    assert found == {}, "\n".join(f"LEAK {path}: {text!r}" for path, text in found.items())


def test_all_show_the_names_after_unblinding(blinded):
    clients, _, study = blinded
    owner = Person.objects.get(username="owner")
    unblind(study, "The figures are final.", owner)
    compute_all(Study.objects.get(pk=study.pk))
    found = "".join(sent(clients["owner"], path) for path in ("/studies/study/report/", "/api/studies/study/"))
    assert "CANARY-SYS-north" in found
    assert "CANARY-SYS-north" in sent(clients["token_read"], "/api/studies/study/export/")
    assert "The figures are final." in sent(clients["owner"], "/studies/study/report/")


def test_unblinding_needs_a_reason_and_happens_once(blinded):
    _, _, study = blinded
    with pytest.raises(StudyRefusedError):
        unblind(study, " ", None)
    unblind(study, "Done.", None)
    with pytest.raises(StudyRefusedError):
        unblind(study, "Again.", None)


def test_codes_are_stable_in_a_study_and_differ_between_studies(make_study):
    one, other = (make_study(slug, options={"blind_researchers": True}) for slug in ("first", "second"))
    assert names_of(one).shown("north") == names_of(Study.objects.get(pk=one.pk)).shown("north")
    assert names_of(one).shown("north") != names_of(other).shown("north")
    assert re.fullmatch(r"System ([A-Z][2-9]){3}", code_of("secret", "north"))
    assert len({code_of("secret", f"system-{number}") for number in range(100)}) == 100
