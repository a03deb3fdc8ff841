"""A study of each rating protocol with two items of three outputs, for judges that compare outputs."""

import json

from files.reading import import_study

SYSTEMS = ("north", "south", "west")
QUESTIONS = {
    "rating": [
        {"key": "follows", "type": "binary"},
        {"key": "how_well", "type": "likert", "min": 1, "max": 5},
        {"key": "tone", "type": "category", "choices": ["dry", "warm"]},
        {"key": "why", "type": "text", "required": False},
    ],
    "listwise": [
        {"key": "overall", "type": "rank", "ranks": 3},
        {"key": "tiers", "type": "rank", "ranks": 2},
        {"key": "strict", "type": "rank", "ranks": 3, "allow_ties": False},
        {"key": "errors", "type": "spans", "labels": ["time"]},
        {"key": "clear", "type": "binary", "per": "output", "required": False},
    ],
    "pairwise": [
        {"key": "better", "type": "preference"},
        {"key": "strict", "type": "preference", "allow_tie": False},
        {"key": "length", "type": "category", "choices": ["alike", "not"], "required": False},
        {"key": "fluent", "type": "likert", "min": 1, "max": 3, "per": "output", "required": False},
    ],
}


def item(key, systems=SYSTEMS, **more):
    outputs = [{"id": system, "text": f"{key}: it sails at {place}."} for place, system in enumerate(systems)]
    references = [{"id": "gold", "text": "At nine.", "writer": "human"}]
    return {"id": key, "document": "It sails at nine.", "instruction": "When?", "outputs": outputs,
            "references": references, **more}  # fmt: skip


def comparing_study(folder, protocol="rating", items=None, **more):
    """Import a study of a protocol from files that are written to `folder`."""
    folder = folder / protocol
    folder.mkdir()
    study = {"slug": f"study-{protocol}", "title": "A study", "protocol": protocol, "guidelines": "GUIDELINES.",
             "redundancy": 1, "questions": QUESTIONS[protocol], **more}  # fmt: skip
    (folder / "study.json").write_text(json.dumps(study))
    lines = items or [item("one"), item("two")]
    (folder / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return import_study(folder).study
