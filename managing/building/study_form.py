"""The body of a study file as the forms of the page that builds a study, and back, without loss.

What the page does not show (slug, protocol, systems, judges) stays as it is.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.protocols import Protocol, protocols
from annotation.questions import question_types
from annotation.spec_fields import SpecField
from files.reading.study_file import MOST_QUESTIONS, MOST_RATERS
from managing.building.conditions import condition_fields, condition_of, condition_texts
from managing.building.field_texts import named, texts_of, value_of
from managing.building.spec_forms import SpecForm

ABOUT, OPTION, QUESTION, COUNT = "about", "option", "questions", "questions-count"
ABOUT_FIELDS = (
    SpecField("title", "Title"),
    SpecField(
        "description", "Description", "What the study is about. Invited people read this before they join.",
        kind="prose",
    ),
    SpecField("contact", "Contact", "Annotators turn to this address with questions or problems.", kind="prose"),
    SpecField("license", "Licence", "Of the data that you publish, such as CC-BY-4.0. Exports state it."),
    SpecField("citation", "Citation", "How to cite the data: a reference or BibTeX. Exports state it.", kind="prose"),
    SpecField("language", "Language of the texts", "A tag such as en, pt-BR or ar.", default="en"),
    SpecField(
        "redundancy", "Raters per task", "How many different people answer each task.", kind="whole", required=True,
        least=1, most=MOST_RATERS,
    ),
    SpecField("guidelines", "Guidelines", "Markdown: what raters should know before they begin.", kind="prose"),
)  # fmt: skip


def question_fields(protocol: Protocol, kind: str) -> tuple[SpecField, ...]:
    """The fields of a question of this type, except its condition."""
    offered = [one for one in question_types().values() if protocol.asks(one)]
    own = question_types()[kind].spec_fields if kind in question_types() else ()
    return (
        SpecField("text", "Question", kind="prose"),
        *own,
        SpecField("help", "Help", "Shown in small print below the question.", kind="prose"),
        SpecField("required", "An answer is required", kind="truth", default=True),
        SpecField(
            "per", "Asked", kind="choice", default=protocol.asks_per,
            choices=(("task", "Once per task"), ("output", "Once per output")),
        ),
        SpecField("key", "Key", "Names the question in files and reports.", required=True),
        SpecField(
            "type", "Type", kind="choice", required=True, decides=True,
            choices=tuple((one.key, one.label or one.key) for one in offered),
        ),
    )  # fmt: skip


class QuestionPart:
    """A question on the page: its number from 0, its body, and its form."""

    def __init__(
        self, protocol: Protocol, before: Sequence[Mapping[str, Any]], body: Mapping[str, Any], refresh: str
    ) -> None:
        self.number, self.body = len(before), body
        start = named(QUESTION, str(self.number))
        self.start = start
        fields = question_fields(protocol, str(body.get("type")))
        texts = question_texts(protocol, body, self.number)
        when = body.get("when")
        asked = str(when.get("question") or "") if isinstance(when, dict) else ""
        if before or asked:
            more = SpecField("when", "Condition", kind="group", fields=condition_fields(before, asked))
            fields = (*fields, more)
        self.form = SpecForm(fields, texts, start, refresh)
        self.general: list[str] = []
        kind = question_types().get(str(body.get("type")))
        self.own_keys = [field.key for field in kind.spec_fields] if kind else []
        self.key = str(body.get("key") or "")
        self.name = str(body.get("text") or body.get("key") or "")
        self.label = (kind.label or kind.key) if kind else str(body.get("type"))


def question_texts(protocol: Protocol, body: Mapping[str, Any], number: int) -> dict[str, str]:
    """The texts of a question's fields."""
    start = named(QUESTION, str(number))
    texts = texts_of(question_fields(protocol, str(body.get("type"))), body, start)
    return texts | condition_texts(body.get("when"), named(start, "when"))


def texts_of_body(body: Mapping[str, Any]) -> dict[str, str]:
    """The texts of all fields of the page."""
    protocol, questions = protocols()[body["protocol"]], questions_in(body)
    texts = texts_of(ABOUT_FIELDS, body, ABOUT) | {COUNT: str(len(questions))}
    options = body.get("options")
    texts |= texts_of(protocol.all_option_fields, options if isinstance(options, dict) else {}, OPTION)
    for number, question in enumerate(questions):
        texts |= question_texts(protocol, question, number)
    return texts


def body_of_texts(texts: Mapping[str, str], kept: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a study file that the page's fields stand for; `kept` is the study's own before."""
    protocol = protocols()[kept["protocol"]]
    shown = {field.key for field in ABOUT_FIELDS} | {"questions", "options"}
    body = {key: value for key, value in kept.items() if key not in shown} | value_of(ABOUT_FIELDS, texts, ABOUT, kept)
    saved = {one["key"]: one for one in questions_in(kept)}
    if kept.get("guidelines") and "guidelines" not in body:
        body["guidelines"] = ""  # without the key, the newest version would stay
    questions: list[dict[str, Any]] = []
    for number in range(_count(texts)):
        questions.append(_question(protocol, texts, number, questions, saved))
    described, saved_options = protocol.all_option_fields, kept.get("options") or {}
    options = value_of(described, texts, OPTION, saved_options)
    options |= _without_field(saved_options, {field.key for field in described})
    if options or kept.get("options") == {}:
        body["options"] = options
    return body | {"questions": questions}


def _count(texts: Mapping[str, str]) -> int:
    text = texts.get(COUNT, "")
    return min(int(text), MOST_QUESTIONS) if text.isascii() and text.isdigit() and len(text) < 5 else 0


def _question(
    protocol: Protocol,
    texts: Mapping[str, str],
    number: int,
    before: Sequence[Mapping[str, Any]],
    saved: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    start = named(QUESTION, str(number))
    kind = texts.get(named(start, "type"), "")
    fields = question_fields(protocol, kind)
    kept = saved.get(texts.get(named(start, "key"), ""), {})
    body = value_of(fields, texts, start, kept)
    if kept.get("type") == kind:
        body |= _without_field(kept, {"when", *(field.key for field in fields)})
    # Keys that the page did not show, because the question had another type, begin as in a new question.
    body |= {field.key: field.begins for field in fields if field.begins and named(start, field.key) not in texts}
    when = condition_of(texts, named(start, "when"), before)
    return body if when is None else body | {"when": when}


def _without_field(kept: Mapping[str, Any], shown: Collection[str]) -> dict[str, Any]:
    """What a type or protocol that describes no fields for some of its keys has saved in them."""
    return {key: value for key, value in kept.items() if key not in shown}


def questions_in(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The questions of a body, each of them a mapping."""
    questions = body.get("questions")
    return [one for one in questions if isinstance(one, dict)] if isinstance(questions, list) else []
