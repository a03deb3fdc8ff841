"""A small study for any judge: with questions it can answer, written examples of every size, and references."""

from annotation.members.membership import add_member
from annotation.models import Question, WrittenExample
from annotation.questions import question_types
from judges.form_choices import run_choices
from judges.protocol import CHOICE, EXTREMES, RANKING
from tests.judges.comparing_studies import comparing_study
from tests.judges.rated_sessions import rated_sessions

OWN_SHAPE = {CHOICE: "pairwise", RANKING: "listwise", EXTREMES: "listwise"}
OWN_QUESTIONS = {"llm_extremes": {"questions": [{"key": "ends", "type": "best_worst"}]}}
EXAMPLES = 4
"""The most examples that a protocol's defaults ask for, and one more."""


def fitting_study(folder, owner, protocol):
    """A study for a protocol, or (None) for a metric. Fails if none of the known ones has what it judges."""
    if protocol is not None and protocol.unit == "turn":
        study = rated_sessions(folder / "sessions", owner, items=3, raters=("ann",))
    else:
        more = OWN_QUESTIONS.get(protocol.key, {}) if protocol else {}
        study = comparing_study(folder, OWN_SHAPE.get(protocol.shape, "rating") if protocol else "rating", **more)
        add_member(study, owner, "researcher", None)
    _write_examples(study)
    choices = run_choices(study, protocol)
    labels_turns = protocol is not None and bool(protocol.label_kind)
    assert choices.questions or labels_turns, f"no study of these tests fits this judge: {choices.refused}"
    return study


def _write_examples(study):
    questions = [one for one in Question.objects.filter(study=study) if question_types()[one.type].level != "text"]
    place = 0
    for _ in range(EXAMPLES):
        for count in (1, 2, 3):
            outputs = [{"id": f"o{number}", "text": f"Example {place}, {number}."} for number in range(count)]
            WrittenExample.objects.create(
                study=study, position=place, document="Trams run at ten.", instruction="Say when.",
                outputs=outputs if count > 1 else outputs[0]["text"], digest=f"d{place}", rationale="It is brief.",
                values={one.key: _value(one, count) for one in questions},
            )  # fmt: skip
            place += 1


def _value(question, count):
    if count == 1:
        return 2 if question_types()[question.type].scale(question.spec) else True
    return "o0" if count == 2 else {"o0": 1, "o1": 2, "o2": 2}
