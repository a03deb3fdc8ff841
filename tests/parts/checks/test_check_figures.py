"""What answers to checks count for, the figures of raters, rules, exclusions and files."""

from itertools import pairwise
from random import Random

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts.models import AuditEntry
from agreement.disagreement.care_figures import LEAST_CHECKS
from annotation.members.standing import DecidedMeanwhileError, end_exclusion, exclude, reply
from annotation.models import Annotation, Rater, RaterExclusion
from annotation.studies.queries import work_in
from parts.checks.damaging import DAMAGES, damaged
from parts.checks.models import CheckItem
from reports.kept.kept_reports import compute_here
from tests.parts.checks.checked_study import (
    make_checked_study,
    rater_in,
    work_through,
)


def test_figures_of_few_checks_are_too_few_to_say(client, owner, tmp_path):
    study = make_checked_study(
        tmp_path / "study", owner, options={"same_raters": False}, checks={"first": 0, "gold": {"share": 0.5}}
    )
    person, rater = rater_in(study, "ada")
    client.force_login(person)
    done = len(list(work_through(client, study, rater, most=6)))
    checks = Annotation.objects.filter(task__item__pool="copies").count()
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


def test_an_exclusion_has_a_reason_an_actor_and_an_answer(study, owner, rater, client):
    mine = Rater.objects.get_or_create(study=study, person=rater, defaults={"name": "r"})[0]
    made = exclude(mine, "Always the same.", owner)
    with pytest.raises(DecidedMeanwhileError):
        exclude(mine, "Again.", owner)
    with pytest.raises(DatabaseError), transaction.atomic():
        RaterExclusion.objects.filter(pk=made.pk).update(reason="Another")
    client.force_login(rater)
    address = reverse("annotation:my_standing", args=[study.slug])
    assert "Always the same." in client.get(address).content.decode()
    assert address in client.get(reverse("annotation:home")).content.decode()
    assert client.post(address, {"text": " "}).status_code == 422
    assert client.post(address, {"text": "I was ill."}).status_code == 302
    client.force_login(owner)
    compute_here(study, "rater_checks", {})
    page = client.get(reverse("reports:rater_checks", args=[study.slug])).content.decode()
    assert "I was ill." in page
    assert "Without the excluded" in page
    client.post(reverse("annotation:include", args=[study.slug, mine.pk]), {"reason": "A mistake."})
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


@pytest.mark.thorough
def test_progress_does_not_jump_at_a_check(client, owner, tmp_path):
    study = make_checked_study(tmp_path, owner, "pairwise", items=18)
    person, rater = rater_in(study, "ada")
    client.force_login(person)
    totals, checks = [], []
    for address in work_through(client, study, rater):
        response = client.get(address)
        progress, task = response.context["desk"]["progress"], response.context["assignment"].task
        totals.append(progress.done + progress.left)
        checks.append(task.item.pool == "copies")
        assert work_in(person, study).total == totals[-1]
    steps = [after - before for before, after in pairwise(totals)]
    assert {step for step, is_check in zip(steps, checks[1:], strict=True) if is_check} == {0}
    # It falls where a drawn check was not prepared, and never rises.
    assert max(steps) == 0
    assert sum(checks) == CheckItem.objects.filter(item__tasks__assignments__rater=rater).count()
