"""How many sessions, turns and labels an export has. Every export asks, so this module loads nothing of sessions."""

from typing import Any

from annotation.models import Study
from sessions.models import LabelSample, RevisionSession, Turn, TurnLabel
from sessions.workflow import DONE


def has_sessions(study: Study) -> bool:
    """Return whether the study has sessions to export."""
    return Turn.objects.filter(session__study=study, number=0, status=DONE).exists()


def has_labels(study: Study) -> bool:
    """Return whether anybody has labelled a turn."""
    return TurnLabel.objects.filter(turn__session__study=study).exists()


def has_label_samples(study: Study) -> bool:
    """Return whether turns have been sampled for labels."""
    return LabelSample.objects.filter(study=study).exists()


def session_counts(study: Study) -> dict[str, Any]:
    """Return the counts for a manifest: sessions by status, turns, edited turns and labels.

    Sessions without a first answer are in no file, so they are not counted.
    """
    turns = Turn.objects.filter(session__study=study, number__gte=1, status=DONE)
    sessions = RevisionSession.objects.filter(study=study, turns__number=0, turns__status=DONE)
    by_status = {name: sessions.filter(status=name).count() for name in RevisionSession.Status.values}
    return {
        "sessions": by_status | {"all": sessions.count()},
        "turns": {"all": turns.count(), "edited": turns.exclude(edited_answer=None).count()},
        "labels": TurnLabel.objects.filter(turn__session__study=study).count(),
    }
