"""What a person decides where the files of another tool are ambiguous, and what they are asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any

from files.import_problems import ImportProblem, ImportRefusedError

OUTPUTS, SIDES, SHOWS, RATER = "outputs", "sides", "shows", "rater"
VALUES = {OUTPUTS: "FIELD", SIDES: "{}=LEFT,RIGHT", SHOWS: "{}=FIELD", RATER: "{}=NAME"}
"""What follows the option of the command that answers a question of each kind; the option is called by the kind."""
SEVERAL = "*"
"""Instead of the name of a file's rater: several people, each of whom gave one of the labels of a record."""


@dataclass(frozen=True)
class FieldRoles:
    """The fields that a person named; None: chosen by their names."""

    instruction: str | None = None
    document: str | None = None
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConversionChoices:
    """What a person has decided.

    `sides` has the fields shown left and right by question, `shows` the field that a name in the tool stands for (a
    tag, a label or a question), and `raters` the rater by the name of a file.
    """

    roles: FieldRoles = field(default_factory=FieldRoles)
    sides: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    shows: Mapping[str, str] = field(default_factory=dict)
    raters: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the choices as the column of an upload has them."""
        roles = self.roles
        return {
            "instruction": roles.instruction,
            "document": roles.document,
            OUTPUTS: list(roles.outputs),
            SIDES: {name: list(pair) for name, pair in self.sides.items()},
            SHOWS: dict(self.shows),
            RATER: dict(self.raters),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "ConversionChoices":
        """Return the choices that `as_json` has written; {} has none."""
        roles = FieldRoles(stored.get("instruction"), stored.get("document"), tuple(stored.get(OUTPUTS, ())))
        sides = {name: (left, right) for name, (left, right) in stored.get(SIDES, {}).items()}
        return cls(roles, sides, dict(stored.get(SHOWS, {})), dict(stored.get(RATER, {})))


@dataclass(frozen=True)
class AskedChoice:
    """Something that a person has to decide: what it is about, among which options, and where it was needed first."""

    kind: str
    name: str
    """The question, the tag, the label or the file."""
    options: tuple[str, ...]
    """Fields; none if any text is an answer."""
    reason: str
    file: str
    line: int = 0
    place: str = ""
    allows_several: bool = False
    """Whether SEVERAL is an answer."""

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name

    @property
    def hint(self) -> str:
        """How the command is told, with the values that there may be."""
        option = f"--{self.kind} {quote(VALUES[self.kind].format(self.name))}"
        more = (
            f", or {quote(f'{self.name}={SEVERAL}')} if each label is of another person" if self.allows_several else ""
        )
        fields = f" (fields: {', '.join(self.options)})" if self.options else ""
        return f"Decide it with {option}{more}{fields}"

    @property
    def problem(self) -> ImportProblem:
        return ImportProblem(self.file, self.line, self.place, self.reason)

    def with_options(self, more: Iterable[str]) -> "AskedChoice":
        """Return the choice with more options."""
        return replace(self, options=tuple(dict.fromkeys([*self.options, *more])))


class ChoicesNeededError(ImportRefusedError):
    """Files cannot be converted before a person has decided what is `asked`."""

    def __init__(self, asked: Sequence[AskedChoice]) -> None:
        super().__init__([choice.problem for choice in asked])
        self.asked = tuple(asked)
