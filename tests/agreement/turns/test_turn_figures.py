"""Figures of sessions, for small cases by hand and for the counts printed in the source study."""

from dataclasses import replace

import pytest

from agreement.turns.turn_figures import (
    TurnRow,
    error_categories,
    instruction_types,
    kinds_by_position,
    overview,
    ratings_by_kind,
    text_figures,
)

pytestmark = pytest.mark.quick
KIWI = {"gpt-4": (370, 55, 59, 218), "gpt-3.5": (402, 111, 61, 150), "llama2": (488, 149, 44, 132)}
"""Turns, edited turns, percent of information and good turns of each model (KIWI, Table 2 and section 4.1: 59 % and
27 % of 370 and 488 are good, and 1,260 - 760 in all)."""


def row(session="s", model="m", number=1, kind="style", rating="good", **more):
    return TurnRow(session, model, number, kind, rating, "", "a b", "a b", **more)


def kiwi():
    """Turns with the study's counts, spread evenly over each model's sessions; no edited turn is rated good."""
    turns = []
    for model, (number, edited, information, good) in KIWI.items():
        for turn in range(number):
            turns.append(
                row(
                    f"{model} {turn % 78}",
                    model,
                    turn // 78 + 1,
                    "information" if turn < round(number * information / 100) else "style",
                    "good" if turn < good else "neutral",
                    edited=turn >= number - edited,
                )
            )
    return turns


SESSIONS = {f"{model} {number}": model for model in KIWI for number in range(78)}


def percent(figure):
    return round(100 * figure["share"])


def test_the_overview_gives_the_table_of_the_source_study():
    table = overview(kiwi(), SESSIONS)
    printed = {"gpt-4": (370, 55, 4.7, 59), "gpt-3.5": (402, 111, 5.2, 61), "llama2": (488, 149, 6.3, 44)}
    for model, expected in printed.items():
        own = table["models"][model]
        mean = round(own["turns_per_session"], 1)
        assert (own["turns"], own["edited"], mean, percent(own["kinds"]["information"])) == expected
        assert own["sessions"] == 78
    total = table["total"]
    assert (total["sessions"], total["turns"], total["edited"]) == (234, 1260, 315)
    assert round(total["turns_per_session"], 1) == 5.4
    assert [percent(total["kinds"][kind]) for kind in ("information", "style")] == [54, 46]


def test_a_session_without_a_turn_counts_in_the_mean():
    table = overview([row()], {"s": "m", "t": "m", "u": "n"})
    assert table["models"]["m"]["turns_per_session"] == 0.5
    assert table["models"]["n"]["turns_per_session"] == 0
    assert table["models"]["n"]["kinds"]["style"] == {"n": 0, "of": 0, "share": None}
    assert overview([], {})["total"]["turns_per_session"] is None


def test_a_turn_of_no_session_is_refused():
    with pytest.raises(ValueError, match="no known session"):
        overview([row()], {})
    with pytest.raises(ValueError, match="another model"):
        overview([row()], {"s": "n"})


def test_text_figures_keep_as_many_turns_as_the_source_study():
    figures = text_figures(kiwi())
    assert figures["total"]["turns"] == 500 + 315 == 815
    assert sum(own["turns"] for own in figures["models"].values()) == 815


def test_ratings_have_shares_by_model_and_kind():
    figure = ratings_by_kind(kiwi())
    assert percent(figure["models"]["gpt-4"]["overall"]["good"]) == 59
    assert percent(figure["models"]["llama2"]["overall"]["good"]) == 27
    assert figure["total"]["overall"]["good"] == {"n": 500, "of": 1260, "share": 500 / 1260}
    small = ratings_by_kind([row(), row(rating="bad"), row(kind="information", rating="neutral"), row(rating=None)])
    assert small["models"]["m"]["style"]["good"] == {"n": 1, "of": 2, "share": 0.5}
    assert small["models"]["m"]["style"]["neutral"] == {"n": 0, "of": 2, "share": 0.0}
    assert small["models"]["m"]["information"]["neutral"]["share"] == 1
    assert small["unrated"] == 1


def test_kinds_have_shares_by_position():
    turns = [
        row(kind="information"),
        row("t", kind="information"),
        row(number=2),
        row("t", number=2, kind="information"),
    ]
    first, second = kinds_by_position(turns)
    assert (first["position"], first["kinds"]["information"]["share"]) == (1, 1.0)
    assert (second["position"], second["kinds"]["style"]) == (2, {"n": 1, "of": 2, "share": 0.5})


def test_types_under_five_percent_are_merged_into_others():
    counts = {"more information": 23, "expand": 3, "clarify": 3, "categorise": 3, "remove": 5, "specific": 1,
              "condense": 6, "reorganise": 5, "others": 1}  # fmt: skip
    turns = [row(instruction_type=name) for name, number in counts.items() for _ in range(number)]
    table = instruction_types([*turns, row()])
    assert list(table["types"])[-1] == "others"
    assert table["types"]["others"]["n"] == 2
    assert table["merged"] == ["specific"]
    assert table["untyped"] == 1
    assert percent(table["types"]["more information"]) == 46
    assert percent(table["types"]["expand"]) == 6
    assert sum(figure["n"] for figure in table["types"].values()) == 50


def test_a_type_of_five_percent_stays():
    turns = [row(instruction_type="rare"), *(row(instruction_type="common") for _ in range(19))]
    assert instruction_types(turns)["types"]["rare"]["share"] == 0.05


def test_a_type_has_its_kinds_and_the_good_turns_per_model():
    turns = [
        row(instruction_type="remove"),
        row(model="n", instruction_type="remove", rating="bad", kind="information"),
        row(model="n", instruction_type="remove", rating=None),
    ]
    own = instruction_types(turns)["types"]["remove"]
    assert own["kinds"]["information"] == {"n": 1, "of": 3, "share": 1 / 3}
    assert own["good"]["models"]["n"] == {"n": 0, "of": 1, "share": 0.0}
    assert own["good"]["total"]["share"] == 0.5


def test_errors_have_shares_of_failed_turns():
    turns = [
        row(rating="bad", error_category="ignored"),
        row(rating="neutral", error_category="unrequested change"),
        row(rating="neutral", error_category="unrequested change"),
        row(rating="bad"),
        row(error_category="ignored"),
    ]
    table = error_categories(turns)
    assert table["categories"]["unrequested change"] == {"n": 2, "of": 3, "share": 2 / 3}
    assert (table["turns"], table["uncategorised"]) == (4, 1)
    assert error_categories([])["categories"] == {}


def test_text_figures_by_hand():
    base = row(instruction_type="condense")
    turns = [
        replace(base, instruction="Make it short", source="a b c d", target="a b"),
        replace(base, model="n", rating="bad", edited=True, instruction="Add e", source="a b", target="a x b e"),
        replace(base, rating="neutral", source="long " * 90, target=""),
        replace(base, model="n", kind="information", instruction_type=None, source="", target="a b c"),
    ]
    figures = text_figures(turns)
    condense = figures["types"]["condense"]
    assert condense["turns"] == 2
    assert {name: condense[name]["mean"] for name in condense if name != "turns"} == {
        "instruction_words": 2.5,
        "source_words": 3,
        "target_words": 3,
        "length_ratio": (0.5 + 2) / 2,
        "edit_distance": 2,
        "edit_ratio": (0.5 + 1) / 2,
    }
    assert figures["total"]["length_ratio"]["n"] == 2
    assert figures["total"]["edit_distance"] == {"n": 3, "mean": 7 / 3}
    assert figures["kinds"]["information"]["edit_ratio"] == {"n": 0, "mean": None}
    assert list(figures["models"]) == ["m", "n"]
    assert text_figures([])["total"]["source_words"] == {"n": 0, "mean": None}
