"""How a synthetic rater of a dry run walks the steps before the first task: by the pages that people open.

Where they are is read from the database, so a worker that goes on after a kill repeats nothing.
"""

from django.urls import reverse

from accounts.models import Person
from annotation.answers import Form
from annotation.models import Item, Rater, Study
from annotation.protocols import protocols
from annotation.synthetic_visitor import SyntheticVisitor
from config.database_clock import database_now
from parts.way_in.gold_checks import gold_of
from parts.way_in.models import PracticeAnswer, StepPassage
from parts.way_in.pilot_decisions import decide
from parts.way_in.practice_tasks import PracticeTask, task_at
from parts.way_in.steps_taken import Way, unread_answer, way_of


def walk_on(rater: Rater, visitor: SyntheticVisitor) -> bool:
    """Take the next step, or answer its next practice task; False if they may have tasks, or have to wait."""
    way = way_of(rater.study, rater, database_now())
    step = way.step
    if step is None or way.halt is not None or step.kind.admits(step, way.passages):
        return False
    passage = way.passage
    if passage is not None and step.kind.has_practice(step):
        _practise(way, passage, visitor)
        return True
    address = reverse("way_in:way_in", args=[rater.study.slug])
    visitor.get(address)
    replies = step.kind.synthetic_form(step, visitor.accuracy, visitor.random(f"step {step.key}"))
    visitor.post(address, {"step": step.key, **replies})
    return True


def _practise(way: Way, passage: StepPassage, visitor: SyntheticVisitor) -> None:
    """Answer the next task of an attempt, or read the right answer to the last one."""
    slug, unread = way.study.slug, unread_answer(passage, way.step) if way.step else None
    if unread is not None:
        page = reverse("way_in:why", args=[slug, unread.number + 1])
        visitor.get(page)
        visitor.post(page, {})
        return
    number = PracticeAnswer.objects.filter(passage=passage).count()
    page = reverse("way_in:practice", args=[slug])
    visitor.get(page)
    task = task_at(way.study, way.rater, passage.tasks, number)
    form = _practice_form(task, Item.objects.get(pk=task.item.pk), visitor, passage.attempt)
    visitor.post(page, {"number": str(number), **form})


def _practice_form(task: PracticeTask, golden: Item, visitor: SyntheticVisitor, attempt: int) -> Form:
    """The form that the rater posts: right with their accuracy, else made up; `golden` is the item with its gold."""
    protocol, sheet = protocols()[task.study.protocol], task.sheet
    own, known = visitor.random(f"practice {task.item.key} {attempt}"), {}
    for question in task.questions:
        right = gold_of(question, golden.gold or {}, sheet.keys, protocol.asks_per)
        if own.random() < visitor.accuracy and right is not None:
            known[question.key] = right
    return visitor.answers(f"{task.item.key} {attempt}", task.questions, sheet, known)


def let_on(study: Study, owner: Person) -> int:
    """Let everybody go on who waits for a decision after a pilot; return how many."""
    waiting = StepPassage.objects.filter(rater__study=study, outcome=StepPassage.Outcome.WAITING).order_by("pk")
    passages = list(waiting.select_related("rater"))
    for passage in passages:
        decide(passage, "continue", owner, database_now())
    return len(passages)
