import json

import pytest

from agreement.arrays.large_figures import TOO_LARGE
from annotation.models import Study
from files.reading import import_study
from reports.figures.finite_figures import as_json
from reports.kept.kept_reports import compute_here
from reports.report_kinds.agreement import agreement_choices
from reports.report_kinds.details import details_choices
from reports.report_kinds.disagreement import disagreement_choices
from reports.report_kinds.meta_evaluation import comparison_choices

STUDY = """slug: extreme
title: Extreme
protocol: rating
redundancy: 3
questions:
  - {key: good, type: likert, text: Good?, min: 1, max: 5}
  - {key: fine, type: slider, text: Fine?, min: 0, max: 100}
  - {key: yes, type: binary, text: Yes?}
"""
EXTREMES = (1e308, -1e308, 1.7976931348623157e308, 5e-324, 1e-310, 0.0, 3.0, -1.7e308, 1e-160, 1e160, 2.0)
EVERYBODY = ("human", "metric")
REPORTS = {
    "agreement of metrics": ("agreement", lambda: agreement_choices(["metric"])),
    "agreement by category": ("agreement", lambda: agreement_choices(EVERYBODY, categories=True)),
    "agreement with one metric": ("agreement", lambda: agreement_choices([], ["one score", "p0"])),
    "details": ("details", lambda: details_choices(EVERYBODY)),
    "disagreement": ("disagreement", lambda: disagreement_choices(EVERYBODY)),
    "comparison": ("meta_evaluation", lambda: comparison_choices(panel=["all", "one score"])),
    "comparison of everybody": ("meta_evaluation", lambda: comparison_choices(EVERYBODY)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study with scores at the ends of what a float can hold, and one with a single such score."""
    folder = tmp_path_factory.mktemp("extreme")
    items, ratings, scores = [], [], []
    for number in range(8):
        outputs = [{"id": name, "text": "It sails. " * (place + 1)} for place, name in enumerate("abc")]
        items.append({"id": f"i{number}", "document": "The ferry.", "category": "xy"[number % 2], "outputs": outputs})
        for place, name in enumerate("abc"):
            own = {"item": f"i{number}", "output": name}
            for rater in range(3):
                value = 1 + (number * 7 + place * 3 + rater * (number % 3)) % 5
                values = {"good": value, "fine": 20 * value, "yes": value > 2}
                ratings += [{**own, "rater": f"p{rater}", "question": key, "value": one} for key, one in values.items()]
            of = {"all": EXTREMES[(3 * number + place) % len(EXTREMES)], "one score": 1.0 + (number + place) % 5}
            if (number, place) == (0, 0):
                of["one score"] = 1e308
            for rater, value in of.items():
                scores += [
                    {**own, "rater": rater, "rater_kind": "metric", "question": key, "value": value}
                    for key in ("good", "fine", "yes")
                ]
    (folder / "study.yaml").write_text(STUDY)
    for table, lines in (("items", items), ("ratings", ratings), ("scores", scores)):
        (folder / f"{table}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.mark.parametrize("name", REPORTS)
def test_scores_at_the_ends_of_floats_end_no_report(name, folder, db):
    import_study(folder)
    kind, choices = REPORTS[name]
    figures = compute_here(Study.objects.get(slug="extreme"), kind, choices())
    json.dumps(figures, allow_nan=False)


def test_a_bias_too_large_for_a_float_says_so_and_the_others_are_given(folder, db):
    import_study(folder)
    study = Study.objects.get(slug="extreme")
    asked = compute_here(study, "disagreement", disagreement_choices(EVERYBODY))["questions"]["good"]
    assert 0 < asked["alpha"] < 1 or asked["alpha"] <= 0
    rows = {row["name"]: row for row in asked["by"]["rater"]["rows"]}
    assert rows["one score"]["bias"] is not None
    assert all(row["bias"] is not None or row["undefined"]["bias"] == TOO_LARGE for row in rows.values())


def test_what_figures_miss_is_undefined_in_the_entry_that_has_reasons():
    report = {
        "level": "x",
        "questions": {"q": {"a": 1.0, "a_ci": [0.0, float("inf")], "systems": {"s": float("nan")}, "undefined": {}}},
        "rows": [{"t": float("-inf")}],
    }
    assert json.loads(as_json(report)) == {
        "level": "x",
        "questions": {
            "q": {
                "a": 1.0,
                "a_ci": None,
                "systems": {"s": None},
                "undefined": {"a_ci": TOO_LARGE, "systems.s": TOO_LARGE},
            }
        },
        "rows": [{"t": None}],
        "undefined": {"rows.0.t": TOO_LARGE},
    }


def test_finite_figures_are_given_as_they_are():
    assert as_json({"a": [1, 2.5, None, "é"]}) == '{"a":[1,2.5,null,"é"]}'
