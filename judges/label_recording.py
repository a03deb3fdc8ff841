"""Makes turn labels of readings, for protocols that label turns instead of answering a question."""

from collections.abc import Sequence

from judges.models import Judgment
from judges.run_context import RunContext


def write_labels(context: RunContext, judgments: Sequence[Judgment]) -> None:
    """Write the labels of these judgments."""
    raise NotImplementedError
