"""What a part of `make audit` comes to."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass


class AuditStatus(enum.IntEnum):
    """What a part of the audit has come to; its value is the exit code."""

    CLEAN = 0
    FOUND = 1
    UNCHECKED = 3


@dataclass(frozen=True)
class AuditOutcome:
    """The result of a part: its status, and a line for each thing that was found or kept it from checking."""

    status: AuditStatus
    lines: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Sequence[str]) -> "AuditOutcome":
        return cls(AuditStatus.FOUND if found else AuditStatus.CLEAN, tuple(found))
