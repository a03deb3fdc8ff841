"""Whatever bytes, values and cells tables of items and ratings have, their rows are imported or refused."""

import csv
import io
import json

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from annotation.models import Item, Rating
from config.text_validation import check_json
from files.import_problems import FileProblems
from files.line_reading import SourceFile
from files.reading import ImportRefusedError, import_study
from files.reading.csv_tables import item_objects, typed_objects
from files.tables.typed_tables import ITEMS, RATINGS, SCORES
from tests.files.reading.conftest import ITEM, RATING, STUDY
from tests.files.reading.json_values import VALUES, places, replaced

BOUNDED = settings(max_examples=100, suppress_health_check=list(HealthCheck), database=None, derandomize=True)
PIECES = (
    *(b"{", b"}", b"[", b"]", b":", b",", b";", b"\t", b'"', b"'", b" ", b"\n", b"\r", b"\r\n", b"\0", b"\\"),
    *(b'"id"', b'"item"', b"id", b"item", b"output", b"text", b"outputs", b"rater", b"question", b"value", b'""'),
    *(b"\\u0000", b"\\ud83d", b"\\ud83d\\ude00", b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xf0\x9f\x98\x80"),
    *(b"NaN", b"Infinity", b"1e400", b"-0", b"9" * 5000, b"null", b"true", b"TRUE", b"[" * 50, b"=1+1", b"x" * 140_000),
)  # fmt: skip
BYTES = st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)
TEXTS = {
    "jsonl": json.dumps(ITEM).encode() + b"\n" + json.dumps({**ITEM, "id": "quay"}).encode() + b"\n",
    "items.csv": b'id,document,outputs\nharbour,It sails.,"[{""id"":""n"",""text"":""At nine.""}]"\nquay,,\n',
    "outputs.csv": b"item,document,output,text\nharbour,It sails.,north,At nine.\nharbour,,south,At ten.\n",
    "ratings.csv": b"item,output,rater,question,value\nharbour,north,ann,how_well,4\nharbour,north,ann,follows,TRUE\n",
}
FULL_ITEM = {
    **ITEM, "document": [{"role": "user", "text": "When?"}, {"role": "clerk", "text": "At nine."}],
    "source": "Harbour Post", "set": "private", "pool": "training", "feedback": "It is.", "category": ["sea", "time"],
    "gold": {"follows": {"north": True, "south": False}, "how_well": 5}, "metadata": {"a": [1]}, "priority": "first",
    "references": [{"id": "r", "text": "Nine.", "writer": "human"}],
    "places": [{"outputs": ["north"], "numbers": [0, 2], "third_raters": [2]}],
    "withdrawn": {"at": "2026-03-01T12:00:00Z", "reason": "Broken."},
    "outputs": [{"id": "north", "text": "At nine.", "edited_from": "south", "writer": "human", "metadata": {}},
                {"id": "south", "text": [{"role": "user", "text": "At ten."}]}],
}  # fmt: skip
FULL_RATING = {
    **RATING, "rater_kind": "human", "explanation": "So.", "shown": ["south", "north"], "seconds": 1.5,
    "submitted_at": "2026-03-01T12:00:00Z", "guidelines_version": 1, "run": "a", "replicate": 0,
    "distribution": {"4": 0.5}, "metadata": {"b": 1}, "third_rater": False,
}  # fmt: skip
SCORE = {
    **RATING, "rater": "judge", "rater_kind": "model", "value": 4.5, "missing": 0.1, "outcome": "majority",
    "prompt_digest": "d", "distribution": {"4": 0.5, "5": 0.5}, "run": "r", "replicate": 1,
}  # fmt: skip


def readers(path):
    """Each reader of lines, with a name."""
    yield "jsonl", lambda source: source.objects()
    yield "items.csv", lambda source: item_objects(source, ITEMS.with_columns(()))
    yield "ratings.csv", lambda source: typed_objects(source, RATINGS)
    yield "scores.csv", lambda source: typed_objects(source, SCORES.with_columns({"variant"}))


def read_all(path):
    """Read a file by each reader; return how many lines each has read and how many problems it has noted."""
    found = {}
    for name, reader in readers(path):
        problems = FileProblems(path.name)
        try:
            lines = list(reader(SourceFile(path, problems)))
        except ImportRefusedError as problem:
            found[name] = (0, len(problem.problems))
            continue
        assert [number for number, _ in lines] == sorted({number for number, _ in lines})
        for _, body in lines:
            assert check_json(body) == body
        found[name] = (len(lines), problems.count)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("kind", TEXTS)
def test_whatever_bytes_a_file_has_its_lines_can_be_stored_or_are_refused(kind, tmp_path):
    text, path, seen = TEXTS[kind], tmp_path / "fuzz", []

    @BOUNDED
    @given(st.integers(0, len(text)), st.integers(0, 40), BYTES)
    def check(start, size, new):
        path.write_bytes(text[:start] + new + text[start + size :])
        seen.append(read_all(path))

    check()
    assert any(lines for one in seen for lines, _ in one.values())
    assert any(problems for one in seen for _, problems in one.values())


@BOUNDED
@given(BYTES)
@example(b"id\rtext")
@example(b"id," + b"x" * 140_000)
def test_bytes_that_are_no_table_are_refused_or_have_no_lines(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "bytes"
    path.write_bytes(content)
    read_all(path)


def imported(folder):
    """Import a folder and undo that; return how many items and ratings it had, or the lines that are refused."""
    try:
        with transaction.atomic():
            import_study(folder)
            counts = Item.objects.count(), Rating.objects.count()
            transaction.set_rollback(True)
    except ImportRefusedError as refused:
        return [problem.line for problem in refused.problems]
    return counts


@pytest.mark.parametrize("changed", ["item", "rating", "score"])
@pytest.mark.django_db
def test_whatever_a_line_holds_is_imported_or_refused_by_its_line(changed, tmp_path):
    """A line of JSONL with any value in any place, before a line that is right."""
    full = {"item": FULL_ITEM, "rating": FULL_RATING, "score": SCORE}[changed]
    known = [path for path in places(full) if path]
    (tmp_path / "study.yaml").write_text(STUDY)
    seen = []

    @settings(BOUNDED, max_examples=40)
    @given(st.sampled_from(known), VALUES)
    def check(path, new):
        line = replaced(full, path, new)
        items = [line, {**ITEM, "id": "quay"}] if changed == "item" else [ITEM]
        ratings = [] if changed == "item" else [line, {**RATING, "output": "south"}]
        for name, lines in (("items", items), ("ratings", ratings)):
            (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
        seen.append(imported(tmp_path))

    check()
    assert {found for found in seen if isinstance(found, tuple)} == {(2, 0) if changed == "item" else (1, 2)}
    assert {line for found in seen if isinstance(found, list) for line in found} <= {0, 1, 2}
    assert [1] in seen


CELLS = st.text(max_size=8) | VALUES.map(json.dumps) | st.sampled_from(["", "TRUE", "false", "=1", "'=1", '"', "["])


@pytest.mark.thorough
@pytest.mark.parametrize("changed", ["items", "ratings"])
@pytest.mark.django_db
def test_whatever_a_cell_holds_is_imported_or_refused_by_its_line(changed, tmp_path):
    tables = {"items": [FULL_ITEM, {**ITEM, "id": "quay"}], "ratings": [FULL_RATING, {**SCORE, "output": "south"}]}
    if changed == "ratings":
        tables["items"] = [ITEM]
    else:
        del tables["ratings"]
    columns = {"items": ITEMS, "ratings": SCORES}
    (tmp_path / "study.yaml").write_text(STUDY)
    seen = []

    @settings(BOUNDED, max_examples=40)
    @given(st.data())
    def check(data):
        for name, lines in tables.items():
            rows = [{key: cell(value) for key, value in columns[name].row_of(line).items()} for line in lines]
            if name == changed:
                rows[0][data.draw(st.sampled_from(sorted(rows[0])))] = data.draw(CELLS)
            (tmp_path / f"{name}.csv").write_bytes(written(rows))
        seen.append(imported(tmp_path))

    check()
    assert any(isinstance(found, tuple) for found in seen)
    assert [2] in seen


def cell(value):
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def written(rows):
    """The rows as CSV, in UTF-8; halves of surrogate pairs as nobody's encoder writes them."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*dict.fromkeys(key for row in rows for key in row)])
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")
