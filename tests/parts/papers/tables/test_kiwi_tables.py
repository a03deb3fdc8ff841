"""KIWI's tables of two small sessions, against figures counted by hand."""

import pytest

from agreement.turns.turn_figures import text_figures
from annotation.models import JudgeRun, Rater
from llm.models import StudyPrompt
from llm.prompt_files import load_prompt
from parts.papers.turn_judge_table import judges_by_split
from reports.figures.rows.turn_rows import session_rows
from reports.pages.display.table_formats import as_markdown
from sessions.turn_labels import MachineLabel, write_machine_labels
from tests.parts.papers.tables.href_study import cells, made, tables, values
from tests.reports.worked_sessions import begun, folder, models, rate_again, session, study, worked  # noqa: F401

pytestmark = pytest.mark.django_db
SPLIT = {"split_by": "turn", "training": 0.5, "validation": 0.0, "split_seed": 0, "examples": 1, "ratings": "two-way"}


@pytest.fixture
def judged(worked, session):  # noqa: F811
    """Two judges of the three turns of one session, rated bad, neutral and good: one never says neutral."""
    for name, ratings in (("two", ("bad", "bad", "good")), ("three", ("bad", "neutral", "bad"))):
        Rater.objects.create(study=worked, name=name, kind="model")
        for number, value in enumerate(ratings, 1):
            rate_again(session, number, name, value)
    return worked


def test_sessions_and_turns_are_counted_by_model(worked):  # noqa: F811
    total = values(tables(worked)["kiwi_2"], "total")
    assert (total["sessions"], total["turns"], total["edited"], total["turns_per_session"]) == (2, 5, 2, 2.5)
    assert (total["information"], total["style"]) == (0.4, 0.6)
    assert cells(tables(worked)["kiwi_2"], "total")["turns_per_session"]["low"] == 2


def test_ratings_are_shares_of_rated_turns_by_kind(worked):  # noqa: F811
    """Style: bad, good, bad. Information: neutral, good."""
    table = tables(worked)["kiwi_figure_2"]
    assert values(table, "style", "all") == pytest.approx({"good": 1 / 3, "neutral": 0, "bad": 2 / 3, "turns": 3})
    assert values(table, "information", "all") == {"good": 0.5, "neutral": 0.5, "bad": 0, "turns": 2}
    assert values(table, "all", "all")["good"] == 0.4


def test_kinds_are_shares_of_the_turns_at_a_position(worked):  # noqa: F811
    table = tables(worked)["kiwi_figure_2_positions"]
    assert values(table, "1") == {"information": 0, "style": 1, "turns": 2}
    assert values(table, "2") == {"information": 0.5, "style": 0.5, "turns": 2}
    assert values(table, "3") == {"information": 1, "style": 0, "turns": 1}


def test_types_have_shares_definitions_and_an_example(worked, session):  # noqa: F811
    table = tables(worked)["kiwi_3"]
    condense = values(table, "condense", "people")
    assert (condense["share"], condense["style"], condense["turns"]) == (0.5, 1, 1)
    assert condense[f"good:{session.model}"] == 0
    assert condense["definition"].startswith("wants the answer, or a part of it, shorter")
    assert condense["example"] == "Shorter."


def test_errors_have_an_instruction_and_its_comment(worked):  # noqa: F811
    table = tables(worked)["kiwi_4"]
    ignored = values(table, "instruction is ignored", "people")
    assert (ignored["share"], ignored["turns"], ignored["instruction"], ignored["comment"]) == (
        1, 1, "Shorter.", "Because.",
    )  # fmt: skip
    assert values(table, "others", "people")["share"] == 0
    assert "Turns rated neutral or bad without a category, people: 2." in table["notes"]


def test_lengths_are_those_of_the_sessions_report(worked):  # noqa: F811
    table, expected = tables(worked)["kiwi_6"], text_figures(session_rows(worked).turns)
    for name, part, own in (
        ("total", "total", expected["total"]), ("style", "kinds", expected["kinds"]["style"]),
        ("expand answer coverage", "types, people", expected["types"]["expand answer coverage"]),
    ):  # fmt: skip
        found = values(table, name, part)
        assert found["turns"] == own["turns"]
        assert {figure: found[figure] for figure in found if figure != "turns"} == pytest.approx(
            {figure: own[figure]["mean"] for figure in own if figure != "turns"}
        )


def test_a_run_s_labels_have_a_part_of_their_own(worked, session):  # noqa: F811
    rater = Rater.objects.create(study=worked, name="labels", kind="model")
    made = [
        MachineLabel(session.turns.get(number=number).pk, "instruction_type", value, "first")
        for number, value in ((1, "condense"), (2, "condense"), (3, "remove"))
    ]
    assert write_machine_labels(worked, rater, made) == {}
    found = tables(worked)
    assert values(found["kiwi_3"], "condense", "labels, run first")["share"] == pytest.approx(2 / 3)
    assert values(found["kiwi_3"], "condense", "people")["share"] == 0.5
    (row,) = [row for row in found["kiwi_kappa"]["rows"] if row["name"].startswith("labels, run first")]
    assert row["part"] == "Instruction type"
    assert (row["cells"]["turns"]["value"], row["cells"]["percent_agreement"]["value"]) == (2, 0.5)
    assert row["cells"]["cohen_kappa"]["value"] == 0, "agreement 1/2, by chance 1/2 too"


def test_turns_that_a_prompt_shows_are_left_out_of_its_agreement(worked, session):  # noqa: F811
    """The study's own prompt for instructions has that of turn 1 as an example."""
    ours = load_prompt("judges", "classify_instruction").user
    StudyPrompt.objects.create(
        study=worked, key="judges/classify_instruction", number=1, user=f'{ours}\nThe instruction "SHORTER." condenses.'
    )
    rater = Rater.objects.create(study=worked, name="labels", kind="model")
    made = [
        MachineLabel(session.turns.get(number=number).pk, "instruction_type", "condense", "first") for number in (1, 2)
    ]
    write_machine_labels(worked, rater, made)
    (row,) = tables(worked)["kiwi_kappa"]["rows"]
    assert (row["cells"]["turns"]["value"], row["cells"]["left_out"]["value"]) == (1, 1)


def test_people_who_rate_again_are_the_last_row_of_the_judges(judged):
    """Second ratings: neutral of a bad turn, and good of two good ones."""
    found = tables(judged)
    assert values(found["kiwi_5"], "one more person")["accuracy"] == 1
    assert values(found["kiwi_7"], "one more person")["accuracy"] == pytest.approx(2 / 3)
    assert [row["name"] for row in found["kiwi_7"]["rows"]][-2:] == ["three", "one more person"]
    names = [row["name"] for row in found["kiwi_5"]["rows"]]
    assert names[-2:] == ["two", "one more person"]  # without the judge that gives the middle rating
    assert {name.partition(",")[0] for name in names[:-2]} == {"majority", "random"}


def test_judges_that_differ_by_the_seed_of_their_split_are_averaged(judged, session):  # noqa: F811
    for seed, name in enumerate(("two", "three")):
        options = {**SPLIT, "split_seed": seed}
        JudgeRun.objects.create(
            rater=Rater.objects.get(study=judged, name=name), name="r", status="finished",
            configuration={"protocol": "session_rating", "model": "m", "options": options},
        )  # fmt: skip
    assert [one.names for one in judges_by_split(judged, ["three", "two"])] == [("three", "two")]
    assert [one.names for one in judges_by_split(judged, ["two", "unknown"])] == [("two",), ("unknown",)]
    table = tables(judged)["kiwi_5"]
    assert values(table, "three and 1 more (2 ratings, 1 example, seeds 0, 1)")["splits"] == 2


def test_a_trained_judge_is_grouped_by_what_it_was_trained_from(judged):
    for seed, name in enumerate(("two", "three")):
        JudgeRun.objects.create(
            rater=Rater.objects.get(study=judged, name=name), name="r", status="finished",
            configuration={
                "model": "t5", "parameters": {"seed": seed, "epochs": 5}, "split": {"by": "turn", "seed": seed},
                "weights_sha256": name,
            },
        )  # fmt: skip
    (group,) = judges_by_split(judged, ["two", "three"])
    assert group.title == "three and 1 more (trained, seeds 0, 1)"


def test_all_tables_can_be_copied(judged):
    found = tables(judged)
    assert {"kiwi_2", "kiwi_3", "kiwi_4", "kiwi_5", "kiwi_6", "kiwi_7", "kiwi_figure_2"} <= set(found)
    assert all("|" in as_markdown(table) for table in found.values())


def test_a_study_of_outputs_has_no_table_of_turns(tmp_path):
    assert not [key for key in tables(made(tmp_path)) if key.startswith("kiwi")]
