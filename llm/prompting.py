"""Prompts: files with named placeholders, or a study's own texts in their place.

A prompt is `<app>/prompts/<name>.md`: between two lines `---` its `version` and, after `required:`, the placeholders
that no text may leave out; then a section `# system` (which may be absent) and a section `# user`. `{{name}}` is
replaced, once and by nothing but the text that is given for it: whatever else looks like code stays as it is.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.apps import apps

from annotation.models import Study
from annotation.text import TextRefusedError, check_text
from config.fields import canonical_json
from llm.asking import Message, PromptMark
from llm.models import StudyPrompt

PLACEHOLDER = re.compile(r"\{\{ ?([a-z][a-z0-9_]*) ?\}\}")
FILE = re.compile(
    r"---\n(?P<head>.*?)\n---\n(?:\s*# system\n(?P<system>.*?))?\s*^# user\n(?P<user>.*)", re.DOTALL | re.M
)
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,49}")
KEYS = ("version", "required")
LONGEST = 100_000


class PromptInvalidError(ValueError):
    """A prompt that cannot be used; the message says why and what to do."""


@dataclass(frozen=True)
class Prompt:
    """A prompt as it is used: its texts, the placeholders in them, and the digest of both texts."""

    key: str
    version: str
    digest: str
    system: str
    user: str
    names: frozenset[str]
    required: frozenset[str] = frozenset()

    @property
    def mark(self) -> PromptMark:
        """What a request says of the prompt that it was made from."""
        return PromptMark(self.key, self.version, self.digest)

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The messages with the placeholders replaced in one pass: what looks like one in a value stays as it is."""
        missing = sorted(self.names - values.keys())
        if missing:
            raise PromptInvalidError(f"The prompt {self.key} was given no text for {_listed(missing)}.")

        def replaced(text: str) -> str:
            return PLACEHOLDER.sub(lambda found: values[found[1]], text)

        messages = (Message("system", replaced(self.system)), Message("user", replaced(self.user)))
        return messages if self.system else messages[1:]


@cache
def load(app: str, name: str) -> Prompt:
    """The prompt that comes with an app. Raises PromptInvalidError where its file is missing or not right."""
    folder = next((Path(config.path) for config in apps.get_app_configs() if config.name == app), None)
    path = folder / "prompts" / f"{name}.md" if folder else None
    if path is None or not path.is_file():
        raise PromptInvalidError(f"There is no prompt {app}/{name}.")
    return parse(f"{app}/{name}", path.read_text(encoding="utf-8"))


def parse(key: str, text: str) -> Prompt:
    """The prompt that the text of a file describes. Raises PromptInvalidError."""
    found = FILE.fullmatch(text)
    if found is None:
        raise PromptInvalidError(f"The prompt {key} needs a head between two lines ---, and a section # user after it.")
    head: dict[str, str] = {}
    for line in found["head"].splitlines():
        word, colon, value = line.partition(":")
        if not colon or word not in KEYS or word in head:
            raise PromptInvalidError(f"The head of the prompt {key} may have one line each of {', '.join(KEYS)}.")
        head[word] = value.strip()
    if not VERSION.fullmatch(head.get("version", "")):
        raise PromptInvalidError(f"The prompt {key} needs a version of letters, digits, dots and dashes.")
    required = frozenset(word.strip() for word in head.get("required", "").split(",") if word.strip())
    prompt = _made(key, head["version"], (found["system"] or "").strip(), found["user"].strip(), required)
    _refuse_missing(prompt, required)
    return prompt


def own_prompt(app: str, name: str, number: int, system: str, user: str) -> Prompt:
    """The prompt of a study's own text, its `number`th. Raises PromptInvalidError where it cannot stand in for ours."""
    ours = load(app, name)
    for text in (system, user):
        try:
            check_text(text)
        except TextRefusedError as problem:
            raise PromptInvalidError(f"The text {problem.reason}.") from None
        if len(text) > LONGEST:
            raise PromptInvalidError(f"The text is longer than {LONGEST} characters.")
    prompt = _made(ours.key, f"own-{number}", system.strip(), user.strip(), ours.required)
    unknown = sorted(prompt.names - ours.names)
    if unknown:
        known = _listed(sorted(ours.names))
        raise PromptInvalidError(f"There is no placeholder {_listed(unknown)} here; known are {known}.")
    _refuse_missing(prompt, ours.required)
    return prompt


def prompt_for(study: Study, app: str, name: str) -> Prompt:
    """The prompt that a study uses: the newest text that it brought itself, or ours."""
    own = StudyPrompt.objects.filter(study=study, key=f"{app}/{name}").order_by("-number").first()
    return load(app, name) if own is None else own_prompt(app, name, own.number, own.system, own.user)


def _made(key: str, version: str, system: str, user: str, required: frozenset[str]) -> Prompt:
    if not user:
        raise PromptInvalidError(f"The prompt {key} has no text for the user's message.")
    digest = hashlib.sha256(canonical_json({"system": system, "user": user}).encode()).hexdigest()
    names = frozenset(PLACEHOLDER.findall(system) + PLACEHOLDER.findall(user))
    return Prompt(key, version, digest, system, user, names, required)


def _refuse_missing(prompt: Prompt, required: frozenset[str]) -> None:
    missing = sorted(required - prompt.names)
    if missing:
        raise PromptInvalidError(f"The prompt {prompt.key} must hold {_listed(missing)}.")


def _listed(names: list[str]) -> str:
    return ", ".join(f"{{{{{name}}}}}" for name in names)
