"""Slugs for new studies: proposed from a title, and free."""

from itertools import chain, count

from django.utils.text import slugify

from annotation.models import Study

RESERVED = "new"
"""An address of this site, where a study's slug would be."""
LONGEST = 80
"""Of a proposal, so that a number fits behind it."""
NAMELESS = "study"


def free_slug(slug: str) -> str:
    """Return the slug, with a number behind it if a study has it."""
    numbers = (f"{slug}-{number}" for number in count(2))
    return next(one for one in chain([slug], numbers) if not Study.objects.filter(slug=one).exists())


def proposed_slug(title: str) -> str:
    """Return a free slug that resembles a title; letters that have no plain form are left out."""
    plain = slugify(title).replace("_", "-")[:LONGEST].strip("-")
    return free_slug(plain if plain and plain != RESERVED else NAMELESS)
