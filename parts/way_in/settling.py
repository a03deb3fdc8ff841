"""The end of a rater's part in a study whose steps are over for them."""

from annotation.models import Rater
from config.parts import parts_of


def settle(rater: Rater) -> str | None:
    """Let the study's parts end what is over for a rater; return the page that says how it ended, if there is one."""
    pages = [part.settle(rater) for part in parts_of(rater.study)]
    return next((page for page in pages if page is not None), None)
