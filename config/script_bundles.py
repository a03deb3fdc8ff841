"""Bundles: the script of a page and all that it imports, as one module.

Our script modules are small, and a browser that loads a page for the first time would ask for thirty of them, one
after another along the imports. `collectstatic` therefore serves one file per page; development serves the modules.
No package that installs with pip on every supported machine does this without Node, and ours use few forms of
`import` and `export`. All other forms are refused. What makes the bundle small follows in `config.static_files`.
"""

import posixpath
import re
from collections.abc import Callable, Mapping

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
LEFT = re.compile(r"^(?:import|export)\b.*|\bimport\(.*|\bimport\.meta.*", re.MULTILINE)


class ScriptRefusedError(ValueError):
    """A script has an import or export that bundles do not know; the message names both."""


def bundles(sources: Mapping[str, str]) -> dict[str, str]:
    """The scripts of pages, by their names: those that no other imports, each with all that it imports."""
    imports = {name: _imported(name, text) for name, text in sources.items()}
    used = {name for names in imports.values() for name in names}
    of_pages = {name: names for name, names in imports.items() if name not in used}
    return {
        name: _bundle(name, sources, imports) if names else _checked(name, sources[name])
        for name, names in of_pages.items()
    }


def _imported(name: str, text: str) -> list[str]:
    return [_path(name, there) for _, there in IMPORT.findall(text)]


def _path(name: str, there: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), there))


def _bundle(entry: str, sources: Mapping[str, str], imports: Mapping[str, list[str]]) -> str:
    order: list[str] = []
    _add(entry, imports, order, ())
    names = {name: f"module{number}" for number, name in enumerate(order)}
    return "".join(_wrapped(name, sources[name], names.__getitem__) for name in order)


def _add(name: str, imports: Mapping[str, list[str]], order: list[str], above: tuple[str, ...]) -> None:
    """Append a module after all that it imports."""
    if name in above:
        raise ScriptRefusedError(f"{name} imports itself by way of {', '.join(above[above.index(name) + 1 :])}")
    if name not in imports:
        raise ScriptRefusedError(f"{above[-1]} imports {name}, which is not there")
    if name not in order:
        for imported in imports[name]:
            _add(imported, imports, order, (*above, name))
        order.append(name)


def _wrapped(name: str, text: str, variable_of: Callable[[str], str]) -> str:
    """The module as a function that is called once and returns its exports."""
    exported = [found[1] for found in EXPORT.findall(text)]

    def imported(found: re.Match[str]) -> str:
        return f"const {{{found[1].replace(' as ', ': ')}}} = {variable_of(_path(name, found[2]))};"

    body = _checked(name, EXPORT.sub(r"\1", IMPORT.sub(imported, text)))
    return f"// {name}\nconst {variable_of(name)} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def _checked(name: str, text: str) -> str:
    """The text without comments that fill a line, if it has no other import or export."""
    text = COMMENT.sub("", text)
    left = LEFT.search(text)
    if left:
        raise ScriptRefusedError(f"{name}: bundles do not know this import or export: {left[0]}")
    return text
