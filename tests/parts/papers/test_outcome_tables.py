"""Tables of wins, ties and losses: against a baseline, at similar lengths, of edited outputs; judges and length."""

import pytest

from tests.parts.papers.made_tables import tables, values
from tests.reports.ranked_studies import SYSTEMS, TEXTS, choice, items, judged, ranking, study

pytestmark = pytest.mark.django_db
KEYS = ("one", "two", "three", "four", "five")
ITEMS = items(*KEYS)


def people(*ranks):
    return [ranking(key, "ann", "overall", *own) for key, own in zip(KEYS, ranks, strict=False)]


def test_systems_meet_the_baseline(tmp_path):
    """Ranks of weak, middle (the baseline), strong and edited."""
    given = people((3, 2, 1, 2), (1, 2, 3, 2), (3, 2, 1, 1), (2, 2, 1, 2))
    lines = [choice(key, "m", "overall", "weak", "middle", "weak") for key in ("one", "two")]
    (table,) = tables(study(tmp_path / "met", ITEMS, given, lines), "instrusum_figure_3")
    found = values(table)
    assert list(found) == [("overall, people", name) for name in ("edited", "strong", "weak")] + [
        ("overall, m", "weak")
    ]
    weak = found["overall, people", "weak"]
    assert weak == {"win": 0.25, "tie": 0.25, "loss": 0.5, "words": 2, "baseline_words": 3, "items": 4}
    assert found["overall, people", "strong"]["win"] == 0.75
    assert found["overall, m", "weak"]["win"] == 1
    assert table["drawing"]["columns"] == ["win", "tie", "loss"]


def test_without_a_baseline_there_is_no_such_table(tmp_path):
    given = people((3, 2, 1, 2))
    described = {key: {**facts, "baseline": False} for key, facts in SYSTEMS.items()}
    made = study(tmp_path / "unmet", ITEMS, given, systems=described)
    assert "instrusum_figure_3" not in tables(made)
    pairs = values(tables(made, "instrusum_11")[0])
    assert len(pairs) == 6


def test_similar_lengths_keep_a_fifth_of_the_items(tmp_path):
    """The middle system's outputs have 3 words, the weak one's 3 in the first item and 2, 5, 6 and 7 in the others."""
    longer = [items(key, texts=TEXTS | {"weak": " ".join("a" * words)})[0]
              for key, words in zip(KEYS, (3, 2, 5, 6, 7), strict=True)]  # fmt: skip
    given = people((1, 2, 3, 4), (2, 1, 3, 4), (2, 1, 3, 4), (2, 1, 3, 4), (2, 1, 3, 4))
    (table,) = tables(study(tmp_path / "similar", longer, given), "instrusum_11")
    weak = values(table)["overall, people", "weak, middle"]
    assert weak == {"win": 1, "tie": 0, "loss": 0, "words": 3, "other_words": 3, "items": 1, "most_words_apart": 0}


def test_edited_outputs_meet_their_initial_ones(tmp_path):
    """Of weak, middle, strong and edited: edited wins, loses, ties by score, ties by text; the last has no scores."""
    same = items("four", texts=TEXTS | {"edited": TEXTS["strong"]})
    given = people((4, 3, 2, 1), (4, 3, 1, 2), (4, 3, 1, 1), (4, 3, 1, 2))
    made = study(tmp_path / "edited", [*items("one", "two", "three"), *same, *items("five")], given)
    ((_, row),) = values(tables(made, "instrusum_10")[0]).items()
    assert (row["edited"], row["initial"], row["tie"], row["edited_minus_initial"]) == (0.25, 0.25, 0.5, 0)
    assert (row["pairs"], row["identical"], row["left_out"]) == (4, 1, 1)
    assert (row["initial_words"], row["edited_words"]) == (4, 4)


def test_judges_and_people_meet_the_length_oracle(tmp_path):
    """People prefer the longer output throughout; `long` does too, `short` never does."""
    two = items("one", "two", texts={"weak": "a b c", "strong": "a b"}) + items(
        "three", "four", texts={"weak": "a b", "strong": "a b c"}
    )
    longer = {"one": "weak", "two": "weak", "three": "strong", "four": "strong"}
    given = [
        ranking(key, "ann", "overall", *((1, 2) if best == "weak" else (2, 1)), names=("weak", "strong"))
        for key, best in longer.items()
    ]
    lines = [
        judged(key, rater, "overall", float((name == best) == (rater == "long")), output=name)
        for key, best in longer.items() for rater in ("long", "short") for name in ("weak", "strong")
    ]  # fmt: skip
    table = values(tables(study(tmp_path / "length", two, given, lines), "instrusum_9")[0])
    long, short = table["overall", "long"], table["overall", "short"]
    assert (long["people_oracle"], long["judge_oracle"], long["judge_people"], long["judgments"]) == (1, 1, 1, 4)
    assert short["people_oracle"] == 1
    assert short["judge_oracle"] == short["judge_people"] == pytest.approx(-0.75)  # 1 - 1 / (32 / 56)
