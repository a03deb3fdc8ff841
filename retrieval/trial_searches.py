"""Queues trial searches, which a worker does."""

from django.db import transaction

from accounts.models import Person
from annotation.models import Item
from config.background.kinds import works
from config.background.waking import enqueue
from retrieval.models import TrialSearch

WORK_KEY = "trial_search"


def try_search(item: Item, query: str, asked_by: Person, k: int = 5) -> TrialSearch:
    """Queue a search in the item's papers and return its row, which will hold the hits."""
    with transaction.atomic():
        row = TrialSearch.objects.create(study=item.study, item=item, asked_by=asked_by, query=query, k=k)
        enqueue(works()[WORK_KEY], row)
    return row
