"""Splits texts into sentences with the library sentencex: rules and lists of abbreviations, no model to download.

The package rouge-score and riSum use NLTK's Punkt, whose model NLTK downloads when it is first used. A server that may
not reach the network cannot depend on that, so counts differ from Punkt's now and then (reading).
"""

import importlib

SPLITTER = "sentencex"


def split_sentences(text: str, language: str = "en") -> list[str]:
    """Return the sentences of `text` in order, without outer white space and without empty ones."""
    found = importlib.import_module(SPLITTER).segment(language, text)
    return [sentence for piece in found if (sentence := piece.strip())]
