"""The details of a report: of which ratings they are, the log of exclusions, and what is shown of them."""

import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command

from annotation.models import Guideline, Item, Output, Question, Rater, Rating, Study
from annotation.protocols import protocols
from annotation.studies.steered_items import restore, withdraw
from files.reading import import_study
from reports.figures.agreement_report import agreement_report
from reports.figures.details_report import NO_ANSWERS, NO_DETAILS, details_report
from reports.figures.methods_text import REFERENCES, methods_text
from reports.models import KeptReport
from tests.conftest import add_item
from tests.reports.computing import read

pytestmark = pytest.mark.django_db
START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def rate(study, names=("ann", "bob", "cy"), kind="human", version=1):
    """Each of `names` rates every output: better the later its place in the item, with a little disagreement."""
    questions = {question.key: question for question in study.questions.all()}
    outputs = list(Output.objects.filter(item__study=study).select_related("item").order_by("pk"))
    for place, name in enumerate(names):
        rater = Rater.objects.create(study=study, name=name, kind=kind)
        for number, output in enumerate(outputs):
            value = min(5, 1 + output.position + (number + place // (2 if number % 5 == 0 else 1)) % 3)
            for key, given in (("how_well", value), ("follows", value > 2)):
                Rating.objects.create(
                    study=study, question=questions[key], rater=rater, item=output.item, output=output,
                    level="interval" if key == "how_well" else "nominal", value=given, number=float(given),
                    guidelines_version=version, submitted_at=START + timedelta(hours=number, minutes=place),
                )  # fmt: skip
    return study


@pytest.fixture
def rated(make_study):
    return rate(make_study(items=16))


@pytest.mark.parametrize("question", ["follows", "how_well"])
def test_agreement_is_that_of_the_agreement_report_to_the_last_digit(rated, question):
    alpha = {"follows": "alpha_nominal", "how_well": "alpha_interval"}[question]
    known = agreement_report(rated, replicates=50)["questions"][question]
    found = details_report(rated, replicates=50)["questions"][question]["agreement"]
    assert found["figure"] == alpha
    assert (found["alpha"], found["alpha_ci"]) == (known[alpha], known[f"{alpha}_ci"])
    assert found["percent_agreement"] == known["percent_agreement"]
    assert found["ratings"] == known["ratings"]


def test_means_of_systems_are_those_of_the_agreement_report_and_ranks_follow_them(rated):
    known = agreement_report(rated, replicates=10)["questions"]["how_well"]["system_mean"]
    rows = details_report(rated, replicates=50)["questions"]["how_well"]["systems"]
    assert {row["name"]: row["mean"] for row in rows} == pytest.approx(known)
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert [row["letters"] for row in rows] == ["a", "b", "c"]
    assert sorted(known, key=known.get, reverse=True) == [row["name"] for row in rows]


def test_questions_of_other_types_say_why_they_have_no_details(rated):
    questions = details_report(rated, replicates=10)["questions"]
    assert (questions["comment"]["level"], questions["comment"]["reason"]) == ("text", NO_DETAILS)
    assert questions["how_well"]["reason"] == ""


def test_a_study_without_answers_has_details_without_figures(make_study):
    report = details_report(make_study())
    assert report["questions"]["how_well"] == {"level": "interval", "reason": NO_ANSWERS}
    assert "There are no ratings yet." in report["methods"]["text"]
    assert report["exclusions"] == []
    json.dumps(report, allow_nan=False)


def test_agreement_over_time_has_windows_and_units_without_a_time_are_counted(rated):
    Rating.objects.create(
        study=rated, question=rated.questions.get(key="how_well"), rater=Rater.objects.first(),
        item=Item.objects.first(), output=Output.objects.first(), level="interval", value=1, number=1.0,
        guidelines_version=1,
    )  # fmt: skip
    over_time = details_report(rated, replicates=20)["questions"]["how_well"]["over_time"]
    assert [one["units"] for one in over_time["windows"]] == [24, 24]
    assert over_time["windows"][0]["from"] == "2026-03-01T09:02:00+00:00"
    assert over_time["without_time"] == 0  # an answer without a time is an earlier repeat of one with a time


def test_the_log_names_what_is_left_out_with_reasons_and_numbers(rated, owner):
    rate(rated, ["judge"], kind="model", version=None)
    Guideline.objects.create(study=rated, number=2, text="More.")
    rate_under_two = Rater.objects.create(study=rated, name="dan")
    output = Output.objects.first()
    Rating.objects.create(
        study=rated, question=rated.questions.get(key="how_well"), rater=rate_under_two, item=output.item,
        output=output, level="interval", value=2, number=2.0, guidelines_version=2,
    )  # fmt: skip
    add_item(rated, "training-1", pool="training")
    gone, back = list(Item.objects.filter(study=rated, pool="main").order_by("-pk")[:2])
    withdraw(gone, "The document is cut.", None)
    withdraw(back, "Not sure.", None)
    restore(back, "It is complete.", None)
    report = details_report(rated, guidelines=1, replicates=10)
    log = {row["kind"]: row for row in report["exclusions"]}
    assert {kind: row["number"] for kind, row in log.items()} == {
        "item_withdrawn": 1, "item_restored": 1, "other_pool": 1, "machine_not_chosen": 1, "other_guidelines": 1,
    }  # fmt: skip
    [entry] = log["item_withdrawn"]["entries"]
    assert (entry["name"], entry["reason"], entry["ratings"]) == (gone.key, "The document is cut.", 3 * 3 * 2 + 6)
    assert log["item_restored"]["entries"][0]["reason"] == "Not sure."
    assert log["machine_not_chosen"]["entries"][0]["name"] == "judge"
    assert log["other_guidelines"]["entries"] == [{"name": "2", "reason": "", "at": None, "ratings": 1}]
    assert (
        "Left out of the figures: 1 withdrawn item, 1 model or metric and 1 rating under other"
        in (report["methods"]["text"])
    )


def test_the_paragraph_states_the_numbers_of_the_study(rated):
    text = details_report(rated, replicates=100)["methods"]["text"]
    alpha = agreement_report(rated, replicates=100)["questions"]["how_well"]
    low, high = alpha["alpha_interval_ci"]
    for words in (
        "16 items with 48 outputs by 3 systems", "3 people gave 288 ratings", "“How well?” (5-point scale from 1 to 5)",
        "“Does it follow?” (yes or no)", "between 2026-03-01 and 2026-03-03", "100 resamples of items",
        f"(interval) = {alpha['alpha_interval']:.3f} (95 % CI {low:.3f} to {high:.3f}) for “how_well”",
        "following the protocol of Skopek et al. (2023)", "(Krippendorff, 2019)",
    ):  # fmt: skip
        assert words in text


def test_bibtex_has_what_is_cited_and_nothing_else(rated):
    methods = details_report(rated, replicates=10)["methods"]
    entries = set(re.findall(r"^@\w+\{(\w+),", methods["bibtex"], re.MULTILINE))
    cited = {key for keys in re.findall(r"\\cite[pt]\{([^}]+)\}", methods["latex"]) for key in keys.split(",")}
    assert entries == cited
    assert "passonneau2006" not in entries
    assert {"krippendorff2019", "holm1979", "skopek2023", "interrater"} <= entries
    assert entries <= set(re.findall(r"^@\w+\{(\w+),", REFERENCES.read_text(), re.MULTILINE))


def test_latex_escapes_what_is_special(rated):
    Question.objects.filter(key="how_well").update(text=r"100 % of {x}_y & $z$ ~ #1 \end")
    latex = details_report(Study.objects.get(), replicates=10)["methods"]["latex"]
    assert r"``100 \% of \{x\}\_y \& \$z\$ \textasciitilde{} \#1 \textbackslash{}end''" in latex


@pytest.mark.parametrize("protocol", [*protocols(), "stars"])
def test_every_protocol_has_a_paragraph_without_open_marks(rated, protocol):
    facts = details_report(rated, replicates=10)["methods"]["facts"]
    facts["protocol"] = protocol
    made = methods_text(facts, [])
    assert not re.search(r"[{}\[\]]|%\}|None", made["text"])
    assert "2 questions" not in made["text"]
    assert made["text"].endswith("(The Interrater developers).")


def test_the_command_and_the_api_give_the_same(reading, study):
    rate(study)
    call_command("report_details", "study", "--json", stdout=(out := io.StringIO()))
    assert reading.get("/api/studies/study/details/").json() == json.loads(out.getvalue())
    call_command("report_details", "study", "--methods", "latex", stdout=(out := io.StringIO()))
    assert r"\citep{krippendorff2019}" in out.getvalue()


def test_the_api_refuses_what_it_does_not_know(reading, study):
    rate(study)
    for query in ("?by=category", "?kinds=robots", "?raters=nobody", "?guidelines=9"):
        assert read(reading, f"/api/studies/study/details/{query}").status_code == 400, query


def test_the_page_has_ranks_letters_tables_and_the_paragraph(client, study, owner):
    for number in range(2, 8):
        add_item(study, f"item-{number}")
    rate(study)
    client.force_login(owner)
    page = read(client, "/studies/study/report/").content.decode()
    for words in (
        "Ranks and letters", "Win matrix", "Paired randomisation tests", "Distribution of answers",
        "Raters against raters", "Methods paragraph", "8 items with 24 outputs", "Left out: agreement over time",
    ):  # fmt: skip
        assert words in page, words
    assert page.count('id="details"') == 1


@pytest.mark.thorough
def test_the_page_is_shown_before_the_details_are_computed(client, study, owner):
    rate(study)
    client.force_login(owner)
    read(client, "/studies/study/report/")
    KeptReport.objects.filter(kind="details").delete()
    page = client.get("/studies/study/report/").content.decode()
    for words in ("are being computed", "How well?", "hx-trigger"):
        assert words in page
    assert "are being computed" not in read(client, "/studies/study/report/").content.decode()


@pytest.mark.parametrize(
    ("name", "question", "alpha"),
    [("hanna", "relevance", "alpha_interval"), ("pandalm", "preference", "alpha_masi"),
     ("wmt16-tur-eng", "overall", "alpha_masi")],
)  # fmt: skip
def test_details_of_public_data_have_the_published_alpha(name, question, alpha, reference_data):
    folder = reference_data / name
    study = import_study(folder).study
    expected = json.loads((folder / "expected.json").read_text())["questions"][question]
    found = details_report(study, replicates=0)["questions"][question]
    assert found["agreement"]["figure"] == alpha
    assert found["agreement"]["alpha"] == pytest.approx(expected[alpha], abs=6e-5)
    assert all(row["letters"] for row in found["systems"] if row["rank"] is not None)
