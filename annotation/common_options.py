"""The options that all protocols share, each described once; a protocol's flow says which of them it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotation.spec_fields import SpecField
from annotation.text_formats import CODE, MARKDOWN, PLAIN

if TYPE_CHECKING:
    from annotation.protocols import Protocol

SPOT_CHECK_SHARE = 0.1
ON_OWN_PAGE = frozenset({"plan"})
"""Options with a page of their own; the page that builds a study keeps them as they are."""
MOST_REASONS, LONGEST_OFFERED = 20, 200


def common_fields(protocol: Protocol) -> tuple[SpecField, ...]:
    """The fields of the shared options that have a meaning in the protocol, with its defaults."""
    flow = protocol.flow
    fields = (
        SpecField(
            "same_raters", "Same raters for all tasks of an item", kind="truth", default=protocol.keeps_raters({}),
            help="A rater who gets one task of an item also gets its other tasks.",
        ),
        SpecField(
            "lease_minutes", "Minutes a task is kept for its rater", kind="whole", default=flow.lease_minutes, least=1,
            most=flow.longest_lease,
            help=f"Without activity for this long, the task is free for others. At most {flow.longest_lease}.",
        ),
        SpecField(
            "batch_size", "Items per batch", kind="whole", least=1, default_text="all items at once",
            help="Researchers release one batch after another, in the order of the items.",
        ),
        SpecField(
            "spot_check_share", "Share of answers for spot checks", kind="number", default=SPOT_CHECK_SHARE, least=0,
            most=1, help="Of each rater's answers in a batch, from 0 (none) to 1 (all).",
        ),
        SpecField(
            "skip_reasons", "Reasons for skipping", kind="lines", default_text="only a free text",
            help=f"One per line, at most {MOST_REASONS}. Raters can always write their own.",
        ),
        SpecField(
            "text_format", "Format of texts", kind="choice", default=PLAIN,
            choices=((PLAIN, "Plain text"), (MARKDOWN, "Markdown"), (CODE, "Code")),
            help="How documents and outputs are shown to raters.",
        ),
        SpecField(
            "blind_researchers", "Hide the systems from researchers", kind="truth", default=False,
            help="Until an owner unblinds the study, its researchers see systems by codes.",
        ),
        SpecField(
            "seed", "Seed", kind="whole", default=0,
            help="Another seed gives another order of tasks and outputs. The site's secret key decides it, too.",
        ),
    )  # fmt: skip
    return tuple(field for field in fields if field.key in flow.common_options)
