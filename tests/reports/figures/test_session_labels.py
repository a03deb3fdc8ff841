"""Agreement between labellers and between second raters, and the choice of a single labeller."""

import json
import re

import pytest
from django.core.management import CommandError, call_command

from annotation.members.membership import rater_for
from annotation.members.tokens import issue_token
from annotation.models import Rater
from files.writing import export_study
from reports.figures.rows import ChoiceInvalidError
from reports.figures.session_report import session_report
from sessions.models import TurnLabel
from sessions.turn_labels import label
from tests.api.conftest import Program, problem
from tests.conftest import make_person
from tests.reports.computing import read
from tests.reports.worked_sessions import page_of, rate_again, worked  # noqa: F401
from tests.sessions.conftest import folder, models, session, study  # noqa: F401

pytestmark = pytest.mark.django_db
API = "/api/studies/revising/sessions/"
TYPES = {1: ("remove", "condense"), 2: ("expand answer coverage", "expand answer coverage"), 3: ("condense", "remove")}


@pytest.fixture
def labelled(worked, session):  # noqa: F811
    """`worked` with labels by another person, who is the last to label, and by a model; and their names."""
    person = rater_for(worked, make_person("second researcher"))
    model = Rater.objects.create(study=worked, name="gpt", kind="model")
    for number, values in TYPES.items():
        for rater, value in zip((person, model), values, strict=True):
            label(session.turns.get(number=number), "instruction_type", value, rater)
    first = TurnLabel.objects.exclude(rater__in=(person, model)).first().rater
    return worked, first.name, person.name


def types_of(report):
    return {name: figure["n"] for name, figure in report["instruction_types"]["types"].items()}


@pytest.mark.thorough
def test_a_persons_latest_label_counts_unless_a_labeller_is_chosen(labelled):
    study, first, second = labelled  # noqa: F811
    assert types_of(session_report(study)) == {"condense": 1, "expand answer coverage": 1, "remove": 1}
    assert types_of(session_report(study, labeller=first)) == {"condense": 1, "expand answer coverage": 1}
    assert types_of(session_report(study, labeller="gpt")) == {"condense": 1, "expand answer coverage": 1, "remove": 1}
    chosen = session_report(study, labeller=second)
    assert chosen["labellers"] == {"chosen": second, "all": sorted([first, second, "gpt"])}
    assert chosen["instruction_types"]["types"]["remove"]["kinds"]["style"]["n"] == 1
    assert chosen["error_categories"]["uncategorised"] == 3
    assert chosen["retrieval"]["all"]["sufficient"]["of"] == 0
    for kept in ("overview", "ratings_by_kind", "label_agreement", "second_ratings"):
        assert chosen[kept] == session_report(study)[kept]


def test_a_labeller_without_labels_is_refused(labelled):
    study, *_ = labelled  # noqa: F811
    for name in ("nobody", "second", ""):
        with pytest.raises(ChoiceInvalidError, match="labelled no turn"):
            session_report(study, labeller=name)


def test_labellers_have_a_kappa_per_pair(labelled):
    study, first, second = labelled  # noqa: F811
    report = session_report(study)
    types = report["label_agreement"]["instruction_type"]
    assert (types["raters"], types["labels"], types["turns"], types["turns_with_two_or_more"]) == (
        sorted([first, second, "gpt"]), 8, 3, 3,
    )  # fmt: skip
    by_pair = {frozenset(pair["raters"]): pair for pair in types["pairs"]}
    people, machine = by_pair[frozenset((first, second))], by_pair[frozenset((second, "gpt"))]
    # The two people share two turns and agree on one; the person and the model share three and agree on one.
    assert (people["turns"], people["percent_agreement"]) == (2, 0.5)
    assert people["cohen_kappa"] == pytest.approx((1 / 2 - 1 / 4) / (1 - 1 / 4))
    assert (machine["turns"], machine["percent_agreement"]) == (3, pytest.approx(1 / 3))
    assert machine["cohen_kappa"] == pytest.approx((1 / 3 - 1 / 3) / (1 - 1 / 3))
    # Of the 2 * 3 + 1 pairs of raters of a turn, 3 agree on the second turn and 1 on the first.
    assert types["percent_agreement"] == pytest.approx(4 / 7)
    errors = report["label_agreement"]["error_category"]
    assert (errors["labels"], errors["pairs"], errors["alpha_nominal"]) == (1, [], None)
    assert "rated by two raters" in report["undefined"]["label_agreement.error_category.alpha_nominal"]


def test_second_raters_are_compared_with_each_other(worked, session):  # noqa: F811
    rate_again(session, 1, "third", "bad")
    between = session_report(worked)["second_ratings"]["between"]
    (two,), (three,) = between["two_way"]["pairs"], between["three_way"]["pairs"]
    # They share turn 1 (neutral and bad) and turn 3 (good and bad).
    assert (two["raters"], two["turns"], two["percent_agreement"]) == (["second", "third"], 2, 0.5)
    assert two["cohen_kappa"] == 0
    assert (three["turns"], three["percent_agreement"], three["cohen_kappa"]) == (2, 0, 0)
    assert (between["two_way"]["turns"], between["two_way"]["turns_with_two_or_more"]) == (3, 2)


@pytest.mark.thorough
def test_the_page_chooses_a_labeller_in_its_address(labelled, client, owner):
    _, first, second = labelled
    page = page_of(client, owner)
    choice = page.split('name="labeller">')[1].split("</select>")[0]
    assert re.findall(r'<option value="([^"]*)"', choice) == ["", *sorted([first, second, "gpt"])]
    assert "selected" not in choice
    chosen = page_of(client, owner, f"?labeller={first}")
    assert f'<option value="{first}" selected>' in chosen
    assert "Labels are those by" in chosen
    assert read(client, "/studies/revising/report/?labeller=nobody").status_code == 404


@pytest.mark.thorough
def test_the_page_has_a_table_of_labellers_and_one_of_their_pairs(labelled, client, owner):
    _, first, second = labelled
    page = page_of(client, owner)
    together = page.split('aria-label="Agreement between labellers"')[2].split("</table>")[0]
    row = together.split("<bdi>Types of instructions</bdi>")[1].split("</tr>")[0]
    assert re.findall(r"<span[^>]*>([\d.]+)</span>", row)[:3] == ["3", "3", "0.571"]
    pairs = page.split('aria-label="Pairs of labellers"')[2].split("</table>")[0]
    assert f"Types of instructions: {' · '.join(sorted((first, second)))}" in pairs
    assert "0.333</span>" in pairs
    assert 'aria-label="Pairs of second raters"' in page


def test_a_study_without_labels_offers_no_labeller(study, client, owner):  # noqa: F811
    page = page_of(client, owner)
    assert 'name="labeller"' not in page
    assert "No sessions yet" in page


def test_the_command_takes_a_labeller(labelled, capsys):
    _, first, _ = labelled
    call_command("session_report", "revising", "--labeller", first, "--json")
    assert json.loads(capsys.readouterr().out)["labellers"]["chosen"] == first
    call_command("session_report", "revising", "--labeller", first)
    assert "Pairs of labellers" in capsys.readouterr().out
    with pytest.raises(CommandError, match="'nobody' has labelled no turn"):
        call_command("session_report", "revising", "--labeller", "nobody")


@pytest.mark.thorough
def test_the_api_takes_a_labeller(labelled, owner):

    study, first, _ = labelled  # noqa: F811
    program = Program(issue_token(study, owner, name="reads", scope="read"))
    assert read(program, API, {"labeller": first}).json()["labellers"]["chosen"] == first
    assert read(program, API).json()["labellers"]["chosen"] is None
    assert "labelled no turn" in problem(read(program, API, {"labeller": "nobody"}), 400)["detail"]
    assert "labeller" in problem(program.get(API, {"labeler": first}), 400)["detail"]


@pytest.mark.thorough
def test_the_card_of_an_export_says_what_sessions_and_labels_are(labelled, tmp_path):
    export_study(labelled[0], tmp_path / "out")
    rows = dict(
        re.findall(r"^\| `([^`]+)` \| ([^|]+) \| \d+ \|$", (tmp_path / "out/README.md").read_text(), re.MULTILINE)
    )
    assert rows["sessions.jsonl"] == "revision sessions with their turns, one session per line"
    assert rows["labels.jsonl"] == "labels of turns by people and models, with all revisions"
    assert set(rows) == {
        "items.jsonl",
        "ratings.jsonl",
        "wide/annotations.jsonl",
        "wide/ratings.jsonl",
        "annotations.jsonl",
        "sessions.jsonl",
        "labels.jsonl",
    }
