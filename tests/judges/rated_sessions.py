"""A session study with imported sessions, shared by the tests of what judges say of turns."""

import json

from files.reading import import_study
from tests.sessions.conftest import PAPERS, STUDY

TURNS = (
    ("Make the ferry answer shorter.", "style", "good", "It did."),
    ("Add what a train ticket costs.", "information", "neutral", "Only half of it."),
    ("Remove the last sentence about winter.", "style", "bad", "It was not removed."),
)


def session_line(item, session, rater="ann"):
    """A session of three turns; the second answer was edited."""
    said = [f"{session} answer {number}." for number in range(4)]
    before = [said[0], said[1], f"{session} edited."]
    turns = [
        {"number": number, "instruction": f"{text} In {session}.", "kind": kind, "previous_answer": before[number - 1],
         "answer": said[number], "rating": rating, "comment": f"{comment} ({session})",
         "submitted_at": f"2026-01-02T03:0{number}:00Z", "seconds": 5.0}
        for number, (text, kind, rating, comment) in enumerate(TURNS, start=1)
    ]  # fmt: skip
    turns[1]["edited_answer"] = before[2]
    return {
        "id": session, "item": item, "rater": rater, "model": "scripted/one", "status": "max_turns",
        "started_at": "2026-01-02T03:00:00Z", "ended_at": "2026-01-02T03:10:00Z", "initial_answer": said[0],
        "turns": turns,
    }  # fmt: skip


def rated_sessions(folder, owner, items=8, raters=("ann", "ben")):
    """A study with one session for each item and rater."""
    folder.mkdir()
    (folder / "study.json").write_text(json.dumps(STUDY))
    keys = [f"q{number}" for number in range(items)]
    lines = {
        "items": [{"id": key, "question": f"When does {key} sail?", "documents": PAPERS} for key in keys],
        "sessions": [session_line(key, f"{rater}-{key}", rater) for key in keys for rater in raters],
    }
    for table, rows in lines.items():
        (folder / f"{table}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return import_study(folder, owner=owner).study
