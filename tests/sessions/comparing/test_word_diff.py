import random

import pytest

from sessions.comparing import word_diff as word_diff_module
from sessions.comparing.sequence_matching import MOST_STEPS, StepCounter, matching_runs
from sessions.comparing.word_diff import ADDED, MOST_PIECES, MOST_SAME, REMOVED, SAME, word_diff


def told(older, newer):
    return [(one.kind, one.text) for one in word_diff(older, newer).stretches]


def test_replaced_words_are_marked_and_the_rest_stays():
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


def test_new_paragraphs_are_changes_and_other_spaces_are_not():
    found = word_diff("One. Two.", "One.\n\nTwo.")
    assert [one.kind for one in found.stretches] == [SAME, ADDED, SAME]
    assert found.stretches[1].is_break
    assert found.sentences.changed == 0
    assert word_diff("One.  Two.", "One. Two.").is_same
    assert word_diff("One.\r\nTwo.", "One.\nTwo.").is_same


def test_sentences_are_counted_by_what_became_of_them():
    found = word_diff("It sails at nine. It is old. It is red.", "It sails at ten. It is old. It is red. New one.")
    assert (found.sentences.total, found.sentences.rewritten, found.sentences.added) == (4, 1, 1)
    assert word_diff("It is old. It is red.", "It is red.").sentences.removed == 1


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
def test_no_character_is_split_in_any_script(older, newer, added):
    assert [text.strip() for kind, text in told(older, newer) if kind == ADDED] == [added]


def test_whatever_the_texts_the_newer_one_can_be_read_from_the_stretches():
    draw = random.Random(5)
    words = ["ferry", "sails", "at", "nine", "[0]", "[1, 2].", ".", ",", "\n", "\n\n", "  ", "\u202eרכבת", "👩‍🔬", ""]
    for _ in range(300):
        older, newer = (" ".join(draw.choices(words, k=draw.randrange(40))) for _ in range(2))
        found = word_diff(older, newer)
        kept = "".join(one.text for one in found.stretches if one.kind != REMOVED)
        assert "".join(kept.split()) == "".join(newer.split()), (older, newer)
        gone = "".join(one.text for one in found.stretches if one.kind != ADDED)
        assert "".join(gone.split()) == "".join(older.split()), (older, newer)


def test_long_unchanged_parts_fold_and_the_sentences_beside_a_change_do_not():
    middle = " ".join(f"Sentence number {n} says nothing new." for n in range(20))
    found = word_diff(f"First one. {middle} Last one.", f"First two. {middle} Last two.")
    folded = [one for one in found.stretches if one.folded]
    assert len(folded) == 1
    assert folded[0].text.startswith("Sentence number 0")
    assert folded[0].words > 90
    assert not any(one.folded for one in word_diff(middle, middle).stretches)


LONG = 200_000
NATURAL = " ".join(
    f"w{draw}." if place % 15 == 14 else f"w{draw}"
    for place, draw in enumerate(random.Random(1).choices(range(3_000), k=30_000))
)


def times(text):
    return (text * (LONG // len(text) + 1))[:LONG]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (times("a "), times("b a a ")),
        (times("Aa. "), times("Bb. ")),
        (times(". "), times(".  ! ")),
        (times("a\n"), times("b\n")),
        (times("語"), times("言")),
        (times("[1]"), times("[2]")),
        (times("a"), times("b")),
        (times("\U0001f469\u200d"), times("\U0001f468\u200d")),
        (NATURAL, NATURAL.replace("w1", "x1")),
    ],
    ids=["words", "sentences", "marks", "lines", "CJK", "citations", "one word", "joined emoji", "prose"],
)
def test_the_longest_answers_are_compared_within_the_bounds(monkeypatch, older, newer):
    """Words are counted, not seconds: what is compared, in how many steps, and what a page shows of it."""
    taken, compared = [], []

    class Counter(StepCounter):
        def take(self, steps):
            taken.append(steps if steps <= self.left else 0)
            return super().take(steps)

    def runs(old, new, steps):
        compared.append(len(old) + len(new))
        return matching_runs(old, new, steps)

    monkeypatch.setattr(word_diff_module, "StepCounter", Counter)
    monkeypatch.setattr(word_diff_module, "matching_runs", runs)
    found = word_diff(older, newer)
    assert sum(taken) <= 2 * MOST_STEPS
    assert sum(compared) <= 3 * LONG + MOST_PIECES
    assert sum(stretch.kind == SAME for stretch in found.stretches) <= 3 * MOST_SAME
    kept = "".join(one.text for one in found.stretches if one.kind != REMOVED)
    assert "".join(kept.split()) == "".join(newer.split())


def test_two_edits_of_long_prose_are_compared_by_words():
    found = word_diff(NATURAL, NATURAL.replace(" w77 ", " seventy-seven ", 1))
    assert [one.text.strip() for one in found.stretches if one.kind == ADDED] == ["seventy-seven"]
    assert (found.words_added, found.words_removed, found.sentences.changed) == (1, 1, 1)


def test_texts_that_repeat_one_word_are_shown_as_replaced():
    older = " ".join(["a"] * 3_000)
    newer = " ".join("b" if place % 97 == 0 else "a" for place in range(3_000))
    kinds = [one.kind for one in word_diff(older, newer).stretches]
    assert kinds == [REMOVED, ADDED, SAME]
