"""Computes a report and keeps it."""

from datetime import timedelta

from django.db import transaction

from annotation.studies.locking import ImportPendingError
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from reports.figures.rows import ChoiceInvalidError
from reports.kept.kept_reports import WORK_KEY, ReportOutdatedError, computed, is_kept, make_room
from reports.models import KeptReport
from reports.report_kinds import report_kinds

UNKNOWN = "This version of the software has no such report."
ERASED = "Answers were erased while it was computed."
IMPORTING = "An import into this study is being completed."
WAIT = 3.0


def compute(claim: Claim) -> None:
    """Compute the report of a claimed row, unless a command has computed it meanwhile."""
    row: KeptReport = claim.row
    kind = report_kinds().get(row.kind)
    if kind is None:
        raise GiveUpError(UNKNOWN)
    if is_kept(row.study, row.kind, row.choices):
        KeptReport.objects.filter(pk=row.pk, token=claim.token).delete()
        return
    try:
        with claim.kept_alive():
            made = computed(row.study, kind, row.choices)
        with transaction.atomic():
            make_room(row, made)
            with claim.finish(**made.fields):
                pass
    except ChoiceInvalidError as problem:
        raise GiveUpError(str(problem), refused=True) from None
    except ImportPendingError:
        raise TryLaterError(IMPORTING, WAIT, counts=False) from None
    except ReportOutdatedError:
        raise TryLaterError(ERASED, WAIT, counts=False) from None


WORK = Work(WORK_KEY, KeptReport, compute, "jobs", lease=timedelta(minutes=2), attempts=2)
