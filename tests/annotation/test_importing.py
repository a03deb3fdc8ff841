"""Import: what is stored, what is passed over, what is refused and how it is said."""

import json
import socket

import pytest
from django.core.management import CommandError, call_command

from accounts.models import AuditEntry
from annotation.importing import ImportRefusedError, annotations, import_study
from annotation.importing.problems import MOST_PROBLEMS
from annotation.models import (
    Annotation,
    Guideline,
    Item,
    Membership,
    Output,
    Question,
    Rater,
    Rating,
    Slot,
    Study,
    Task,
)

STUDY = """
slug: ferries
title: Ferries
protocol: rating
redundancy: 2
guidelines: Read everything.
questions:
  - {key: follows, type: binary, text: Does it follow?}
  - {key: how_well, type: likert, min: 1, max: 5, text: How well?, when: {question: follows, equals: true}}
  - {key: comment, type: text, text: Why?, required: false}
"""
ITEM = {
    "id": "harbour",
    "document": "The ferry sails at nine.",
    "instruction": "When does it sail?",
    "outputs": [{"id": "north", "text": "At nine."}, {"id": "south", "text": "At ten."}],
}
RATING = {"item": "harbour", "output": "north", "rater": "ann", "question": "how_well", "value": 4}
ANNOTATION = {
    "item": "harbour",
    "outputs": ["north"],
    "rater": "ann",
    "revision": 1,
    "status": "submitted",
    "answers": {"follows": True, "how_well": 4},
    "submitted_at": "2026-03-01T12:00:00.000001Z",
}

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path):
    """A function that writes a study folder: tables as lists of objects, or as bytes; and returns it."""

    def write(study=STUDY, **tables):
        (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
        tables.setdefault("items", [ITEM])
        for name, lines in tables.items():
            given = lines if isinstance(lines, bytes) else b"".join(json.dumps(line).encode() + b"\n" for line in lines)
            (tmp_path / f"{name}.jsonl").write_bytes(given)
        return tmp_path

    return write


def problems_of(folder):
    """What an import is refused for; nothing of it may stay."""
    with pytest.raises(ImportRefusedError) as refused:
        import_study(folder)
    return [(problem.line, problem.field, problem.reason) for problem in refused.value.problems]


def only_problem(folder):
    [problem] = problems_of(folder)
    assert Study.objects.count() == Item.objects.count() == Rating.objects.count() == AuditEntry.objects.count() == 0
    return problem


def test_a_study_is_made_as_a_draft_with_everything_it_has(folder, owner):
    done = import_study(
        folder(ratings=[RATING], scores=[{**RATING, "rater": "judge", "rater_kind": "model"}]), owner=owner
    )
    study = Study.objects.get()
    assert done.made
    assert done.added == {"items": 1, "outputs": 2, "ratings": 1, "scores": 1, "raters": 2}
    assert (study.slug, study.status, study.redundancy, study.language) == ("ferries", "draft", 2, "en")
    assert list(study.questions.order_by("position").values_list("key", flat=True)) == [
        "follows",
        "how_well",
        "comment",
    ]
    assert Guideline.objects.get().text == "Read everything."
    assert Membership.objects.get().role == "owner"
    assert list(Output.objects.order_by("position").values_list("key", "text")) == [
        ("north", "At nine."),
        ("south", "At ten."),
    ]
    rating = Rating.objects.get(rater__kind="human")
    assert (rating.value, rating.number, rating.level, rating.annotation) == (4, 4.0, "interval", None)
    assert not Slot.objects.exists()


def test_the_import_is_audited_once_with_counts_and_digests(folder):
    import_study(folder(ratings=[RATING]))
    entry = AuditEntry.objects.get(action="study imported")
    assert entry.new["added"]["ratings"] == 1
    assert set(entry.new["sha256"]) == {"items", "ratings"}


def test_importing_the_same_folder_again_changes_nothing(folder):
    repeat = {**RATING, "submitted_at": "2026-01-01T00:00:00Z"}
    given = folder(
        ratings=[RATING, RATING, repeat, repeat], annotations=[ANNOTATION, {**ANNOTATION, "revision": 2}], scores=[]
    )
    import_study(given)
    counts = [model.objects.count() for model in (Item, Output, Rater, Rating, Annotation, Task, Guideline, Question)]
    again = import_study(given)
    assert not any(again.added.values())
    assert counts == [
        model.objects.count() for model in (Item, Output, Rater, Rating, Annotation, Task, Guideline, Question)
    ]


def test_live_makes_tasks_and_slots_and_what_is_added_later_gets_its_own(folder, capsys):
    call_command("import_study", str(folder()), "--live")
    assert Study.objects.get().status == "live"
    assert Slot.objects.count() == 4
    more = {**ITEM, "outputs": [*ITEM["outputs"], {"id": "west", "text": "Never."}]}
    call_command("import_study", str(folder(items=[more, {**ITEM, "id": "quay"}])))
    assert Slot.objects.count() == 2 * 5
    assert list(Output.objects.filter(item__key="harbour").order_by("position").values_list("key", flat=True)) == [
        "north",
        "south",
        "west",
    ]


def test_an_unknown_owner_is_refused_before_anything_is_stored(folder):
    with pytest.raises(CommandError, match="no user called 'nobody'"):
        call_command("import_study", str(folder()), "--owner", "nobody")
    assert not Study.objects.exists()


def test_a_member_with_another_role_does_not_become_an_owner(folder, rater):
    import_study(folder())
    Membership.objects.create(study=Study.objects.get(), person=rater, role="annotator")
    with pytest.raises(ImportRefusedError, match="is annotator of"):
        import_study(folder(), owner=rater)
    assert Membership.objects.get().role == "annotator"


def test_check_18_one_bad_row_in_ten_thousand_stores_nothing_and_the_mended_file_imports_once(folder):
    items = [{**ITEM, "id": f"item-{number}"} for number in range(10_000)]
    items[7000] = {**items[7000], "document": 5}
    assert only_problem(folder(items=items)) == (7001, "document", "must be text")
    items[7000] = {**items[7000], "document": "five"}
    assert import_study(folder(items=items)).added["items"] == 10_000
    assert Item.objects.count() == 10_000


def test_check_18_a_crash_in_the_middle_stores_nothing(folder, monkeypatch):
    from annotation.importing import ratings

    def crash(*args):
        raise RuntimeError("power cut")

    monkeypatch.setattr(ratings, "insert_rows", crash)
    with pytest.raises(RuntimeError, match="power cut"):
        import_study(folder(ratings=[RATING]))
    assert Study.objects.count() == Item.objects.count() == Rater.objects.count() == 0


def test_check_18_the_first_hundred_problems_are_reported(folder):
    given = folder(ratings=[{**RATING, "value": 9}] * 150)
    found = problems_of(given)
    assert len(found) == MOST_PROBLEMS
    assert found[0] == (1, "value", "must be a whole number from 1 to 5")
    with pytest.raises(
        CommandError, match=r"Nothing was imported: the first 100 problems\.\n  ratings.jsonl, line 1: value"
    ):
        call_command("import_study", str(given))


def test_check_19_same_id_twice_is_refused_with_both_lines(folder):
    line, field, reason = only_problem(folder(items=[ITEM, {**ITEM, "id": "quay"}, ITEM]))
    assert (line, field, reason) == (3, "id", '"harbour" stands in line 1 already')


def test_check_19_other_content_under_a_known_id_is_refused_and_the_old_stays(folder):
    import_study(folder())
    for change in ({"document": "It sails at ten."}, {"metadata": {"a": 1}}, {"category": "x"}):
        [(line, _, reason)] = problems_of(folder(items=[{**ITEM, **change}]))
        assert line == 1
        assert "with other content" in reason
    [(_, field, reason)] = problems_of(folder(items=[{**ITEM, "outputs": [{"id": "north", "text": "At nine!"}]}]))
    assert field == "outputs"
    assert "with other content" in reason
    assert Item.objects.get().document == ITEM["document"]


def test_check_19_an_answer_that_is_there_with_another_value_is_refused(folder):
    import_study(folder(ratings=[RATING]))
    [(line, field, reason)] = problems_of(folder(ratings=[{**RATING, "value": 5}]))
    assert (line, field) == (1, "value")
    assert "needs its own submitted_at" in reason
    import_study(folder(ratings=[RATING, {**RATING, "value": 5, "submitted_at": "2026-01-01T00:00:00Z"}]))
    assert sorted(Rating.objects.values_list("number", flat=True)) == [4.0, 5.0]


def test_a_rater_may_judge_a_unit_more_than_once(folder):
    import_study(folder(ratings=[RATING, RATING, {**RATING, "value": 2}]))
    assert list(Rating.objects.order_by("ordinal").values_list("ordinal", "number")) == [(0, 4.0), (1, 4.0), (2, 2.0)]


BACKSLASH = b"\\"
POISONED = {
    "NUL": BACKSLASH + b"u0000",
    "half a surrogate pair": BACKSLASH + b"ud83d",
}


@pytest.mark.parametrize("what", POISONED)
@pytest.mark.parametrize(
    ("table", "line", "field"),
    [
        ("items", b'{"id": "a", "document": "x%s", "outputs": [{"id": "n", "text": ""}]}', "document"),
        ("items", b'{"id": "a%s", "outputs": [{"id": "n", "text": ""}]}', "id"),
        ("items", b'{"id": "a", "metadata": {"k%s": 1}, "outputs": [{"id": "n", "text": ""}]}', "a key of metadata"),
        ("items", b'{"id": "a", "outputs": [{"id": "n", "text": "%s"}]}', "outputs.0.text"),
        ("ratings", b'{"item": "harbour", "output": "north", "rater": "%s", "question": "follows"}', "rater"),
        ("ratings", b'{"item": "harbour", "output": "north", "question": "comment", "value": "%s"}', "value"),
        ("annotations", b'{"item": "harbour", "outputs": ["north"], "rater": "a", "reason": "%s"}', "reason"),
    ],
)  # fmt: skip
def test_check_20_nul_and_lone_surrogates_are_refused_by_name_of_the_field(folder, what, table, line, field):
    found = only_problem(folder(**{table: line % POISONED[what]}))
    assert found[:2] == (1, field)
    assert ("NUL" if what == "NUL" else "surrogate") in found[2]


def test_check_20_a_study_file_with_nul_is_refused(folder):
    assert "NUL" in only_problem(folder(STUDY.replace("title: Ferries", 'title: "a\\0b"')))[2]


AWKWARD = (
    "\ufeff \u202eright to left\u202c zero\u200bwidth e\u0301 \U0001f469\u200d\U0001f52c \x85\x9f\uffff\r\n\ttail \n "
)


def test_check_21_and_23_awkward_text_is_stored_exactly_as_it_was_given(folder):
    item = {**ITEM, "document": AWKWARD, "outputs": [{"id": "north", "text": AWKWARD}]}
    import_study(folder(items=[item], ratings=[{**RATING, "question": "comment", "value": AWKWARD}]))
    assert Item.objects.get().document == AWKWARD
    assert Output.objects.get().text == AWKWARD
    assert Rating.objects.get().value == AWKWARD


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id": "a", "metadata": ' + b"[" * 5000 + b"]" * 5000 + b"}", "nested deeper"),
        (b'{"id": "a", "metadata": {"a": ' + b"[" * 40 + b"]" * 40 + b"}}", "nested deeper"),
        (b'{"id": "a", "metadata": {"n": ' + b"9" * 10_000 + b"}}", "too many digits"),
        (b'{"id": "a", "metadata": {"n": 1e400}}', "too large"),
        (b'{"id": "a", "metadata": {"n": NaN}}', "NaN is no number"),
        (b'{"id": "a", "metadata": {"n": -Infinity}}', "-Infinity is no number"),
        (b'{"id": "a", "metadata": {%s}}' % b", ".join(b'"k%d": 1' % n for n in range(1001)), "more than 1000 keys"),
        (b'{"id": "a", "document": "' + b"x" * 1_000_001 + b'"}', "is longer than 1000000 bytes"),
        (b'{"id": "a", "id": "b"}', 'the key "id" stands twice'),
        (b'{"id": "a", "metadata": {"x": 1, "x": 1}}', 'the key "x" stands twice'),
        (b'{"id": "a"', "is not JSON"),
        (b'["a"]', "is not a JSON object"),
        (b'{"id": "caf\xe9"}', "is not UTF-8 (byte 0xE9 at 12)"),
        (b'{"id": "a", "outptus": []}', "is no key of an item"),
        (b'{"id": "a"}', "must be a list of at least one output"),
        (b'{"id": "a", "outputs": []}', "must be a list of at least one output"),
        (b'{"id": "a", "outputs": [{"id": "n", "text": 5}]}', "must be text"),
        (b'{"id": "a", "outputs": [{"id": "n"}]}', "is missing"),
        (b'{"id": "a", "outputs": [{"id": "n", "text": ""}, {"id": "n", "text": ""}]}', "stands twice in this item"),
        (b'{"outputs": [{"id": "n", "text": ""}]}', "is missing"),
        (b'{"id": "' + b"x" * 201 + b'"}', "must have 1 to 200 characters"),
        (b'{"id": "a\\u001b[31m"}', "must not hold control characters"),
    ],
)
def test_checks_24_and_28_bad_lines_are_named_by_number_and_reason(folder, line, reason):
    good = json.dumps(ITEM).encode()
    found = only_problem(folder(items=good + b"\n\n" + line + b"\n"))
    assert found[0] == 3
    assert reason in found[2]


def test_check_25_ids_that_look_like_paths_stay_texts(folder, tmp_path):
    ids = ["../../etc/passwd", "/etc/passwd", "C:\\nul", "~root", "a/b"]
    import_study(folder(items=[{**ITEM, "id": name, "outputs": [{"id": name, "text": ""}]} for name in ids]))
    assert list(Item.objects.order_by("pk").values_list("key", flat=True)) == ids


def test_check_25_links_and_devices_are_not_read(folder, tmp_path):
    given = folder()
    secret = tmp_path.parent / "secret.jsonl"
    secret.write_text(json.dumps(ITEM))
    (given / "items.jsonl").unlink()
    (given / "items.jsonl").symlink_to(secret)
    assert only_problem(given) == (0, "", "is a link: put the file itself there")
    with pytest.raises(ImportRefusedError, match="is not an ordinary file"):
        import_study(given / "study.yaml", {"items": given.__class__("/dev/zero")})
    with pytest.raises(ImportRefusedError, match="cannot be read"):
        import_study(given / "study.yaml", {"items": given / "a\0b"})


def test_check_26_addresses_in_the_data_stay_text_and_nothing_is_fetched(folder, monkeypatch):
    def no_connection(*args):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", no_connection)
    address = "http://169.254.169.254/latest https://example.org/x.png file:///etc/passwd"
    # The database's own connection is open already.
    import_study(folder(items=[{**ITEM, "document": address, "metadata": {"url": address}}]))
    assert Item.objects.get().document == address


def test_check_28_a_byte_order_mark_and_crlf_are_read_and_utf_16_is_named(folder):
    lines = json.dumps(ITEM)
    assert only_problem(folder(items=lines.encode("utf-16")))[2].startswith("is not UTF-8 but looks like UTF-16")
    import_study(folder(items=b"\xef\xbb\xbf" + lines.encode() + b"\r\n"))
    assert Item.objects.get().key == "harbour"


@pytest.mark.parametrize("value", ["5", True, 4.5, 4.0, 0, 6, None, [4], "\uff15"])
def test_check_28_no_rating_is_coerced(folder, value):
    assert only_problem(folder(ratings=[{**RATING, "value": value}]))[:2] == (1, "value")


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"item": "quay"}, "item", "is no item of this study"),
        ({"output": "west"}, "output", "is no output of item"),
        ({"output": None}, "output", "is missing"),
        ({"output": ["north"]}, "output", "is no output of item"),
        ({"question": "colour"}, "question", "is no question here"),
        ({"rater": None}, "rater", "must be text"),
        ({"rater_kind": "robot"}, "rater_kind", "must be one of human, metric, model"),
        ({"answer": 4}, '"answer"', "is no key of a rating"),
        ({"submitted_at": "yesterday"}, "submitted_at", "must be a time"),
        ({"submitted_at": "2026-01-01T00:00:00"}, "submitted_at", "must say its offset"),
        ({"seconds": -1}, "seconds", "0 or more"),
        ({"seconds": True}, "seconds", "must be a number"),
        ({"guidelines_version": 7}, "guidelines_version", "is no version"),
        ({"replicate": 1.5}, "replicate", "must be a whole number"),
        ({"shown": ["west"]}, "shown", "is no output of item"),
        ({"metadata": 3}, "metadata", "must be an object"),
    ],
)
def test_a_rating_that_fits_nothing_is_refused(folder, change, field, reason):
    found = only_problem(folder(ratings=[{**RATING, **change}]))
    assert found[:2] == (1, field)
    assert reason in found[2]


def test_a_rater_has_one_kind(folder):
    found = only_problem(folder(ratings=[RATING, {**RATING, "rater_kind": "model"}]))
    assert found == (2, "rater_kind", '"ann" is a human rater, not "model"')


@pytest.mark.parametrize(
    ("value", "off_scale"), [(4.333333, False), (1e22, True), (-0.0, True), (0, True), (5.0, False)]
)
def test_a_models_number_is_kept_as_given_and_only_marked_where_off_the_scale(folder, value, off_scale):
    import_study(folder(scores=[{**RATING, "rater": "judge", "rater_kind": "model", "value": value}]))
    rating = Rating.objects.get()
    assert repr(rating.value) == repr(value)
    assert rating.off_scale is off_scale


def test_annotations_bring_their_ratings_and_only_the_latest_submitted_ones_are_current(folder):
    revisions = [
        ANNOTATION,
        {**ANNOTATION, "revision": 2, "answers": {"follows": True, "how_well": 5}},
        {**ANNOTATION, "rater": "bob"},
        {**ANNOTATION, "rater": "bob", "revision": 2, "status": "skipped", "answers": {}, "reason": "broken"},
    ]
    import_study(folder(annotations=revisions[:1]))
    import_study(folder(annotations=revisions))
    current = Rating.objects.filter(is_current=True).order_by("question__position")
    assert list(current.values_list("rater__name", "question__key", "number")) == [
        ("ann", "follows", 1.0),
        ("ann", "how_well", 5.0),
    ]
    assert Rating.objects.count() == 6
    assert list(Annotation.objects.order_by("rater__name", "revision").values_list("is_current", flat=True)) == [
        False, True, False, True,
    ]  # fmt: skip
    assert not Slot.objects.exists()


def test_ratings_that_annotations_gave_already_are_not_doubled(folder):
    at = ANNOTATION["submitted_at"]
    lines = [
        {**RATING, "submitted_at": at, "shown": ["north"]},
        {**RATING, "question": "follows", "value": True, "submitted_at": at, "shown": ["north"]},
        {**RATING, "output": "south"},
    ]
    import_study(folder(annotations=[ANNOTATION], ratings=lines))
    assert Rating.objects.count() == 3


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"answers": {"follows": True}}, "answers.how_well"),
        ({"answers": {"follows": False, "how_well": 4}}, "answers.how_well"),
        ({"answers": {"follows": "yes"}}, "answers.follows"),
        ({"answers": {"colour": 1, "follows": False}}, "answers.colour"),
        ({"status": "done"}, "status"),
        ({"revision": 0}, "revision"),
        ({"outputs": ["north", "south"], "status": "skipped"}, "outputs"),
        ({"outputs": ["west"]}, "outputs"),
        ({"shown": ["south"]}, "shown"),
        ({"client_key": "x"}, '"client_key"'),
        ({"revision": 3}, "revision"),
        ({"tool_use": {"step": "x"}}, "tool_use.step"),
        ({"tool_use": {"step": -1}}, "tool_use.step"),
        ({"tool_use": {"step": True}}, "tool_use.step"),
        ({"tool_use": {"step": None}}, "tool_use.step"),
        ({"protocol_version": 99}, "protocol_version"),
    ],
)
def test_an_annotation_that_the_form_would_not_take_is_refused(folder, change, field):
    assert only_problem(folder(annotations=[{**ANNOTATION, **change}]))[1] == field


def test_revisions_may_stand_in_any_order_but_none_may_be_missing(folder, monkeypatch):
    monkeypatch.setattr(annotations, "BATCH", 2)
    one, two, three, four = ({**ANNOTATION, "revision": number} for number in (1, 2, 3, 4))
    [(line, field, reason)] = problems_of(folder(annotations=[three, four, one, {**one, "rater": "bob"}]))
    assert (line, field) == (3, "revision")
    assert "there is no revision 2" in reason
    import_study(folder(annotations=[three, two, {**one, "rater": "bob"}, one]))
    import_study(folder(annotations=[four]))
    assert Annotation.objects.filter(rater__name="ann").count() == 4
    assert Annotation.objects.get(rater__name="ann", is_current=True).revision == 4


def test_a_revision_that_is_there_with_other_answers_is_refused(folder):
    import_study(folder(annotations=[ANNOTATION]))
    changed = {**ANNOTATION, "answers": {"follows": True, "how_well": 1}}
    [(line, field, reason)] = problems_of(folder(annotations=[changed]))
    assert (line, field) == (1, "revision")
    assert "says otherwise" in reason
