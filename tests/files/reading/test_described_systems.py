"""The sections `systems` and `judges` of a study file."""

import pytest

from accounts.models import AuditEntry
from annotation.models import Study
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from tests.files.reading.conftest import STUDY, only_problem, problems_of

pytestmark = pytest.mark.django_db

SECTIONS = """
systems:
  north: {family: gulls, model: campus/large, baseline: true}
  south: {generic: true, baseline: false, family: null}
  "ein System: ü": {}
judges:
  llm_eval/campus/large: {family: gulls}
"""


def test_systems_and_judges_are_read_as_dicts(folder):
    study = import_study(folder(STUDY + SECTIONS)).study
    study.refresh_from_db()
    assert study.systems == {
        "north": {"family": "gulls", "model": "campus/large", "baseline": True},
        "south": {"generic": True},
        "ein System: ü": {},
    }
    assert study.judges == {"llm_eval/campus/large": {"family": "gulls"}}


@pytest.mark.parametrize(
    ("section", "field", "reason"),
    [
        ("systems: [north]", "systems", "must be a mapping of names"),
        ("systems: {north: gulls}", "systems.north", "must be a mapping with some of family, model, baseline, generic"),
        ("systems: {north: }", "systems.north", "must be a mapping with some of"),
        ("systems: {north: {colour: red}}", "systems.north", 'unknown key "colour"'),
        ("systems: {north: {baseline: 1}}", "systems.north.baseline", "must be true or false"),
        ("systems: {north: {generic: 'true'}}", "systems.north.generic", "must be true or false"),
        ("systems: {north: {family: ''}}", "systems.north.family", "must be a text of 1 to 200 characters"),
        ("systems: {north: {model: 4}}", "systems.north.model", "must be a text of 1 to 200 characters"),
        ("systems: {'': {}}", "systems", "must"),
        ("systems: {'a\\nb': {}}".replace("'", '"'), "systems", "control character"),
        ("systems: {4: {}}", "systems", "is not text"),
        ("judges: {one: {model: campus/large}}", "judges.one", 'unknown key "model"'),
        ("judges: {one: {baseline: true}}", "judges.one", 'unknown key "baseline"'),
    ],
)
def test_a_section_that_says_anything_else_is_refused_by_name(folder, section, field, reason):
    _, found, why = only_problem(folder(STUDY + section + "\n"))
    assert found == field
    assert reason in why


def test_sections_may_change_after_tasks_have_been_made_and_are_audited(folder):
    study = import_study(folder()).study
    while plan_chunk(study):
        pass
    Study.objects.filter(pk=study.pk).update(status="live")
    import_study(folder(STUDY + "systems: {north: {family: gulls}}\n"))
    import_study(folder(STUDY + "judges: {one: {family: terns}}\n"))
    study.refresh_from_db()
    assert (study.systems, study.judges) == ({"north": {"family": "gulls"}}, {"one": {"family": "terns"}})
    entries = AuditEntry.objects.filter(action="study described").order_by("pk")
    assert [(entry.old, entry.new) for entry in entries] == [
        ({"systems": {}}, {"systems": {"north": {"family": "gulls"}}}),
        ({"judges": {}}, {"judges": {"one": {"family": "terns"}}}),
    ]
    import_study(folder(STUDY + "systems: {north: {family: gulls}}\n"))
    assert entries.count() == 2
    import_study(folder(STUDY + "systems: {}\n"))
    study.refresh_from_db()
    assert study.systems == {}


def test_other_changes_in_the_same_file_are_still_refused(folder):
    import_study(folder())
    given = STUDY.replace("Does it follow?", "Really?") + "systems: {north: {family: gulls}}\n"
    assert [field for _, field, _ in problems_of(folder(given))] == ["question follows"]
    assert Study.objects.get().systems == {}
