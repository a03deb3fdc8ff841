"""Indexes of studies' passages, and searches that researchers try."""

from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models import Item, Study
from config.background.rows import Row
from config.fields import ExactJSONField


class IndexBuild(Row):
    """One building of a study's index by one searcher; the files of the last one that succeeded are searched.

    `digest` is that of all that goes in: the same content and settings make no second build.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="index_builds")
    searcher = models.CharField(max_length=30, help_text="which kind of searcher")
    settings = ExactJSONField(default=dict, help_text="what the searcher was set to, its model among it")
    number = models.PositiveIntegerField(help_text="counts the builds of a study by a searcher, from 1")
    digest = models.CharField(max_length=64)
    done = models.PositiveIntegerField(default=0, help_text="passages that are ready")
    total = models.PositiveIntegerField(default=0, help_text="different passages of the study")
    folder = models.CharField(max_length=40, blank=True, help_text="in VAR/indexes; empty once it was removed")
    edition = models.CharField(max_length=40, blank=True, help_text="the finished files' folder in it")
    is_current = models.BooleanField(default=False)

    class Meta(Row.Meta):
        ordering = ["study", "searcher", "-number"]
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(fields=["study", "searcher", "number"], name="index_build_number_once"),
            models.UniqueConstraint(
                fields=["study", "searcher"], condition=Q(is_current=True), name="index_build_one_is_current"
            ),
            models.CheckConstraint(
                condition=Q(is_current=False) | (Q(status="done") & ~Q(folder="") & ~Q(edition="")),
                name="index_build_current_is_whole",
            ),
            models.CheckConstraint(condition=Q(done__lte=F("total")), name="index_build_done_within_total"),
        ]

    def __str__(self) -> str:
        return f"{self.searcher} index {self.number} of {self.study}"

    @property
    def version(self) -> str:
        """How sessions and exports name it: its number and the beginning of its digest."""
        return f"{self.number}:{self.digest[:12]}"

    @property
    def place(self) -> Path:
        """The folder of everything that belongs to this build."""
        return Path(settings.VAR) / "indexes" / self.folder

    @property
    def files(self) -> Path:
        """The folder of the finished index."""
        return self.place / self.edition


class TrialSearch(Row):
    """A search that a researcher tries; done by a worker, since some searchers cannot run where pages are made."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="trial_searches")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="trial_searches", db_index=False)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="trial_searches")
    query = models.TextField()
    k = models.PositiveSmallIntegerField(default=5)
    searcher = models.CharField(max_length=200, blank=True, help_text="what searched, with its model")
    index = models.CharField(max_length=40, blank=True, help_text="the version of the index")
    hits = ExactJSONField(null=True, blank=True)

    class Meta(Row.Meta):
        ordering = ["study", "-id"]
        constraints = [
            *Row.Meta.constraints,
            models.CheckConstraint(condition=Q(k__gte=1, k__lte=100), name="trial_search_k_in_range"),
        ]

    def __str__(self) -> str:
        return f"search {self.pk} in {self.item}"
