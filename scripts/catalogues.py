"""Bring the catalogues of the annotators' pages up to date: `python -m scripts.catalogues` (docs/languages.md).

It finds all messages in templates, Python and scripts, adds new ones without a translation to each language's
`django.po`, removes those that are gone, and writes what the site reads: `django.mo`, and for the pages' scripts
`static/js/languages/<language>.js`. Messages of a part alone are in a catalogue of its own. It needs no program beside
polib.
"""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path

import polib

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {"de": "de", "es": "es", "ar": "ar", "zh-hans": "zh_Hans"}
"""The languages beside English, with their folders in each `locale/`."""
PLURALS = {
    "de": "nplurals=2; plural=(n != 1);",
    "es": "nplurals=2; plural=(n != 1);",
    "ar": (
        "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3"
        " : n%100>=11 && n%100<=99 ? 4 : 5;"
    ),
    "zh-hans": "nplurals=1; plural=0;",
}
REVIEW = "NOT YET REVIEWED BY NATIVE SPEAKERS. Review a message, then say so here (docs/languages.md)."
HEAD = "/* The texts of scripts on annotators' pages; written by scripts/catalogues.py from locale/. */\n"
CALLS = {"gettext": 1, "gettext_lazy": 1, "gettext_noop": 1, "ngettext": 2, "ngettext_lazy": 2, "_": 1}
NAMES = (ast.Name, ast.Attribute, ast.Subscript)
TAG = re.compile(r"\{%\s*(translate|blocktranslate|plural|endblocktranslate)\b(.*?)%\}", re.DOTALL)
PIECE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
QUOTED = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
MARKED = re.compile(rf"""_\({QUOTED}\)""")
SCRIPT_CALL = re.compile(rf"""\b(n?gettext)\(\s*{QUOTED}(?:\s*,\s*{QUOTED})?""")


@dataclass(frozen=True, order=True)
class PageMessage:
    """A text to translate, and its plural."""

    one: str
    many: str = ""


class NotLiteralError(ValueError):
    """A call names its message in a way that nobody can find; it says where."""


def found_messages(root: Path = ROOT) -> dict[PageMessage, set[str]]:
    """All messages in files that git knows or would, with the files that they are in."""
    found: dict[PageMessage, set[str]] = {}
    for path in _files(root):
        text = (root / path).read_text(encoding="utf-8")
        for message in _READERS[Path(path).suffix](text, path):
            found.setdefault(message, set()).add(path)
    return found


def _files(root: Path) -> list[str]:
    command = [
        "git",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "*.html",
        "*.py",
        "*.js",
        "parts/*.txt",
    ]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")
    skipped = ("tests/", "scripts/", "benchmarks/", "client_library/", "static/vendor/", "static/js/languages/")
    return sorted(path for path in listed if path and not path.startswith(skipped) and (root / path).is_file())


def in_template(text: str, path: str) -> Iterator[PageMessage]:
    """The messages of a template."""
    yield from (PageMessage(_unquoted(quoted)) for quoted in MARKED.findall(text))
    start, forms = 0, list[str]()
    for tag in TAG.finditer(text):
        name, rest = tag[1], tag[2].strip()
        if name == "translate":
            quoted = re.match(QUOTED, rest)
            if quoted is None:
                raise NotLiteralError(f"{path}: {tag[0]}")
            yield PageMessage(_unquoted(quoted[1]))
            continue
        if name != "blocktranslate":
            forms.append(_as_message(text[start : tag.start()]))
        if name == "endblocktranslate":
            yield PageMessage(*forms)
            forms = []
        start = tag.end()


def _as_message(body: str) -> str:
    return PIECE.sub(r"%(\1)s", body.replace("%", "%%"))


def _unquoted(quoted: str) -> str:
    return str(ast.literal_eval(quoted))


def in_python(text: str, path: str) -> Iterator[PageMessage]:
    """The messages of a Python module."""
    if "gettext" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in CALLS:
            continue
        given = node.args[: CALLS[node.func.id]]
        texts = [str(arg.value) for arg in given if isinstance(arg, ast.Constant)]
        if len(texts) == CALLS[node.func.id]:
            yield PageMessage(*texts)
        elif not isinstance(given[0], NAMES):  # a name stands for what gettext_noop has marked
            raise NotLiteralError(f"{path}:{node.lineno}")


def in_script(text: str, path: str) -> Iterator[PageMessage]:
    """The messages of a script."""
    for name, one, many in SCRIPT_CALL.findall(text):
        yield PageMessage(_unquoted(one), _unquoted(many) if name == "ngettext" else "")


_READERS = {".html": in_template, ".txt": in_template, ".py": in_python, ".js": in_script}


def by_owner(found: dict[PageMessage, set[str]]) -> dict[str, dict[PageMessage, set[str]]]:
    """The messages of each catalogue, by the folder that has it: "" for the core, or that of a part, `parts/<key>`.

    What the core says too needs no other entry; what only parts say, each of them says by itself.
    """
    owned: dict[str, dict[PageMessage, set[str]]] = {"": {}}
    for message, paths in found.items():
        places: dict[str, set[str]] = {}
        for path in paths:
            places.setdefault("/".join(path.split("/")[:2]) if path.startswith("parts/") else "", set()).add(path)
        for owner in [""] if "" in places else places:
            owned.setdefault(owner, {})[message] = places[owner]
    return owned


def catalogue_path(language: str, folder: Path = ROOT) -> Path:
    """Where the catalogue of `language` in a folder is."""
    return folder / "locale" / FOLDERS[language] / "LC_MESSAGES" / "django.po"


def catalogue_paths(language: str, root: Path = ROOT) -> list[Path]:
    """All catalogues of `language`, that of the core first."""
    folders = [root, *sorted((root / "parts").glob("*/"))]
    return [path for folder in folders if (path := catalogue_path(language, folder)).exists()]


def all_entries(language: str, root: Path = ROOT) -> dict[PageMessage, polib.POEntry]:
    """The entries of all catalogues of `language`."""
    paths = reversed(catalogue_paths(language, root))
    entries = (entry for path in paths for entry in read_catalogue(language, path))
    return {PageMessage(entry.msgid, entry.msgid_plural): entry for entry in entries}


def read_catalogue(language: str, path: Path) -> polib.POFile:
    """A catalogue of `language`, which may be new."""
    catalogue = polib.pofile(str(path), wrapwidth=110) if path.exists() else polib.POFile(wrapwidth=110)
    catalogue.metadata = {
        "Project-Id-Version": "Interrater",
        "Language": FOLDERS[language],
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": PLURALS[language],
        "X-Review": catalogue.metadata.get("X-Review", REVIEW),
    }
    return catalogue


def bring_up_to_date(language: str, found: dict[PageMessage, set[str]], root: Path = ROOT) -> list[str]:
    """Write the catalogues with exactly the messages found, and what the site reads of them.

    Return the messages without a translation.
    """
    known, owned = all_entries(language, root), by_owner(found)
    for path in set(catalogue_paths(language, root)) - {catalogue_path(language, root / owner) for owner in owned}:
        path.unlink()
        path.with_suffix(".mo").unlink()
    for owner, messages in owned.items():
        _write(language, messages, known, catalogue_path(language, root / owner))
    script = root / "static" / "js" / "languages" / f"{language}.js"
    script.parent.mkdir(parents=True, exist_ok=True)
    entries = all_entries(language, root)
    script.write_text(script_of(language, entries, found), encoding="utf-8")
    return [message.one for message, entry in entries.items() if not entry.translated() or entry.fuzzy]


def _write(
    language: str, found: dict[PageMessage, set[str]], known: dict[PageMessage, polib.POEntry], path: Path
) -> None:
    """Write a catalogue with these messages, translated as in `known`, and what Django reads of it."""
    new = polib.POFile(wrapwidth=110)
    new.metadata, new.metadata_is_fuzzy = read_catalogue(language, path).metadata, False
    for message in sorted(found):
        entry = copy(known.get(message)) or polib.POEntry(msgid=message.one, msgid_plural=message.many)
        if message.many and not entry.msgstr_plural:
            entry.msgstr_plural = dict.fromkeys(range(forms_of(language)), "")
        entry.occurrences = [(path, "") for path in sorted(found[message])]
        entry.flags = [flag for flag in entry.flags if flag == "fuzzy"]
        if re.search(r"%\(\w+\)s", message.one + message.many) and not _is_script(found[message]):
            entry.flags.append("python-format")
        new.append(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    new.save(str(path))
    new.save_as_mofile(str(path.with_suffix(".mo")))


def forms_of(language: str) -> int:
    """How many plural forms a language has."""
    return int(re.findall(r"nplurals=(\d+)", PLURALS[language])[0])


def _is_script(paths: set[str]) -> bool:
    return any(path.endswith(".js") for path in paths)


def script_of(language: str, entries: dict[PageMessage, polib.POEntry], found: dict[PageMessage, set[str]]) -> str:
    """The script that gives the pages' scripts their texts."""
    words = {}
    for message, entry in sorted(entries.items()):
        if _is_script(found.get(message, set())):
            forms = [entry.msgstr_plural[number] for number in sorted(entry.msgstr_plural)]
            words[entry.msgid] = forms if entry.msgid_plural else entry.msgstr
    rule = PLURALS[language].partition("plural=")[2].rstrip(";")
    told = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
    return f"{HEAD}window.interraterLanguage = {{ plural: (n) => Number({rule}), words: {told} }};\n"


def main() -> None:
    found = found_messages()
    for language in FOLDERS:
        left = bring_up_to_date(language, found)
        print(f"{language}: {len(found)} messages, {len(left)} without a translation")
        for text in left:
            print(f"  {text}", file=sys.stderr)


if __name__ == "__main__":
    main()
