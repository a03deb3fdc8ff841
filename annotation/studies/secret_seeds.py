"""Numbers that decide what nobody may foresee: they depend on a secret, and not only on what a rater can know.

A rater knows a study's address, their own name in it and perhaps ids of its items, and most studies have the seed 0.
Whatever followed from these alone, such as the order of an item's outputs, they could compute for every item, and so
recognise a system everywhere once they have recognised it somewhere. What was drawn is stored with what it decided
(slots, assignments, tasks), so another secret key changes nothing that was given out.
"""

from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac

from annotation.models import Study
from config.model_fields import canonical_json

SALT = "annotation.studies.check_draws"
"""The name of the module that draws checks: with another, later claims of a study would be drawn again."""


def secret_digest(key: str, parts: list[Any]) -> bytes:
    """A digest of `parts` that nobody computes without `key`."""
    return salted_hmac(SALT, canonical_json(parts), secret=key, algorithm="sha256").digest()


def secretly_seeded(study: Study, *parts: Any) -> int:
    """A number of 63 bits that depends on the study's seed, `parts` and the site's secret key."""
    return _number(settings.SECRET_KEY, study, parts)


def own_secret_seed(study: Study, *parts: Any) -> int:
    """As `secretly_seeded`, from the study's own secret: for draws that are not stored, but made again."""
    return _number(study.code_secret or settings.SECRET_KEY, study, parts)


def drawn_options(study: Study) -> dict[str, Any]:
    """The options with which a study's tasks are planned: a protocol that draws some of them draws by a secret."""
    return {**study.options, "seed": own_secret_seed(study, "tasks")}


def _number(key: str, study: Study, parts: tuple[Any, ...]) -> int:
    digest = secret_digest(key, [study.slug, study.option("seed", 0), *parts])
    return int.from_bytes(digest[:8], "big") >> 1
