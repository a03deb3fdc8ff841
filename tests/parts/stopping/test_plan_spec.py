"""The section `stopping` of study files: what it takes, and what it refuses with which message."""

import pytest

from annotation.models import Study
from files.import_problems import ImportRefusedError
from files.reading.study_file import checked_study
from files.writing.study_yaml import study_body
from parts.stopping.plan_spec import read_stopping, stopping_of, third_rater_of
from parts.stopping.plan_words import plan_in_words

pytestmark = pytest.mark.quick
RULE = {"figure": "alpha", "question": "good", "until": "width", "width": 0.2}
BODY = {
    "slug": "s", "protocol": "rating", "redundancy": 2,
    "questions": [{"key": "good", "type": "likert", "min": 1, "max": 5}, {"key": "why", "type": "text"}],
}  # fmt: skip


def file_with(stopping, **more):
    return checked_study({**BODY, "stopping": stopping, **more}, "study.yaml")


def test_a_section_is_kept_among_the_options():
    stopping = {"looks": [10, 20], "rules": [RULE], "third_rater": {"questions": ["good"], "more_than": 1}}
    study = Study(options=file_with(stopping, options={"seed": 3}).options)
    assert study.options == {"seed": 3, "stopping": stopping}
    spec = stopping_of(study)
    assert (spec.looks, spec.alpha, spec.correction) == ((10, 20), 0.05, "obrien_fleming")
    assert third_rater_of(study).more_than == 1
    said = " ".join(plan_in_words(spec))
    for text in ("after 10, 20 answers", "at most 0.2 wide", "O'Brien", "about good by more than 1"):
        assert text in said, text


def test_a_third_rater_needs_no_looks():
    spec = read_stopping({"third_rater": {}})
    assert (spec.looks, spec.rules, spec.third_rater.questions) == ((), (), ())


@pytest.mark.django_db
def test_an_export_has_the_section_as_a_key_of_its_own(make_study):
    stopping = {"looks": [10], "rules": [{**RULE, "question": "how_well"}]}
    study = make_study("exported")
    study.options = {"seed": 3, "stopping": stopping}
    body = study_body(study)
    assert (body["stopping"], body["options"]) == (stopping, {"seed": 3})
    assert checked_study(body, "study.yaml").options == study.options


@pytest.mark.parametrize(
    ("stopping", "message"),
    [
        ([], "mapping"),
        ({"rules": [RULE]}, "looks must be a list"),
        ({"looks": [10, 10], "rules": [RULE]}, "rise"),
        ({"looks": [True], "rules": [RULE]}, "whole numbers"),
        ({"looks": [10], "rules": []}, "rules must be a list"),
        ({"looks": [10], "rules": [RULE], "alpha": 0}, "alpha must be"),
        ({"looks": [10], "rules": [RULE], "correction": "none"}, "correction must be one of"),
        ({"looks": [10], "rules": [RULE], "peek": 1}, "unknown key peek"),
        ({"looks": [10], "rules": [{**RULE, "figure": "kappa"}]}, "figure must be one of"),
        ({"looks": [10], "rules": [{**RULE, "until": "separated"}]}, "separates systems"),
        ({"looks": [10], "rules": [{**RULE, "width": 0}]}, "width must be"),
        ({"looks": [10], "rules": [{**RULE, "question": "bad"}]}, "no question of the study"),
        ({"looks": [10], "rules": [{**RULE, "question": "why"}]}, "has no alpha"),
        ({"looks": [10], "rules": [RULE], "third_rater": {"questions": ["bad"]}}, "no question of the study"),
        ({"looks": [10], "rules": [RULE], "third_rater": {"more_than": -1}}, "more_than must be"),
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_refused_with_its_place(stopping, message):
    with pytest.raises(ImportRefusedError) as refused:
        file_with(stopping)
    assert message in str(refused.value.problems[0].reason)
    assert refused.value.problems[0].field == "stopping"


def test_a_section_is_not_given_twice():
    stopping = {"looks": [10], "rules": [RULE]}
    with pytest.raises(ImportRefusedError) as refused:
        file_with(stopping, options={"stopping": stopping})
    assert "given twice" in refused.value.problems[0].reason


@pytest.mark.parametrize(
    ("question", "figure", "other"),
    [
        ({"type": "likert", "min": 1, "max": 5}, "alpha_ordinal", "alpha_best"),
        ({"type": "spans", "severities": {"minor": 1}}, "severity_alpha", "alpha"),
        ({"type": "spans"}, "span_alpha", "severity_alpha"),
    ],
)
def test_a_rule_names_an_alpha_that_its_question_has(question, figure, other):
    rule, best = {**RULE, "figure": figure, "question": "marked"}, {"key": "best", "type": "best_worst"}
    asked = {
        **BODY,
        "protocol": "listwise",
        "questions": [{"key": "marked", **question}, best],
        "stopping": {"looks": [10], "rules": [rule]},
    }
    assert checked_study(asked, "study.yaml").options["stopping"]["rules"][0]["figure"] == figure
    asked["stopping"] = {"looks": [10], "rules": [{**rule, "figure": other}]}
    with pytest.raises(ImportRefusedError) as refused:
        checked_study(asked, "study.yaml")
    assert f"has no {other}" in str(refused.value.problems[0].reason)
