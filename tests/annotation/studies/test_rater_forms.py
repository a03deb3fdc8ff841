"""Forms as raters saw them: the same keys are the same form, whatever outputs stood under their letters."""

import pytest

from annotation.models import Rating
from annotation.studies.rater_forms import forms_in_order
from reports.kept.kept_reports import compute_here
from tests.parts.checks.checked_study import make_checked_study, rater_in, send, work_through
from tests.parts.stopping.stop_studies import annotator, answer, stopping_study

pytestmark = pytest.mark.django_db


def who_prefers(name):
    """Send the form that prefers this system, under whatever letter it is shown."""

    def submit(client, address, protocol):
        assignment = client.get(address).context["assignment"]
        keys = list(assignment.task.outputs.order_by("task_outputs__position").values_list("key", flat=True))
        shown = [keys[place] for place in assignment.order]
        letters = "ABC"[: len(shown)]
        if protocol == "pairwise":
            form = {"q-better": letters[shown.index(name)] if name in shown else "B"}
        else:
            ranks = [1 if key == name else 2 + sorted(set(shown) - {name}).index(key) for key in shown]
            form = {f"q-overall-{letter}": str(rank) for letter, rank in zip(letters, ranks, strict=True)}
        return send(client, address, protocol, **form)

    return submit


@pytest.mark.thorough
@pytest.mark.parametrize("protocol", ["pairwise", "listwise"])
def test_who_presses_the_same_keys_is_found_and_who_prefers_one_system_is_not(client, owner, tmp_path, protocol):
    study = make_checked_study(tmp_path, owner, protocol, items=12, golden=0, checks=None)
    for name, submit in (("ada", who_prefers("north")), ("ben", send)):
        person, rater = rater_in(study, name)
        client.force_login(person)
        assert len(list(work_through(client, study, rater, submit=submit))) >= 12
    rows = {row["name"]: row for row in compute_here(study, "rater_checks", {})["raters"]}
    ada, ben = rows["rater-ada"], rows["rater-ben"]
    assert ben["in_a_row"]["value"] == ben["in_a_row"]["n"] >= 12
    assert ben["same_forms"]["value"] == 1
    assert ada["in_a_row"]["value"] < ada["in_a_row"]["n"] / 2
    assert ada["same_forms"]["value"] < 0.8


def test_all_answers_of_a_form_count_in_the_order_of_submission():
    study, _ = stopping_study(None, items=4)
    rater = annotator(study, "ann")
    for value, follows in (("5", "true"), ("2", "true"), ("5", "true"), ("5", "false")):
        answer(study, rater, value, follows)
    forms = [form for _, form in forms_in_order(Rating.objects.filter(study=study))]
    assert forms[0] == forms[2]
    assert len(set(forms)) == 3
    assert {len(form) for form in forms} == {2}
