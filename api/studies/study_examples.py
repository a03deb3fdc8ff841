"""Examples of studies for the API's schema."""

STUDY_FILE = {
    "slug": "ferries", "title": "When ferries leave", "protocol": "rating", "redundancy": 2,
    "guidelines": "Read the whole text.",
    "questions": [{"key": "correct", "type": "category", "text": "Is the answer correct?", "choices": ["yes", "no"]}],
}  # fmt: skip
SUMMARY = {
    "slug": "ferries", "title": "When ferries leave", "protocol": "rating", "status": "draft", "locked": False,
    "archived": False, "project": "Ferries", "items": 1,
}  # fmt: skip
DETAIL = {
    **SUMMARY, "study": {**STUDY_FILE, "language": "en"}, "prepared": False,
    "progress": {"total": 0, "filled": 0, "held": 0, "imported": 0, "imported_answers": 0},
    "files": ["items.jsonl", "items.csv", "study.yaml", "manifest.json", "README.md"],
}  # fmt: skip
ACCEPTED = {"slug": "ferries", "status": "live", "detail": "The study is live: annotators can start."}
IMPORTED = {"study": "ferries", "added": {"items": 1, "outputs": 2, "raters": 0}, "sha256": "9f" * 32, "prepared": True}
ITEM_LINE = (
    '{"id": "ferry-1", "document": "The ferry leaves at ten.", "instruction": "When does it leave?", '
    '"outputs": [{"id": "north", "text": "At ten."}, {"id": "south", "text": "At noon."}]}\n'
)
RATING_LINE = '{"item": "ferry-1", "output": "north", "rater": "ann", "question": "correct", "value": "yes"}\n'
SCORE_LINE = (
    '{"item": "ferry-1", "output": "north", "rater": "exact-match", "rater_kind": "metric", '
    '"question": "correct", "value": "no"}\n'
)
