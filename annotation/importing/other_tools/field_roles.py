"""Which field of a record is the instruction, which the document, and which are the outputs to be judged."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.importing.other_tools.findings import FoundRecord

INSTRUCTIONS = ("instruction", "prompt", "question", "query")
DOCUMENTS = ("document", "context", "article", "source", "passage", "input")
OUTPUTS = ("output", "response", "answer", "completion", "generation", "summary", "translation", "text")


@dataclass(frozen=True)
class FieldRoles:
    """The fields that a person named; None: chosen by their names."""

    instruction: str | None = None
    document: str | None = None
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class ItemParts:
    """The texts of a record in their roles, and those of its other fields."""

    instruction: str
    document: str
    outputs: dict[str, str]
    others: dict[str, str]


def parts_of(record: FoundRecord, roles: FieldRoles, one_output: bool) -> ItemParts:
    """Return the texts of a record in their roles.

    Without names given, the instruction and the document are fields with a usual name, and the outputs all others. If
    there is to be `one_output`, it is the one of them that has a usual name.
    """
    left = dict(record.texts)
    instruction = _role(left, roles.instruction, INSTRUCTIONS, roles.outputs)
    document = _role(left, roles.document, DOCUMENTS, roles.outputs)
    if roles.outputs:
        outputs = {name: left[name] for name in roles.outputs if name in left}
    else:
        usual = [name for name in OUTPUTS if name in left]
        outputs = {usual[0]: left[usual[0]]} if one_output and len(left) > 1 and usual else left
    others = {name: text for name, text in left.items() if name not in outputs}
    return ItemParts(instruction, document, outputs, others)


def _role(left: dict[str, str], named: str | None, usual: Iterable[str], outputs: tuple[str, ...]) -> str:
    """Take the text of a role out of the fields that are left; an item needs another one for its output."""
    if named is not None:
        return left.pop(named, "")
    for name in usual:
        if name in left and name not in outputs and len(left) > 1:
            return left.pop(name)
    return ""
