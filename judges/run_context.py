"""What all judgments of a run have in common, loaded once per process, and the case of a single judgment."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from annotation.models import Guideline, Item, JudgeRun, Question, Rater, Study
from config.prepared_sql import Columns, fetch_all, fetch_one
from judges.case_turns import turn_of
from judges.configuration import RunConfiguration, case_question
from judges.examples import ExampleSource, example_source
from judges.injections import with_injection
from judges.models import Judgment
from judges.protocol import Case, CaseOutput, CaseQuestion, CaseReference, JudgeProtocol
from llm.prompt_files import Prompt, load_prompt, pinned_prompt

KEPT = 8
ITEM = Columns(Item, "i")
FIND_ITEM = f"SELECT {ITEM.sql} FROM annotation_item i WHERE i.id = %s"  # noqa: S608 - names of our own fields
FIND_TEXTS = "SELECT key, text FROM annotation_output WHERE item_id = %s AND key IN ({})"


@dataclass(frozen=True)
class RunContext:
    """A run with what its configuration names. Nothing in it changes while the run exists."""

    run: JudgeRun
    rater: Rater
    study: Study
    configuration: RunConfiguration
    protocol: JudgeProtocol
    questions: dict[int, CaseQuestion]
    prompts: dict[str, Prompt]
    guidelines: str
    examples: ExampleSource

    @property
    def charge_name(self) -> str:
        """The run's name in the ledger and among budgets, which have one name space for all raters of a study."""
        return charge_name(self.run)

    def case(self, judgment: Judgment) -> Case:
        """Return what a judgment is about."""
        item = ITEM.must_take(iter(fetch_one(FIND_ITEM, [judgment.item_id])))
        texts = self._texts(judgment)
        question = None if judgment.question_id is None else self.questions[judgment.question_id]
        outputs = tuple(CaseOutput(key, texts[key]) for key in judgment.order or ())
        unit = f"{item.key}\0{judgment.variant}\0{chr(0).join(sorted(judgment.order or ()))}"
        seed = _seed(self.configuration.seed, judgment.replicate, unit)
        case = Case(
            question, item.document, item.instruction, outputs, references_of(item, self.configuration),
            self.guidelines, self.examples.examples(item, judgment, seed), turn_of(judgment, item), judgment.replicate,
            seed, self.study.language,
        )  # fmt: skip
        if judgment.injection is None or judgment.injected is None:
            return case
        best = self.protocol.best_answer(case, self.configuration.options, judgment.injected)
        return with_injection(case, judgment.injection, judgment.injected, best)

    def _texts(self, judgment: Judgment) -> dict[str, str]:
        if not judgment.order:
            return {}
        marks = ", ".join(["%s"] * len(judgment.order))
        return dict(fetch_all(FIND_TEXTS.format(marks), [judgment.item_id, *judgment.order]))


@lru_cache(maxsize=KEPT)
def run_context(run: int) -> RunContext:
    """Return the context of a run by its primary key."""
    return _context(JudgeRun.objects.select_related("rater__study").get(pk=run))


def context_before_run(study: Study, configuration: RunConfiguration) -> RunContext:
    """Return the context that a run of this configuration would have; its run and rater are not saved."""
    rater = Rater(study=study, name=f"{configuration.protocol}/{configuration.model}", kind=Rater.Kind.MODEL)
    return _context(JudgeRun(rater=rater, configuration=configuration.as_json()))


def _context(run: JudgeRun) -> RunContext:
    configuration, study = RunConfiguration.of(run.configuration), run.rater.study
    questions = Question.objects.filter(study=study, key__in=configuration.questions)
    guidelines = ""
    if configuration.guidelines_version is not None:
        guidelines = Guideline.objects.get(study=study, number=configuration.guidelines_version).text
    return RunContext(
        run, run.rater, study, configuration, configuration.judge_protocol,
        {question.pk: case_question(question, configuration) for question in questions},
        {name: _prompt_of(study, name, said, configuration) for name, said in configuration.prompts.items()},
        guidelines, example_source(study, configuration),
    )  # fmt: skip


def charge_name(run: JudgeRun) -> str:
    """Return the name under which the ledger and budgets know a run: that of its rater, and its own."""
    name = f"{run.rater.name}/{run.name}"
    return name if len(name) <= 200 else f"{name[:180]}~{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def references_of(item: Item, configuration: RunConfiguration) -> tuple[CaseReference, ...]:
    """Return the item's references that the configuration names by writer or by id."""
    given = [one for one in item.references or () if configuration.names_reference(one)]
    return tuple(CaseReference(one["id"], one["writer"], one["text"]) for one in given)


def _prompt_of(study: Study, name: str, said: Mapping[str, str], configuration: RunConfiguration) -> Prompt:
    """Return the prompt that the run was configured with: ours, or the study's version with this digest.

    Of a reading of kept replies, which sends nothing, any version will do.
    """
    prompt = pinned_prompt(study, "judges", name, configuration.model, said["digest"])
    if prompt is None and not configuration.reread_of:
        raise PromptChangedError(
            f"The prompt {name} has changed since this run was configured. Start a new run with the new prompt."
        )
    return prompt or load_prompt("judges", name)


class PromptChangedError(Exception):
    """The prompt of a run no longer exists; the message is a sentence."""


def _seed(seed: int, replicate: int, unit: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}\0{replicate}\0{unit}".encode()).digest()[:6], "big")
