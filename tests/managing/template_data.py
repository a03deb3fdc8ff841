"""Data for studies made from templates: public sets under the templates' questions, and small worked ones."""

import json

from files.reading import import_study
from managing.building.template_library import study_templates
from tests.reports.ranked_studies import SYSTEMS, choice, items, judged, ranking, run

NAMES = ("weak", "middle", "strong", "edited", "plain")
TEXTS = {
    "weak": "one two", "middle": "one two three", "strong": "one two three four", "edited": "one two three five",
    "plain": "one two six",
}  # fmt: skip
RANKS = {"one": (4, 3, 1, 2, 5), "two": (4, 3, 2, 1, 5), "three": (3, 4, 1, 2, 5), "four": (4, 2, 1, 3, 5)}
"""Of NAMES, by item: the s_i of the paper are 6 minus these."""
DIMENSIONS = ("overall", "missing", "irrelevant", "factual")


def from_template(key, folder, tables, **more):
    """Import a study made from a template, whose file also says `more`, with the lines of `tables`."""
    body = {**study_templates()[key].body, "slug": folder.name.replace("_", "-").lower()[:100].strip("-"), **more}
    (folder / "study.json").write_text(json.dumps(body), encoding="utf-8")
    for table, lines in tables.items():
        (folder / f"{table}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return import_study(folder).study


def public(folder, questions, *tables):
    """The items of a public data set, and the lines of `tables` about `questions`, under the names given there."""
    found = {"items": list(_lines(folder / "items.jsonl"))}
    for table in tables:
        lines = (line for line in _lines(folder / f"{table}.jsonl") if line["question"] in questions)
        found[table] = [line | {"question": questions[line["question"]]} for line in lines]
    return found


def expected(folder, question):
    """The published figures of a question."""
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))["questions"][question]


def _lines(path):
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def rankings():
    """The tables of a study as InstruSum's: five systems ranked by two people on all dimensions, with marked errors
    and verdicts; judges that score, compare and rank, each by a run.
    """
    given = items(*RANKS, texts=TEXTS)
    for item in given:
        item["source"] = "News"
    people = [
        ranking(key, rater, question, *ranks, names=NAMES)
        for key, ranks in RANKS.items() for rater in ("ann", "bob") for question in DIMENSIONS
    ]  # fmt: skip
    spans = {"output": "weak", "start": 0, "end": 3, "text": "one", "label": "contradicts"}
    marks = {"item": "one", "rater": "ann", "question": "errors", "value": {"spans": [spans], "none": [*NAMES[1:]]}}
    scores = []
    for rater in ("by score", "by score too", "another by score"):
        scores += [
            judged(key, rater, "overall", 6 - rank, output=name)
            for key, ranks in RANKS.items() for name, rank in zip(NAMES, ranks, strict=True)
        ]  # fmt: skip
    pairs = [(one, other) for place, one in enumerate(NAMES) for other in NAMES[place + 1 :]]
    for key, ranks in RANKS.items():
        rank = dict(zip(NAMES, ranks, strict=True))
        scores.append(judged(key, "by rank", "overall", rank))
        for one, other in pairs:
            better = one if rank[one] < rank[other] else other
            scores.append(choice(key, "by pair", "overall", one, other, better))
            scores.append(choice(key, "by pair", "overall", other, one, better))
    runs = [
        run("by score", "llm_score"), run("by score too", "llm_score", "lab/s"), run("by rank", "llm_rank"),
        run("another by score", "llm_eval"), run("by pair", "llm_compare"),
    ]  # fmt: skip
    verdict = {
        "review": "span", "item": "one", "rater": "ann", "question": "errors", "index": 0, "number": 1, "ordinal": 0,
        "verdict": "confirmed", "reason": "so", "reviewer": "eve", "at": "2026-03-01T12:00:00Z",
    }  # fmt: skip
    return {"items": given, "ratings": [*people, marks], "scores": scores, "runs": runs, "reviews": [verdict]}


DESCRIBED = {
    **SYSTEMS, "edited": {"model": "lab/m"}, "plain": {"family": "s", "model": "lab/s", "generic": True}
}  # fmt: skip
"""The systems of `rankings`: one without the instruction beside one of the same model, and two more of one model."""
