"""A small study whose document and outputs are conversations, in any protocol and text format."""

import json
from pathlib import Path
from typing import Any

ASKED = [
    {"role": "user", "text": "When does the ferry sail?"},
    {"role": "assistant", "text": "At nine, from **pier 4**."},
    {"role": "user", "text": "And back?\nI need to be home by six."},
]
REPLIED = [
    {"role": "assistant", "text": "Let me look.\n\n- It sails back at **five**."},
    {"role": "user", "text": "Thanks!"},
    {"role": "assistant", "text": "You are welcome."},
]
QUESTIONS: dict[str, list[dict[str, Any]]] = {
    "rating": [{"key": "helpful", "type": "binary", "text": "Is it helpful?"}],
    "pairwise": [{"key": "better", "type": "preference", "text": "Which is better?"}],
    "listwise": [
        {"key": "overall", "type": "rank", "text": "Overall", "ranks": 2},
        {"key": "errors", "type": "spans", "text": "Mark errors", "labels": ["wrong"], "required": False},
    ],
}


def write_study(
    folder: Path, slug: str = "talk", protocol: str = "rating", text_format: str | None = None, asked: Any = ASKED
) -> Path:
    """Write the study's files and return their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    study = {
        "slug": slug, "title": "Ferry talk", "protocol": protocol, "redundancy": 1, "questions": QUESTIONS[protocol],
        "options": {"text_format": text_format} if text_format else {},
    }  # fmt: skip
    (folder / "study.json").write_text(json.dumps(study))
    outputs = [{"id": "north", "text": REPLIED}, {"id": "south", "text": "At `5 pm`.\n\n1. Pier 4\n2. Bus 7"}]
    item = {"id": "i1", "document": asked, "instruction": "Answer the traveller.", "outputs": outputs}
    (folder / "items.jsonl").write_text(json.dumps(item) + "\n")
    return folder
