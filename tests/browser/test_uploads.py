"""A study gets its items from a file and goes live, by mouse alone, in a real browser."""

import json

import pytest
from playwright.sync_api import expect

from annotation.members.membership import add_member
from annotation.models import Item, Slot
from managing.models import ItemUpload
from managing.uploads import receiving
from tests.browser.accessibility import findings
from tests.browser.scripted_work import worker
from tests.fewer import first_cases

SIZES = [(1366, 768), (390, 844)]


@pytest.fixture
def study(make_study, owner, settings, tmp_path):
    settings.VAR = tmp_path
    study = make_study("study", items=0)
    add_member(study, owner, "owner", None)
    return study


@pytest.fixture
def page(new_desk, owner, study):
    desk = new_desk(owner)
    desk.page.goto(f"{desk.address}/studies/study/")
    return desk.page


def write(path, count, **changes):
    lines = [
        {"id": f"item-{number}", "document": "The ferry sails at nine. " * 20, "instruction": "When?",
         "outputs": [{"id": "north", "text": "At nine."}, {"id": "south", "text": "At ten."}]}
        for number in range(count)
    ]  # fmt: skip
    for number, change in changes.items():
        lines[int(number[1:])] |= change
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def choose(page, path):
    page.wait_for_load_state("load")  # the script is there, and sends the file in parts
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_role("button", name="Upload and check").click()


def test_a_file_is_uploaded_in_parts_checked_corrected_imported_and_goes_live(page, study, tmp_path, monkeypatch):
    monkeypatch.setattr(receiving, "PART", 20_000)
    page.get_by_role("link", name="Upload items").click()
    with worker():
        choose(page, write(tmp_path / "items.jsonl", 150, n3={"outputs": []}, n7={"docment": "x"}))
        expect(page.get_by_text("2 problems.")).to_be_visible()
        expect(page.get_by_role("row", name="4 outputs must be a list")).to_be_visible()
        expect(page.get_by_role("row", name='8 "docment" unknown key; did you mean')).to_be_visible()
        page.get_by_role("link", name="Upload another file").click()
        choose(page, write(tmp_path / "items.jsonl", 150))
        expect(page.get_by_text("It would add 150 items, 300 outputs.")).to_be_visible()
        page.get_by_role("button", name="Import").click()
        expect(page.get_by_text("Imported: 150 items, 300 outputs.")).to_be_visible()
        page.get_by_role("link", name="Go to the overview").click()
        expect(page.get_by_text("There are no annotators")).to_be_visible()
        page.get_by_role("button", name="Go live").click()
        expect(page.get_by_text("The study is live: annotators can start.")).to_be_visible()
    study.refresh_from_db()
    assert study.is_live
    assert Slot.objects.filter(study=study).count() == 300 * study.redundancy
    assert ItemUpload.objects.get(steps__kind="import").size > 4 * receiving.PART


def test_an_upload_continues_after_an_interruption(page, study, tmp_path, monkeypatch):
    monkeypatch.setattr(receiving, "PART", 20_000)
    failed = []

    def once(route):
        if len(failed) < 2 and "offset=20000" in route.request.url:
            failed.append(route)
            route.abort()
        else:
            route.continue_()

    page.route("**/part/**", once)
    page.get_by_role("link", name="Upload items").click()
    choose(page, write(tmp_path / "items.jsonl", 100))
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    assert len(failed) == 2
    assert receiving.place_of(ItemUpload.objects.get()).read_bytes() == (tmp_path / "items.jsonl").read_bytes()


@pytest.mark.thorough
def test_an_upload_continues_in_another_page_with_the_same_file_alone(page, study, tmp_path, monkeypatch, axe):
    monkeypatch.setattr(receiving, "PART", 20_000)
    stopped, sent = [], []

    def stop_at_the_third(route):
        sent.append(route.request.url.partition("offset=")[2])
        if sent[-1] == "40000" and not stopped:
            stopped.append(route)
        else:
            route.continue_()

    page.route("**/part/**", stop_at_the_third)
    page.goto(f"{page.url}upload/")
    path = write(tmp_path / "items.jsonl", 100)
    body = path.read_text(encoding="utf-8")
    choose(page, path)
    expect(page.get_by_text("of 0.1 MB uploaded")).to_be_visible()
    until(page, lambda: bool(stopped))
    page.reload()
    expect(page.get_by_text("Unfinished upload")).to_be_visible()
    assert findings(page, axe) == []
    said = page.locator("#upload-same")
    for name, text, reason in (
        ("items.jsonl", body.replace("ferry", "train", 1), "other content"),
        ("items.jsonl", body + "\n", "another size"), ("more.jsonl", body, "another name"),
    ):  # fmt: skip
        other = tmp_path / reason / name
        other.parent.mkdir()
        other.write_text(text, encoding="utf-8")
        page.get_by_label("File", exact=True).set_input_files(other)
        expect(said).to_contain_text(reason)
        expect(said).to_contain_text("uploaded from the start")
    page.get_by_label("File", exact=True).set_input_files(path)
    expect(said).to_contain_text("The same file: the upload continues at")
    sent.clear()
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    assert sent[0] == "40000"
    assert receiving.place_of(ItemUpload.objects.get()).read_bytes() == path.read_bytes()


def until(page, is_so):
    for _ in range(600):
        if is_so():
            return
        page.wait_for_timeout(50)
    raise AssertionError("the part was not sent")


@pytest.mark.thorough
def test_why_a_file_is_refused_is_said_beside_it(page, study, tmp_path):
    page.get_by_role("link", name="Upload items").click()
    (tmp_path / "items.xlsx").write_bytes(b"PK")
    choose(page, tmp_path / "items.xlsx")
    expect(page.get_by_role("alert").filter(has_text="must be JSONL or CSV")).to_be_visible()
    expect(page.get_by_role("button", name="Upload and check")).to_be_enabled()


@pytest.mark.thorough
def test_an_item_is_added_and_changed_on_a_form(page, study):
    page.get_by_role("link", name="Add an item").click()
    page.get_by_label("Id").fill("ferry")
    page.get_by_label("Document", exact=False).first.fill("The ferry sails at nine.")
    first = page.get_by_role("group", name="Output 1")
    first.get_by_label("System").fill("north")
    first.get_by_label("Text").fill("At nine.")
    page.get_by_role("button", name="Add the item").click()
    expect(page.get_by_text("Item ferry was added.")).to_be_visible()
    assert Item.objects.get().outputs.get().text == "At nine."


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.thorough)])
def test_axe_finds_nothing_on_the_pages_of_uploads(new_desk, study, owner, tmp_path, axe, size, scheme):
    desk = new_desk(owner, viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page = desk.page
    page.goto(f"{desk.address}/studies/study/upload/")
    with worker():
        choose(page, write(tmp_path / "items.jsonl", 5, n3={"outputs": []}))
        expect(page.get_by_text("1 problem.")).to_be_visible()
        addresses = [page.url, *(f"{desk.address}/studies/study/{path}" for path in ("", "upload/", "items/new/"))]
        for address in addresses:
            page.goto(address)
            assert findings(page, axe) == [], address
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0], address


@pytest.mark.thorough
def test_enter_in_a_field_saves_the_item_and_does_not_add_rows(page, study):
    page.get_by_role("link", name="Add an item").click()
    first = page.get_by_role("group", name="Output 1")
    first.get_by_label("System").fill("north")
    page.get_by_label("Id").fill("ferry")
    page.get_by_label("Id").press("Enter")
    expect(page.get_by_text("Item ferry was added.")).to_be_visible()


def comparison(number):
    """A task of Label Studio, of which rater 7 chose the left text."""
    chosen = {"from_name": "pw", "to_name": "pw", "type": "pairwise", "value": {"selected": "left"}}
    data = {"prompt": "When does it sail?", "model_a": "The ferry sails at nine. " * 9, "model_b": "At ten."}
    return {
        "id": number,
        "data": data,
        "predictions": [],
        "annotations": [{"id": 1, "completed_by": 7, "result": [chosen]}],
    }


CONFIG = (
    '<View><Text name="a" value="$model_b"/><Text name="b" value="$model_a"/><Pairwise name="pw" toName="a,b"/></View>'
)


@pytest.mark.parametrize("size", first_cases([pytest.param(size) for size in SIZES]))
def test_sides_that_a_tools_file_leaves_open_are_decided_and_shown(
    new_desk, study, owner, tmp_path, axe, size, monkeypatch
):
    monkeypatch.setattr(receiving, "PART", 500)
    desk = new_desk(owner, viewport={"width": size[0], "height": size[1]})
    page = desk.page
    export, config = tmp_path / "export.json", tmp_path / "config.xml"
    export.write_text(json.dumps([comparison(1), comparison(2)]))
    config.write_text(CONFIG)
    with worker():
        _upload_of_tool(desk, [export])
        expect(page.get_by_role("group", name="Which text was where in pw?")).to_be_visible()
        _is_accessible(page, axe, size)
        page.get_by_label("Shown left in pw").select_option("model_a")
        page.get_by_label("Shown right in pw").select_option("model_b")
        page.get_by_role("button", name="Check again").click()
        expect(page.get_by_role("heading", name="Left: model_a chosen")).to_be_visible()
        _is_accessible(page, axe, size)
        page.get_by_role("button", name="Decide again").click()
        expect(page.get_by_role("group", name="Which text was where in pw?")).to_be_visible()
        _upload_of_tool(desk, [export, config])
        expect(page.get_by_role("heading", name="Left: model_b chosen")).to_be_visible()
    assert ItemUpload.objects.latest("pk").name == "export.json and 1 more"


def _upload_of_tool(desk, files):
    desk.page.goto(f"{desk.address}/studies/study/upload/")
    desk.page.get_by_label("What is in the file").select_option("study")
    choose(desk.page, files)


def _is_accessible(page, axe, size):
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.thorough
def test_a_folder_of_a_tool_is_uploaded_with_the_names_of_its_folders(page, study, tmp_path):
    for name in ("ann", "bob"):
        place = tmp_path / "out" / name
        place.mkdir(parents=True)
        line = {"id": "i1", "displayed_text": "It rains.", "label_annotations": {"tone": {"plain": True}}}
        (place / "annotated_instances.jsonl").write_text(json.dumps(line))
        (place / "picture.png").write_bytes(b"x")
    page.get_by_role("link", name="Upload items").click()
    with worker():
        page.get_by_label("What is in the file").select_option("study")
        page.get_by_label("Or a folder of another tool").set_input_files(tmp_path / "out")
        page.get_by_role("button", name="Upload and check").click()
        expect(page.get_by_text("1 items, 2 ratings and 0 scores of machines.")).to_be_visible()
        page.get_by_role("button", name="Import").click()
        expect(page.get_by_text("Imported: 1 items")).to_be_visible()
    assert sorted(study.raters.values_list("name", flat=True)) == ["ann", "bob"]
