"""The report on disagreement from real rows: groups, items and raters, for each type of question."""

import pytest

from annotation.models import Item, Output, Question, Rater, Rating, Study
from reports.figures.rows import ChoiceInvalidError
from reports.kept.kept_reports import compute_here
from reports.report_kinds.disagreement import disagreement_choices
from tests.conftest import add_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(make_study):
    made = make_study(items=0)
    for number in range(4):
        add_item(made, f"item-{number}", categories=["news"] if number < 2 else ["mail", "news"])
    return made


def rate(study, name, output, value, question="how_well", **more):
    rater, _ = Rater.objects.get_or_create(study=study, name=name)
    asked = study.questions.get(key=question)
    level = "nominal" if question == "follows" else "interval"
    Rating.objects.create(
        study=study, question=asked, rater=rater, item=output.item, output=output, level=level, number=value,
        value=bool(value) if question == "follows" else value, **more,
    )  # fmt: skip


def rate_all(study, odd="zoe", **more):
    """Three raters of every output; `odd` gives two steps more than the others on system-south."""
    for place, output in enumerate(Output.objects.filter(item__study=study).order_by("pk")):
        for name in ("ann", "ben", "zoe"):
            lift = 2 if name == odd and output.key == "system-south" else 0
            rate(study, name, output, 1 + place % 3 + lift, **more)


def report(study, **choices):
    return compute_here(study, "disagreement", disagreement_choices(**choices))


def rows(question, kind):
    return {row["name"]: row for row in question["by"][kind]["rows"]}


def test_disagreement_is_found_by_system_and_rater(study):
    rate_all(study)
    asked = report(study)["questions"]["how_well"]
    systems = rows(asked, "system")
    assert systems["system-north"]["differ"] == 0
    assert systems["system-south"]["differ"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert [key for _, key in systems["system-south"]["worst"]] == ["item-0", "item-1", "item-2", "item-3"]
    assert systems["system-north"]["worst"] == []
    raters = rows(asked, "rater")
    assert raters["zoe"]["bias"] == pytest.approx(2 / 3)
    assert raters["ann"]["bias"] == pytest.approx(-1 / 3)
    assert asked["matrix"]["raters"] == ["ann", "ben", "zoe"]
    assert asked["matrix"]["equal"][0] == [12, 12, 8]


def test_an_item_with_several_categories_counts_in_each(study):
    rate_all(study)
    found = rows(report(study)["questions"]["how_well"], "category")
    assert {name: row["ratings"] for name, row in found.items()} == {"mail": 18, "news": 36}


def test_lengths_are_in_quarters_by_words(study):
    Output.objects.filter(item__study=study).count()
    item = Item.objects.create(study=study, key="long", digest="long", document="x")
    long = Output.objects.create(item=item, position=0, key="system-north", text="word " * 50, digest="x")
    rate_all(study)
    names = list(rows(report(study)["questions"]["how_well"], "length"))
    assert names == ["4 words", "5 to 50 words"]
    assert long.item == item


def test_places_in_which_outputs_were_shown_are_compared(study):
    for place, output in enumerate(Output.objects.filter(item__study=study).order_by("pk")):
        shown = [output.key, "other"] if place % 2 else ["other", output.key]
        for name in ("ann", "ben"):
            rate(study, name, output, 1 + place % 2 * (name == "ben"), shown=shown)
    places = rows(report(study)["questions"]["how_well"], "position")
    assert (places["1"]["differ"], places["2"]["differ"]) == (1.0, 0.0)


def test_versions_of_the_guidelines_are_measured_by_themselves(study):
    rate_all(study, guidelines_version=1)
    rate_all(study, odd="", guidelines_version=2)
    asked = report(study)["questions"]["how_well"]
    assert asked["whole"]["differ"] == 0, "only the newest version is read"
    versions = rows(asked, "guidelines")
    assert versions["1"]["differ"] > 0 == versions["2"]["differ"]
    assert report(study, guidelines="all")["guidelines"]["pooled"]


def test_an_unknown_version_is_refused(study):
    rate_all(study)
    with pytest.raises(ChoiceInvalidError):
        report(study, guidelines=7)


def test_the_items_that_lower_alpha_are_named_with_their_answers(study):
    outputs = list(Output.objects.filter(item__study=study).order_by("pk"))
    for place, output in enumerate(outputs):
        rate(study, "ann", output, 1 + place % 4)
        rate(study, "ben", output, 5 if place == 0 else 1 + place % 4)
    first = report(study)["questions"]["how_well"]["pull"]["lowering"][0]
    assert first["key"] == "item-0"
    assert first["pk"] == outputs[0].item_id
    assert first["units"][0] == {"system": "system-north", "answers": ["1", "5"]}


def test_yes_and_no_are_named_and_raters_are_pooled_over_questions(study):
    rate_all(study)
    for output in Output.objects.filter(item__study=study):
        rate(study, "ann", output, 1, "follows")
        rate(study, "ben", output, 0, "follows")
    made = report(study)
    assert made["questions"]["follows"]["labels"] == {"0": "No", "1": "Yes"}
    assert made["questions"]["follows"]["confusion"]["counts"] == [[0, 12], [12, 0]]
    assert made["raters"]["ben"]["ratings"] == 24
    assert made["questions"]["comment"] == {
        "level": None,
        "reason": "answers to this type of question are only counted",
    }


def test_choices_are_first_second_or_tie_of_their_pair(db):
    study = Study.objects.create(slug="pairs", title="Pairs", protocol="pairwise", redundancy=1)
    asked = Question.objects.create(study=study, position=0, key="better", type="preference", text="Which?")
    item = add_item(study, "one", systems=("a", "b"))
    a, b = item.outputs.order_by("key")
    for name, winner, pair in (("ann", "a", (a, b)), ("ben", "b", (b, a)), ("eve", "tie", (a, b))):
        rater = Rater.objects.create(study=study, name=name)
        Rating.objects.create(
            study=study, question=asked, rater=rater, item=item, output=pair[0], other_output=pair[1], level="choice",
            value=winner, shown=[one.key for one in pair],
        )  # fmt: skip
    made = report(study)["questions"]["better"]
    assert made["whole"]["differ"] == 1.0
    assert sorted(made["labels"].values()) == ["first", "second", "tie"]
    assert set(rows(made, "system")) == {"a", "b"}
    assert not rows(made, "position")  # first and second mean nothing from pair to pair


def test_ranks_and_spans_are_compared(db):
    study = Study.objects.create(slug="ranks", title="Ranks", protocol="listwise", redundancy=1)
    overall = Question.objects.create(study=study, position=0, key="overall", type="rank", text="Rank")
    errors = Question.objects.create(study=study, position=1, key="errors", type="spans", text="Errors")
    item = add_item(study, "one", systems=("a", "b"))
    for name, ranks, spans in (("ann", {"a": 1, "b": 2}, []), ("ben", {"a": 2, "b": 1}, [{"output": "a"}])):
        rater = Rater.objects.create(study=study, name=name)
        one = {"study": study, "rater": rater, "item": item}
        Rating.objects.create(**one, question=overall, level="rank", value=ranks)
        Rating.objects.create(**one, question=errors, level="span", value={"spans": spans, "none": []})
    made = report(study)["questions"]
    assert made["overall"]["all"] == 4
    assert made["overall"]["level"] == "interval"
    assert sorted(made["errors"]["labels"].values()) == ["marked a span", "marked nothing"]
    assert made["errors"]["whole"]["differ"] == 1.0


def test_a_study_without_answers_says_so(study):
    made = report(study)["questions"]["how_well"]
    assert made["reason"] == "no unit was rated by two raters"
    assert made["alpha"] is None
