"""The state of a study's data, which says whether a kept report is still current.

Everything that changes a figure writes an entry into the study's audit, in the transaction of the change: an answer
that is submitted, revised, skipped, undone or flagged; an import, of items, ratings, scores, annotations, runs, reviews
or sessions; a verdict on a span; a version of the guidelines; a change of the study's settings; ratings and labels of
machines, and runs that start, end, stop or are replaced; the answer to a turn, its edit and its labels; the status of a
session; an erasure. So the newest entries are the state, and asking for it takes one query that reads a few entries of
an index, whatever the size of the study. An action that this module does not know counts as a change.

On PostgreSQL an entry can become visible after another one that is newer. The state is therefore not the newest entry
alone but the newest NEWEST: a late one is among them, unless as many others of the same study were committed while its
transaction was open. (Imports write their entry at the end of theirs, and erasures delete the kept reports.)
"""

import hashlib
from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from accounts.models import AuditEntry
from accounts.study_audit import entries_since
from annotation.models import Study
from config.parts import figureless_actions
from config.software_version import SOFTWARE_VERSION

NEWEST = 100
MOST_COUNTED = 1000
SUBMITTED = "task submitted"
OF_NO_FIGURE = frozenset({
    "task assigned", "study exported", "file exported", "token created", "token revoked", "invitation created",
    "invitation revoked", "invitation accepted", "person joined", "member added", "member removed", "member restored",
    "rater named", "reviewer named", "notes read", "prompt published", "report frozen", "calls stopped",
    "calls resumed", "flag answered", "flag answers read", "comments read", "file uploaded", "file discarded",
    "export requested", "export downloaded",
})  # fmt: skip
"""Actions of the core that change no figure of any report."""
OF_MACHINES = frozenset({
    "machine ratings recorded", "machine labels recorded", "run started", "run stopped", "run resumed", "run ended",
    "run out of budget", "run replaced",
})  # fmt: skip
"""Actions that change no figure about people's ratings alone."""


def data_state(study: Study, version: int = 1, ignored: Collection[str] = ()) -> str:
    """The state of the data in one query. `ignored` are actions that change none of the figures in question.

    It also changes with the release of the software and with `version`, because both may change figures.
    """
    return state_of(newest_entries(study, ignored), version)


def newest_entries(study: Study, ignored: Collection[str] = ()) -> list[int]:
    """The primary keys of the newest entries that change a figure, for several states without asking again."""
    entries = _entries(study).exclude(action__in=sorted(OF_NO_FIGURE | figureless_actions() | {*ignored}))
    return list(entries.order_by("-study", "-at", "-pk").values_list("pk", flat=True)[:NEWEST])


def state_of(newest: Collection[int], version: int = 1) -> str:
    """The state after these entries."""
    newest = list(newest)
    digest = hashlib.sha256(repr((SOFTWARE_VERSION, version, newest)).encode()).hexdigest()
    return f"{max(newest, default=0)}-{digest}"


def answers_since(study: Study, moment: datetime) -> int:
    """How many answers were submitted after `moment`, counted up to MOST_COUNTED."""
    entries = entries_since(study.slug, moment).filter(action=SUBMITTED)
    return entries[:MOST_COUNTED].count()


def _entries(study: Study) -> QuerySet[AuditEntry]:
    """The study's audit. As a range, so that PostgreSQL reads the index of study and time and no other.

    With `study = …` it would sort by time alone, and may go through newer entries of all other studies to do so.
    """
    return AuditEntry.objects.filter(study__gte=study.slug, study__lte=study.slug)
