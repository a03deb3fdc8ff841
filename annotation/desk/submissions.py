"""What a page sends as an answer, and why it can be refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.utils.translation import gettext

from annotation.models import Annotation
from annotation.protocols import Form


class StaleRevisionError(Exception):
    """The answer was changed elsewhere after the page was opened; `current` is the latest revision."""

    def __init__(self, current: Annotation | None) -> None:
        super().__init__("The answer was changed elsewhere after this page was opened.")
        self.current = current


class KeyReusedError(Exception):
    """The client key was already used for a different content."""


class StudyClosedError(Exception):
    """The study is closed: its answers can no longer be changed."""

    def __init__(self) -> None:
        super().__init__(gettext("This study is closed: submitted answers can no longer be changed."))


@dataclass(frozen=True)
class Effort:
    """The seconds and the uses of reading aids that a page has counted since it last reported. Untrusted.

    `display` is how the page shows the task, in the words of `static/js/desk/display.js`; empty without scripts.
    """

    visible_seconds: float = 0.0
    active_seconds: float = 0.0
    tool_use: Mapping[str, int] = field(default_factory=dict)
    display: str = ""


@dataclass(frozen=True)
class Submission:
    """An answer that a page sends, with the revision and the guidelines version that the page was made from."""

    form: Form
    revision: int
    guidelines_version: int | None = None
    client_key: UUID | None = None
    effort: Effort = field(default_factory=Effort)
