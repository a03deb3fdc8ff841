"""Who has confirmed a mail address: signing in by a provider asks, before it joins somebody to an account."""

from collections.abc import Iterable

from config.folded_text import folded
from recruiting.models import MailAddress


def people_with(address: str) -> Iterable[int]:
    """The people who have confirmed this address, as primary keys."""
    return MailAddress.objects.filter(address_folded=folded(address)).values_list("person", flat=True)


PEOPLE_WITH = people_with
