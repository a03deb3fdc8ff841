"""What would make a study fail once it is live: everything at once, each with the pages on which it is repaired.

What blocks is checked again, in the same words, when the study goes live. Facts about all items of a large study are
found by workers and kept (`kept_counts`); a page never reads the items themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.access import backed_invitations
from annotation.blinding import names_of, shown_options
from annotation.models import Item, Question, Slot, Study
from annotation.models.people import Role
from annotation.pools import main_items
from annotation.protocols import StudyInvalidError, protocols
from annotation.studies.assignment_plan import plan_of
from annotation.studies.kept_counts import PLAN, KeptCounts, exceeds, kept_counts
from annotation.studies.plan_table import counts_in, exact_table, is_of_plan, table_of
from annotation.studies.planning import is_planned, outputs_of
from annotation.studies.queries import annotators_of
from config.database_clock import database_now
from config.parts import absent_parts_of, parts

CHECKS = "live checks"
FEW_ITEMS = 500
"""Items that a page reads itself."""
CHUNK = 1000
NAMED = 3
MOST_SYSTEMS = 1000
UPLOAD = ("Upload items", "managing:upload")
ADD = ("Add an item", "managing:new_item")
SETTINGS = ("Settings", "annotation:settings")
QUESTIONS = ("Questions", "managing:build")
MODELS = ("Models", "llm:models")
ASSIGNMENT_PLAN = ("Assignment plan", "managing:plan")
GUIDELINES = ("Write guidelines", "annotation:edit_guidelines")
INVITE = ("Invite annotators", "annotation:invitations")


@dataclass(frozen=True)
class LiveProblem:
    """A problem of a study that is about to go live; `links` are titles and routes of pages that repair it.

    If it `blocks`, the study cannot go live; otherwise it can, but something is probably not as it was meant.
    """

    text: str
    links: tuple[tuple[str, str], ...]
    blocks: bool = False


@dataclass(frozen=True)
class DraftFacts:
    """What the checks read of a study; a page that has read it passes it on. `guidelines` is their newest text.

    `items` is None if nobody has counted the items, and `checks` if no page has read the kept counts of CHECKS.
    """

    questions: Sequence[Question]
    guidelines: str
    annotators: int
    items: int | None = None
    checks: KeptCounts | None = None
    invited: int | None = None

    @classmethod
    def of(cls, study: Study) -> "DraftFacts":
        newest = study.guidelines.order_by("-number").values_list("text", flat=True).first()
        return cls(list(study.questions.order_by("position")), newest or "", annotators_of(study))


def live_problems(study: Study, facts: DraftFacts | None = None) -> list[LiveProblem]:
    """Return all problems of the study, those that block first. Raises ImportPendingError."""
    facts = facts or DraftFacts.of(study)
    found = [*_of_study(study, facts.questions, facts.items), *_of_items(study, facts), *_of_people(study, facts)]
    found += _of_plan(study)
    return sorted(found, key=lambda one: not one.blocks)


def blocking_problems(study: Study) -> list[LiveProblem]:
    """Return the problems with which the study cannot go live, except that its tasks have not been made."""
    return [one for one in _of_study(study, list(study.questions.order_by("position")), None) if one.blocks]


def _of_study(study: Study, questions: Sequence[Question], items: int | None) -> Iterator[LiveProblem]:
    protocol = protocols()[study.protocol]
    if not (main_items(study).exists() if items is None else items):
        ways = [way for part in parts() for way in part.ways_to_items]
        yield LiveProblem("This study has no items yet.", (UPLOAD, ADD, *ways), blocks=True)
    elif study.planned_through and is_planned(study) and not Slot.objects.filter(study=study).exists():
        reason = "No item gives a task: each has fewer outputs than a task shows, or not those that the options name."
        yield LiveProblem(reason, (UPLOAD, QUESTIONS), blocks=True)
    if not questions:
        yield LiveProblem("This study asks no questions.", (QUESTIONS,), blocks=True)
    else:
        try:
            protocol.check_study(questions, shown_options(study))
        except StudyInvalidError as problem:
            yield LiveProblem(f"The settings do not fit together: {problem}.", (QUESTIONS,), blocks=True)
        if not any(question.required for question in questions):
            yield LiveProblem("No question needs an answer, so an empty page can be submitted.", (QUESTIONS,))
    for key in absent_parts_of(study):
        yield LiveProblem(f"This study declares the part {key}, which is not installed here.", (), blocks=True)
    for part in parts():
        yield from part.live_problems(study)
    for warning in protocol.flow.import_warnings(study):
        yield LiveProblem(warning, (MODELS, QUESTIONS), blocks=True)


def _of_items(study: Study, known: DraftFacts) -> Iterator[LiveProblem]:
    facts = _item_facts(study, known)
    if not facts or not facts["items"]:
        return
    without, items = facts["without_tasks"], facts["items"]
    if without == items and not is_planned(study):
        yield LiveProblem("No item gives a task. Each needs the outputs that a task shows.", (UPLOAD,), blocks=True)
    elif 0 < without < items:
        names = ", ".join(facts["first"])
        what = "1 item gives" if without == 1 else f"{without:,} items give"
        yield LiveProblem(f"{what} no task, because outputs are missing: {names}{_more(without)}.", (UPLOAD,))
    systems = set(facts["systems"])
    if len(systems) < MOST_SYSTEMS:
        named = protocols()[study.protocol].systems_in(study.options)
        shown = names_of(study).shown
        for name in sorted(map(shown, named - systems)):
            yield LiveProblem(f"The options name the system {name}, but no item has an output of it.", (QUESTIONS,))
        for name in sorted(map(shown, set(study.systems) - systems - named)):
            yield LiveProblem(f"The system {name} is described, but no item has an output of it.", (QUESTIONS,))


def _more(count: int) -> str:
    return f" and {count - NAMED:,} more" if count > NAMED else ""


def _of_people(study: Study, facts: DraftFacts) -> Iterator[LiveProblem]:
    annotators = facts.annotators
    expected = annotators + (invited_annotators(study) if facts.invited is None else facts.invited)
    if not expected:
        yield LiveProblem("There are no annotators, and nobody has been invited.", (INVITE,))
    elif expected < study.redundancy:
        yield LiveProblem(
            f"Each task needs {study.redundancy} different annotators, but the study has {annotators}"
            f" and {expected - annotators} open invitation{'' if expected - annotators == 1 else 's'}.", (INVITE,),
        )  # fmt: skip
    if not facts.guidelines.strip():
        yield LiveProblem("There are no guidelines: annotators see only the questions.", (GUIDELINES,))
    if not study.contact:
        yield LiveProblem("Annotators have nobody to ask: name a contact.", (SETTINGS,))


def invited_annotators(study: Study) -> int:
    """Return how many open invitations to annotate the study has now."""
    now = database_now()
    invitations = backed_invitations().filter(
        study=study, role=Role.ANNOTATOR, accepted_at=None, revoked_at=None, expires_at__gt=now
    )
    return invitations.count()


def _of_plan(study: Study) -> Iterator[LiveProblem]:
    """What does not work out in the study's plan; nothing while a worker counts what it makes of many items."""
    plan = plan_of(study)
    if plan is None:
        return
    if exceeds(main_items(study), FEW_ITEMS):
        figures = kept_counts(study, PLAN).figures
        if not figures or not is_of_plan(figures, study, plan):
            return
        table = table_of(study, plan, counts_in(figures))
    else:
        table = exact_table(study, plan)
    for problem in table.problems:
        yield LiveProblem(problem, (ASSIGNMENT_PLAN, INVITE))


def _item_facts(study: Study, known: DraftFacts) -> Mapping[str, Any]:
    """Return the facts about the study's items; nothing while a worker finds those of a large study."""
    if known.checks is not None:
        return known.checks.figures
    if exceeds(main_items(study), FEW_ITEMS) if known.items is None else known.items > FEW_ITEMS:
        return kept_counts(study, CHECKS).figures
    return item_facts(study)


def item_facts(study: Study) -> dict[str, Any]:
    """Read all items: how many give no task, the first of these, and the systems. For workers and small studies."""
    protocol, systems = protocols()[study.protocol], set[str]()
    number = without = 0
    first: list[str] = []
    for batch in _batches(main_items(study)):
        outputs = outputs_of([pk for pk, _ in batch])
        for pk, key in batch:
            names = [name for _, name in outputs.get(pk, [])]
            systems.update(names[: MOST_SYSTEMS - len(systems)])
            if not protocol.plan(names, study.options, number):
                without += 1
                first += [key] if len(first) < NAMED else []
            number += 1
    return {"items": number, "without_tasks": without, "first": first, "systems": sorted(systems)}


def _batches(items: QuerySet[Item]) -> Iterator[list[tuple[int, str]]]:
    last, batch = 0, [(0, "")] * CHUNK
    while len(batch) == CHUNK:
        batch = list(items.filter(pk__gt=last).order_by("pk").values_list("pk", "key")[:CHUNK])
        yield batch
        last = batch[-1][0] if batch else 0
