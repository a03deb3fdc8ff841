"""Rules about people's accounts: what is encrypted can be read with the keys of this installation."""

from collections.abc import Iterator

from accounts.models import SecondFactor
from accounts.sealed_keys import SealBrokenError, unseal
from operating.data_check import DataCheck, Row


def second_factors() -> Iterator[Row]:
    for row in SecondFactor.objects.order_by("pk").iterator():
        try:
            unseal(row.sealed_key)
        except SealBrokenError:
            yield {"person": row.person_id}


CHECKS = (
    DataCheck(
        "lost_second_factors",
        "A second factor was encrypted with another SECRET_KEY: only recovery codes work, or reset_second_factor.",
        second_factors,
    ),
)
