"""Words, their places and their stems, as the page uses them for highlighting."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.desk import highlighting
from annotation.desk.highlighting import STEMMERS, as_displayed, words_of, words_payload


def stems(text, language="en"):
    return [word.stem for word in words_of(text, language)]


def texts(text, language="en"):
    return [text[word.start : word.end] for word in words_of(text, language)]


def marked(payload, name, text):
    """The words that a browser would mark: places counted in UTF-16 code units, as its strings are."""
    units, place, found = text.encode("utf-16-le", "surrogatepass"), 0, []
    flat = payload[name]
    for gap, length in zip(flat[::3], flat[1::3], strict=True):
        place += gap
        found.append(units[2 * place : 2 * (place + length)].decode("utf-16-le", "surrogatepass"))
        place += length
    return found


def test_case_and_inflection_are_folded():
    assert stems("Ferries sailed SAILING") == stems("ferry sails sail")


def test_an_apostrophe_belongs_to_its_word_whichever_kind_it_is():
    assert texts("Ingrid's won\u2019t 'quoted'") == ["Ingrid's", "won\u2019t", "quoted"]
    assert stems("won\u2019t") == stems("won't")


def test_combining_marks_belong_to_their_word_and_composition_makes_no_difference():
    assert texts("e\u0301tude") == ["e\u0301tude"]
    assert stems("e\u0301tude", "fr") == stems("\u00e9tude", "fr")
    assert texts("\u0928\u092e\u0938\u094d\u0924\u0947", "hi") == ["\u0928\u092e\u0938\u094d\u0924\u0947"]


def test_vowel_marks_that_arabic_may_leave_out_make_no_difference():
    assert stems("\u0643\u064e\u062a\u064e\u0628\u064e", "ar") == stems("\u0643\u062a\u0628", "ar")


def test_the_dotless_i_of_turkish_folds_to_itself():
    assert stems("\u0130STANBUL", "tr") == stems("istanbul", "tr")
    assert stems("KIZ", "tr") == stems("k\u0131z", "tr")


def test_a_script_without_spaces_gives_one_word_per_character():
    assert texts("\u6771\u4eac\u3067", "ja") == ["\u6771", "\u4eac", "\u3067"]
    assert [word.is_stop for word in words_of("\u6771\u4eac\u3067", "ja")] == [False, False, True]


def test_function_words_of_english_are_stop_words_and_content_words_are_not():
    stop = {word.stem: word.is_stop for word in words_of("The ferry that I saw wasn't late", "en-GB")}
    assert stop == {"the": True, "ferri": False, "that": True, "i": True, "saw": False, "wasn't": True, "late": False}


def test_a_number_is_one_word_and_the_digit_of_a_list_is_a_stop_word():
    assert texts("1. It cost 2,300.50, or 7.") == ["1", "It", "cost", "2,300.50", "or", "7"]
    assert [word.is_stop for word in words_of("1. 2.3 kg")] == [True, False, False]


def test_a_language_without_a_stemmer_keeps_its_words_whole():
    assert stems("Bahnen", "tlh") == ["bahnen"]


@pytest.mark.parametrize("language", sorted(STEMMERS))
def test_every_named_stemmer_exists(language):
    assert len(words_of("word", language)) == 1


def test_the_payload_gives_the_same_number_to_the_same_word_in_both_texts_and_names_stop_words():
    payload = words_payload("The ferry sails.", "Ferries sail the sea.", "en")
    assert payload == {
        "document": [0, 3, 0, 1, 5, 1, 1, 5, 2],
        "output": [0, 7, 1, 1, 4, 2, 1, 3, 0, 1, 3, 3],
        "stop": [0],
    }


def test_places_count_utf_16_units_so_that_emoji_and_line_ends_do_not_shift_them():
    document = (
        "\U0001f600 Fe\u0301rry\r\n\U00020000\u05e9\u05dc\u05d5\u05dd \U0001f468\u200d\U0001f469\u200d\U0001f467 end"
    )
    payload = words_payload(document, "", "en")
    assert marked(payload, "document", as_displayed(document)) == texts(as_displayed(document))
    assert marked(payload, "document", as_displayed(document))[-1] == "end"


@given(st.text(max_size=80))
def test_places_mark_the_same_characters_in_code_points_and_in_utf_16(text):
    shown = as_displayed(text)
    words = words_of(shown)
    assert all(0 <= a.start < a.end <= b.start for a, b in pairwise(words))
    assert marked(words_payload(text, text, "en"), "output", shown) == texts(shown)


def test_empty_texts_have_no_words():
    assert words_payload("", "", "en") == {"document": [], "output": [], "stop": []}


class Stemmer:
    """Replaces a stemmer and records what it gets."""

    def __init__(self, stemmed):
        self.stemmed = stemmed

    def stemWord(self, word):
        self.stemmed.append(word)
        return word


@pytest.fixture
def stemmed(monkeypatch):
    words = []
    highlighting._compared.cache_clear()
    monkeypatch.setattr("snowballstemmer.stemmer", lambda name: Stemmer(words))
    yield words
    highlighting._compared.cache_clear()


def test_a_very_long_word_is_compared_as_it_is(stemmed):
    """Folding and stemming one word of 200,000 characters would take minutes."""
    giant = "Y" * 200_000
    assert [word.stem for word in words_of(f"sails {giant}")] == ["sails", giant]
    assert stemmed == ["sails"]


def test_a_page_stems_a_bounded_number_of_different_words(stemmed):
    many = " ".join(f"sailing{number}" for number in range(20_000))
    payload = words_payload(many, "sailing7 Sailing8", "en")
    assert stemmed == []
    assert payload["output"][2::3] == [7, 8]
    words_payload("sailing ferries", "ferry", "en")
    assert set(stemmed) == {"sailing", "ferries", "ferry"}


def test_words_are_found_by_what_unicode_calls_letters_numbers_and_marks():
    for code in (*range(0x3000), *range(0xA000, 0xAC00), *range(0x10000, 0x11000), 0xE0100, 0xE01EF):
        character = chr(code)
        is_word = unicodedata.category(character)[0] in "LNM"
        assert len(words_of(character, "")) == is_word, hex(code)
