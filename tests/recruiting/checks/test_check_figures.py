"""What answers to checks count for, the figures of raters, rules, exclusions and files."""

from itertools import pairwise
from random import Random

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts.models import AuditEntry
from agreement.care_figures import LEAST_CHECKS
from annotation.desk.assigning import next_assignment
from annotation.importing import import_study
from annotation.models import Annotation, Item, Rater, Slot
from annotation.studies.queries import work_in
from annotation.studies.study_overview import count_overview
from recruiting.background.check_upkeep import look_after_checks
from recruiting.checks.answered_checks import answered_checks
from recruiting.checks.check_rules import figure_of
from recruiting.checks.check_tables import CheckItem, FiledCheck, RaterExclusion, RaterNotice
from recruiting.checks.damaging import DAMAGES, damaged
from recruiting.checks.excluding import DecidedMeanwhileError, end_exclusion, exclude, reply
from recruiting.overview_notices import people_notices
from reports.exporting import export_study
from reports.kept_reports import compute_here
from tests.recruiting.checks.checked_study import (
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


@pytest.fixture
def worked(client, owner, tmp_path):
    """A study in which ada reads and ben always answers the same; with its folder."""
    rules = [
        {"figure": "twins", "below": 0.5, "of": 5, "do": "pause"},
        {"figure": "gold", "below": 0.9, "of": 5, "do": "ask"},
    ]
    study = make_checked_study(
        tmp_path / "study", owner, items=30, golden=20, checks={**CHECKS, "rules": rules}, redundancy=3,
        options={"same_raters": False},
    )  # fmt: skip
    raters = []
    for name, submit in (("ada", attentive), ("ben", send)):
        person, rater = rater_in(study, name)
        client.force_login(person)
        raters.append(rater)
        assert len(list(work_through(client, study, rater, submit=submit))) > 90
    return study, *raters


def test_checks_count_nowhere_and_their_figures_tell_raters_apart(worked, client, owner):
    study, ada, ben = worked
    by_kind = {kind: {r.name: figure_of(answered_checks(study, r), kind) for r in (ada, ben)} for kind in EVERY_KIND}
    assert by_kind["gold"][ada.name][1] == by_kind["gold"][ben.name][1] == 1
    assert by_kind["twins"][ada.name][0] >= 5
    assert by_kind["twins"][ada.name][1] == 1
    assert by_kind["twins"][ben.name][1] == 0
    assert by_kind["repeats"][ben.name][1] == 1
    checks = Annotation.objects.filter(task__item__pool="check").count()
    assert checks == sum(number for kind in by_kind.values() for number, _ in kind.values())
    counted = count_overview(study)
    assert counted["progress"]["filled"] == counted["pace"]["week"] == 180
    assert [one["submitted"] for one in counted["raters"].values()] == [90, 90]
    assert Slot.objects.filter(study=None).count() == checks

    report = compute_here(study, "rater_checks", {})
    rows = {row["name"]: row for row in report["raters"]}
    assert rows[ben.name]["twins"]["value"] == 0 < rows[ada.name]["twins"]["low"]
    assert rows[ben.name]["in_a_row"]["value"] == rows[ben.name]["in_a_row"]["n"] == 90
    assert rows[ben.name]["same_forms"]["value"] == 1
    assert rows[ada.name]["agrees"]["n"] == 90
    client.force_login(owner)
    page = client.get(reverse("reports:rater_checks", args=[study.slug]))
    assert ben.name in page.content.decode()
    assert "too few" not in page.content.decode()
    assert client.get(f"/api/studies/{study.slug}/rater-checks/").json()["raters"] == report["raters"]


def test_figures_of_few_checks_are_too_few_to_say(client, owner, tmp_path):
    study = make_checked_study(
        tmp_path / "study", owner, options={"same_raters": False}, checks={"first": 0, "gold": {"share": 0.5}}
    )
    person, rater = rater_in(study, "ada")
    client.force_login(person)
    done = len(list(work_through(client, study, rater, most=6)))
    checks = Annotation.objects.filter(task__item__pool="check").count()
    assert 0 < checks < LEAST_CHECKS < done
    report = compute_here(study, "rater_checks", {})
    client.force_login(owner)
    page = client.get(reverse("reports:rater_checks", args=[study.slug]))
    [row] = report["raters"]
    assert row["gold"]["value"] is row["gold"]["low"] is row["gold"]["high"] is None
    reason = f"too few to say: {checks} of at least {LEAST_CHECKS}"
    assert row["gold"]["reason"] == reason
    cell = f'<td class="num" data-label="Gold"><span class="muted" title="{reason}">too few ({checks})</span></td>'
    assertContains(page, cell, count=1, html=True)
    told = client.get(f"/api/studies/{study.slug}/rater-checks/").json()["raters"]
    assert [one["gold"]["reason"] for one in told] == [reason]


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
    assert [one.text for one in people_notices(study)] == ["1 rater was paused by a rule"]
    assert AuditEntry.objects.filter(action="rater paused", actor=None).count() == 1


def test_an_export_with_checks_imports_again_with_the_same_bytes(worked, tmp_path):
    study, _, _ = worked
    export_study(study, tmp_path / "one")
    text = (tmp_path / "one" / "checks.jsonl").read_text()
    assert '"kind":"twins"' in text.replace(" ", "")
    pools = Item.objects.filter(study=study).exclude(pool="check").count()
    assert len((tmp_path / "one" / "items.jsonl").read_text().splitlines()) == pools == 50
    assert len((tmp_path / "one" / "ratings.jsonl").read_text().splitlines()) == 180
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


def make_copy(folder):
    """The exported study under another name."""
    path = folder / "one" / "study.yaml"
    path.write_text(path.read_text().replace("slug: checked", "slug: again"))
    return import_study(folder / "one").study


def test_an_exclusion_has_a_reason_an_actor_and_an_answer(study, owner, rater, client):
    mine = Rater.objects.get_or_create(study=study, person=rater, defaults={"name": "r"})[0]
    made = exclude(mine, "Always the same.", owner)
    with pytest.raises(DecidedMeanwhileError):
        exclude(mine, "Again.", owner)
    with pytest.raises(DatabaseError), transaction.atomic():
        RaterExclusion.objects.filter(pk=made.pk).update(reason="Another")
    client.force_login(rater)
    address = reverse("recruiting:my_standing", args=[study.slug])
    assert "Always the same." in client.get(address).content.decode()
    assert address in client.get(reverse("annotation:home")).content.decode()
    assert client.post(address, {"text": " "}).status_code == 422
    assert client.post(address, {"text": "I was ill."}).status_code == 302
    client.force_login(owner)
    compute_here(study, "rater_checks", {})
    page = client.get(reverse("reports:rater_checks", args=[study.slug])).content.decode()
    assert "I was ill." in page
    assert "Without the excluded" in page
    client.post(reverse("recruiting:include", args=[study.slug, mine.pk]), {"reason": "A mistake."})
    made.refresh_from_db()
    assert (made.ended_by, made.ended_reason) == (owner, "A mistake.")
    with pytest.raises(DecidedMeanwhileError):
        reply(made, "Late.", rater)
    with pytest.raises(DecidedMeanwhileError):
        end_exclusion(made, "Again.", owner)
    actions = AuditEntry.objects.filter(action__startswith="rater ").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["rater excluded", "rater included"]


def test_damages_depend_on_the_seed_alone_and_change_the_text():
    text = "One goes up. Two stays here. Three comes down."
    for kind in DAMAGES:
        made = [damaged(text, ["Other words."], [kind], Random(seed)) for seed in (1, 1, 2)]
        assert made[0] == made[1]
        assert all(one[0] == kind and one[1] != text for one in made)
    assert damaged("word", [], ["shuffle", "cut"], Random(1)) is None


def test_progress_does_not_jump_at_a_check(client, owner, tmp_path):
    study = make_checked_study(tmp_path, owner, "pairwise", items=18)
    person, rater = rater_in(study, "ada")
    client.force_login(person)
    totals, checks = [], []
    for address in work_through(client, study, rater):
        response = client.get(address)
        progress, task = response.context["desk"]["progress"], response.context["assignment"].task
        totals.append(progress.done + progress.left)
        checks.append(task.item.pool == "check")
        assert work_in(person, study).total == totals[-1]
    steps = [after - before for before, after in pairwise(totals)]
    assert {step for step, is_check in zip(steps, checks[1:], strict=True) if is_check} == {0}
    # It falls where a drawn check was not prepared, and never rises.
    assert max(steps) == 0
    assert sum(checks) == CheckItem.objects.filter(item__tasks__assignments__rater=rater).count()
