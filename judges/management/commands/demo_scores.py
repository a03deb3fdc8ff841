"""Queue runs of metrics on the demo's studies, so that their pages show what runs look like."""

from typing import Any

from django.core.management.base import BaseCommand

from annotation.models import JudgeRun, Study
from judges.metric_configuration import checked_metric
from judges.run_states import start_run

SHOWN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("demo-rating", {"metric": "words", "questions": ["how_well"]}),
    ("demo-rating", {"metric": "sentences", "questions": ["how_well"]}),
    ("demo-listwise", {"metric": "words", "questions": ["overall"]}),
    ("demo-pairwise", {"metric": "rouge", "questions": ["better"], "references": ["human"]}),
)


class Command(BaseCommand):
    help = "Queue runs of metrics on the demo's studies that have no runs yet. Workers compute them."

    def handle(self, *args: Any, **options: Any) -> None:
        studies = Study.objects.filter(slug__in={slug for slug, _ in SHOWN})
        without = {study.slug: study for study in studies if not JudgeRun.objects.filter(rater__study=study).exists()}
        for slug, given in SHOWN:
            if slug in without:
                start_run(without[slug], checked_metric(without[slug], given), None)
