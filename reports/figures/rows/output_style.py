"""The style of outputs as numbers, counted in their texts: length and Markdown, as in Chatbot Arena's style control."""

import re

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.text_lengths import count_words
from annotation.models import Output
from annotation.pools import OF_COUNTED
from reports.figures.rows.compared_rows import OutputCodes

FEATURES = ("length", "list_items", "headers", "bold")
"""Words, list items, headers, and stretches in bold."""
LIST_ITEM = re.compile(r"^\s*(?:[-*+\N{BULLET}]|\d+[.)])\s+\S", re.MULTILINE)
HEADER = re.compile(r"^#{1,6}\s+\S", re.MULTILINE)
BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")


def style_counts(text: str) -> tuple[int, int, int, int]:
    """The number of FEATURES in a text."""
    return count_words(text), len(LIST_ITEM.findall(text)), len(HEADER.findall(text)), len(BOLD.findall(text))


def output_styles(codes: OutputCodes, wanted: np.ndarray) -> Floats:
    """The features of outputs, (O, 4), in the order of their codes; 0 for those with a false `wanted`, (O,)."""
    styles = np.zeros((codes.arrays.size, len(FEATURES)))
    outputs = Output.objects.filter(item__study=codes.rated.study, **OF_COUNTED).order_by()
    texts = list(outputs.values_list("pk", "text"))
    code = codes.of_pks(np.array([pk for pk, _ in texts], dtype=np.int64))
    for place in np.flatnonzero(wanted[code]).tolist():
        styles[code[place]] = style_counts(texts[place][1])
    return styles
