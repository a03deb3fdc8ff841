"""The accounts of dry runs, which stand for no person."""

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Q

from managing.dry_runs.account_names import FULL_NAME, PREFIX


def of_dry_runs() -> Q:
    """The condition on people, also of accounts that are left while a worker deletes the copy.

    A person whom a provider signs in has no password either, and may be called anything there: they are never hidden.
    """
    return Q(
        username__startswith=PREFIX, full_name__startswith=FULL_NAME, password__startswith=UNUSABLE_PASSWORD_PREFIX,
        outside_identities__isnull=True,
    )  # fmt: skip


SYNTHETIC = of_dry_runs
