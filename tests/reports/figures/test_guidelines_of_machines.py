"""Which answers count if people and machines saw different versions of the guidelines, or none; and who is told."""

import json

import pytest
from django.core.management import call_command

from annotation.members.membership import add_member
from annotation.models import Rating
from files.reading import import_study
from reports.figures.agreement_report import agreement_report
from reports.figures.details_report import details_report
from reports.figures.meta_evaluation_report import meta_evaluation
from reports.figures.rater_disagreement import kept_disagreement
from reports.figures.rows import ChoiceInvalidError
from reports.figures.study_answers import RaterComparison
from reports.report_kinds.disagreement import disagreement_choices
from tests.files.writing.conftest import item, write_study
from tests.reports.computing import read

pytestmark = pytest.mark.django_db

ITEMS, OUTPUTS = 6, ("a", "b")
BOTH = frozenset({"human", "model"})


def lines(rater, kind, versions):
    """Each output's rating, under these versions of the guidelines in turn, by item."""
    return [
        {
            "item": f"i{number}",
            "output": output,
            "rater": rater,
            "rater_kind": kind,
            "question": "how_well",
            "value": 1 + (number + place) % 5,
            "guidelines_version": versions[number % len(versions)],
        }
        for number in range(ITEMS)
        for place, output in enumerate(OUTPUTS)
    ]


@pytest.fixture
def study(tmp_path):
    """Builds a study of two versions of guidelines, with these ratings."""

    def build(*given):
        folder = write_study(tmp_path / "in", [item(f"i{n}", outputs=OUTPUTS) for n in range(ITEMS)], [], [])
        made = import_study(folder).study
        for number in (1, 2):
            made.guidelines.get_or_create(number=number, defaults={"text": f"Version {number}"})
        machines = [line for line in given if line["rater_kind"] != "human"]
        people = [line for line in given if line["rater_kind"] == "human"]
        for name, rows in (("ratings", people), ("scores", machines)):
            written = [{key: value for key, value in row.items() if value is not None} for row in rows]
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in written), "utf-8")
        return import_study(folder).study

    return build


def test_machines_shown_guidelines_count_beside_people_without_a_version(study):
    made = study(*lines("ann", "human", [None]), *lines("bob", "human", [None]), *lines("judge", "model", [1]))
    report = meta_evaluation(made, replicates=10)
    assert list(report["questions"]["how_well"]["judges"]) == ["judge"]
    assert report["guidelines"]["shown"] == 1
    assert report["guidelines"]["left_out"] == {}
    assert agreement_report(made, BOTH, replicates=10)["questions"]["how_well"]["raters"] == 3
    assert agreement_report(made, replicates=10)["questions"]["how_well"]["raters"] == 2


def test_the_latest_version_that_machines_were_shown_counts_if_there_are_no_people(study):
    made = study(*lines("judge", "model", [1, 2]))
    report = meta_evaluation(made, replicates=10)
    assert (report["guidelines"]["shown"], report["guidelines"]["left_out"]) == (2, {"machines": ITEMS})
    assert report["guidelines"]["machines"] == {"1": ITEMS, "2": ITEMS}
    first = meta_evaluation(made, RaterComparison(guidelines=1), replicates=10)
    assert (first["guidelines"]["shown"], first["guidelines"]["left_out"]) == (1, {"machines": ITEMS})
    everything = meta_evaluation(made, RaterComparison(guidelines="all"), replicates=10)
    assert (everything["guidelines"]["pooled"], "left_out" in everything["guidelines"]) == (True, False)


def test_a_version_that_only_machines_were_shown_can_be_chosen_beside_people_without_one(study):
    made = study(*lines("ann", "human", [None]), *lines("judge", "model", [1, 2]))
    report = agreement_report(made, BOTH, guidelines=1, replicates=10)
    assert (report["guidelines"]["version"], report["guidelines"]["shown"]) == (None, 1)
    assert report["questions"]["how_well"]["ratings"] == 2 * ITEMS + ITEMS
    with pytest.raises(ChoiceInvalidError, match="version 3"):
        agreement_report(made, BOTH, guidelines=3)


def test_machines_shown_other_guidelines_than_people_are_left_out_and_counted(study):
    made = study(*lines("ann", "human", [1, 2]), *lines("judge", "model", [1]), *lines("plain", "model", [None]))
    report = agreement_report(made, BOTH, replicates=10)
    assert (report["guidelines"]["version"], report["guidelines"]["shown"]) == (2, 2)
    assert report["guidelines"]["left_out"] == {"people": ITEMS, "machines": 2 * ITEMS}
    assert report["questions"]["how_well"]["ratings"] == ITEMS + 2 * ITEMS
    log = {row["kind"]: row["number"] for row in details_report(made, BOTH, replicates=10)["exclusions"]}
    assert (log["other_guidelines"], log["shown_other_guidelines"]) == (ITEMS, 2 * ITEMS)


def test_disagreement_counts_the_machines_that_agreement_counts(study):
    made = study(*lines("ann", "human", [1]), *lines("plain", "model", [None]), *lines("judge", "model", [2]))
    report = kept_disagreement(made, {**disagreement_choices(), "kinds": ["human", "model"]})
    rows = report["questions"]["how_well"]["by"]["rater"]["rows"]
    assert [row["name"] for row in rows] == ["ann", "plain"]


def test_pages_and_commands_say_what_is_left_out(study, client, owner, capsys):
    made = study(*lines("ann", "human", [None]), *lines("bob", "human", [None]), *lines("judge", "model", [1, 2]))
    add_member(made, owner, "owner", None)
    client.force_login(owner)
    for name in ("leaderboard", "tables"):
        shown = " ".join(read(client, f"/studies/{made.slug}/{name}/").content.decode().split())
        assert f"Left out: {ITEMS} ratings by machines that were shown another version than version 2." in shown
        assert '<select name="guidelines">' in shown
        other = " ".join(read(client, f"/studies/{made.slug}/{name}/?guidelines=1").content.decode().split())
        assert '<option value="1" selected>' in other
    together = read(client, f"/studies/{made.slug}/report/?kinds=human&kinds=model").content.decode()
    assert f"Left out: {ITEMS} ratings by machines" in together
    for command in ("meta_evaluate", "agreement"):
        kinds = ("--kinds", "human,model") if command == "agreement" else ()
        call_command(command, made.slug, *kinds)
        assert f"Left out: {ITEMS} ratings by machines that were shown other guidelines" in capsys.readouterr().out
    assert Rating.objects.filter(study=made).count() == 6 * ITEMS
