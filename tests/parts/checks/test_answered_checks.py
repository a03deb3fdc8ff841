"""What answers to checks count for: figures of raters, rules, files. One study of 200 answers for all tests."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, Person
from annotation.desk.assigning import next_assignment
from annotation.models import Annotation, Item, Rater, RaterExclusion, Slot, Study
from annotation.studies.notices import study_notices
from annotation.studies.study_overview import count_overview
from files.reading import import_study
from files.writing import export_study
from parts.checks.answered import answered_checks
from parts.checks.background.check_upkeep import look_after_checks
from parts.checks.models import FiledCheck, RaterNotice
from parts.checks.rules import figure_of
from reports.kept.kept_reports import compute_here
from tests.conftest import make_person
from tests.parts.checks.checked_study import (
    CHECKS,
    EVERY_KIND,
    line,
    make_checked_study,
    rater_in,
    send,
    work_through,
)


def attentive(client, address, protocol, **more):
    """An answer to a rating task by somebody who reads: 4, and 1 if the output is damaged."""
    assignment = client.get(address).context["assignment"]
    output = assignment.task.outputs.get()
    source = line(f"{assignment.task.item.document[12:15]}")["outputs"]
    is_whole = output.text in [one["text"] for one in source]
    return send(client, address, protocol, **{"q-well": "4" if is_whole else "1"}, **more)


@pytest.fixture(scope="module")
def answered(rows_of_module, tmp_path_factory):
    """The head of a study; the study, in which ada reads and ben always answers the same; and these two."""

    def make():
        owner = make_person("head")
        return owner, *answer_all(Client(), owner, tmp_path_factory.mktemp("checked"))

    return rows_of_module(make)


@pytest.fixture
def worked(answered, db):
    """The study, ada and ben, as this test finds them."""
    study, *raters = answered[1:]
    return Study.objects.get(pk=study.pk), *(Rater.objects.get(pk=rater.pk) for rater in raters)


def answer_all(client, owner, folder):
    rules = [
        {"figure": "twins", "below": 0.5, "of": 5, "do": "pause"},
        {"figure": "gold", "below": 0.9, "of": 5, "do": "ask"},
    ]
    study = make_checked_study(
        folder / "study", owner, items=20, golden=20, checks={**CHECKS, "rules": rules}, redundancy=3,
        options={"same_raters": False},
    )  # fmt: skip
    raters = []
    for name, submit in (("ada", attentive), ("ben", send)):
        person, rater = rater_in(study, name)
        client.force_login(person)
        raters.append(rater)
        assert len(list(work_through(client, study, rater, submit=submit))) > 60
    return study, *raters


def test_checks_count_nowhere_and_their_figures_tell_raters_apart(worked, client):
    study, ada, ben = worked
    owner = Person.objects.get(username="head")
    by_kind = {kind: {r.name: figure_of(answered_checks(study, r), kind) for r in (ada, ben)} for kind in EVERY_KIND}
    assert by_kind["gold"][ada.name][1] == by_kind["gold"][ben.name][1] == 1
    assert by_kind["twins"][ada.name][0] >= 5
    assert by_kind["twins"][ada.name][1] == 1
    assert by_kind["twins"][ben.name][1] == 0
    assert by_kind["repeats"][ben.name][1] == 1
    checks = Annotation.objects.filter(task__item__pool="copies").count()
    assert checks == sum(number for kind in by_kind.values() for number, _ in kind.values())
    counted = count_overview(study)
    assert counted["progress"]["filled"] == counted["pace"]["week"] == 120
    assert [one["submitted"] for one in counted["raters"].values()] == [60, 60]
    assert Slot.objects.filter(study=None).count() == checks

    report = compute_here(study, "rater_checks", {})
    rows = {row["name"]: row for row in report["raters"]}
    assert rows[ben.name]["twins"]["value"] == 0 < rows[ada.name]["twins"]["low"]
    assert rows[ben.name]["in_a_row"]["value"] == rows[ben.name]["in_a_row"]["n"] == 60
    assert rows[ben.name]["same_forms"]["value"] == 1
    assert rows[ada.name]["agrees"]["n"] == 60
    client.force_login(owner)
    page = client.get(reverse("reports:rater_checks", args=[study.slug]))
    assert ben.name in page.content.decode()
    assert "too few" not in page.content.decode()
    assert client.get(f"/api/studies/{study.slug}/rater-checks/").json()["raters"] == report["raters"]


def test_rules_pause_and_ask_and_nobody_is_excluded_by_them(worked):
    study, _, ben = worked
    look_after_checks()
    look_after_checks()
    [notice] = RaterNotice.objects.all()
    assert (notice.rater, notice.paused, notice.share) == (ben, True, 0)
    ben.refresh_from_db()
    assert ben.paused_at
    assert next_assignment(study, ben) is None
    assert not RaterExclusion.objects.exists()
    assert [one.text for one in study_notices(study)] == ["1 rater was paused by a rule"]
    assert AuditEntry.objects.filter(action="rater paused", actor=None).count() == 1


def make_copy(folder):
    """The exported study under another name."""
    path = folder / "one" / "study.yaml"
    path.write_text(path.read_text().replace("slug: checked", "slug: again"))
    return import_study(folder / "one").study


def test_an_export_with_checks_imports_again_with_the_same_bytes(worked, tmp_path):
    study, _, _ = worked
    export_study(study, tmp_path / "one")
    text = (tmp_path / "one" / "checks.jsonl").read_text()
    assert '"kind":"twins"' in text.replace(" ", "")
    pools = Item.objects.filter(study=study).exclude(pool="copies").count()
    assert len((tmp_path / "one" / "items.jsonl").read_text().splitlines()) == pools == 40
    assert len((tmp_path / "one" / "ratings.jsonl").read_text().splitlines()) == 120
    again = make_copy(tmp_path)
    assert FiledCheck.objects.filter(study=again).count() == len(text.splitlines())
    export_study(again, tmp_path / "two")
    for name in ("checks.jsonl", "ratings.jsonl", "items.jsonl", "annotations.jsonl"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes(), name
    figures = [compute_here(one, "rater_checks", {})["raters"] for one in (study, again)]
    assert [[row[kind]["value"] for kind in EVERY_KIND] for row in figures[0]] == [
        [row[kind]["value"] for kind in EVERY_KIND] for row in figures[1]
    ]
    assert import_study(tmp_path / "two", owner=None).added.get("checks") == 0
