"""Which field of a record is the instruction, which the document, and which are the outputs to be judged."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from parts.other_tools.conversion_choices import FieldRoles
from parts.other_tools.findings import FoundRecord

INSTRUCTIONS = ("instruction", "prompt", "question", "query")
DOCUMENTS = ("document", "context", "article", "source", "passage", "input")
OUTPUTS = frozenset({"output", "response", "answer", "completion", "generation", "summary", "translation", "text"})
ADDRESS = re.compile(r"(https?|s3|gs)://\S+|/data/\S+")
"""What a field that shows no text holds."""


@dataclass(frozen=True)
class ItemParts:
    """The texts of a record in their roles, and those of its other fields."""

    instruction: str
    document: str
    outputs: dict[str, str]
    others: dict[str, str]


def readable(fields: dict[str, str]) -> list[str]:
    """Return the names of the fields that have a text to read, and not only an address."""
    return [name for name, text in fields.items() if not ADDRESS.fullmatch(text)]


def parts_of(record: FoundRecord, roles: FieldRoles, judged: Collection[str], one_output: bool) -> ItemParts:
    """Return the texts of a record in their roles.

    `judged` are the fields that answers name: they are outputs, and no field that no answer names is one beside them.
    Without such fields, the instruction and the document are fields with a usual name, and the outputs all others. If
    only `one_output` may be judged and several fields are left, it is the one with a usual name, if there is just one.
    """
    left = dict(record.texts)
    named = roles.outputs or tuple(name for name in record.fields if name in judged)
    instruction = record.instruction or _role(left, roles.instruction, INSTRUCTIONS, named)
    document = record.document or _role(left, roles.document, DOCUMENTS, named)
    if roles.outputs:
        outputs = {name: record.fields[name] for name in roles.outputs if name in record.fields}
    elif record.outputs or named:
        outputs = {**{name: left[name] for name in named if name in left}, **record.outputs}
    else:
        outputs = {name: left[name] for name in readable(left)}
        usual = [name for name in outputs if name in OUTPUTS]
        if one_output and len(outputs) > 1 and len(usual) == 1:
            outputs = {usual[0]: outputs[usual[0]]}
    others = {name: text for name, text in left.items() if name not in outputs}
    return ItemParts(instruction, document, outputs, others)


def _role(left: dict[str, str], named: str | None, usual: Iterable[str], outputs: Collection[str]) -> str:
    """Take the text of a role out of the fields that are left; an item needs another one for its output."""
    if named is not None:
        return left.pop(named, "")
    for name in usual:
        if name in left and name not in outputs and (outputs or len(readable(left)) > 1):
            return left.pop(name)
    return ""
