"""What an app can add to the others: one class, each member optional and with a sentence of its own.

Apps of the core use it to add to those below them, and parts (`config/parts.py`) to add to the core. An app binds an
instance to `PART` in its module `part`. The core asks `parts()`, or for a study `parts_of(study)`, and names no part.
What a part reads from the environment is in its module `environment` (`part_environments` in `config/environment.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from django.db.models import OuterRef, Q

    from accounts.models import Person, SignInLink
    from annotation.desk.part_tasks import StepsBeforeTasks, TaskSearch
    from annotation.desk.statements import RaterState
    from annotation.desk.task_page import TaskLink
    from annotation.erasing import Erasing
    from annotation.fragments import Fragment
    from annotation.models import Annotation, Rater, Slot, Study
    from annotation.studies.file_sections import StudySection
    from annotation.studies.live_checks import LiveProblem
    from annotation.studies.notices import StudyNotice
    from annotation.study_tabs import Tab
    from config.monitored_figures import MonitoredFigure
    from files.writing.table_list import DerivedTable, StudyTable
    from managing.uploads.other_formats import OtherFormats
    from operating.data_check import DataCheck
    from reports.comparison_tables import ComparisonTables
    from reports.figures.rater_columns import RaterColumn

    OwnRows = Iterable[tuple[str, Iterator[dict[str, Any]]]]


class Part:
    """An app's additions. The defaults add nothing."""

    needs: Sequence[str] = ()
    """Keys of the other parts that this part imports."""

    # --- a study's settings
    sections: Sequence[StudySection] = ()
    """Sections of `study.yaml` that the app reads, each with its check, which for most is a model of its settings."""

    def recruiting_changed(self, study: Study) -> None:
        """Follow a change of the locked study's `recruiting` in the same transaction."""

    def live_problems(self, study: Study) -> Iterator[LiveProblem]:
        """Yield what the study lacks before it can go live, with the pages that repair it."""
        yield from ()

    # --- work
    steps: StepsBeforeTasks | None = None
    """What raters do before their first task; at most one part of a study has such steps."""

    search: TaskSearch | None = None
    """How the part finds a rater's next task in place of the core's search; at most one part of a study has one."""

    mixes_tasks = False
    """Whether raters get tasks of the part among the study's own; their items are copies, their slots of no study."""

    def own_slots(self, study: Study, state: RaterState, until: datetime) -> list[Slot]:
        """Hold what the part has for the rater's next claim, and return its slots; nothing for the study's next task.

        The rater is locked. It holds nothing if the rater could get no task of the study's own.
        """
        return []

    def tasks_among(self, study: Study, rater: Rater, tasks: int, items: int) -> int:
        """Return how many tasks of the part will come among a rater's next `tasks`, which are of so many items."""
        return 0

    def expected_among(self, study: Study, tasks: int) -> int:
        """Return how many tasks of the part somebody can expect beside so many of the study's own."""
        return 0

    def after_answer(self, study: Study, annotation: Annotation) -> None:
        """Follow a submitted answer, in its transaction."""

    def last_worked_at(self, rater: Rater) -> datetime | None:
        """Return when the rater last did something that the app asks of them besides tasks."""
        return None

    def awaits_decision(self, rater: OuterRef | Rater) -> Q | None:
        """Return the condition that a rater's pause waits for a researcher because of the app, or None."""
        return None

    def has_ended(self, rater: Rater) -> bool:
        """Whether a rater's part in the study has ended, so that they get no more tasks."""
        return False

    def before_resuming(self, rater: Rater, now: datetime) -> None:
        """Follow the end of a locked rater's pause; `rater.paused_at` still says since when they were paused."""

    # --- pages
    urls = ""
    """The module with the app's addresses."""
    annotators_pages: Sequence[str] = ()
    """Names of the addresses that annotators open, whose pages are in their language."""
    tabs: Sequence[Tab] = ()
    """Tabs of a study's pages for its researchers."""
    study_templates: Path | None = None
    """The folder with the templates of new studies that use the part."""
    ways_to_items: Sequence[tuple[str, str]] = ()
    """Pages on which a study gets its first items: titles and routes."""
    task_links: Sequence[TaskLink] = ()
    """Links beside the buttons of a task's page, to pages about this task."""
    fragments: Mapping[str, Sequence[Fragment]] = {}
    """Pieces of pages of the core, by the place that such a page names (`annotation/fragments.py`)."""

    notices: Sequence[StudyNotice] = ()
    """What needs somebody's attention on a study's overview."""

    # --- reports
    report_facts: Mapping[str, Callable[[Study], Any]] = {}
    """What the agreement report says of a study besides figures, by key; None for nothing."""
    figureless_actions: Sequence[str] = ()
    """Actions of the audit that change no count and no figure of any report."""

    def adds_raters(self, study: Study) -> bool:
        """Whether raters beside the planned ones may be asked, whose answers count in no agreement."""
        return False

    def results_seen(self, study: Study, person: Person, page: str) -> None:
        """Follow that a person sees results of the study, on a page of this kind (`reports/pages/seen_results.py`)."""

    counts: Mapping[str, Callable[[Study], dict[str, Any]]] = {}
    """Counts that a worker keeps for large studies, by subject (`annotation/studies/kept_counts.py`)."""
    rater_columns: Sequence[RaterColumn] = ()
    """Figures of each rater beside those of the page *Rater checks*."""
    comparison_tables: ComparisonTables | None = None
    """Tables of a comparison of judges with people, and the questions that a reader may choose for them."""

    # --- files
    importers: Mapping[str, str] = {}
    """Tables of an import that the app reads after those of the core: dotted names of their `TableImport`, by table."""
    tables: Sequence[StudyTable] = ()
    """The tables of a study's own data that the app adds to exports."""
    derived_tables: Sequence[DerivedTable] = ()
    """The tables that it computes from a study's data for exports with reports; an import ignores them."""
    other_formats: OtherFormats | None = None
    """Formats of uploaded files beside our own; at most one part reads some."""
    pools: Mapping[str, str] = {}
    """Pools of items that are not rated in the study itself, each with its title."""
    folders: Mapping[str, str] = {}
    """Folders in a study's data with the files `1.json`, `2.json`, …, and what such a file is.

    An import reads each file as a table of one line, by the importer of the folder's name.
    """

    def files(self, study: Study) -> Mapping[str, str]:
        """Return the texts of the files that the app adds to a study's data beside tables, by name."""
        return {}

    def bundled(self, study: Study) -> Mapping[str, str]:
        """Return the texts of the files that the app adds to a bundle beside the study's data, by name."""
        return {}

    # --- people
    erasing: Erasing | None = None
    """What goes with a study, a rater's answers and a person."""

    def own_data(self, person: Person) -> OwnRows:
        """Return what is kept about a person, as titles of lists with their rows, for their download."""
        return ()

    def identities(self, study: Study, people: Collection[int]) -> Mapping[str, Mapping[int, str]]:
        """Return columns of the page *Who is who*: texts by a column's title and a person's primary key.

        The column *E-mail* has the address of the account for those whom no part names.
        """
        return {}

    hidden_actions: Sequence[str] = ()
    """Actions of the audit that a person's download leaves out, because they would tell what is hidden from raters."""

    def allows_guest_tokens(self, study: Study) -> bool:
        """Whether guests, whose account a link has made, may make API tokens for their tasks."""
        return False

    def people_with(self, address: str) -> Iterable[int]:
        """Return the primary keys of the people who have confirmed this mail address.

        Parts by which people sign in ask this; the core knows only the addresses of accounts.
        """
        return ()

    def is_backed(self, link: SignInLink) -> bool:
        """Whether the person who made a study's sign-in link may still make it."""
        return True

    # --- operation
    readiness: Mapping[str, Callable[[], str]] = {}
    """Checks for `/readyz` by name; each returns a state of `config/readiness.py`."""

    var_folders: Mapping[str, str] = {}
    """Folders of VAR whose finished files backups carry, and the pattern of such a file's path in its folder."""

    tables_of_the_installation: Sequence[str] = ()
    """Tables that concern this installation alone, which the canonical export leaves out."""

    data_checks: Sequence[DataCheck] = ()
    """Checks of the app's data, for `checkdata`."""

    def figures(self) -> Iterable[MonitoredFigure]:
        """Return figures for `/metrics`."""
        return ()

    def preload(self) -> None:
        """Load what each web process needs, before the web server forks them."""

    def warm_up_thread(self) -> None:
        """Prepare one of the web server's threads before its first request."""
