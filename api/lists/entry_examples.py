"""Examples of entries for the API's schema: one study about a ferry's timetable."""

from typing import Any

AT = "2026-11-22T18:00:00Z"
ITEM = {
    "number": 7, "id": "ferry-1", "document": "The ferry leaves at ten.", "instruction": "When does it leave?",
    "outputs": [{"id": "north", "text": "At ten."}, {"id": "south", "text": "At noon."}],
}  # fmt: skip
ANNOTATION = {
    "number": 31, "item": "ferry-1", "outputs": ["north"], "rater": "rater-4f2a", "rater_kind": "human", "revision": 1,
    "current": True, "status": "submitted", "surplus": False, "answers": {"correct": "yes"}, "shown": ["north"],
    "guidelines_version": 1, "protocol_version": 1, "opened_at": AT, "submitted_at": AT, "seconds": 12.5,
}  # fmt: skip
TURN = {"number": 1, "instruction": "Make it shorter.", "kind": "style", "answer": "Ten.", "rating": "good",
        "comment": "Short enough.", "submitted_at": AT, "seconds": 40.0}  # fmt: skip
SESSION = {"number": 5, "id": "session-0a1b2c3d4e5f6071", "item": "ferry-1", "rater": "rater-4f2a",
           "model": "campus/small", "status": "satisfied", "started_at": AT, "ended_at": AT,
           "imported": False}  # fmt: skip
ENTRIES: dict[str, dict[str, Any]] = {
    "items": ITEM,
    "raters": {"number": 3, "name": "rater-4f2a", "kind": "human", "created_at": AT},
    "assignments": {"number": 12, "item": "ferry-1", "outputs": ["north"], "rater": "rater-4f2a", "given_at": AT,
                    "opened_at": AT, "has_draft": False, "place": "filled"},
    "annotations": ANNOTATION,
    "ratings": {"number": 80, "item": "ferry-1", "output": "north", "rater": "rater-4f2a", "rater_kind": "human",
                "question": "correct", "value": "yes", "shown": ["north"], "seconds": 12.5, "submitted_at": AT,
                "guidelines_version": 1, "revision": 1, "current": True},
    "sessions": SESSION,
    "turns": TURN,
    "runs": {"number": 2, "id": "run-1", "rater": "judge-small", "rater_kind": "model",
             "configuration": {"protocol": "llm_eval", "model": "campus/small"}, "status": "finished",
             "counts": {"judged": 40}, "started_at": AT, "ended_at": AT},
    "adjudications": {"entry": 9, "item": "ferry-1", "output": "north", "question": "correct", "number": 1,
                      "current": True, "value": "yes", "reason": "The document says so.", "reviewer": "reviewer-1c",
                      "at": AT},
}  # fmt: skip
SINGLE: dict[str, dict[str, Any]] = {
    "annotations": {**ANNOTATION, "revisions": [ANNOTATION]},
    "sessions": {**SESSION, "initial_answer": "It leaves at ten.", "turns": [TURN], "final_answer": "Ten."},
}
