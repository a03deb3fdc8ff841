"""The notes that a desk shows above its texts, of a dry run and of a break: each has a row of its own."""

from itertools import pairwise

import pytest

from annotation.dry_run_option import DRY_RUN
from annotation.models import Study
from parts.dry_runs.settings import mark_of
from tests.browser.conftest import saved
from tests.fewer import first_cases

PARTS = {
    ".desk-top": 0, ".dry-run-mark": 20, ".break-note": 20, ".desk-notices": 20, ".desk-main": 250, ".desk-actions": 40,
}  # fmt: skip
"""The desk's rows from top to bottom, and how many pixels high each is at least; between them nothing is shown."""
FULL = """() => {
    document.querySelector(".pane-output .reading").append("The ferry sails at nine. ".repeat(500));
    document.querySelector(".desk-notices").innerHTML = '<p class="notice">The study is paused.</p>';
}"""
"""A long text, and a notice, as of a study that is paused meanwhile."""
BREAK = """() => {
    sessionStorage.setItem("work-began", Date.now() - 3600000);
    sessionStorage.setItem("work-last", Date.now());
}"""
ROW = """(name) => {
    const node = document.querySelector(`.desk > ${name}:not([hidden])`);
    if (!node) return null;
    const { top, bottom, left, width } = node.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, (top + bottom) / 2);
    return { top: Math.round(top), bottom: Math.round(bottom), open: node.contains(there) };
}"""


@pytest.mark.parametrize(("width", "height"), first_cases([(820, 1180), (1366, 768)]))
@pytest.mark.parametrize(("dry", "tired"), first_cases([(True, True), (True, False), (False, True)]))
def test_each_note_has_a_row_and_the_texts_give_way(new_desk, rater, task, study, width, height, dry, tired):
    options = {"pace": {"break_after_minutes": 30}} | ({DRY_RUN: mark_of("source")} if dry else {})
    Study.objects.filter(pk=study.pk).update(options=options)
    page = new_desk(rater, viewport={"width": width, "height": height}).open(task)
    saved(page)
    page.evaluate(FULL)
    if tired:
        page.evaluate(BREAK)
        page.keyboard.press("Shift")
    shown = [name for name in PARTS if {".dry-run-mark": dry, ".break-note": tired}.get(name, True)]
    found = {name: row for name in PARTS if (row := page.evaluate(ROW, name))}
    assert list(found) == shown
    rows = list(found.values())
    assert all(row["open"] for row in rows), found
    assert all(abs(above["bottom"] - below["top"]) <= 1 for above, below in pairwise(rows)), found
    assert {name: row for name, row in found.items() if row["bottom"] - row["top"] < PARTS[name]} == {}
    assert (rows[0]["top"], rows[-1]["bottom"]) == (0, height)
