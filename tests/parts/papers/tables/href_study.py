"""A study against a baseline: three people judge one system, two judges all three, on four items of two categories."""

import json

from annotation.models import JudgeRun, Rater
from files.reading import import_study
from parts.papers.paper_table import tables_of
from reports.figures.study_answers import RaterComparison, StudyAnswers

BASE, GREEDY, SAMPLED, OTHER = "base", "a-greedy", "a-sampled", "b"
ITEMS = (("i1", "news", "public"), ("i2", "news", "public"), ("i3", "sport", "private"), ("i4", "sport", "private"))
PEOPLE = {"r": "++-=", "s": "++-=", "t": "+---"}
"""What each person says of a-greedy on the four items: better than the baseline, worse, or a tie."""
GOOD = {GREEDY: "++-=", SAMPLED: "+---", OTHER: "+++-"}
BAD = {GREEDY: "----", SAMPLED: "----", OTHER: "----"}
CONFIGURATION = {
    "protocol": "pair_guided", "model": "served/judge", "references": ["human"],
    "options": {"guidelines": "own", "examples": "none", "reference": "context"},
}  # fmt: skip


def made(folder, **more):
    """Import the study, whose study file says `more`, and return it."""
    texts = {BASE: "two words", GREEDY: "here are three", SAMPLED: "here are three", OTHER: "here are three"}
    items = [
        {"id": key, "document": "The ferry.", "instruction": "Say.", "category": category, "set": of,
         "outputs": [{"id": name, "text": text} for name, text in texts.items()]}
        for key, category, of in ITEMS
    ]  # fmt: skip
    ratings = [line for name, said in PEOPLE.items() for line in _lines(name, GREEDY, said)]
    for name, judged in (("good", GOOD), ("bad", BAD)):
        ratings += [line for system, said in judged.items() for line in _lines(name, system, said, rater_kind="model")]
    study = {
        "slug": "based", "title": "Based", "protocol": "pairwise", "redundancy": 3,
        "questions": [{"key": "better", "type": "preference", "text": "Which is better?", "allow_tie": True}],
        "systems": {BASE: {"baseline": True}, GREEDY: {"model": "m"}, SAMPLED: {"model": "m"}, OTHER: {"model": "n"}},
    }  # fmt: skip
    (folder / "study.json").write_text(json.dumps(study | more))
    for name, lines in (("items", items), ("ratings", ratings)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = import_study(folder).study
    rater = Rater.objects.get(study=found, name="good")
    JudgeRun.objects.create(rater=rater, name="first", configuration=CONFIGURATION, status="finished")
    return found


def _lines(rater, system, said, **more):
    chosen = {"+": system, "-": BASE, "=": "tie"}
    return [
        {"item": item, "outputs": [system, BASE], "rater": rater, "question": "better", "value": chosen[sign], **more}
        for (item, _, _), sign in zip(ITEMS, said, strict=True)
    ]


def tables(study, **compared):
    return tables_of(StudyAnswers(study, RaterComparison(**compared), 20))


def cells(table, name, part=None):
    """The cells of the row with a name, in a part if there are several."""
    (row,) = [row for row in table["rows"] if row["name"] == name and part in (None, row.get("part"))]
    return row["cells"]


def values(table, name, part=None):
    return {key: cell["value"] for key, cell in cells(table, name, part).items()}
