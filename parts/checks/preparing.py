"""Prepares the checks of a rater's next claims: copies of items, their tasks, and which claim gets which.

A worker does it ahead of the claims, so that a claim only looks up what is due. Everything follows from the study's
seed, the site's secret key and what the rater has answered. If nothing fits a drawn claim, the rater gets the study's
next task.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet

from annotation.models import Annotation, Assignment, Item, Output, Rater, Study, Task, TaskOutput
from annotation.pools import COPIES, main_items
from annotation.protocols import protocols
from annotation.studies.locking import RaterGoneError, lock_study
from annotation.studies.planning import ensure_tasks, outputs_of
from annotation.studies.secret_seeds import secretly_seeded
from parts.checks.answered import outputs_that_can_fall
from parts.checks.damaging import DAMAGES, damaged
from parts.checks.draws import drawn_kind
from parts.checks.models import ATTENTION, CheckItem, CheckKind, CheckLook, DueCheck
from parts.checks.settings import AFTER, RepeatSettings, checks_of

AHEAD = 20
"""For how many of a rater's next claims checks are prepared."""
NEAR = 2
"""So many claims before, a check of another kind than the drawn one is prepared if none of that kind can be had."""
OTHERS = 20
"""From how many other items an output may be taken for a twin."""
COPIED = ("document", "document_turns", "instruction", "source", "categories", "content")
COPIED_OUTPUT = ("position", "key", "text", "turns", "edited_from", "writer")


def waiting_raters(study: Study) -> QuerySet[Rater]:
    """The people who rate in the study and have got work since checks were prepared for them."""
    people = Rater.objects.filter(study=study, kind=Rater.Kind.HUMAN, person__isnull=False, paused_at=None)
    return people.filter(Q(check_look=None) | Q(check_look__given=None) | ~Q(check_look__given=F("given")))


def prepare_checks(rater: Rater) -> int:
    """Prepare the checks of the rater's next claims in one transaction; return for how many claims.

    Raises RaterGoneError, and what `lock_study` raises.
    """
    with transaction.atomic():
        study = lock_study(rater.study_id)
        fresh = Rater.objects.filter(pk=rater.pk).first()
        if fresh is None:
            raise RaterGoneError
        rater = fresh
        rater.study = study
        prepared = _Preparing(study, rater).prepare() if study.is_live and checks_of(study) is not None else 0
        if not CheckLook.objects.filter(rater=rater).update(given=rater.given):
            CheckLook.objects.create(rater=rater, given=rater.given)
    return prepared


class _Preparing:
    """What is known while checks for one rater are prepared, in the transaction that has locked the study."""

    def __init__(self, study: Study, rater: Rater) -> None:
        self.study, self.rater = study, rater
        checks = checks_of(study)
        self.kinds = checks.kinds if checks else {}
        self.twins = checks.twins if checks else None
        self.protocol = protocols()[study.protocol]
        due = DueCheck.objects.filter(rater=rater)
        self.due = set(due.values_list("number", flat=True))
        self.met = set(due.values_list("task__item__check_item__source", flat=True))

    @cached_property
    def done(self) -> list[Assignment]:
        """The rater's submitted tasks, in the order in which they got them."""
        answered = Annotation.objects.filter(rater=self.rater, is_current=True, status="submitted")
        return list(
            Assignment.objects.filter(
                rater=self.rater, task__in=answered.values("task"), task__item__pool="main",
                task__item__withdrawn_at=None,
            ).order_by("pk").select_related("task__item")
        )  # fmt: skip

    @cached_property
    def answers(self) -> dict[int, Annotation]:
        """The rater's submitted answers by task."""
        rows = Annotation.objects.filter(rater=self.rater, is_current=True, status="submitted")
        return {row.task_id: row for row in rows.filter(task__in={given.task_id for given in self.done})}

    def prepare(self) -> int:
        first, prepared = self.rater.given, 0
        for number in range(first, first + AHEAD):
            kind = drawn_kind(self.study, self.rater.name, number)
            if kind is not None and number not in self.due:
                prepared += self._prepare(kind, number)
        return prepared

    def _prepare(self, kind: str, number: int) -> bool:
        """Prepare a check of the drawn kind or, if there is none by the time that the claim is near, of another one."""
        is_near = number - self.rater.given <= NEAR
        others = [other for other in self.kinds if other != kind] if is_near else []
        for one in (kind, *others):
            tasks = self._gold(number) if one == CheckKind.GOLD else self._copied(one, number)
            if tasks:
                for task, order in tasks:
                    last = DueCheck.objects.filter(task=task).aggregate(last=Max("slot_number"))["last"]
                    slot = 0 if last is None else last + 1
                    DueCheck.objects.create(rater=self.rater, number=number, task=task, slot_number=slot, order=order)
                return True
        return False

    def _in_turn(self, kind: str, rows: Iterable[Any], key: Any) -> list[Any]:
        """The rows in an order that depends on the seed, the secret key and the rater."""
        return sorted(rows, key=lambda row: secretly_seeded(self.study, "check", kind, self.rater.name, key(row)))

    def _gold(self, number: int) -> list[tuple[Task, list[int]]]:
        golden = Item.objects.filter(study=self.study, pool=ATTENTION, gold__isnull=False, withdrawn_at=None).exclude(
            pk__in=self.met
        )
        for source in self._in_turn("gold", list(golden), lambda item: item.key):
            item = self._copy(source, CheckKind.GOLD, expected=source.gold)
            ensure_tasks(self.study, [item.pk], outputs_of([item.pk]))
            tasks = list(Task.objects.filter(item=item).order_by("pk"))
            if not tasks:
                continue
            if not self.protocol.keeps_raters(self.study.options):
                tasks = self._in_turn("gold task", tasks, lambda task: task.key)[:1]
            self.met.add(source.pk)
            return [(task, self._order(task)) for task in tasks]
        return []

    def _copied(self, kind: str, number: int) -> list[tuple[Task, list[int]]]:
        """A repeat or a twin of something that the rater has answered long enough before claim `number`."""
        settings = self.kinds[kind]
        after = settings.after if isinstance(settings, RepeatSettings) else AFTER
        early = self.done[: max(0, number - after)]
        fresh = [given for given in early if given.task.item_id not in self.met]
        for given in self._in_turn(kind, fresh, lambda one: (one.task.item.key, one.task.key)):
            together = self.protocol.keeps_raters(self.study.options)
            same = [one for one in early if one.task.item_id == given.task.item_id] if together else [given]
            item = self._repeat(given) if kind == CheckKind.REPEAT else self._twin(given)
            if item is None:
                continue
            self.met.add(given.task.item_id)
            copies = [(self._task(item, one.task), one) for one in same]
            is_repeat = kind == CheckKind.REPEAT
            return [(task, list(one.order) if is_repeat else self._order(task)) for task, one in copies]
        return []

    def _repeat(self, given: Assignment) -> Item:
        return self._copy(given.task.item, CheckKind.REPEAT)

    def _twin(self, given: Assignment) -> Item | None:
        """A copy of the answered task's item with one of its outputs damaged that the rater can find worse than before.

        None if there is no such output, or if none can be damaged.
        """
        source, answer = given.task.item, self.answers.get(given.task_id)
        can_fall = outputs_that_can_fall(self.study, answer) if answer else set()
        outputs = [one for one in given.task.outputs.order_by("task_outputs__position") if one.key in can_fall]
        Random(secretly_seeded(self.study, "twin", source.key)).shuffle(outputs)  # noqa: S311 - seeded
        kinds = self.twins.damage if self.twins and self.twins.damage else list(DAMAGES)
        for output in outputs:
            random = Random(secretly_seeded(self.study, "twin", source.key, output.key))  # noqa: S311 - seeded
            found = damaged(output.text, self._others(source), kinds, random)
            if found is not None:
                how, text = found
                return self._copy(source, CheckKind.TWIN, damage=how, damaged=output.key, texts={output.key: text})
        return None

    def _others(self, source: Item) -> list[str]:
        """Outputs of a few other items, those imported next, or the first ones."""
        items = main_items(self.study).exclude(pk=source.pk).order_by("pk")
        near = list(items.filter(pk__gt=source.pk).values_list("pk", flat=True)[:OTHERS])
        near = near or list(items.values_list("pk", flat=True)[:OTHERS])
        return list(Output.objects.filter(item__in=near).order_by("item", "position").values_list("text", flat=True))

    def _copy(self, source: Item, kind: CheckKind, texts: Mapping[str, str] | None = None, **about: Any) -> Item:
        """The check's item, made once for each source and damaged output."""
        damaged_key = about.get("damaged", "")
        there = CheckItem.objects.filter(source=source, kind=kind, damaged=damaged_key).select_related("item").first()
        if there is not None:
            return there.item
        key = _key(self.study, kind, source.key, damaged_key)
        fields = {name: getattr(source, name) for name in COPIED}
        item = Item.objects.create(study=self.study, key=key, pool=COPIES, digest=key, **fields)
        for output in self._in_turn("copied output", source.outputs.all(), lambda one: (source.key, one.key)):
            fields = {name: getattr(output, name) for name in COPIED_OUTPUT}
            if texts and output.key in texts:
                fields |= {"text": texts[output.key], "turns": None}
            Output.objects.create(item=item, digest=output.digest, **fields)
        CheckItem.objects.create(item=item, kind=kind, source=source, **about)
        return item

    def _task(self, item: Item, source: Task) -> Task:
        """The copy of a task on the copy of its item."""
        there = Task.objects.filter(item=item, key=source.key).first()
        if there is not None:
            return there
        task = Task.objects.create(item=item, key=source.key, variant=source.variant)
        outputs = dict(item.outputs.values_list("key", "pk"))
        shown = source.task_outputs.values_list("position", "output__key")
        for position, key in self._in_turn("copied place", shown, lambda one: (item.key, source.key, one[1])):
            TaskOutput.objects.create(task=task, output_id=outputs[key], position=position)
        return task

    def _order(self, task: Task) -> list[int]:
        """An order of the task's outputs as the protocol gives it to raters."""
        count = task.task_outputs.aggregate(n=Count("pk"))["n"]
        seed = secretly_seeded(self.study, "check order", self.rater.name, task.key)
        random = Random(seed)  # noqa: S311 - seeded
        orders = self.protocol.orders(count, max(count, 2), random, 0, secretly_seeded(self.study, "orders"))
        return list(random.choice(orders))


def _key(study: Study, kind: str, source: str, damaged_key: str) -> str:
    """A key that says nothing, for rows that are kept apart by their keys."""
    return hashlib.sha256(f"{secretly_seeded(study, 'check item', kind, source, damaged_key)}".encode()).hexdigest()
