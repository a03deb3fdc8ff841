"""What a blinded study of each protocol shows the people who run it: no system's name, at any address and in no file.

Everything has happened in these studies (`tests.filled`): preparation by models, sessions, ranks, marks and choices.
`test_blinding` has the same crawl of a rating study with a row of every model.
"""

import json

import pytest
from django.db.models import CharField, TextField
from django.test import Client, override_settings
from django.urls import NoReverseMatch, reverse

from accounts.models import AuditEntry, Person
from annotation.erasing import all_erasing
from annotation.members.membership import rater_for
from annotation.members.tokens import issue_token
from annotation.models import Item, Question, Rating, Study, StudyCounts, Unblinding
from annotation.protocols import Unit
from annotation.review.adjudicating import adjudicate
from api.lists.entry_kinds import KINDS
from config.erasure import open_erasure
from config.model_fields import ExactJSONField
from llm.models import Call
from parts.preparing.models import InstructionTrial, PreparationStep
from reports.models import KeptExport, KeptReport
from tests.crawling import OF_A_KIND
from tests.filled import MODEL as OLD_MODEL
from tests.filled import fill
from tests.test_blinding import FILES, MODEL, compute_all, leaks, sent
from tests.world import ROUTES

NAMES = {name: f"CANARY-SYS-{name}" for name in ("north", "south", "hybrid", "gulls")} | {OLD_MODEL: MODEL}
PROTOCOLS = ("rating", "listwise", "pairwise", "session")
KEPT = (KeptReport, KeptExport)
"""What is computed from the rest."""


@pytest.fixture(scope="module")
def filled(rows_of_module, tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled")
    with override_settings(VAR=folder / "var"):
        yield rows_of_module(lambda: fill(folder / "studies"))


OF_ANOTHER_TEST = "rating"
"""The protocol of the world of `test_blinding.py`; here `make thorough` alone looks at it."""


@pytest.fixture(
    params=[pytest.param(one, marks=[pytest.mark.thorough] * (one == OF_ANOTHER_TEST)) for one in PROTOCOLS]
)
def blinded(request, filled, db):
    """A study of a protocol with canaries for the names of systems and models, blinded."""
    study = Study.objects.get(slug=f"the-{request.param}")
    if request.param == "listwise":
        add_best_worst(study, filled)
    with open_erasure("test"):
        Unblinding.objects.filter(study=study).delete()
        for rows in (*tables_of(study), AuditEntry.objects.filter(study=study.slug)):
            if rows.model in KEPT:
                rows._raw_delete(rows.db)
            elif rows.model is not StudyCounts:
                give_canaries(rows)
        InstructionTrial.objects.filter(study=study).update(winner=MODEL)
        PreparationStep.objects.filter(study=study).update(configuration={"model": MODEL}, message=f"No {MODEL}.")
        Call.objects.filter(study=study, endpoint="extractive").update(
            endpoint="CANARY-SYS-host", model="CANARY-SYS-small", model_asked=MODEL, model_returned=MODEL
        )
    study.refresh_from_db()
    study.options = {**study.options, "blind_researchers": True}
    study.save()
    return study


def add_best_worst(study, people):
    """Ask for the best and the worst output, too; two people have answered, and somebody has decided."""
    question = Question.objects.create(study=study, position=9, key="extremes", type="best_worst", text="Which?")
    value = {"best": "north", "worst": "south"}
    for item in Item.objects.filter(study=study)[:2]:
        for who in (people.ann, people.ben):
            Rating.objects.create(
                study=study, question=question, rater=rater_for(study, who), item=item, level="extremes", value=value,
                shown=["north", "south"],
            )  # fmt: skip
        adjudicate(item, question, Unit(), value, "It is.", people.owner, number=0)


def tables_of(study):
    return [
        model._default_manager.filter(**{path: study.pk}) for part in all_erasing() for model, path in part.study_rows
    ]


def give_canaries(rows):
    """Rename systems in all columns that are a name, and in all JSON that has a name as a text or key."""
    for field in rows.model._meta.concrete_fields:
        if isinstance(field, ExactJSONField):
            for pk, value in rows.values_list("pk", field.attname):
                text = told = json.dumps(value)
                for old, new in NAMES.items():
                    text = text.replace(json.dumps(old), json.dumps(new))
                if text != told:
                    rows.model._default_manager.filter(pk=pk).update(**{field.attname: json.loads(text)})
        elif isinstance(field, CharField | TextField):
            for old, new in NAMES.items():
                rows.filter(**{field.attname: old}).update(**{field.attname: new})


def addresses(study):
    """Every address that asks for no more than a study, and every file of its export."""
    found = ["/", *(f"/api/studies/{study.slug}/{key}/" for key in KINDS)]
    for route in ROUTES:
        for arguments in ({"slug": study.slug}, {}):
            try:
                found.append(route if route.startswith("/") else reverse(route, kwargs=arguments))
            except NoReverseMatch:
                continue
            break
    return [*found, *(f"/api/studies/{study.slug}/export/{name}" for name in FILES)]


def reader(study, name, people):
    """The client of somebody who reads the study: its owner, an operator or a token."""
    if name == "token":
        secret = issue_token(study, people.owner, name="reads", scope="read")
        return Client(headers={"Authorization": f"Bearer {secret}"})
    client = Client()
    client.force_login(
        people.owner if name == "owner" else Person.objects.create(username="op", is_staff=True, is_superuser=True)
    )
    return client


@pytest.mark.parametrize(
    ("name", "of_a_kind"),
    [
        ("owner", OF_A_KIND),
        *(pytest.param(one, None, marks=pytest.mark.thorough) for one in ("owner", "token", "operator")),
    ],
)
def test_no_address_of_a_blinded_study_names_a_system(blinded, filled, name, of_a_kind):
    compute_all(Study.objects.get(pk=blinded.pk))
    others = [f"the-{protocol}" for protocol in PROTOCOLS if f"the-{protocol}" != blinded.slug]
    found = leaks(reader(blinded, name, filled), addresses(blinded), skip=(*others, "?study="), of_a_kind=of_a_kind)
    assert found == {}, "\n".join(f"LEAK {path}: {text!r}" for path, text in found.items())


def test_the_names_are_there_to_be_hidden(blinded, filled):
    """What the crawl looks for is in the rows: outputs, answers, prepared texts and suggestions' calls."""
    named = {
        rows.model.__name__
        for rows in tables_of(blinded)
        if any("CANARY-SYS-" in json.dumps(one, default=str) for one in rows.values())
    }
    prepared = {"PreparedText", "PreparationStep", "InstructionTrial", "Call", "Study"}
    asked = {"RevisionSession", "Completion", "Task"} if blinded.protocol == "session" else {"Output"}
    assert named >= prepared | asked


@pytest.mark.parametrize("blinded", ["pairwise"], indirect=True)
def test_the_audit_in_the_admin_hides_what_it_says_about_systems(blinded, filled):
    client = reader(blinded, "operator", filled)
    listed = sent(client, "/admin/accounts/auditentry/")
    entry = AuditEntry.objects.get(study=blinded.slug, action="study created")
    assert "CANARY-SYS-north" in entry.new["systems"]
    shown = sent(client, f"/admin/accounts/auditentry/{entry.pk}/change/")
    assert "hidden until unblinding" in shown
    assert "CANARY-SYS-" not in listed + shown
