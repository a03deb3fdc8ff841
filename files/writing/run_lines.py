"""The lines of an export's runs of judges and metrics."""

from collections.abc import Iterator

from annotation.models import JudgeRun, Study
from config.text_validation import given, time_text
from files.writing.study_lines import Line


def has_runs(study: Study) -> bool:
    return JudgeRun.objects.filter(rater__study=study).exists()


def run_lines(study: Study) -> Iterator[Line]:
    """All runs, by their raters' names and their own, compared by code point."""
    runs = JudgeRun.objects.filter(rater__study=study).select_related("rater", "replaced_by__rater")
    return (run_line(run) for run in sorted(runs, key=lambda run: (run.rater.name, run.name)))


def run_line(run: JudgeRun) -> Line:
    """The line of a run."""
    replacing = run.replaced_by
    return given(
        {
            "id": run.name,
            "rater": run.rater.name,
            "rater_kind": run.rater.kind,
            "configuration": run.configuration,
            "status": run.status,
            "counts": run.counts,
            "tokens_in": run.tokens_in,
            "tokens_out": run.tokens_out,
            "price": run.price,
            "started_at": time_text(run.started_at),
            "ended_at": time_text(run.ended_at),
            "replaced_by": None if replacing is None else {"rater": replacing.rater.name, "id": replacing.name},
        }
    )
