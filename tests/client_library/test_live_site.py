"""The client against a real site: the programs of its readme, run as written, and every list that it knows."""

import asyncio
import json
import os
import re
import subprocess
import time
import typing
import zipfile

import httpx
import pandas
import polars
import pytest
from interrater_client import (
    AsyncClient,
    Client,
    ConflictError,
    ImportRefusedError,
    NotAuthenticatedError,
    NotFoundError,
    shapes,
)

from tests.client_library.live_site import live_site, printed_by
from tests.house import ROOT

README = (ROOT / "client_library" / "README.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.timeout(900)
"""The module's first test starts a site and five programs."""
SHAPES = {
    "SingleItemEntry": shapes.Item, "SingleRaterEntry": shapes.Rater, "SingleAssignmentEntry": shapes.Assignment,
    "SingleWholeAnnotation": shapes.Annotation, "SingleRatingEntry": shapes.Rating,
    "SingleWholeSession": shapes.Session, "TurnEntry": shapes.Turn, "SingleRunEntry": shapes.Run,
    "SingleAdjudicationEntry": shapes.Adjudication, "KeptExport": shapes.Export, "StudyDetail": shapes.StudyDetail,
}  # fmt: skip


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with live_site(tmp_path_factory.mktemp("site")) as found:
        yield found


@pytest.fixture(scope="module")
def programs(site, tmp_path_factory):
    """What the readme's programs printed, in its order; the annotator works while the first one watches."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "study.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    (folder / "items.jsonl").write_text(blocks("json")[0], encoding="utf-8")
    first, second, annotating, awaiting = blocks("python")
    watching = site.start(first, folder)
    with Client(site.address, token=site.token) as client:
        ends = time.monotonic() + 60
        while not any(study["status"] == "live" for study in client.studies()):
            assert watching.poll() is None, watching.communicate()
            assert time.monotonic() < ends
            time.sleep(0.1)
    printed_by(site.start(annotating, folder, ANNOTATOR_TOKEN=site.annotator_token("headlines")))
    printed = [printed_by(watching), printed_by(site.start(second, folder)), printed_by(site.start(awaiting, folder))]
    return folder, printed


def test_a_study_from_nothing_to_a_data_frame_in_ten_lines(programs):
    _, (watched, _, _) = programs
    lines = [
        line for line in blocks("python")[0].splitlines() if line.strip() and not line.startswith(("import", "from"))
    ]
    assert len(lines) <= 10
    assert watched.splitlines()[0] == "0 of 2"
    assert "2 of 2" in watched
    assert re.search(r"north\s+True", watched)
    assert re.search(r"south\s+False", watched)


def test_lists_report_export_and_frames(programs):
    folder, (_, listed, _) = programs
    item, *ratings, units, archive, annotations = listed.splitlines()
    assert item == "ferry ['north', 'south']"
    assert sorted(ratings) == ["north True", "south False"]
    assert (units, archive, annotations) == ("1 item", "headlines.zip", "2")
    with zipfile.ZipFile(folder / "headlines.zip") as found:
        assert found.testzip() is None
        assert any(name.endswith("ratings.jsonl") for name in found.namelist())


def test_the_awaiting_program(programs):
    _, (_, _, awaited) = programs
    assert awaited == "headlines 2\n"


@pytest.mark.thorough
def test_the_document_s_programs_from_nothing_to_a_report(site, tmp_path):
    document = (ROOT / "docs" / "tasks" / "everything-by-program.md").read_text(encoding="utf-8")
    made, annotated, reported = re.findall(r"```python\n(.*?)```", document, re.DOTALL)
    assert printed_by(site.start(made, tmp_path)).startswith("The study is live")
    token = site.annotator_token("boats")
    assert printed_by(site.start(annotated, tmp_path, ANNOTATOR=token)) == "submitted\n" * 2
    assert printed_by(site.start(reported, tmp_path)).splitlines() == [
        "[True, True]", "closed", "['correct']", "[False]",
    ]  # fmt: skip
    with zipfile.ZipFile(tmp_path / "boats.zip") as found:
        assert any(name.endswith("adjudications.csv") for name in found.namelist())


@pytest.mark.thorough
def test_the_document_about_loading_reads_both_frames_and_one_table(site, filled, tmp_path):
    filled.add_ratings(RATED)
    document = (ROOT / "docs" / "tasks" / "load-the-data.md").read_text(encoding="utf-8")
    program = re.findall(r"```python\n(.*?)```", document, re.DOTALL)[-1].replace("SLUG", filled.slug)
    assert printed_by(site.start(f"{program}\nprint(len(ratings), len(typed))", tmp_path)) == "48 48\n"
    (command,) = re.findall(r"`(curl [^`]+)`", document)
    env = {**os.environ, "SITE": site.address, "TOKEN": site.token, "no_proxy": "*"}
    command = command.replace("SLUG", filled.slug)
    subprocess.run(["bash", "-c", f"{command} --fail --silent"], cwd=tmp_path, env=env, check=True, timeout=60)
    assert len((tmp_path / "ratings.jsonl").read_text().splitlines()) == 48


@pytest.fixture
def filled(site, request):
    """A draft of twelve items of its own, and the client."""
    slug = f"s{abs(hash(request.node.name)) % 10**8}"
    file = {"slug": slug, "title": "Ferries", "protocol": "rating", "redundancy": 1, "guidelines": "Read.",
            "questions": [{"key": "good", "type": "likert", "text": "Good?", "min": 1, "max": 5}]}  # fmt: skip
    items = [
        {
            "id": f"item-{number}",
            "document": "At nine.",
            "outputs": [{"id": "a", "text": "9"}, {"id": "b", "text": "x"}],
        }
        for number in range(12)
    ]
    with Client(site.address, token=site.token) as client:
        study = client.create_study(file)
        assert study.add_items(items)["added"] == {"items": 12, "outputs": 24, "raters": 0}
        assert study.add_items(items)["added"]["items"] == 0
        yield study


RATED = [
    {
        "item": f"item-{number}",
        "output": output,
        "rater": rater,
        "question": "good",
        "value": 1 + (number + len(rater)) % 5,
    }
    for number in range(12)
    for output in "ab"
    for rater in ("ann", "berta")
]


def test_pages_of_every_list_hold_each_entry_once(filled):
    assert [item["id"] for item in filled.items(limit=5)] == [f"item-{number}" for number in range(12)]
    assert filled.add_ratings(RATED)["added"] == {"ratings": 48, "raters": 2}
    found = list(filled.ratings(limit=7))
    assert len(found) == len({rating["number"] for rating in found}) == 48
    assert len(list(filled.ratings(rater="ann"))) == 24
    assert sorted(rater["name"] for rater in filled.raters()) == ["ann", "berta"]
    for listing in (filled.assignments, filled.annotations, filled.sessions, filled.runs, filled.adjudications):
        assert list(listing()) == []
    item = next(filled.items(id="item-3"))
    assert filled.item(item["number"])["id"] == "item-3"
    assert filled.steer_item(item["number"], "withdraw", "It is odd.")["withdrawn"]["reason"] == "It is odd."
    assert [one["id"] for one in filled.items(withdrawn=True)] == ["item-3"]


def test_the_awaited_client_reads_the_same(site, filled):
    filled.add_ratings(RATED)

    async def read():
        async with AsyncClient(site.address, token=site.token) as client:
            study = client.study(filled.slug)
            return [one async for one in study.ratings(limit=10)], await study.read(), await study.agreement()

    ratings, detail, agreement = asyncio.run(read())
    assert ratings == list(filled.ratings())
    assert detail == filled.read()
    assert agreement == filled.agreement()


def test_a_file_in_parts_is_checked_and_imported_by_workers(filled, tmp_path):
    path = tmp_path / "ratings.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in RATED), encoding="utf-8")
    assert filled.import_file("ratings", path)["state"] == "imported"
    assert len(list(filled.ratings())) == 48
    path.write_text('{"item": "nothing", "rater": "ann", "question": "good", "value": 1}\n', encoding="utf-8")
    refused = filled.import_file("ratings", path)
    assert refused["state"] == "refused"
    assert refused["findings"]["problems"]


@pytest.mark.parametrize("library", [pandas, polars])
def test_frames_hold_what_was_sent(filled, library):
    filled.add_ratings(RATED)
    frame = filled.dataframe("ratings", library.__name__)
    rows = frame.to_dict("records") if library is pandas else frame.to_dicts()
    assert isinstance(frame, library.DataFrame)
    kept = sorted((row["item"], row["output"], row["rater"], row["value"]) for row in rows)
    assert kept == sorted((row["item"], row["output"], row["rater"], row["value"]) for row in RATED)


@pytest.mark.parametrize("library", [pandas, pytest.param(polars, marks=pytest.mark.thorough)])
def test_parquet_gives_columns_of_one_type(filled, library):
    filled.add_ratings(RATED)
    frame = filled.dataframe("ratings", library.__name__, "parquet")
    assert sorted(frame["value_number"].to_list()) == sorted(float(row["value"]) for row in RATED)


@pytest.mark.parametrize("library", [pandas, polars])
def test_a_table_without_rows_is_an_empty_frame(filled, library):
    assert len(filled.dataframe("ratings", library.__name__)) == 0
    with pytest.raises(NotFoundError):
        filled.dataframe("rating")


def test_problems_of_the_real_server(site, filled):
    with pytest.raises(ImportRefusedError) as refused:
        filled.add_items([{"id": "item-x", "document": 3}])
    assert refused.value.problems[0]["line"] == 1
    with pytest.raises(ConflictError):
        filled.resume()
    with pytest.raises(NotFoundError):
        filled.client.study("nothing-here").read()
    with Client(site.address, token="wrong") as client, pytest.raises(NotAuthenticatedError):
        list(client.studies())


def test_a_lost_response_changes_nothing_twice(site, filled):
    """The response of the first try is lost on its way; the second try gets the same one."""
    lost = []

    class Losing(httpx.HTTPTransport):
        def handle_request(self, request):
            response = super().handle_request(request)
            if request.method == "POST" and not lost:
                response.read()
                lost.append(response.status_code)
                raise httpx.ReadError("lost")
            return response

    with Client(site.address, token=site.token, transport=Losing()) as client:
        assert client.study(filled.slug).go_live()["status"] == "live"
    assert lost in ([200], [202])


def test_drafts_are_changed_and_deleted(filled):
    assert filled.change(title="Boats")["title"] == "Boats"
    filled.delete()
    with pytest.raises(NotFoundError):
        filled.read()


def test_typed_entries_have_the_keys_of_the_server_s_schema(site):
    with Client(site.address, token=site.token) as client:
        schemas = client.http.get("/api/schema/").json()["components"]["schemas"]
    for name, shape in SHAPES.items():
        assert set(schemas[name]["properties"]) <= set(typing.get_type_hints(shape)), name
