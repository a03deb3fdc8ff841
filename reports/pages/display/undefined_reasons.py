"""Numbers the reasons for undefined figures, so that a table prints each of them once, below itself."""

from dataclasses import dataclass, field


@dataclass
class UndefinedReasons:
    """The reasons in the order in which cells first refer to them."""

    found: dict[str, int] = field(default_factory=dict)

    def number(self, reason: str) -> int:
        """The number of a reason, from 1."""
        return self.found.setdefault(reason or "no reason was given", len(self.found) + 1)

    @property
    def listed(self) -> list[tuple[int, str]]:
        return [(number, reason) for reason, number in self.found.items()]
