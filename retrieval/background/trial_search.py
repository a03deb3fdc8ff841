"""Does trial searches in a worker, where the models for dense search can be loaded."""

from dataclasses import asdict
from datetime import timedelta

from config.background.claiming import Claim
from config.background.kinds import GiveUpError, Work
from retrieval.models import TrialSearch
from retrieval.search_errors import SearchError
from retrieval.searching import search
from retrieval.trial_searches import WORK_KEY


def run(claim: Claim) -> None:
    """Search and store the hits."""
    row: TrialSearch = claim.row
    try:
        found = search(row.item, row.query, row.k)
    except SearchError as problem:
        raise GiveUpError(str(problem)) from None
    with claim.finish(hits=[asdict(hit) for hit in found.hits], searcher=found.searcher, index=found.index):
        pass


WORK = Work(key=WORK_KEY, model=TrialSearch, run=run, queue="calls", lease=timedelta(minutes=3))
