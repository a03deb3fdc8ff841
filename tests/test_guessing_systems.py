"""Somebody who runs a blinded study guesses the names of its systems, and is answered as if no name were right."""

import hashlib
import json
import re

import pytest
from django.core.cache import cache

from accounts.models import AuditEntry
from annotation.blinded_rows import shown_entries, shown_rows
from annotation.blinding import names_of
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.members.tokens import issue_token
from annotation.models import Adjudication, Annotation, Item, Output, Rating, Slot, Study, Task, TaskOutput
from annotation.protocols import TaskPlan, Unit
from annotation.review.adjudicating import unit_digest
from annotation.studies.planning import task_key
from config.model_fields import canonical_json
from files.entered.drafts import change_draft
from files.entered.single_items import remove_item
from files.reading import ImportRefusedError, add_to_study, import_study
from files.reading.item_import import digest_of
from files.writing import export_study
from files.writing.study_yaml import study_body
from judges.configuration import RunConfiguration
from judges.units import planned_units
from tests.annotation.protocols.pairwise.conftest import folder, item, live  # noqa: F401 - a fixture
from tests.api.conftest import Program
from tests.api.test_uploads_in_parts import uploaded
from tests.conftest import SYSTEMS
from tests.files.lines import lines_in

pytestmark = pytest.mark.django_db
NORTH = SYSTEMS[0]
NOBODY = "system-nobody"
"""A name that is as long as a right one and that no system has."""
AT = "2026-03-01T12:00:00Z"
JUDGED = {"item": "item-0", "question": "how_well", "rater": "judge", "rater_kind": "model"}
ABOUT = {"item": "item-0", "question": "follows", "value": True}


@pytest.fixture(autouse=True)
def _nobody_asked_before(settings, tmp_path):
    settings.VAR = tmp_path
    cache.clear()


@pytest.fixture
def blinded(study):
    study.options = {**study.options, "blind_researchers": True}
    study.save()
    return study


@pytest.fixture
def program(blinded, owner):
    return Program(issue_token(blinded, owner, name="writes", scope="write"))


@pytest.fixture
def code(blinded):
    return names_of(blinded).shown(NORTH)


def lines(table, name, text="Ferries sail at 8."):
    """A line of a table that names a system so."""
    return {
        "ratings": {**ABOUT, "output": name, "rater": "r"},
        "ratings shown": {**ABOUT, "output": name, "shown": [name], "rater": "r"},
        "scores": {**ABOUT, "output": name, "rater": "judge", "rater_kind": "model"},
        "scores of pairs": {**JUDGED, "value": name, "outputs": [name, "x"]},
        "rankings": {**JUDGED, "value": {name: 1, "x": 2}},
        "adjudications": {
            **ABOUT,
            "output": name,
            "number": 1,
            "reason": "So.",
            "reviewer": "reviewer-1",
            "at": AT,
        },
        "items": {
            "id": "item-0",
            "document": "The ferry sails at nine.",
            "instruction": "Say when it sails.",
            "outputs": [{"id": name, "text": text}],
        },
        "new items": {"id": "item-9", "outputs": [{"id": name, "text": text}]},
        "edited outputs": {"id": "item-9", "outputs": [{"id": "x", "text": text, "edited_from": name}]},
        "gold": {"id": "item-9", "outputs": [{"id": "x", "text": text}], "gold": {"follows": {name: True}}},
        "places": {
            "id": "item-9",
            "outputs": [{"id": "x", "text": text}],
            "places": [{"outputs": [name], "numbers": [0]}],
        },
    }[table]


TABLES = {
    "ratings": "ratings",
    "ratings shown": "ratings",
    "scores": "scores",
    "scores of pairs": "scores",
    "rankings": "scores",
    "adjudications": "adjudications",
    "items": "items",
    "new items": "items",
    "edited outputs": "items",
    "gold": "items",
    "places": "items",
}


def said(response, name):
    """What a response says, without the name that was sent, and without what every response has of its own."""
    text = response.content.decode() if hasattr(response, "content") else json.dumps(response)
    body = json.loads(text)
    return response.status_code, json.dumps({k: v for k, v in body.items() if k != "request_id"}).replace(name, "?")


@pytest.mark.parametrize("table", TABLES)
def test_a_name_in_a_file_is_refused_like_any_other_text(program, blinded, table):
    rows = [model.objects.count() for model in (Item, Output, Rating, Adjudication)]
    answers = []
    for name in (NORTH, NOBODY):
        response = program.send(f"/api/studies/study/{TABLES[table]}/", [lines(table, name)])
        answers.append(said(response, name))
    assert answers[0] == answers[1]
    assert answers[0][0] == 400
    assert rows == [model.objects.count() for model in (Item, Output, Rating, Adjudication)]


@pytest.mark.parametrize("table", TABLES)
def test_the_dry_run_of_an_upload_answers_no_guess(program, blinded, table):
    found = []
    for name in (NORTH, NOBODY):
        address = uploaded(program, TABLES[table], [lines(table, name)])
        told = program.get(address).json()
        assert told["state"] == "refused"
        found.append(json.dumps(told["findings"]).replace(name, "?"))
        assert program.delete(address).status_code == 204
    assert found[0] == found[1]


def test_the_text_of_an_output_is_compared_for_its_code_alone(program, blinded, code):
    """With the right text of a code an item is there already; with the text of another one it would change."""
    right = Output.objects.get(item__key="item-0", key=NORTH)
    base = lines("items", code, right.text)
    wrong = {**base, "outputs": [{"id": code, "text": "another"}]}
    hidden = {**base, "outputs": [{"id": code, "text": right.text, "metadata": {"model": NORTH}}]}
    for line, field in ((wrong, "id"), (hidden, "outputs.0.metadata")):
        body = program.send("/api/studies/study/items/", [line]).json()
        assert body["problems"][0]["field"] == field
        assert NORTH not in json.dumps(body)


def test_files_with_codes_are_taken_and_stored_under_the_names(program, blinded, code):
    assert program.send("/api/studies/study/ratings/", [lines("ratings", code)]).status_code == 200
    assert program.send("/api/studies/study/ratings/", [lines("ratings shown", code)]).status_code in (200, 400)
    assert program.send("/api/studies/study/scores/", [lines("scores", code)]).status_code == 200
    assert program.send("/api/studies/study/adjudications/", [lines("adjudications", code)]).status_code == 200
    assert program.send("/api/studies/study/items/", [lines("new items", code)]).status_code == 200
    assert set(Rating.objects.values_list("output__key", flat=True)) == {NORTH}
    assert Adjudication.objects.get().output.key == NORTH
    assert Output.objects.get(item__key="item-9").key == NORTH
    again = program.send("/api/studies/study/items/", [lines("new items", code)])
    assert again.json()["added"]["items"] == 0


def test_choices_rankings_and_distributions_by_code_are_stored_under_the_names(folder, owner):  # noqa: F811
    made = import_study(folder([item("one", ["a", "b"])], options={"blind_researchers": True})).study
    add_member(made, owner, "owner", None)
    call = names_of(made).shown
    program = Program(issue_token(made, owner, name="writes", scope="write"))
    about = {
        "item": "one",
        "question": "better",
        "outputs": [call("b"), call("a")],
        "rater": "judge",
        "rater_kind": "model",
        "value": call("a"),
        "shown": [call("b"), call("a")],
    }
    shares = {call("a"): 0.75, call("b"): 0.25}
    assert program.send("/api/studies/pairs/scores/", [{**about, "distribution": shares}]).status_code == 200
    row = Rating.objects.get()
    assert (row.value, row.shown, row.output.key, row.distribution) == ("a", ["b", "a"], "b", {"a": 0.75, "b": 0.25})
    shown = program.get("/api/studies/pairs/ratings/").json()["ratings"][0]
    assert (shown["value"], shown["distribution"]) == (call("a"), shares)
    answers = []
    for name in ("a", "z"):
        refused = program.send("/api/studies/pairs/scores/", [{**about, "run": "2", "distribution": {name: 1.0}}])
        answers.append(said(refused, f'"{name}"'))
    assert answers[0] == answers[1]
    assert answers[0][0] == 400


def test_every_try_is_in_the_audit(program, blinded, owner):
    program.send("/api/studies/study/ratings/", [lines("ratings", NORTH)])
    uploaded(program, "ratings", [lines("ratings", NOBODY)])
    tries = AuditEntry.objects.filter(action__startswith="import ").order_by("pk")
    assert [entry.action for entry in tries] == ["import refused", "import checked"]
    assert {entry.actor.person for entry in tries} == {owner}
    assert [(entry.new["problems"], entry.new["line"], entry.new["field"]) for entry in tries] == [(1, 1, "output")] * 2
    assert NORTH not in json.dumps([entry.new for entry in tries])


def test_the_first_names_of_a_study_give_other_codes_than_before(folder, owner):  # noqa: F811
    """Or somebody could empty a draft and name systems whose codes they have seen."""
    made = import_study(folder([item("one", ["a", "b"])], options={"blind_researchers": True})).study
    secret = made.code_secret
    path = folder([item("two", ["a", "b"])], name="again") / "items.jsonl"
    with pytest.raises(ImportRefusedError):
        add_to_study(made, {"items": path}, owner)
    remove_item(made.items.get(), owner)
    add_to_study(made, {"items": path}, owner)
    made.refresh_from_db()
    assert made.code_secret != secret


def test_a_text_that_happens_to_be_a_name_stays_and_gets_no_code(program, blinded, owner, rater, code, tmp_path):
    """Its code would say that a system is called so, and which one it is."""
    task = next_assignment(blinded, rater_for(blinded, rater))
    submit(task, Submission({"q-follows": ["true"], "q-how_well": ["3"], "q-comment": [NORTH]}, 0))
    line = {**lines("scores", code), "explanation": NORTH, "metadata": {"model": NORTH}, "run": NORTH}
    assert program.send("/api/studies/study/scores/", [line]).status_code == 200
    final = {**lines("adjudications", code), "reason": NORTH}
    assert program.send("/api/studies/study/adjudications/", [final]).status_code == 200
    for kind in ("ratings", "annotations", "adjudications"):
        for entry in program.get(f"/api/studies/study/{kind}/").json()[kind]:
            named = {key: value for key, value in entry.items() if key not in ("output", "outputs", "shown")}
            assert "System " not in json.dumps(named), named
            assert "metadata" not in entry
    export_study(Study.objects.get(pk=blinded.pk), tmp_path / "out")
    for name in ("ratings", "scores", "annotations", "adjudications"):
        for told in (tmp_path / "out" / f"{name}.jsonl").read_text().splitlines():
            named = {key: value for key, value in json.loads(told).items() if key not in ("output", "outputs", "shown")}
            assert "System " not in json.dumps(named), named
    paths = {Rating: "study", Adjudication: "item__study", Annotation: "rater__study"}
    rows = [row for model, path in paths.items() for row in shown_rows(model.objects.all(), path)]
    for row in rows:
        texts = {name: row.__dict__.get(name) for name in ("value", "explanation", "reason", "run", "answers")}
        assert "System " not in json.dumps(texts)
        assert row.__dict__.get("metadata") in (None, "hidden until unblinding")


def test_digests_in_the_admin_cannot_be_computed_from_names(blinded, owner, rater):
    plain = {task_key(TaskPlan((name,))) for name in SYSTEMS}
    plain |= {unit_digest(Unit(name)) for name in SYSTEMS}
    plain |= {
        digest_of((f"Ferries sail at {n}.", None, "", "", canonical_json({"made_by": name})))
        for n in range(7, 12)
        for name in SYSTEMS
    }
    plain |= {hashlib.sha256(name.encode()).hexdigest() for name in SYSTEMS}
    stored = set(Task.objects.values_list("key", flat=True))
    assert stored & plain, "nothing to hide"
    shown = {row.key for row in shown_rows(Task.objects.all(), "item__study")}
    assert len(shown) == len(stored)
    assert not shown & (plain | stored)
    outputs = {row.digest for row in shown_rows(Output.objects.all(), "item__study")}
    assert not outputs & set(Output.objects.values_list("digest", flat=True))


def test_the_digest_of_a_file_in_the_audit_is_keyed(blinded, owner, tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps(lines("new items", names_of(blinded).shown(NORTH))) + "\n")
    add_to_study(blinded, {"items": path}, owner)
    stored = AuditEntry.objects.get(action="study imported")
    plain = hashlib.sha256(path.read_bytes()).hexdigest()
    assert stored.new["sha256"]["items"] == plain
    [shown] = shown_entries(AuditEntry.objects.filter(pk=stored.pk))
    assert len(shown.new["sha256"]["items"]) == 64
    assert shown.new["sha256"]["items"] != plain


@pytest.mark.parametrize(
    ("model", "path", "column"),
    [
        (Output, "item__study", "position"),
        (TaskOutput, "task__item__study", "position"),
        (Slot, "study", "order"),
        (Annotation, "rater__study", "shown"),
    ],
)
def test_the_order_of_import_is_not_in_the_admin(blinded, rater, model, path, column):
    task = next_assignment(blinded, rater_for(blinded, rater))
    submit(task, Submission({"q-follows": ["true"], "q-how_well": ["3"]}, 0))
    rows = list(shown_rows(model.objects.all(), path))
    assert rows
    assert {getattr(row, column) for row in rows} == {None}


def test_annotations_are_exported_in_the_order_of_codes(blinded, owner, rater):
    for person in (rater,):
        mine = rater_for(blinded, person)
        while (task := next_assignment(blinded, mine)) is not None:
            submit(task, Submission({"q-follows": ["true"], "q-how_well": ["3"]}, 0))
    found = [(line["item"], line["outputs"]) for line in lines_in(Study.objects.get(pk=blinded.pk), "annotations")]
    assert found == sorted(found)
    assert len(found) == 6


@pytest.mark.parametrize("pairs", [{"baseline": "?"}, {"list": [["?", "b"]]}])
def test_options_name_systems_by_codes_and_answer_no_guess(folder, owner, pairs):  # noqa: F811
    made = import_study(folder([item("one", ["a", "b"])], options={"blind_researchers": True})).study
    call, body = names_of(made).shown, study_body(made)

    def changed(name):
        told = json.loads(json.dumps(pairs).replace('"?"', json.dumps(name)).replace('"b"', json.dumps(call("b"))))
        change_draft(made, {**body, "options": {"blind_researchers": True, "pairs": told}}, owner)

    refusals = []
    for name in ("a", "z"):
        with pytest.raises(ImportRefusedError) as refused:
            changed(name)
        refusals.append(str(refused.value).replace(f'"{name}"', "?"))
    assert refusals[0] == refusals[1]
    with pytest.raises(ImportRefusedError):
        change_draft(made, {**body, "systems": {"a": {"family": "f"}}}, owner)
    changed(call("a"))
    made.refresh_from_db()
    assert json.dumps(made.options["pairs"]) == json.dumps(pairs).replace("?", "a")


def test_what_judges_draw_follows_from_codes_and_not_from_names(folder):  # noqa: F811
    """An order drawn from the seed and the names could be computed for every guess, and compared."""
    made = import_study(
        folder([item(f"i{n}", ["a", "b", "c"]) for n in range(4)], options={"blind_researchers": True})
    ).study
    call = names_of(made).shown
    configuration = RunConfiguration(protocol="llm_compare", model="m", questions=("better",), guidelines_version=1)
    units = list(planned_units(made, configuration))
    assert units
    for unit in units:
        _, *named = unit.name.split("\0")
        assert named == sorted(map(call, unit.order))
    listed = [unit.name for unit in units]
    by_item = {name.split("\0")[0] for name in listed}
    for one in by_item:
        own = [name for name in listed if name.startswith(f"{one}\0")]
        assert own == sorted(own)


def test_sessions_are_not_found_by_a_models_own_name(client, owner):
    options = {"blind_researchers": True, "models": ["lab/one", "lab/two"]}
    made = Study.objects.create(slug="turns", title="T", protocol="session", redundancy=1, options=options)
    add_member(made, owner, "owner", None)
    client.force_login(owner)
    found = {}
    for model in ("lab/one", "lab/zzz"):
        page = client.get("/studies/turns/sessions/", {"model": model}).content.decode()
        found[model] = re.sub(r"\w{64}", "", page).replace(model, "?")
    assert found["lab/one"] == found["lab/zzz"]
