"""Tables name each cell's column, which phones show beside the cell."""

import pytest
from django.template import Context, Template

from annotation.models import Study
from reports.kept.kept_reports import kept_report, kept_reports
from reports.report_kinds.agreement import agreement_choices
from reports.templatetags.column_labels import beside


def test_each_cell_is_beside_its_column():
    assert beside([1, None], ["a", "b", "of a later cell"]) == [(1, "a"), (None, "b")]
    assert beside([1, 2], ["a"]) == [(1, "a"), (2, "")]


def test_templates_read_both():
    text = "{% load column_labels %}{% for cell, head in cells|beside:heads %}{{ head }}={{ cell }};{% endfor %}"
    assert Template(text).render(Context({"cells": (1, 2), "heads": "ab"})) == "a=1;b=2;"


@pytest.mark.django_db
def test_several_reports_are_requested_as_each_alone(study, django_assert_num_queries):
    study = Study.objects.get(pk=study.pk)
    wanted = [("agreement", agreement_choices()), ("raters", {"kinds": ["human"], "raters": []})]
    alone = [kept_report(study, key, choices) for key, choices in wanted]
    with django_assert_num_queries(3):
        together = kept_reports(study, wanted)
    assert [one.waiting.pk for one in together] == [one.waiting.pk for one in alone]
    assert [one.waiting.kind for one in together] == ["agreement", "raters"]
