"""A study of pairs on disk, imported and live, and a task of it."""

import json

import pytest

from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Study
from annotation.protocols import protocols
from annotation.studies.planning import plan_chunk
from files.reading import ImportRefusedError, import_study

PROTOCOL = protocols()["pairwise"]
SYSTEMS = ["system-north", "system-south", "system-west"]
GUIDELINES = (
    "# All\n\nRead.\n\n## Checklist\n\n- Is it *right*?\n\n"
    "## Example 1\n\nA wins.\n\n## Example 2\n\nB wins.\n\n## End\n\nx"
)
STUDY = {
    "slug": "pairs",
    "title": "Pairs",
    "protocol": "pairwise",
    "redundancy": 2,
    "guidelines": GUIDELINES,
    "questions": [
        {"key": "better", "type": "preference", "text": "Which is better?"},
        {"key": "why", "type": "text", "text": "Why?", "required": False},
        {"key": "length", "type": "category", "choices": ["alike", "not"], "text": "Length?", "required": False},
        {"key": "fluent", "type": "likert", "min": 1, "max": 3, "per": "output", "text": "Fluent?", "required": False},
    ],
}


def item(name, systems=SYSTEMS, **more):
    outputs = [{"id": system, "text": f"{name} by number {place}"} for place, system in enumerate(systems)]
    references = [{"id": "CANARY-ID", "text": "CANARY-TEXT", "writer": "human"}]
    return {"id": name, "document": "", "instruction": "Do it.", "outputs": outputs, "references": references, **more}


@pytest.fixture
def folder(tmp_path):
    """A function that writes a study's folder."""

    def write(items=None, *, name="in", ratings=None, annotations=None, **study):
        made = tmp_path / name
        made.mkdir()
        (made / "study.json").write_text(json.dumps(STUDY | study))
        files = {"items": items or [item("one"), item("two")], "ratings": ratings, "annotations": annotations}
        for file, lines in files.items():
            if lines is not None:
                (made / f"{file}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return made

    return write


def live(study, *people):
    for person in people:
        add_member(study, person, "annotator", None)
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    study.status = Study.Status.LIVE
    study.save()
    return study


@pytest.fixture
def study(folder, rater):
    return live(import_study(folder()).study, rater)


@pytest.fixture
def task(study, rater):
    return next_assignment(study, rater_for(study, rater))


def problems_of(path):
    with pytest.raises(ImportRefusedError) as refused:
        import_study(path)
    return [(problem.line, problem.field, problem.reason) for problem in refused.value.problems]


def _shown(assignment):
    keys = list(assignment.task.task_outputs.values_list("output__key", flat=True))
    return [keys[place] for place in assignment.order]
