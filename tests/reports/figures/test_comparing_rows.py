"""From choices, rankings and spans in rows to arrays, and to figures by level of measurement."""

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.models import Rater, Rating, Reviewer, SpanReview, Study
from files.import_problems import ImportRefusedError
from files.reading import import_study
from reports.figures.agreement_report import agreement_report
from reports.figures.figures_by_level import LEVELS
from reports.figures.rows import Choice
from reports.figures.rows.rated_items import RatedItems
from tests.reports.comparing import CHOICES, RANKS, TEXT, made

pytestmark = pytest.mark.django_db


@pytest.fixture
def choosing(tmp_path) -> Study:
    return import_study(made(tmp_path, CHOICES)).study


@pytest.fixture
def ranking(tmp_path) -> Study:
    return import_study(made(tmp_path, RANKS)).study


def data(study, key, **choice):
    question = study.questions.get(key=key)
    return LEVELS[question.ratings.first().level](RatedItems(study), question, Choice(**choice)).data


def test_choices_have_winner_order_and_lengths_in_words(choosing):
    read = data(choosing, "better")
    assert read.systems == ("a", "b")
    assert read.raters == ("r", "s", "t")
    # r chose b, shown first; s a tie, shown in the order of the pair; t said the order, which is not the pair's.
    assert sorted(zip(read.choice.tolist(), read.shown_first.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 1), (2, 0)]
    assert read.length.tolist() == [[2, 3], [2, 3]]
    assert read.item.tolist() == [0, 1]


def test_rankings_have_the_position_of_each_output(ranking):
    read = data(ranking, "overall")
    assert read.systems == ("a", "b", "c")
    rows = zip(read.rank.tolist(), read.position.tolist(), read.length.tolist(), strict=True)
    assert sorted(rows) == sorted([(1, 2, 2), (2, 1, 3), (4, 0, 4), (2, -1, 2), (1, -1, 3), (1, 0, 2), (2, 1, 3)])
    assert sorted(read.item.tolist()) == [0, 0, 2]


def test_kinds_and_versions_are_chosen_for_every_level(ranking):
    judge = Rater.objects.create(study=ranking, name="judge", kind="model")
    question, item = ranking.questions.get(key="overall"), ranking.items.first()
    Rating.objects.create(
        study=ranking, question=question, rater=judge, item=item, level="rank", value={"a": 1, "b": 2}
    )
    assert data(ranking, "overall").raters == ("r", "s")
    assert data(ranking, "overall", kinds=frozenset({"model"})).raters == ("judge",)
    assert data(ranking, "overall", version=7).item.size == 0


def test_spans_are_one_answer_per_text_with_their_verdicts(ranking):
    rating = Rating.objects.get(level="span", rater__name="r")
    by = Reviewer.objects.create(study=ranking, name="reviewer")
    for index, verdict in enumerate(("confirmed", "rejected")):
        SpanReview.objects.create(
            rating=rating, index=index, number=1, verdict=verdict, reason="so", by=by, at=timezone.now()
        )
    read = data(ranking, "errors")
    lengths = {read.systems[code]: length for code, length in zip(read.system, read.length.tolist(), strict=True)}
    assert lengths == {name: len(TEXT[name]) for name in "abc"}
    assert read.text.size == 5  # r: c free, a with two spans, b with one; s: c and a free
    # Texts come in the order in which the answer's outputs were shown, which is drawn.
    assert sorted(zip(read.start.tolist(), read.verdict.tolist(), strict=True)) == [(0, -1), (0, 1), (2, 0)]
    assert read.token_end.size == 9


def test_questions_are_reported_by_level_and_dimensions_two_by_two(ranking):
    report = agreement_report(ranking, replicates=5)
    levels = {key: question["level"] for key, question in report["questions"].items()}
    assert levels == {"overall": "rank", "missing": "rank", "errors": "span", "why": "text"}
    (pair,) = report["dimensions"]
    assert pair["questions"] == ["overall", "missing"]
    assert pair["annotator"]["groups"] == 3
    assert report["questions"]["overall"]["system_score"]["a"] == pytest.approx((3 + 1 + 2) / 3)
    assert "by_category" not in report["questions"]["overall"]


def test_by_category_gives_every_question_its_figures_for_the_items_of_each(ranking):
    report = agreement_report(ranking, categories=True, replicates=5)
    parts = report["questions"]["overall"]["by_category"]
    assert {name: part["ratings"] for name, part in parts.items()} == {"long": 1, "news": 3, "sport": 0}
    assert {name: part["ratings"] for name, part in report["questions"]["errors"]["by_category"].items()} == {
        "long": 0,
        "news": 5,
        "sport": 0,
    }
    (pair,) = report["dimensions"]
    assert set(pair["by_category"]) == set(parts)
    assert sum(part["mean"]["groups"] for part in pair["by_category"].values()) >= pair["mean"]["groups"]


def test_forbidden_ties_are_not_a_category(tmp_path):
    chance = {}
    for name, tie in (("on", True), ("off", False)):
        folder = made(tmp_path / name, {**CHOICES, "tie": tie, "slug": name})
        lines = [line for line in (folder / "ratings.jsonl").read_text().splitlines() if '"tie"' not in line]
        (folder / "ratings.jsonl").write_text("\n".join(lines) + "\n")
        report = agreement_report(import_study(folder).study, replicates=0)
        chance[name] = report["questions"]["better"]["gwet_ac1"]
    assert chance["on"] > chance["off"]


def test_the_command_gives_categories_on_request(ranking, capsys):
    call_command("agreement", ranking.slug, "--json", "--by-category")
    assert '"by_category"' in capsys.readouterr().out
    call_command("agreement", ranking.slug, "--json")
    assert '"by_category"' not in capsys.readouterr().out


@pytest.mark.parametrize("value", ["true", "false", "4", "null", '["words"]'])
def test_an_output_whose_text_is_not_a_text_is_refused(tmp_path, value):
    folder = made(tmp_path, CHOICES)
    items = (folder / "items.jsonl").read_text().replace('"two words"', value)
    (folder / "items.jsonl").write_text(items)
    with pytest.raises(ImportRefusedError, match=r"outputs\.0\.text"):
        import_study(folder)
    assert not Study.objects.exists()
