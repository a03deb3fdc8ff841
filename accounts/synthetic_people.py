"""Accounts that stand for no person, such as the raters of dry runs; another app says which.

An app does so by SYNTHETIC in its `synthetic_accounts`: a function that returns a condition on people.
"""

from functools import reduce
from operator import or_

from django.db.models import Q

from config.registry import bound


def synthetic_people() -> Q:
    """Return the condition that an account stands for no person."""
    nobody = Q(pk__in=())
    return reduce(or_, (condition() for condition in bound("synthetic_accounts", "SYNTHETIC")), nobody)
