"""What calls to models add: their erasing, and how far budgets are used."""

from collections.abc import Iterator

from django.db.models import F, FloatField, Max
from django.db.models.functions import Cast

from config.monitored_figures import MonitoredFigure
from config.part import Part
from llm.erasing import ERASING
from llm.models import Budget


class LlmPart(Part):
    erasing = ERASING

    def figures(self) -> Iterator[MonitoredFigure]:
        """Yield the largest share of a cap that is spent or reserved; budgets of closed studies do not count."""
        capped = Budget.objects.filter(cap__gt=0).exclude(study__status="closed")
        used = Cast(F("spent") + F("reserved"), FloatField()) / Cast(F("cap"), FloatField())
        share = capped.aggregate(share=Max(used))["share"] or 0
        yield MonitoredFigure("interrater_budget_share", "Largest used share of a budget with a cap", "", {"": share})


PART = LlmPart()
