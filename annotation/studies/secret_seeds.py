"""Numbers that decide what nobody may foresee: they depend on a secret, and not only on what a rater can know.

A rater knows a study's address, their own name in it and perhaps ids of its items, and most studies have the seed 0.
Whatever followed from these alone, such as the order of an item's outputs, they could compute for every item, and so
recognise a system everywhere once they have recognised it somewhere. What was drawn is stored with what it decided
(slots, assignments, tasks), so another secret key changes nothing that was given out.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from random import Random
from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac

from annotation.models import Study
from config.model_fields import canonical_json

SALT = "annotation.studies.check_draws"
"""Never changed: with another, what is drawn again at each claim would be drawn differently."""


def secret_digest(key: str, parts: list[Any]) -> bytes:
    """A digest of `parts` that nobody computes without `key`."""
    return salted_hmac(SALT, canonical_json(parts), secret=key, algorithm="sha256").digest()


def secretly_seeded(study: Study, *parts: Any, key: str = "") -> int:
    """A number of 63 bits that depends on the study's seed, `parts` and `key`, or else the site's secret key."""
    digest = secret_digest(key or settings.SECRET_KEY, [study.slug, study.options.get("seed", 0), *parts])
    return int.from_bytes(digest[:8], "big") >> 1


def own_secret_seed(study: Study, *parts: Any) -> int:
    """As `secretly_seeded`, from the study's own secret: for draws that are not stored, but made again."""
    return secretly_seeded(study, *parts, key=study.code_secret)


def drawn_options(study: Study) -> dict[str, Any]:
    """The options with which a study's tasks are planned: a protocol that draws some of them draws by a secret."""
    return {**study.options, "seed": own_secret_seed(study, "tasks")}


def mixed(study: Study, kind: str, ids: Sequence[int], rows: Sequence[tuple[int, Hashable]]) -> list[int]:
    """`ids` for new rows, within each item in a secret order: they are shown where the file's order is hidden.

    A row is told by its item and by what it is about: rows of an item about the same keep their order.
    """
    places: dict[int, list[int]] = defaultdict(list)
    for place, (item, _) in enumerate(rows):
        places[item].append(place)
    found = list(ids)
    for item, own in places.items():
        if len(own) > 1:
            taken = list(own)
            Random(secretly_seeded(study, kind, item)).shuffle(taken)  # noqa: S311 - seeded with a secret
            about: dict[Hashable, list[int]] = defaultdict(list)
            for place, source in zip(own, taken, strict=True):
                about[rows[place][1]].append(source)
            ordered = {unit: iter(sorted(sources)) for unit, sources in about.items()}
            for place in own:
                found[place] = ids[next(ordered[rows[place][1]])]
    return found


def mixed_ratings(study: Study, ids: Sequence[int], rows: Sequence[tuple[Any, ...]]) -> list[int]:
    """As `mixed`, for rows of ratings: those of one rater about one unit keep their order.

    Rows begin with the study, question, rater, item, output, other output and variant.
    """
    about = []
    for _, question, rater, item, output, other, variant, *_ in rows:
        about.append((item, (question, rater, frozenset({output, other}), variant)))
    return mixed(study, "ratings", ids, about)
