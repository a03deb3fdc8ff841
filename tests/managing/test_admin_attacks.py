"""A member of staff of one study tries everything in the admin on the rows of another: nothing is shown or changed."""

import pytest
from django.contrib import admin
from django.urls import reverse

from accounts.models import AuditEntry
from annotation.admin import StudyScopedAdmin
from annotation.members.membership import add_member
from annotation.models import Study
from managing.administration.row_steps import SteeredAdmin
from tests.conftest import make_person
from tests.world import build_world

SCOPED = {model: one for model, one in admin.site._registry.items() if isinstance(one, StudyScopedAdmin)}
STEERED = {model: one for model, one in SCOPED.items() if isinstance(one, SteeredAdmin)}
GIVEN = {"reason": "because", "count": "7", "role": "owner", "priority": "0"}


def address(model, step, *arguments):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{step}", args=arguments)


def ordered(model):
    return model._default_manager.order_by("pk")


@pytest.fixture(scope="module")
def shared(rows_of_module):
    rows_of_module(build_world)


@pytest.fixture
def attacker(shared, db, client):
    """A researcher of `other` on the staff, an annotator of `study` as well."""
    person = make_person("attacker", is_staff=True)
    add_member(Study.objects.get(slug="other"), person, "owner", None)
    add_member(Study.objects.get(slug="study"), person, "annotator", None)
    client.force_login(person)
    return person


def theirs_of(model):
    path = SCOPED[model].study_path
    return ordered(model).filter(**{f"{path}__in": Study.objects.filter(slug="study").values("pk")})


def test_forged_keys_reach_no_row_by_any_action(client, attacker):
    """Each action of each list, on all rows of the other study, chosen one by one or all together."""
    wrong, before = [], AuditEntry.objects.count()
    for model, its_admin in STEERED.items():
        keys = list(theirs_of(model).values_list("pk", flat=True))
        assert keys, model
        rows = list(ordered(model).values())
        for key in its_admin.steps:
            for more in ({}, {"select_across": "1"}):
                data = {"action": key, "_selected_action": keys, "index": "0", **more, **GIVEN}
                query = "?of=study" if model is not Study else "?status__exact=closed"
                response = client.post(address(model, "changelist") + query, data)
                if response.status_code != 302:
                    wrong.append(f"{model.__name__} {key} {more}: {response.status_code}")
        if list(ordered(model).values()) != rows:
            wrong.append(f"{model.__name__} changed")
    assert wrong == []
    assert AuditEntry.objects.count() == before


def test_forged_forms_reach_no_row(client, attacker):
    """The page, the form, the history and the deletion of each row look as those of a row that does not exist."""
    wrong = []
    for model in SCOPED:
        row = theirs_of(model).first()
        assert row is not None, model
        rows = list(ordered(model).values())
        for step, method in (("change", "get"), ("change", "post"), ("history", "get"), ("delete", "post")):
            data = {"body": "slug: taken", "line": "{}", "title": "Taken", "role": "owner", "active": "on"}
            there = getattr(client, method)(address(model, step, row.pk), data)
            absent = getattr(client, method)(address(model, step, 987654321), data)
            if (there.status_code, there.get("Location")) != (absent.status_code, absent.get("Location")):
                wrong.append(f"{model.__name__} {step} {method}: {there.status_code}, absent {absent.status_code}")
        if list(ordered(model).values()) != rows:
            wrong.append(f"{model.__name__} changed")
    assert wrong == []


def test_autocomplete_and_odd_keys_give_nothing(client, attacker):
    own = {str(Study.objects.get(slug="other").pk)}
    for model in STEERED:
        name = {"app_label": "annotation", "model_name": model._meta.model_name, "field_name": "study"}
        found = client.get(reverse("admin:autocomplete"), {**name, "term": "study"})
        assert found.status_code == 403 or {one["id"] for one in found.json()["results"]} <= own
        for keys in (["x"], ["1 OR 1=1"], ["99999999999999999999"]):
            data = {"action": next(iter(STEERED[model].steps)), "_selected_action": keys}
            assert client.post(address(model, "changelist"), data).status_code in (200, 302)


def test_choices_name_no_study_or_person_of_others(client, attacker):
    """The filters and the fields of actions, on each list."""
    Study.objects.filter(slug="study").update(title="CANARY-TITLE")
    for model in SCOPED:
        page = client.get(address(model, "changelist")).content.decode()
        assert "CANARY-TITLE" not in page, model
        assert "annotator in" not in page, model
