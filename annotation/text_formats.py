"""The formats in which a study's texts are shown. Every option list asks, so this module loads no renderer."""

from typing import Any

OPTION = "text_format"
PLAIN, MARKDOWN, CODE = "plain", "markdown", "code"
FORMATS = (PLAIN, MARKDOWN, CODE)
MUST = f"must be one of {', '.join(FORMATS)}"


def fits(value: Any) -> bool:
    """Whether the value of a study file's option is a format."""
    return value in FORMATS
