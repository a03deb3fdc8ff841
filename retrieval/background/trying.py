"""Searches that researchers try, done by a worker: where the models of dense searchers may be loaded."""

from dataclasses import asdict
from datetime import timedelta

from config.background.claiming import Claim
from config.background.work import GiveUpError, Work
from retrieval.errors import SearchError
from retrieval.models import TrialSearch
from retrieval.searching import search
from retrieval.trying import WORK_KEY


def run(claim: Claim) -> None:
    """Search and keep what was found."""
    row: TrialSearch = claim.row
    try:
        found = search(row.item, row.query, row.k)
    except SearchError as problem:
        raise GiveUpError(str(problem)) from None
    with claim.finish(hits=[asdict(hit) for hit in found.hits], searcher=found.searcher, index=found.index):
        pass


WORK = Work(key=WORK_KEY, model=TrialSearch, run=run, queue="calls", lease=timedelta(minutes=3))
