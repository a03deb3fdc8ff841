"""Live studies of each protocol for load tools, imported from files as any study is."""

import json
import tempfile
from pathlib import Path
from typing import Any

from annotation.models import Study
from annotation.studies.lifecycle import make_live, prepare
from files.reading import import_study

QUESTIONS: dict[str, list[dict[str, Any]]] = {
    "rating": [
        {"key": "follows", "type": "binary"},
        {"key": "how_well", "type": "likert", "min": 1, "max": 5},
        {"key": "comment", "type": "text", "required": False},
    ],
    "listwise": [{"key": "overall", "type": "rank", "ranks": 3}, {"key": "comment", "type": "text", "required": False}],
    "pairwise": [{"key": "better", "type": "preference", "allow_tie": True}],
}
OUTPUTS = {"rating": 2, "listwise": 3, "pairwise": 2}
"""Outputs per item. A rating study makes a task of each output, the others make one task of each item."""
LONGEST_PLANNING = 600.0


def live_study(protocol: str, tasks: int, redundancy: int, words: int = 2, slug: str = "load") -> Study:
    """Import a study with so many tasks, whose documents have so many words, and make it live."""
    items = max(1, tasks // (2 if protocol == "rating" else 1))
    document = " ".join(f"word{number}" for number in range(words))
    told = {
        "slug": slug, "title": "Load", "protocol": protocol, "guidelines": "Rate.", "redundancy": redundancy,
        "questions": QUESTIONS[protocol], "options": {"pairs": "all"} if protocol == "pairwise" else {},
    }  # fmt: skip
    lines = [
        {
            "id": f"item-{number}", "document": document, "instruction": "Do.",
            "outputs": [{"id": f"system-{place}", "text": f"Done {place}."} for place in range(OUTPUTS[protocol])],
        } for number in range(items)
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.json").write_text(json.dumps(told), encoding="utf-8")
        (folder / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        study = import_study(folder, owner=None).study
    prepare(study, LONGEST_PLANNING)
    make_live(study, None)
    return study
