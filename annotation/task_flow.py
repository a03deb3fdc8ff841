"""How a study's tasks reach its raters: which tasks, in which order, on which page, and what begins with them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from django.urls import reverse

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from annotation.models import Assignment, Item, Question, Rater, Slot, Study


class DoneElsewhere(NamedTuple):
    """Work on a task that came from a file: primary keys, the rater's name, and the order of outputs that they saw.

    `third_rater` says that it was asked for because the planned raters disagreed.
    """

    task: int
    item: int
    rater: int
    name: str
    shown: list[int]
    third_rater: bool = False


class BegunTask(NamedTuple):
    """A task that a rater has begun, for researchers: its title, how far it is, and the address of its page."""

    title: str
    state: str
    address: str


class TaskFlow:
    """The flow of tasks that any rater may be given and that are answered on the desk.

    A protocol whose tasks are different has a subclass of it as its `flow`. Instances hold no state.
    """

    common_options = frozenset({
        "seed", "lease_minutes", "same_raters", "batch_size", "spot_check_share", "skip_reasons", "text_format", "plan",
        "blind_researchers",
    })  # fmt: skip
    """The options shared by all protocols that have a meaning in this flow."""
    lease_minutes = 30
    """How long a slot is held without a heartbeat if the study does not say; at most `longest_lease`."""
    longest_lease = 1440
    offers_every_task = True
    """Whether a rater may be given every open task; if not, `offered` and `count_tasks` are asked."""
    ranks_tasks = False
    """Whether raters get tasks in orders of their own; if so, `preferred_order` is asked."""
    has_own_pages = False
    """Whether some tasks have pages that are not the desk; if so, `own_page` and `on_assigned` are asked."""
    study_pages: tuple[tuple[str, str], ...] = ()
    """Pages for researchers that only these studies have: titles and route names."""

    # Before the study is live

    def needs_slots(self, variant: str) -> bool:
        """Whether planning makes slots for tasks of this variant."""
        return True

    def done_elsewhere(self, tasks: Collection[int]) -> list[DoneElsewhere] | None:
        """Work from files that fills places of these tasks, or None if that is people's answers to them."""
        return None

    def on_prepared(self, study: Study) -> None:
        """Start other preparation once all items have their tasks; called again whenever items are prepared."""

    def import_warnings(self, study: Study) -> list[str]:
        """Return sentences that say what this site lacks, so that the study cannot go live."""
        return []

    # Giving out work

    def welcome_url(self, rater: Rater) -> str | None:
        """The page that a rater must see before the next task, or None."""
        return None

    def offered(self, slots: QuerySet[Slot], rater: Rater) -> QuerySet[Slot]:
        """Return the open slots except those of tasks that this rater must not see."""
        return slots

    def count_tasks(self, slots: QuerySet[Slot]) -> int:
        """Return how many more tasks a rater can get from the open slots offered to them."""
        return slots.order_by().values("task").distinct().count()

    def most_more(self, rater: Rater) -> int | None:
        """Return how many more tasks a rater may be given whatever is open, or None if there is no such limit."""
        return None

    def given_to(self, rater: Rater) -> int:
        """Return how many tasks the rater has been given; asked if `has_own_pages`."""
        return rater.assignments.count()

    def preferred_order(self, slots: QuerySet[Slot], rater: Rater) -> list[int] | None:
        """The primary keys of the open slots in this rater's own order, or None for the study's order."""
        return None

    def on_assigned(self, assignment: Assignment) -> None:
        """Start what belongs to a rater's assignment, in the transaction that assigns the task for the first time."""

    def on_released(self, slots: Sequence[Slot]) -> None:
        """End the holders' work on slots that open to others, in the same transaction."""

    # Lists of tasks

    def titles(self, items: Collection[int]) -> dict[int, str]:
        """The beginnings of texts by which a rater recognises items, by primary key; items without one are absent.

        The default is for items that are recognised by their instruction or document.
        """
        return {}

    def begun_by(self, raters: Collection[int]) -> dict[int, list[BegunTask]]:
        """Return what these raters (primary keys) have begun, oldest first; parts ask, if `has_own_pages`."""
        return {}

    # The page of a task

    def own_page(self, assignment: Assignment) -> str | None:
        """The address of a task's page that is not the desk, or None."""
        return None

    def address(self, assignment: Assignment) -> str:
        """The address of the task's page."""
        return self.own_page(assignment) or reverse("annotation:desk", args=[assignment.key])

    def preview(self, study: Study, item: Item, questions: Sequence[Question]) -> tuple[str, dict[str, Any]] | None:
        """The template and context of the page that raters of this unsaved study would see, or None for the desk.

        It writes nothing, and is shown with forms that cannot be sent.
        """
        return None

    def read_texts(self, study: Study) -> QuerySet[Any] | None:
        """Rows with `read_task` and `read_text` for all texts that raters judge, or None if these are the outputs."""
        return None

    def read_ahead(self, study: Study) -> dict[tuple[int, int], float]:
        """Seconds in which a text could be read before the time of the answer began, by task and rater, if any."""
        return {}

    def page_context(self, assignment: Assignment) -> dict[str, Any]:
        """What the desk shows beside document, instruction and outputs; its rater may read all of it."""
        return {}
