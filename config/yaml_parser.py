"""Values of YAML 1.2 that somebody else wrote: read strictly, within limits, and into the types that JSON has."""

import json
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent, ScalarEvent

from config.text_validation import DEEPEST
from config.yaml_reading import YamlInvalidError

VERSION = (1, 2)
MOST_VALUES = 20_000
"""Keys and values in one text: more would take seconds to read."""


def values_of(text: str) -> Any:
    """Return the value of a YAML 1.2 text, so that `no` is a text and not a truth value. Raises YamlInvalidError.

    Aliases, keys that occur twice, other versions of YAML, more than DEEPEST levels of nesting and more than
    MOST_VALUES values are refused, and so is any type that JSON does not have.
    """
    try:
        _check_limits(text)
        return _json_types(YAML(typ="safe", pure=True).load(text), "")
    except MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 0
        raise YamlInvalidError(f"is not valid YAML ({_printable(problem.problem or problem.context)})", line) from None
    except YAMLError as problem:
        raise YamlInvalidError(f"is not valid YAML ({_printable(problem)})") from None
    except RecursionError:
        raise YamlInvalidError(f"is nested deeper than {DEEPEST} levels") from None
    except YamlInvalidError:
        raise
    except (ValueError, OverflowError, TypeError, KeyError, AttributeError) as problem:
        # The parser's constructors let these through for odd numbers, dates and tags.
        raise YamlInvalidError(f"contains a value that cannot be read ({type(problem).__name__})") from None


def _check_limits(text: str) -> None:
    """Refuse a text that would take too long or too much memory to load, as early as possible."""
    depth = values = 0
    for event in YAML(typ="safe", pure=True).parse(text):
        line = event.start_mark.line + 1
        if isinstance(event, AliasEvent):  # a few of them can stand for gigabytes
            raise YamlInvalidError("uses an alias (*): write the value out", line)
        if isinstance(event, DocumentStartEvent) and event.version not in (None, VERSION):
            raise YamlInvalidError("asks for another version of YAML than 1.2: remove the %YAML line", line)
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > DEEPEST:
            raise YamlInvalidError(f"is nested deeper than {DEEPEST} levels", line)
        values += isinstance(event, CollectionStartEvent | ScalarEvent)
        if values > MOST_VALUES:
            raise YamlInvalidError(f"has more than {MOST_VALUES:,} keys and values", line)


def _json_types(value: Any, field: str) -> Any:
    """Return the value with booleans as keys turned into texts, as in JSON; refuse any other type."""
    if isinstance(value, dict):
        made: dict[str, Any] = {}
        for key, inner in value.items():
            name = str(key).lower() if isinstance(key, bool) else key
            if not isinstance(name, str):
                raise YamlInvalidError(f"has the key {str(key)[:60]}, which is not text: put it in quotes", field=field)
            if name in made:
                raise YamlInvalidError(f"has the key {json.dumps(name[:60])} twice", field=field)
            made[name] = _json_types(inner, f"{field}.{name}" if field else name)
        return made
    if isinstance(value, list):
        return [_json_types(inner, f"{field}.{number}" if field else str(number)) for number, inner in enumerate(value)]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise YamlInvalidError(f"is a {type(value).__name__}: put it in quotes to make it text", field=field)


def _printable(problem: Any) -> str:
    """Return the first line of an error, without characters that could act on a terminal."""
    line = " ".join(str(problem).split("\n")[0].split())
    return "".join(character if character.isprintable() else "?" for character in line)
