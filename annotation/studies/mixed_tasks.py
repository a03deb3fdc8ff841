"""Tasks that parts mix among a study's own: whether a study has some, and how many will come.

Raters cannot tell them apart. Their items are copies that the program has made, and their slots belong to no study, so
that nothing that counts a study's places counts them. `Rater.given` counts a rater's claims in such studies.
"""

from functools import lru_cache

from annotation.models import Rater, Study
from config.part import Part
from config.parts import parts_of


def mixing_parts(study: Study) -> tuple[Part, ...]:
    """Return the parts that mix tasks among those of the study."""
    return _mixing(parts_of(study))


@lru_cache
def _mixing(used: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple(part for part in used if part.mixes_tasks)


def mixed_among(study: Study, rater: Rater, tasks: int, items: int) -> int:
    """Return how many mixed tasks will come among a rater's next `tasks`, which are of so many items."""
    return sum(part.tasks_among(study, rater, tasks, items) for part in mixing_parts(study))


def expected_mixed(study: Study, tasks: int) -> int:
    """Return how many mixed tasks somebody can expect beside so many of the study's own."""
    return sum(part.expected_among(study, tasks) for part in mixing_parts(study))
