"""A protocol of another package: like rating, but only of each item's first output."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.protocols import TaskPlan
from annotation.protocols.rating import RatingProtocol


class FirstOutput(RatingProtocol):
    """One task per item, about its first output."""

    key = "first_output"
    label = "Rating of the first output"

    def plan(self, outputs: Sequence[str], options: Mapping[str, Any], number: int = 0) -> list[TaskPlan]:
        return [TaskPlan(outputs=(outputs[0],))]


PROTOCOL = FirstOutput()
