"""Addresses of the pages of items, to which the pages about a study's progress and disagreement lead."""

from django.http import QueryDict
from django.urls import NoReverseMatch, reverse

from annotation.models import Study


def item_address(study: Study, pk: int) -> str:
    """The page of one item, or "" if this installation has no such page."""
    try:
        return reverse("managing:item", args=[study.slug, pk])
    except NoReverseMatch:
        return ""


def items_address(study: Study, **chosen: str) -> str:
    """The table of items filtered by what is `chosen`, or "" if this installation has no such page."""
    try:
        address = reverse("managing:items", args=[study.slug])
    except NoReverseMatch:
        return ""
    query = QueryDict(mutable=True)
    query.update({name: value for name, value in chosen.items() if value})
    return f"{address}?{query.urlencode()}" if query else address
