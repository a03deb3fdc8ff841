"""Small studies as files: one with choices between two outputs, one with rankings and marked spans."""

import json

TEXT = {"a": "two words", "b": "here are three", "c": "and four of them"}
ITEMS = [
    {"id": key, "document": "The ferry.", "instruction": "Say.", "category": category,
     "outputs": [{"id": system, "text": text} for system, text in TEXT.items()]}
    for key, category in (("one", "news"), ("two", "sport"), ("three", ["long", "news"]))
]  # fmt: skip

CHOICES = {
    "slug": "choosing",
    "tie": True,
    "ratings": [
        {"item": "one", "outputs": ["b", "a"], "rater": "r", "question": "better", "value": "b"},
        {"item": "one", "outputs": ["a", "b"], "rater": "s", "question": "better", "value": "tie"},
        {"item": "one", "outputs": ["a", "b"], "rater": "t", "question": "better", "value": "a", "shown": ["b", "a"]},
        {"item": "two", "outputs": ["a", "b"], "rater": "r", "question": "better", "value": "a"},
    ],
}


def _ranked(item, rater, question, value, **more):
    return {"item": item, "rater": rater, "question": question, "value": value, **more}


def _span(output, start, end, label):
    return {"output": output, "start": start, "end": end, "text": TEXT[output][start:end], "label": label}


RANKS = {
    "slug": "ranking",
    "ratings": [
        _ranked("one", "r", "overall", {"a": 1, "b": 2, "c": 4}, shown=["c", "b", "a"]),
        _ranked("one", "s", "overall", {"b": 1, "a": 2}),
        _ranked("three", "r", "overall", {"a": 1, "b": 2}, shown=["a", "b"]),
        _ranked("one", "r", "missing", {"a": 1, "b": 2, "c": 3}),
        _ranked("one", "s", "missing", {"a": 1, "b": 2, "c": 3}),
        _ranked("three", "r", "missing", {"a": 2, "b": 1}),
        _ranked("one", "r", "errors", {
            "spans": [_span("a", 0, 2, "x"), _span("a", 2, 5, "y"), _span("b", 0, 4, "x")], "none": ["c"],
        }),
        _ranked("one", "s", "errors", {"spans": [], "none": ["a", "c"]}),
        _ranked("one", "r", "why", "for these reasons"),
    ],
}  # fmt: skip


def made(folder, given):
    """Write a study's folder and return it."""
    folder.mkdir(exist_ok=True)
    pairwise = "tie" in given
    questions = (
        [{"key": "better", "type": "preference", "text": "Which is better?", "allow_tie": given["tie"]}]
        if pairwise
        else [
            {"key": "overall", "type": "rank", "text": "Overall?", "ranks": 5},
            {"key": "missing", "type": "rank", "text": "Missing?", "ranks": 5},
            {"key": "errors", "type": "spans", "text": "Errors?", "labels": ["x", "y"]},
            {"key": "why", "type": "text", "text": "Why?"},
        ]
    )
    study = {
        "slug": given["slug"], "title": "Compared", "protocol": "pairwise" if pairwise else "listwise",
        "redundancy": 2, "questions": questions,
    }  # fmt: skip
    (folder / "study.json").write_text(json.dumps(study))
    for name, lines in (("items.jsonl", ITEMS), ("ratings.jsonl", given["ratings"])):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder
