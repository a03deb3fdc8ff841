"""Prompts: files with named placeholders, or a study's own texts instead of them.

A prompt is the file `<app>/prompts/<name>.md`, or `parts/<app>/prompts/<name>.md`. Between two lines `---` it has a
`version` and, after `required:`, the placeholders that every text must contain; then an optional section `# system` and
a section `# user`. `{{name}}` is replaced once, by the text given for it. Anything else that looks like code stays as
it is.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.apps import apps

from annotation.models import Study
from config.model_fields import canonical_json
from config.text_validation import TextRefusedError, check_text
from llm.models import StudyPrompt
from llm.requests import Message, PromptReference

PLACEHOLDER = re.compile(r"\{\{ ?([a-z][a-z0-9_]*) ?\}\}")
FILE = re.compile(
    r"---\n(?P<header>.*?)\n---\n(?:\s*# system\n(?P<system>.*?))?\s*^# user\n(?P<user>.*)", re.DOTALL | re.M
)
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,49}")
KEYS = ("version", "required")
LONGEST = 100_000


class PromptInvalidError(ValueError):
    """The prompt cannot be used; the message says why and what to do."""


@dataclass(frozen=True)
class Prompt:
    """A prompt: its texts, the placeholders in them, and the digest of both texts."""

    key: str
    version: str
    digest: str
    system: str
    user: str
    names: frozenset[str]
    required: frozenset[str] = frozenset()

    @property
    def reference(self) -> PromptReference:
        """What a request stores about the prompt that it was made from."""
        return PromptReference(self.key, self.version, self.digest)

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Return the messages with the placeholders replaced. Placeholders inside values stay as they are."""
        missing = sorted(self.names - values.keys())
        if missing:
            raise PromptInvalidError(f"The prompt {self.key} needs a text for {_listed(missing)}.")

        def fill_text(text: str) -> str:
            return PLACEHOLDER.sub(lambda found: values[found[1]], text)

        messages = (Message("system", fill_text(self.system)), Message("user", fill_text(self.user)))
        return messages if self.system else messages[1:]


@cache
def load_prompt(app: str, name: str) -> Prompt:
    """Return the prompt that comes with an app. Raises PromptInvalidError if its file is missing or invalid."""
    folder = prompt_folders().get(app)
    path = folder / f"{name}.md" if folder else None
    if path is None or not path.is_file():
        raise PromptInvalidError(f"There is no prompt {app}/{name}.")
    return parse_prompt(f"{app}/{name}", path.read_text(encoding="utf-8"))


def prompt_folders() -> dict[str, Path]:
    """Return the folder of each app's prompts by the name that their keys have for the app."""
    return {config.name.rpartition(".")[2]: Path(config.path) / "prompts" for config in apps.get_app_configs()}


def parse_prompt(key: str, text: str) -> Prompt:
    """Return the prompt in the text of a file. Raises PromptInvalidError."""
    found = FILE.fullmatch(text)
    if found is None:
        raise PromptInvalidError(f"The prompt {key} needs a header between two lines ---, then a section # user.")
    header: dict[str, str] = {}
    for line in found["header"].splitlines():
        word, colon, value = line.partition(":")
        if not colon or word not in KEYS or word in header:
            raise PromptInvalidError(
                f"The header of the prompt {key} may only have one line each of {', '.join(KEYS)}."
            )
        header[word] = value.strip()
    if not VERSION.fullmatch(header.get("version", "")):
        raise PromptInvalidError(f"The prompt {key} needs a version of letters, digits, dots and dashes.")
    required = frozenset(word.strip() for word in header.get("required", "").split(",") if word.strip())
    prompt = _prompt(key, header["version"], (found["system"] or "").strip(), found["user"].strip(), required)
    _refuse_missing(prompt, required)
    return prompt


def study_prompt(app: str, name: str, number: int, system: str, user: str, model: str = "") -> Prompt:
    """Return version `number` of a study's own prompt, for all models or for one.

    Raises PromptInvalidError if it cannot replace ours.
    """
    ours = load_prompt(app, name)
    for text in (system, user):
        try:
            check_text(text)
        except TextRefusedError as problem:
            raise PromptInvalidError(f"The text {problem.reason}.") from None
        if len(text) > LONGEST:
            raise PromptInvalidError(f"The text is longer than {LONGEST} characters.")
    prompt = _prompt(prompt_key(app, name, model), f"own-{number}", system.strip(), user.strip(), ours.required)
    unknown = sorted(prompt.names - ours.names)
    if unknown:
        known = _listed(sorted(ours.names))
        raise PromptInvalidError(f"Unknown placeholder {_listed(unknown)}. Known are {known}.")
    _refuse_missing(prompt, ours.required)
    return prompt


def prompt_for(study: Study, app: str, name: str, model: str = "") -> Prompt:
    """Return the prompt that a study uses: its newest text for this `endpoint/model`, its own newest one, or ours."""
    keys = [prompt_key(app, name, model), prompt_key(app, name)] if model else [prompt_key(app, name)]
    for key in keys:
        own = StudyPrompt.objects.filter(study=study, key=key).order_by("-number").first()
        if own is not None:
            return study_prompt(app, name, own.number, own.system, own.user, model if key != keys[-1] else "")
    return load_prompt(app, name)


def pinned_prompt(study: Study, app: str, name: str, model: str, digest: str) -> Prompt | None:
    """Return the text of a prompt that has this digest: the study's own for the model or for all, or ours; or None."""
    keys = (prompt_key(app, name, model), prompt_key(app, name))
    own = StudyPrompt.objects.filter(study=study, key__in=keys, digest=digest).order_by("-number").first()
    if own is not None:
        return study_prompt(app, name, own.number, own.system, own.user)
    ours = load_prompt(app, name)
    return ours if ours.digest == digest else None


def prompt_key(app: str, name: str, model: str = "") -> str:
    """Return the key of a study's own texts for a prompt, for all models or for one."""
    return f"{app}/{name}@{model}" if model else f"{app}/{name}"


def _prompt(key: str, version: str, system: str, user: str, required: frozenset[str]) -> Prompt:
    if not user:
        raise PromptInvalidError(f"The prompt {key} has no text in the user message.")
    digest = hashlib.sha256(canonical_json({"system": system, "user": user}).encode()).hexdigest()
    names = frozenset(PLACEHOLDER.findall(system) + PLACEHOLDER.findall(user))
    return Prompt(key, version, digest, system, user, names, required)


def _refuse_missing(prompt: Prompt, required: frozenset[str]) -> None:
    missing = sorted(required - prompt.names)
    if missing:
        raise PromptInvalidError(f"The prompt {prompt.key} must contain {_listed(missing)}.")


def _listed(names: list[str]) -> str:
    return ", ".join(f"{{{{{name}}}}}" for name in names)
