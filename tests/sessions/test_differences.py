import random

import pytest

from sessions.differences import ADDED, REMOVED, SAME, differences


def told(older, newer):
    return [(one.kind, one.text) for one in differences(older, newer).stretches]


def test_words_that_were_replaced_are_told_and_the_rest_stays():
    assert told("The cat sat on the mat.", "The dog sat on the mat.") == [
        (SAME, "The "), (REMOVED, "cat "), (ADDED, "dog "), (SAME, "sat on the mat."),
    ]  # fmt: skip


def test_a_citation_is_one_piece():
    assert told("It sails [1].", "It sails [12].") == [
        (SAME, "It sails "),
        (REMOVED, "[1]"),
        (ADDED, "[12]"),
        (SAME, "."),
    ]


def test_a_new_sentence_is_marked_from_its_beginning_to_its_end():
    assert told("One [0].", "One [0].\n\nTwo [1].") == [(SAME, "One [0]."), (ADDED, "\n\nTwo [1].")]
    assert told("A b. C d. E f.", "A b. E f.") == [(SAME, "A b. "), (REMOVED, "C d. "), (SAME, "E f.")]


def test_new_paragraphs_are_changes_and_other_spaces_are_none():
    found = differences("One. Two.", "One.\n\nTwo.")
    assert [one.kind for one in found.stretches] == [SAME, ADDED, SAME]
    assert found.stretches[1].is_break
    assert found.sentences.changed == 0
    assert differences("One.  Two.", "One. Two.").is_same
    assert differences("One.\r\nTwo.", "One.\nTwo.").is_same


def test_sentences_are_counted_by_what_became_of_them():
    found = differences("It sails at nine. It is old. It is red.", "It sails at ten. It is old. It is red. New one.")
    assert (found.sentences.total, found.sentences.rewritten, found.sentences.added) == (4, 1, 1)
    assert differences("It is old. It is red.", "It is red.").sentences.removed == 1


@pytest.mark.parametrize(
    ("older", "newer", "added"),
    [
        ("السلام عليكم يا صديقي", "السلام عليكم يا عزيزي", "عزيزي"),
        ("日本語の文章です。", "日本語の長い文章です。", "長い"),
        ("\U0001f469\u200d\U0001f4bb codes", "\U0001f469\u200d\U0001f52c codes", "\U0001f469\u200d\U0001f52c"),
        ("\U0001f1e9\U0001f1ea won", "\U0001f1eb\U0001f1f7 won", "\U0001f1eb\U0001f1f7"),
        ("cafe\u0301 noir", "cafe\u0302 noir", "cafe\u0302"),
    ],
)
def test_check_21_no_character_is_torn_in_any_script(older, newer, added):
    assert [text.strip() for kind, text in told(older, newer) if kind == ADDED] == [added]


def test_whatever_the_texts_the_newer_one_can_be_read_from_the_stretches():
    draw = random.Random(5)
    words = ["ferry", "sails", "at", "nine", "[0]", "[1, 2].", ".", ",", "\n", "\n\n", "  ", "\u202eרכבת", "👩‍🔬", ""]
    for _ in range(300):
        older, newer = (" ".join(draw.choices(words, k=draw.randrange(40))) for _ in range(2))
        found = differences(older, newer)
        kept = "".join(one.text for one in found.stretches if one.kind != REMOVED)
        assert "".join(kept.split()) == "".join(newer.split()), (older, newer)
        gone = "".join(one.text for one in found.stretches if one.kind != ADDED)
        assert "".join(gone.split()) == "".join(older.split()), (older, newer)


def test_long_unchanged_parts_fold_and_the_sentences_beside_a_change_do_not():
    middle = " ".join(f"Sentence number {n} says nothing new." for n in range(20))
    found = differences(f"First one. {middle} Last one.", f"First two. {middle} Last two.")
    folded = [one for one in found.stretches if one.folded]
    assert len(folded) == 1
    assert folded[0].text.startswith("Sentence number 0")
    assert folded[0].words > 90
    assert not any(one.folded for one in differences(middle, middle).stretches)
