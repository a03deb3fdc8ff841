"""Answers that name systems, of each shape, as a blinded study's pages, figures and files show them."""

import json

import pytest
from django.test import Client

from annotation.blinding import names_of, unblind
from annotation.models import Membership, Output, Question, Rater, Rating, Study
from annotation.protocols import Unit
from annotation.review.adjudicating import adjudicate
from files.writing.adjudication_lines import adjudication_lines
from reports.kept.kept_reports import compute_here, kept_report
from reports.report_kinds.agreement import agreement_choices
from reports.report_kinds.details import details_choices
from reports.report_kinds.disagreement import disagreement_choices
from tests.conftest import add_item

NAMES = ("CANARY-north", "CANARY-south", "CANARY-west")
NORTH, SOUTH, WEST = NAMES
SEVERE = {
    "on": "output", "labels": [{"value": "wrong", "label": "Wrong"}],
    "severities": {"minor": 1, "major": 5},
}  # fmt: skip
SPAN = {"start": 0, "end": 3, "text": "Fer", "label": "wrong", "severity": "minor", "output": NORTH}
ANSWERS = {
    "overall": ("rank", "rank", ({NORTH: 1, SOUTH: 2, WEST: 3}, {NORTH: 1, SOUTH: 3, WEST: 2})),
    "extremes": ("best_worst", "extremes", ({"best": NORTH, "worst": SOUTH}, {"best": WEST, "worst": SOUTH})),
    "errors": ("spans", "span", ({"spans": [SPAN], "none": [SOUTH, WEST]}, {"spans": [], "none": list(NAMES)})),
}


@pytest.fixture
def blinded(owner):
    """A blinded study with ranks, best and worst outputs, spans with severities, and a final answer of each."""
    study = Study.objects.create(
        slug="shapes", title="Shapes", protocol="listwise", redundancy=2, options={"blind_researchers": True}
    )
    Membership.objects.create(study=study, person=owner, role="owner")
    item = add_item(study, "one", systems=NAMES)
    for position, (key, (kind, level, values)) in enumerate(ANSWERS.items()):
        spec = {"spans": SEVERE, "rank": {"ranks": 3}}.get(kind, {})
        question = Question.objects.create(study=study, position=position, key=key, type=kind, text=key, spec=spec)
        for name, value in zip(("ann", "ben"), values, strict=True):
            rater, _ = Rater.objects.get_or_create(study=study, name=name)
            Rating.objects.create(
                study=study, question=question, rater=rater, item=item, level=level, value=value,
                shown=list(NAMES),
            )  # fmt: skip
        if kind != "spans":
            adjudicate(item, question, Unit(), values[0], "So.", owner, number=0)
    better = Question.objects.create(study=study, position=9, key="better", type="preference", text="Which?")
    north, south, _ = item.outputs.order_by("position")
    for name, winner in (("ann", NORTH), ("ben", SOUTH)):
        Rating.objects.create(
            study=study, question=better, rater=Rater.objects.get(study=study, name=name), item=item, output=north,
            other_output=south, level="choice", value=winner, shown=[NORTH, SOUTH],
        )  # fmt: skip
    adjudicate(item, better, Unit(NORTH, SOUTH), NORTH, "So.", owner, number=0)
    return study


def text_of(client, address):
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def test_the_pages_of_an_item_show_codes_for_every_shape_of_answer(blinded, owner):
    client = Client()
    client.force_login(owner)
    address = f"/studies/shapes/items/{blinded.items.get().pk}/"
    names = names_of(blinded)
    north, south = names.shown(NORTH), names.shown(SOUTH)
    pages = ["", *(f"adjudicate/?question={key}" for key in ("overall", "extremes"))]
    for page in (*pages, f"adjudicate/?question=better&output={north}&other={south}"):
        if "better" in page:
            Study.objects.update(protocol="pairwise")  # which asks about pairs
        text = text_of(client, address + page)
        assert "CANARY-" not in text.replace("CANARY-REFERENCE", "").replace("CANARY-METADATA", ""), page
        assert north in text
    Study.objects.update(protocol="listwise")
    shown = text_of(client, address)
    places = [shown.index(f"<h3><bdi>{name}</bdi>") for name in sorted(map(names.shown, NAMES))]
    assert places == sorted(places)


def test_a_final_answer_is_saved_under_the_name_behind_a_code(blinded, owner):
    Study.objects.update(protocol="pairwise")  # which asks about pairs
    client = Client()
    client.force_login(owner)
    names = names_of(blinded)
    address = f"/studies/shapes/items/{blinded.items.get().pk}/adjudicate/"
    north, south = names.shown(NORTH), names.shown(SOUTH)
    page = text_of(client, f"{address}?question=better&output={north}&other={south}")
    letters = {north: "A", south: "B"} if north < south else {north: "B", south: "A"}
    assert "q-better" in page
    sent = {"question": "better", "output": north, "other": south, "number": "1", "reason": "It is.",
            "q-better": letters[south]}  # fmt: skip
    assert client.post(address, sent).status_code == 302
    final = blinded.questions.get(key="better").adjudications.get(is_current=True)
    assert (final.value, final.output.key, final.other_output.key) == (SOUTH, NORTH, SOUTH)
    assert client.get(f"{address}?question=better&output={NORTH}&other={SOUTH}").status_code == 404


def decoded(value, names):
    """JSON with names for codes, and mappings and lists without the order that names give."""
    text = json.dumps(value)
    for name in NAMES:
        text = text.replace(names.shown(name), name)
    return json.loads(text)


def rounded(figures):
    """Figures without rounding errors: sums follow the order of the names."""
    return json.loads(json.dumps(figures), parse_float=lambda text: round(float(text), 9))


@pytest.mark.parametrize(
    ("kind", "choices"),
    [("agreement", agreement_choices()), ("disagreement", disagreement_choices()), ("details", details_choices())],
)
def test_kept_figures_are_the_same_but_for_names_and_kept_apart(blinded, kind, choices):
    names = names_of(blinded)
    hidden = compute_here(blinded, kind, choices)
    assert "CANARY-" not in json.dumps(hidden)
    unblind(blinded, "Done.", None)
    study = Study.objects.get(pk=blinded.pk)
    assert not kept_report(study, kind, choices).is_there
    shown = compute_here(study, kind, choices)
    if kind == "disagreement":
        for key in ("overall", "better"):
            one, other = (made["questions"][key] for made in (decoded(hidden, names), shown))
            assert rounded(one["whole"]) == rounded(other["whole"])
            assert one["by"].keys() == other["by"].keys()
            rows = [{row["name"]: row["differ"] for row in made["by"]["system"]["rows"]} for made in (one, other)]
            assert rounded(rows[0]) == rounded(rows[1])
            assert rows[0]
    assert NORTH in json.dumps(shown)


def test_final_answers_are_exported_with_codes(blinded):
    lines = list(adjudication_lines(blinded))
    assert len(lines) == 3
    assert "CANARY-" not in json.dumps(lines)
    unblind(blinded, "Done.", None)
    assert NORTH in json.dumps(list(adjudication_lines(Study.objects.get(pk=blinded.pk))))


def test_the_problems_before_going_live_name_codes(blinded, owner):
    blinded.systems = {"CANARY-gone": {"family": "f"}}
    blinded.save()
    client = Client()
    client.force_login(owner)
    text = text_of(client, "/studies/shapes/")
    assert "CANARY-" not in text
    assert names_of(blinded).shown("CANARY-gone") in text


def test_pages_that_name_the_models_of_a_blinded_study_say_why_they_are_closed(blinded, owner):
    client = Client()
    client.force_login(owner)
    for page in ("models/calls/", "prepare/"):
        response = client.get(f"/studies/shapes/{page}")
        assert response.status_code == 403
        assert "This study is blinded" in response.content.decode()
    assert Output.objects.filter(item__study=blinded).count() == 3
