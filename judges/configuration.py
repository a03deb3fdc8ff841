"""The configuration of a run: everything that decides what is asked and about which units.

One rater is one judge: protocol, model, prompts, options, examples and references. Which questions, units and reruns a
run covers is the run's own; a rater may have several runs.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from annotation.machine_shapes import LABEL, TEXT
from annotation.models import Guideline, Question, Rater, Study
from annotation.questions import question_types
from config.model_fields import canonical_json
from judges.example_pools import ExamplesMissingError, configured_examples, identity_of
from judges.options import JudgeOptionError, read_options
from judges.protocol import CaseQuestion, JudgeProtocol, abilities_of, judge_protocols
from llm.call_errors import CallError
from llm.capabilities import inability
from llm.endpoints import find_model
from llm.prompt_files import Prompt, PromptInvalidError, prompt_for

MOST_REPLICATES = 100
LONGEST_TEXT = 4000
NO_GUIDELINES = "This judge reads the annotators' guidelines, but the study has none."
REFERENCE_UNNAMED = "This judge reads references. Name whose: human, model, or the id of a reference."
REFERENCE_UNUSED = "This judge reads no references as configured. Leave them out, or choose how it uses them."
TEXT_QUESTION = "A question for a text has no answer that a judge could give."
SEVERAL_LABELS = "This judge gives one label, and answers to this question are lists of choices."
IDENTITY = (
    "protocol", "model", "model_asked", "scripted", "options", "prompts", "texts", "references", "examples",
    "guidelines_version", "parser",
)  # fmt: skip
"""What makes two judges different raters."""


class ConfigurationRefusedError(ValueError):
    """A run cannot be made; the message is a sentence, and `field` names what it is about, if one field is."""

    def __init__(self, reason: str, field: str = "") -> None:
        super().__init__(reason)
        self.reason, self.field = reason, field


@dataclass(frozen=True)
class RunConfiguration:
    """What a run asks. `texts` are {question key: text for the judge} in place of the study's own.

    `references` names the writers whose references the judge gets; `pairs` is `all` or `baseline`, with the key of the
    `baseline` system; `subset` limits the run to that many units, drawn by `seed`. `examples` is {source, count,
    digest}, for random ones with the `pool` from which those of each judgment are drawn.
    `abilities` are what the model could do when the run was made; `reread_of` names the run whose replies are read, and
    `asks_again` the one whose judgments without a valid reading are asked again.
    A `probe` judges each unit with and without an injected text; it names the digest of the set (`judges.injections`).
    """

    protocol: str
    model: str
    questions: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    examples: Mapping[str, Any] | None = None
    pairs: str = "all"
    baseline: str = ""
    subset: int | None = None
    seed: int = 0
    replicates: int = 1
    model_asked: str = ""
    scripted: bool = False
    abilities: Mapping[str, Any] = field(default_factory=dict)
    prompts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    guidelines_version: int | None = None
    parser: int = 1
    reread_of: str = ""
    asks_again: str = ""
    probe: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the configuration as it is stored and exported."""
        found = asdict(self)
        return {**found, "questions": list(self.questions), "references": list(self.references)}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "RunConfiguration":
        """Return the configuration that `as_json` stored. Keys of later versions are refused with a KeyError."""
        known = {one.name for one in fields(cls)}
        if unknown := sorted(set(stored) - known):
            raise KeyError(f"The configuration has {unknown[0]}, which this version does not know.")
        lists = {name: tuple(stored.get(name, ())) for name in ("questions", "references")}
        return cls(**{**stored, **lists})

    def identity(self) -> dict[str, Any]:
        """Return what makes the judge: two configurations with an equal identity belong to one rater."""
        found = self.as_json()
        return {name: found[name] for name in IDENTITY} | {"examples": identity_of(self.examples)}

    def names_reference(self, reference: Mapping[str, Any]) -> bool:
        """Return whether the judge gets a reference of an item: its writer is named, or its id."""
        return reference["writer"] in self.references or reference["id"] in self.references

    @property
    def judge_protocol(self) -> JudgeProtocol:
        return judge_protocols()[self.protocol]


def checked_configuration(study: Study, given: Mapping[str, Any]) -> RunConfiguration:
    """Return the configuration of a run with all defaults, checked against the study and the model.

    `given` has keys of `RunConfiguration`. Raises ConfigurationRefusedError.
    """
    protocol = judge_protocols().get(given["protocol"])
    if protocol is None:
        raise ConfigurationRefusedError(f"There is no protocol {given['protocol']!r}.", "protocol")
    try:
        options = read_options(protocol.options, given.get("options") or {})
    except JudgeOptionError as problem:
        raise ConfigurationRefusedError(str(problem), f"option-{problem.option}") from None
    try:
        endpoint, model = find_model(given["model"])
    except CallError as problem:
        raise ConfigurationRefusedError(problem.reason, "model") from None
    unable = inability(protocol.needs(options), endpoint, model)
    if unable:
        raise ConfigurationRefusedError(unable, "model")
    prompts = {name: _prompt(study, name, given["model"]) for name in protocol.prompt_names(options)}
    version = None
    if protocol.shows_guidelines(options):
        newest = Guideline.objects.filter(study=study).last()
        version = newest.number if newest and newest.text.strip() else None
        if version is None:
            raise ConfigurationRefusedError(NO_GUIDELINES, "protocol")
    configuration = RunConfiguration(
        **{name: value for name, value in given.items() if name not in ("options", "questions", "references")},
        options=options, questions=tuple(given.get("questions") or ()), references=tuple(given.get("references") or ()),
        model_asked=model.asked, scripted=endpoint.scripted, guidelines_version=version, parser=protocol.parser,
        abilities=asdict(abilities_of(model)),
        prompts={name: {"version": one.version, "digest": one.digest} for name, one in prompts.items()},
    )  # fmt: skip
    _check_numbers(configuration)
    _check_references(protocol, configuration)
    _check_questions(study, protocol, configuration)
    return _with_examples(study, configuration)


def _with_examples(study: Study, configuration: RunConfiguration) -> RunConfiguration:
    """Return the configuration with what it says of its examples, if the study has them."""
    protocol = configuration.judge_protocol
    choice = protocol.examples(configuration.options)
    asked = Question.objects.filter(study=study, key__in=configuration.questions).order_by("position")
    questions = [case_question(question, configuration) for question in asked]
    try:
        examples = configured_examples(study, protocol, choice, questions, configuration.seed)
    except ExamplesMissingError as problem:
        raise ConfigurationRefusedError(str(problem), "examples") from None
    return configuration if examples is None else replace(configuration, examples=examples)


def _prompt(study: Study, name: str, model: str) -> Prompt:
    try:
        return prompt_for(study, "judges", name, model)
    except PromptInvalidError as problem:
        raise ConfigurationRefusedError(str(problem), "protocol") from None


def _check_numbers(configuration: RunConfiguration) -> None:
    if not 1 <= configuration.replicates <= MOST_REPLICATES:
        raise ConfigurationRefusedError(f"A run has 1 to {MOST_REPLICATES} reruns.", "replicates")
    if configuration.subset is not None and configuration.subset < 1:
        raise ConfigurationRefusedError("A part of the units has at least one unit.", "subset")
    if configuration.pairs not in ("all", "baseline"):
        raise ConfigurationRefusedError("Pairs are all, or those with the baseline.", "pairs")
    if (configuration.pairs == "baseline") != bool(configuration.baseline):
        raise ConfigurationRefusedError("Name the baseline system, and only for pairs with it.", "baseline")


def _check_references(protocol: JudgeProtocol, configuration: RunConfiguration) -> None:
    if protocol.needs_references(configuration.options):
        if not configuration.references:
            raise ConfigurationRefusedError(REFERENCE_UNNAMED, "references")
    elif configuration.references:
        raise ConfigurationRefusedError(REFERENCE_UNUSED, "references")


def _check_questions(study: Study, protocol: JudgeProtocol, configuration: RunConfiguration) -> None:
    if protocol.label_kind:
        if configuration.probe:
            raise ConfigurationRefusedError("This protocol shows no output that could tell it what to say.", "probe")
        if configuration.questions:
            raise ConfigurationRefusedError("This protocol labels turns and takes no question.", "questions")
        return
    if not configuration.questions:
        raise ConfigurationRefusedError("Choose at least one question.", "questions")
    if len(set(configuration.questions)) < len(configuration.questions):
        raise ConfigurationRefusedError("A question is named twice.", "questions")
    known = {question.key: question for question in Question.objects.filter(study=study)}
    for key in configuration.questions:
        if key not in known:
            raise ConfigurationRefusedError(f"The study has no question {key!r}.", "questions")
        reason = question_refusal(known[key], configuration)
        if reason:
            raise ConfigurationRefusedError(f"{key}: {reason}", "questions")
    for key, text in configuration.texts.items():
        if key not in configuration.questions or not text.strip() or len(text) > LONGEST_TEXT:
            reason = f"The text for {key!r} must be for a question of the run, with 1 to {LONGEST_TEXT:,} characters."
            raise ConfigurationRefusedError(reason, "texts")


def question_refusal(question: Question, configuration: RunConfiguration) -> str:
    """Return a sentence about why a judge cannot answer a question, or "". The configuration needs no questions yet."""
    protocol, kind = configuration.judge_protocol, question_types()[question.type]
    if kind.level == TEXT:
        return TEXT_QUESTION
    if protocol.shape == LABEL and kind.takes_several(question.spec):
        return SEVERAL_LABELS
    return protocol.refuses(case_question(question, configuration), configuration.options)


def case_question(question: Question, configuration: RunConfiguration) -> CaseQuestion:
    """Return a question as judges get it."""
    kind = question_types()[question.type]
    low, high = kind.scale(question.spec) or (None, None)
    return CaseQuestion(
        question.key, question.type, question.text, question.help, low, high,
        choices=tuple(choice["value"] for choice in kind.choices(question.spec)),
        labels=tuple(choice["label"] for choice in kind.choices(question.spec)),
        takes_ties=kind.takes_ties(question.spec), judge_text=configuration.texts.get(question.key, ""),
        ranks=kind.worst_rank(question.spec), level=kind.level or "",
    )  # fmt: skip


def rater_for(study: Study, name: str, kind: str, identity: Mapping[str, Any]) -> Rater:
    """Return the rater with this identity, made if there is none; call it under the study's lock.

    If another one has the name already, a short suffix drawn from the identity tells them apart.
    """
    digest = hashlib.sha256(canonical_json(dict(identity)).encode()).hexdigest()
    for candidate in (name, f"{name}-{digest[:6]}"):
        rater = Rater.objects.filter(study=study, name=candidate).first()
        if rater is None:
            return Rater.objects.create(study=study, name=candidate, kind=kind, metadata={"judge": dict(identity)})
        if rater.kind == kind and _identity_of(rater, identity) == identity:
            return rater
    raise ConfigurationRefusedError(f"Another rater is called {name}-{digest[:6]} already.")


def _identity_of(rater: Rater, identity: Mapping[str, Any]) -> Any:
    """Return what makes a rater: as it was made here, or, of an imported one, as its first run says."""
    if rater.metadata and "judge" in rater.metadata:
        return rater.metadata["judge"]
    stored = rater.runs.order_by("pk").values_list("configuration", flat=True).first()
    if stored is None:
        return None
    found = {name: stored.get(name) for name in identity}
    return found | {"examples": identity_of(found["examples"])} if "examples" in found else found


def run_name(existing: Sequence[str]) -> str:
    """Return the name of a rater's next run: 1, 2 and so on."""
    numbers = [int(name) for name in existing if name.isascii() and name.isdigit() and len(name) < 9]
    return str(max(numbers, default=0) + 1)
