"""What a source of examples is. `judges.examples` says which of them a run has."""

from abc import ABC, abstractmethod

from annotation.models import Item
from judges.models import Judgment
from judges.protocol import Example


class ExampleSource(ABC):
    """Where the examples of a run come from."""

    @abstractmethod
    def examples(self, item: Item, judgment: Judgment, seed: int) -> tuple[Example, ...]:
        """Return the examples for a judgment about an item; equal arguments give equal examples."""


class NoExamples(ExampleSource):
    """A protocol, or an option of it, that shows none."""

    def examples(self, item: Item, judgment: Judgment, seed: int) -> tuple[Example, ...]:
        return ()
