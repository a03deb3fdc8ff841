"""Primary keys, which the admin shows, do not tell in which order the files of a blinded study name its systems."""

import json

import pytest
from django.contrib import admin

from annotation.models import Adjudication, Annotation, Output, Rating, Task, TaskOutput
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from judges.models import Judgment
from tests.annotation.protocols.pairwise.conftest import folder, item  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db
AT = "2026-03-01T12:00:00Z"
FOUR = ["delta", "alpha", "gamma", "beta"]
CLEAR = [{"key": "clear", "type": "likert", "min": 1, "max": 5, "text": "Clear?"}]
ONE_BY_ONE = {"blind_researchers": True, "same_raters": False}


def test_primary_keys_of_outputs_do_not_tell_the_order_of_the_file(folder):  # noqa: F811
    made = import_study(folder([item(f"i{n}", ["a", "b", "c", "d"]) for n in range(24)])).study
    firsts = [one.outputs.order_by("pk").first().key for one in made.items.all()]
    assert max(firsts.count(name) for name in "abcd") < 24 * 0.7


def _answered(folder):  # noqa: F811
    """A blinded study of 24 items with ratings, scores, annotations and decisions, each in the order of the file."""
    path = folder([item(f"i{n}", FOUR) for n in range(24)], protocol="rating", questions=CLEAR, options=ONE_BY_ONE)
    files = {
        "ratings": {"question": "clear", "value": 3, "rater": "r1", "rater_kind": "human"},
        "scores": {"question": "clear", "value": 3, "rater": "judge", "rater_kind": "model"},
        "adjudications": {"question": "clear", "value": 3, "reviewer": "ann", "reason": "So.", "number": 1, "at": AT},
    }
    for file, line in files.items():
        lines = [{"item": f"i{n}", "output": system, **line} for n in range(24) for system in FOUR]
        (path / f"{file}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    lines = [
        {
            "item": f"i{n}",
            "outputs": [system],
            "rater": "r2",
            "revision": 1,
            "status": "submitted",
            "shown": [system],
            "answers": {"clear": 3},
            "guidelines_version": 1,
            "protocol_version": 1,
            "submitted_at": AT,
        }
        for n in range(24)
        for system in FOUR
    ]
    (path / "annotations.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return import_study(path).study


def _in_the_files_order(rows, outputs, groups):
    """The share of groups of rows, in the order of primary keys, whose systems come as in the file."""
    found = {}
    for *group, key in rows.order_by("pk").values_list(*groups, outputs):
        found.setdefault(tuple(group), []).append(key)
    assert len(found) == 24
    assert {len(keys) for keys in found.values()} == {4}
    return sum(keys == FOUR for keys in found.values()) / len(found)


@pytest.mark.parametrize(
    ("model", "output", "narrowed"),
    [
        (Rating, "output__key", {"rater__name": "r1"}),
        (Rating, "output__key", {"rater__name": "judge"}),
        (Rating, "output__key", {"rater__name": "r2"}),
        (Annotation, "task__outputs__key", {}),
        (Adjudication, "output__key", {}),
    ],
    ids=["ratings", "scores", "ratings of annotations", "annotations", "adjudications"],
)
def test_primary_keys_of_imported_answers_do_not_tell_the_order_of_the_file(folder, model, output, narrowed):  # noqa: F811
    _answered(folder)
    group = "task__item" if model is Annotation else "item"
    assert _in_the_files_order(model.objects.filter(**narrowed), output, [group]) < 0.3


@pytest.mark.parametrize(("protocol", "names"), [("listwise", FOUR), ("pairwise", FOUR[:2])], ids=["lists", "pairs"])
def test_primary_keys_of_what_a_task_shows_do_not_tell_the_order_of_the_file(folder, protocol, names):  # noqa: F811
    questions = [{"key": "best", "type": "rank", "ranks": 4, "text": "W?"}] if protocol == "listwise" else None
    more = {"questions": questions} if questions else {}
    made = import_study(folder([item(f"i{n}", names) for n in range(24)], protocol=protocol, **more)).study
    while plan_chunk(made):
        pass
    firsts = [TaskOutput.objects.filter(task=one).order_by("pk").first().output.key for one in Task.objects.all()]
    assert len(firsts) == 24
    assert max(firsts.count(name) for name in names) < 24 * 0.75


def test_answers_of_a_rater_about_the_same_keep_their_order(folder):  # noqa: F811
    """Of answers without times, and of an agent's repeats, the later line is the later answer."""
    path = folder([item(f"i{n}", FOUR) for n in range(24)], protocol="rating", questions=CLEAR)
    lines = [
        {
            "item": f"i{n}",
            "output": system,
            "question": "clear",
            "value": replicate + 1,
            "rater": "judge",
            "rater_kind": "model",
            "run": "one",
            "replicate": replicate,
        }
        for n in range(24)
        for replicate in range(3)
        for system in FOUR
    ]
    (path / "scores.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    made = import_study(path).study
    found = {}
    for item_pk, output, replicate in (
        Rating.objects.filter(study=made).order_by("pk").values_list("item", "output", "replicate")
    ):
        found.setdefault((item_pk, output), []).append(replicate)
    assert set(map(tuple, found.values())) == {(0, 1, 2)}
    assert len(found) == 96


NAMED_BY_CODES = {Judgment}
"""Runs plan in the order of codes: `test_what_judges_draw_follows_from_codes_and_not_from_names`."""


def test_no_list_of_the_admin_shows_the_order_of_the_file(folder):  # noqa: F811
    """Whatever names outputs and is listed: a new table must be in this study, too."""
    made = _answered(folder)
    while plan_chunk(made):
        pass
    seen = set()
    for model, listed in admin.site._registry.items():
        fields = [field for field in model._meta.concrete_fields if field.is_relation]
        name = next((field.name for field in fields if field.related_model is Output), None)
        if name is None or model in NAMED_BY_CODES:
            continue
        orders = {}
        for row in model.objects.order_by(*(listed.ordering or model._meta.ordering)):
            output = getattr(row, name)
            orders.setdefault((output.item_id, getattr(row, "rater_id", None)), []).append(output.key)
        assert {len(order) for order in orders.values()} == {4}, model
        in_order = sum(order in (FOUR, FOUR[::-1]) for order in orders.values())
        assert in_order < len(orders) * 0.3, model
        seen.add(model)
    assert seen == {TaskOutput, Rating, Adjudication}
