"""Files of other annotation tools, converted into a folder that an import reads.

One module of `tools/` per tool binds `TOOL` and is found by the registry. A tool reads its records into `Findings`;
`study_making` makes items, questions and lines of ratings from these, whatever the tool.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from config.registry import discover
from parts.other_tools.findings import Findings
from parts.other_tools.tool_files import ToolFile


class OtherTool(ABC):
    """How the files of one tool are read. Instances have no state."""

    key: str
    label: str
    reads_tables = False
    """Whether some of its files are CSV."""

    @abstractmethod
    def recognises(self, file: ToolFile) -> bool:
        """Return whether the file looks as if this tool had written it."""

    def is_settings(self, file: ToolFile) -> bool:
        """Return whether the file says what was asked and how it was shown; such files are read first."""
        return False

    def belongs(self, file: ToolFile, others: Sequence[ToolFile]) -> bool:
        """Return whether to read a file of a folder that was given, which has `others`, too."""
        return self.recognises(file)

    @abstractmethod
    def read(self, file: ToolFile, found: Findings) -> None:
        """Add what the file's records say. What cannot be understood is a problem of the file."""


def other_tools() -> Mapping[str, OtherTool]:
    """Return all tools by key."""
    return discover("tools", "TOOL")
