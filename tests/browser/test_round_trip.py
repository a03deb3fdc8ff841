"""From files into a browser, from the browser into the database, out as files, in again and out: the same."""

import json
from pathlib import Path

from django.core.management import call_command
from playwright.sync_api import expect

from accounts.models import Person
from annotation.members.membership import add_member
from annotation.models import Study
from tests.browser.conftest import saved

ROOT = Path(__file__).parent.parent.parent
DEMO = ROOT / "demo" / "rating"
ITEMS = 2


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_clicked_is_what_is_exported_and_imports_again(new_desk, owner, rater, tmp_path):
    lines = (DEMO / "items.jsonl").read_text(encoding="utf-8").splitlines()[:ITEMS]
    (tmp_path / "items.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    call_command(
        "import_study", str(DEMO / "study.yaml"), items=tmp_path / "items.jsonl", owner=owner.username, live=True
    )
    study = Study.objects.get()
    add_member(study, rater, "annotator", owner)

    desk = new_desk(rater)
    page = desk.page
    page.goto(desk.address)
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="I have read the guidelines").click()
    page.wait_for_url("**/work/**", wait_until="load")
    clicked = []
    for number in range(3 * ITEMS):
        key = page.locator("#desk").get_attribute("data-assignment")
        if number == 1:
            page.keyboard.press("s")
            page.locator("#skip-reason").fill("I know who wrote it 🙂")
            page.get_by_role("button", name="Skip this task").click()
            clicked.append(("skipped", {}))
        else:
            if number == 2:
                page.keyboard.press("f")
                page.locator("#flag-reason").fill("cut off — at the end")
                page.get_by_role("button", name="Flag task").click()
                expect(page.locator("#flag-button")).to_contain_text("Flagged")
                clicked.append(("flagged", {}))
            page.keyboard.press("y" if number % 2 else "n")
            page.keyboard.press(str(1 + number % 5))
            page.keyboard.press("c")
            page.keyboard.type(f"  number {number} «ñ» \u200f")
            saved(page)
            page.keyboard.press("Control+Enter")
            answer = {
                "follows": bool(number % 2),
                "how_well": 1 + number % 5,
                "comment": f"  number {number} «ñ» \u200f",
            }
            clicked.append(("submitted", answer))
        expect(page.locator(f"#desk[data-assignment='{key}']")).to_have_count(0)

    first = tmp_path / "first"
    call_command("export_study", study.slug, out=first)
    exported = [json.loads(line) for line in (first / "annotations.jsonl").read_text(encoding="utf-8").splitlines()]
    told = [(line["status"], line["answers"] if line["status"] == "submitted" else {}) for line in exported]
    by_content = {"key": lambda pair: json.dumps(pair, sort_keys=True)}
    assert sorted(told, **by_content) == sorted(clicked, **by_content)
    assert [line.get("flag") for line in exported if line.get("flag")] == ["cut off — at the end"] * 2
    assert [line.get("reason") for line in exported if line.get("reason")] == ["I know who wrote it 🙂"]

    page.goto("about:blank")  # a page's last words would meet the next database
    call_command("flush", interactive=False, verbosity=0)
    assert not Person.objects.exists()
    call_command("import_study", str(first))
    again = tmp_path / "again"
    call_command("export_study", study.slug, out=again)
    assert files_of(again) == files_of(first)
