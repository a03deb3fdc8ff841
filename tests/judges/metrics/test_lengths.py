"""Lengths in words and sentences."""

import pytest

from judges.metrics import MetricInput, MetricOptionError, metrics
from judges.metrics.sentence_splitting import split_sentences

pytestmark = pytest.mark.quick


def length(key: str, text: str, **options) -> float:
    (found,) = metrics()[key].scores([MetricInput(text)], options)
    return found.value


def test_words_are_counted_between_spaces():
    assert length("words", "Don't stop,\n\tsays  Dr. Smith!") == 5
    assert length("words", "") == length("words", " \n ") == 0


def test_treebank_tokens_count_punctuation():
    """The tokens are: Do, n't, stop, the comma, says, Dr., Smith, the mark; in the second sentence Stop and a stop."""
    assert length("words", "Don't stop, says Dr. Smith! Stop.", counting="treebank") == 10
    assert length("words", "", counting="treebank") == 0


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", 0),
        (" \n\n ", 0),
        ("No full stop", 1),
        ("Dr. Smith went to Washington. He arrived at 5 p.m. on Monday, e.g. by train.", 2),
        ('He said: "Go away!" Then he left. Did he?', 3),
        ("Inflation fell 3.5%.\n\n- one item\n- another item\n", 3),
    ],
)
def test_sentences_are_counted(text, sentences):
    assert length("sentences", text) == sentences
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_lengths_need_no_reference_and_no_document():
    inputs = [MetricInput("one two"), MetricInput("", document="a", references=("b",))]
    assert [one.value for one in metrics()["words"].scores(inputs, {})] == [2, 0]
    assert metrics()["sentences"].scores([], {}) == []


def test_options_that_do_not_exist_are_refused():
    with pytest.raises(MetricOptionError, match=r"sentences has no option 'language'\. Its options: none"):
        length("sentences", "a", language="en")
    with pytest.raises(MetricOptionError, match="must be one of spaces, treebank; it is 'nltk'"):
        length("words", "a", counting="nltk")


def test_configurations_name_the_splitter_if_it_decides():
    assert metrics()["words"].configuration({}) == {"metric": "words", "options": {"counting": "spaces"}}
    assert metrics()["sentences"].configuration({})["packages"]["sentencex"]
