"""Indexes of passages, trial searches, and uploaded papers that a worker reads."""

import uuid
from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models import Item, Study
from config.background.rows import Row
from config.model_fields import ExactJSONField


class IndexBuild(Row):
    """A build of a study's index by one searcher; searches use the last successful one.

    `digest` covers everything that goes into the index: the same content and settings are not built twice.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="index_builds")
    searcher = models.CharField(max_length=30, help_text="key of the searcher")
    settings = ExactJSONField(default=dict, help_text="settings of the searcher, including its model")
    number = models.PositiveIntegerField(help_text="counts the builds per study and searcher, from 1")
    digest = models.CharField(max_length=64)
    done = models.PositiveIntegerField(default=0, help_text="passages indexed so far")
    total = models.PositiveIntegerField(default=0, help_text="distinct passages of the study")
    folder = models.CharField(max_length=40, blank=True, help_text="in VAR/indexes; empty after its removal")
    edition = models.CharField(max_length=40, blank=True, help_text="folder of the finished files")
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
        """Return its name in sessions and exports: the number and the beginning of the digest."""
        return f"{self.number}:{self.digest[:12]}"

    @property
    def place(self) -> Path:
        """Return the folder with all files of this build."""
        return Path(settings.VAR) / "indexes" / self.folder

    @property
    def files(self) -> Path:
        """Return the folder of the finished index."""
        return self.place / self.edition


class TrialSearch(Row):
    """A researcher's trial search. A worker runs it, because some searchers cannot run in the web process."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="trial_searches")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="trial_searches", db_index=False)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="trial_searches")
    query = models.TextField()
    k = models.PositiveSmallIntegerField(default=5)
    searcher = models.CharField(max_length=200, blank=True, help_text="the searcher with its model")
    index = models.CharField(max_length=40, blank=True, help_text="version of the index")
    hits = ExactJSONField(null=True, blank=True)

    class Meta(Row.Meta):
        ordering = ["study", "-id"]
        constraints = [
            *Row.Meta.constraints,
            models.CheckConstraint(condition=Q(k__gte=1, k__lte=100), name="trial_search_k_in_range"),
        ]

    def __str__(self) -> str:
        return f"search {self.pk} in {self.item}"


class PaperUpload(Row):
    """A new question whose papers a page has received; a worker reads them and adds the question."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="paper_uploads")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    item_key = models.CharField(max_length=200, help_text="of the item that it becomes")
    question = models.TextField()
    files = ExactJSONField(default=list, help_text="name and bytes of each file, in their order")
    folder = models.UUIDField(default=uuid.uuid4, unique=True, editable=False, help_text="names the files on this site")
    done = models.PositiveSmallIntegerField(default=0, help_text="files that have been read")
    is_new = models.BooleanField(null=True, blank=True, help_text="whether there was no such item before")
    problems = ExactJSONField(default=list, blank=True, help_text="sentences about what is wrong")

    class Meta(Row.Meta):
        ordering = ["study", "-id"]

    def __str__(self) -> str:
        return f"papers of {self.item_key}"
