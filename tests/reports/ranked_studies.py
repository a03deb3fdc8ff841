"""A small study that ranks outputs in two dimensions, with marked spans, judges with runs, and described systems."""

import json

from files.reading import import_study

TEXTS = {
    "weak": "one two", "middle": "one two three", "strong": "one two three four", "edited": "one two three five",
}  # fmt: skip
ORDER = ("weak", "middle", "strong", "edited")
SYSTEMS = {
    "weak": {"family": "w", "model": "lab/w"}, "middle": {"family": "m", "model": "lab/m", "baseline": True},
    "strong": {"family": "s", "model": "lab/s"},
}  # fmt: skip


def output(name, text):
    return {"id": name, "text": text, **({"edited_from": "strong"} if name == "edited" else {})}


def items(*keys, texts=TEXTS):
    return [
        {"id": key, "document": f"About {key}.", "instruction": "Say.",
         "outputs": [output(name, text) for name, text in texts.items()]}
        for key in keys
    ]  # fmt: skip


def ranking(item, rater, question, *ranks, names=ORDER, **more):
    return {"item": item, "rater": rater, "question": question, "value": dict(zip(names, ranks, strict=True)), **more}


def judged(item, rater, question, value, **more):
    return {"item": item, "rater": rater, "rater_kind": "model", "question": question, "value": value, **more}


def run(rater, protocol, model="lab/m", **more):
    return {"id": "1", "rater": rater, "rater_kind": "model", "status": "finished",
            "configuration": {"protocol": protocol, "model": model, **more}}  # fmt: skip


def choice(item, rater, question, first, second, better, **more):
    return judged(item, rater, question, better, outputs=[first, second], shown=[first, second], **more)


def study(folder, given_items, ratings, scores=(), runs=(), reviews=(), **more):
    """Import a study whose questions are the ranks `overall` and `missing` and the spans `factual`."""
    folder.mkdir(exist_ok=True)
    described = {
        "slug": folder.name, "protocol": "listwise", "redundancy": 2, "systems": SYSTEMS,
        "questions": [
            {"key": "overall", "type": "rank", "ranks": 5}, {"key": "missing", "type": "rank", "ranks": 5},
            {"key": "factual", "type": "spans", "labels": ["wrong"]},
        ],
    }  # fmt: skip
    (folder / "study.json").write_text(json.dumps(described | more))
    tables = {"items": given_items, "ratings": ratings, "scores": scores, "runs": runs, "reviews": reviews}
    for name, lines in tables.items():
        if lines or name == "items":
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return import_study(folder).study
