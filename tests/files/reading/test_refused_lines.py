"""Invalid lines of items and their messages, and texts that are stored unchanged."""

import json
import socket

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Item, Output, Rating
from files.import_problems import MOST_PROBLEMS
from files.reading import ImportRefusedError, import_study
from tests.files.reading.conftest import ITEM, RATING, STUDY, only_problem, problems_of

pytestmark = pytest.mark.django_db


def test_the_first_hundred_problems_are_listed_and_all_are_counted(folder):
    given = folder(ratings=[{**RATING, "value": 9}] * 150)
    found = problems_of(given)
    assert len(found) == MOST_PROBLEMS
    assert found[0] == (1, "value", "must be a whole number from 1 to 5")
    with pytest.raises(CommandError) as refused:
        call_command("import_study", str(given))
    text = str(refused.value)
    assert text.startswith("Nothing was imported: 150 problems.\n  ratings.jsonl, line 1: value")
    assert text.endswith("\n  and 50 more")


def test_problems_are_listed_in_the_order_of_lines_whenever_they_are_found(folder):
    import_study(folder())
    lines = [{**ITEM, "document": "Other."}, {**ITEM, "id": "new"}, {**ITEM, "id": 3}, {**ITEM, "id": "new"}]
    assert [line for line, *_ in problems_of(folder(items=lines))] == [1, 3, 4]


def test_an_unknown_key_is_refused_with_the_known_one_that_it_resembles(folder):
    assert only_problem(folder(items=[{**ITEM, "docment": "x"}])) == (
        1, '"docment"', 'unknown key; did you mean "document"?'
    )  # fmt: skip
    assert only_problem(folder(items=[{**ITEM, "zzz": "x"}])) == (1, '"zzz"', "unknown key")
    [(_, field, reason)] = problems_of(folder(STUDY + "redundency: 2\n"))
    assert (field, reason) == ('"redundency"', 'unknown key; did you mean "redundancy"?')


def test_a_binary_file_has_one_problem(folder, tmp_path):
    given = folder()
    for content in (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\n\n\xff\n", b"SQLite format 3\0\x10\0\1\1\0\n\0\n\0"):
        (given / "items.jsonl").write_bytes(content)
        [(line, field, reason)] = problems_of(given)
        assert (line, field) == (0, "")
        assert reason.startswith("is not a text file")


def test_same_id_twice_is_refused_with_both_lines(folder):
    line, field, reason = only_problem(folder(items=[ITEM, {**ITEM, "id": "quay"}, ITEM]))
    assert (line, field, reason) == (3, "id", '"harbour" is already in line 1')


def test_other_content_under_a_known_id_is_refused(folder):
    import_study(folder())
    for change in ({"document": "It sails at ten."}, {"metadata": {"a": 1}}, {"category": "x"}):
        [(line, _, reason)] = problems_of(folder(items=[{**ITEM, **change}]))
        assert line == 1
        assert "with different content" in reason
    [(_, field, reason)] = problems_of(folder(items=[{**ITEM, "outputs": [{"id": "north", "text": "At nine!"}]}]))
    assert field == "outputs"
    assert "with different content" in reason
    assert Item.objects.get().document == ITEM["document"]


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
def test_nul_and_lone_surrogates_are_refused_by_name_of_the_field(folder, what, table, line, field):
    found = only_problem(folder(**{table: line % POISONED[what]}))
    assert found[:2] == (1, field)
    assert ("NUL" if what == "NUL" else "surrogate") in found[2]


def test_a_study_file_with_nul_is_refused(folder):
    assert "NUL" in only_problem(folder(STUDY.replace("title: Ferries", 'title: "a\\0b"')))[2]


AWKWARD = (
    "\ufeff \u202eright to left\u202c zero\u200bwidth e\u0301 \U0001f469\u200d\U0001f52c \x85\x9f\uffff\r\n\ttail \n "
)


def test_awkward_text_is_stored_exactly_as_it_was_given(folder):
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
        (b'{"id": "a", "metadata": {"n": NaN}}', "NaN is not a JSON number"),
        (b'{"id": "a", "metadata": {"n": -Infinity}}', "-Infinity is not a JSON number"),
        (b'{"id": "a", "metadata": {%s}}' % b", ".join(b'"k%d": 1' % n for n in range(1001)), "more than 1000 keys"),
        (b'{"id": "a", "document": "' + b"x" * 1_000_001 + b'"}', "is longer than 1000000 bytes"),
        (b'{"id": "a", "id": "b"}', 'the key "id" appears twice'),
        (b'{"id": "a", "metadata": {"x": 1, "x": 1}}', 'the key "x" appears twice'),
        (b'{"id": "a"', "is not JSON"),
        (b'["a"]', "is not a JSON object"),
        (b'{"id": "caf\xe9"}', "is not UTF-8 (byte 0xE9 at 12)"),
        (b'{"id": "a", "outptus": []}', "unknown key"),
        (b'{"id": "a"}', "must be a list of at least one output"),
        (b'{"id": "a", "outputs": []}', "must be a list of at least one output"),
        (b'{"id": "a", "outputs": [{"id": "n", "text": 5}]}', "must be text"),
        (b'{"id": "a", "outputs": [{"id": "n", "text": true}]}', "must be text"),
        (b'{"id": "a", "outputs": [{"id": "n", "text": false}]}', "must be text"),
        (b'{"id": "a", "outputs": [{"id": "n"}]}', "is missing"),
        (b'{"id": "a", "outputs": [{"id": "n", "text": ""}, {"id": "n", "text": ""}]}', "appears twice in this item"),
        (b'{"outputs": [{"id": "n", "text": ""}]}', "is missing"),
        (b'{"id": "' + b"x" * 201 + b'"}', "must have 1 to 200 characters"),
        (b'{"id": "a\\u001b[31m"}', "must not contain control characters"),
    ],
)
def test_bad_lines_are_named_by_number_and_reason(folder, line, reason):
    good = json.dumps(ITEM).encode()
    found = only_problem(folder(items=good + b"\n\n" + line + b"\n"))
    assert found[0] == 3
    assert reason in found[2]


def test_ids_that_look_like_paths_stay_text(folder, tmp_path):
    ids = ["../../etc/passwd", "/etc/passwd", "C:\\nul", "~root", "a/b"]
    import_study(folder(items=[{**ITEM, "id": name, "outputs": [{"id": name, "text": ""}]} for name in ids]))
    assert list(Item.objects.order_by("pk").values_list("key", flat=True)) == ids


def test_links_and_devices_are_not_read(folder, tmp_path):
    given = folder()
    secret = tmp_path.parent / "secret.jsonl"
    secret.write_text(json.dumps(ITEM))
    (given / "items.jsonl").unlink()
    (given / "items.jsonl").symlink_to(secret)
    assert only_problem(given) == (0, "", "is a link: replace it with the file itself")
    with pytest.raises(ImportRefusedError, match="is not an ordinary file"):
        import_study(given / "study.yaml", {"items": given.__class__("/dev/zero")})
    with pytest.raises(ImportRefusedError, match="cannot be read"):
        import_study(given / "study.yaml", {"items": given / "a\0b"})


def test_addresses_in_the_data_stay_text_and_nothing_is_fetched(folder, monkeypatch):
    def no_connection(*args):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", no_connection)
    address = "http://169.254.169.254/latest https://example.org/x.png file:///etc/passwd"
    # The database's own connection is open already.
    import_study(folder(items=[{**ITEM, "document": address, "metadata": {"url": address}}]))
    assert Item.objects.get().document == address


def test_a_byte_order_mark_and_crlf_are_read_and_utf_16_is_named(folder):
    lines = json.dumps(ITEM)
    assert only_problem(folder(items=lines.encode("utf-16")))[2].startswith("is not UTF-8 but looks like UTF-16")
    import_study(folder(items=b"\xef\xbb\xbf" + lines.encode() + b"\r\n"))
    assert Item.objects.get().key == "harbour"
