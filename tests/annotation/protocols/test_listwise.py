"""All outputs of an item ranked on one page: tasks, orders, forms, files."""

import json
import re
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from django.urls import reverse

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit, undo
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Assignment, Output, Rating, Slot, Study, Task
from annotation.protocols import protocols
from annotation.studies.planning import plan_chunk
from files.reading import ImportRefusedError, import_study
from files.writing import export_study
from tests.conftest import make_person
from tests.files.writing.conftest import bytes_of, empty_the_database

pytestmark = [pytest.mark.quick, pytest.mark.django_db]

SYSTEMS = ("system-north", "system-south", "system-west", "system-east", "system-mid")
QUESTIONS = [
    {"key": "overall", "type": "rank", "ranks": 5, "text": "Overall"},
    {"key": "factual", "type": "rank", "ranks": 5, "text": "Factual", "allow_ties": False},
    {"key": "errors", "type": "spans", "labels": ["wrong"], "text": "Errors"},
    {"key": "clear", "type": "binary", "per": "output", "text": "Clear?", "required": False},
    {"key": "reason", "type": "text", "min_words": 3, "text": "Why?"},
]
TEXTS = [f"🚢 Ferry number {number} sails at nine." for number in range(5)]


def item(key, systems=SYSTEMS, texts=TEXTS, **more):
    outputs = [{"id": system, "text": text} for system, text in zip(systems, texts, strict=False)]
    reference = {"id": "gold", "text": "CANARY-REFERENCE", "writer": "human"}
    return {
        "id": key, "document": "It sails at nine.", "instruction": "When?", "outputs": outputs,
        "references": [reference], "metadata": {"secret": "CANARY-METADATA"},
    } | more  # fmt: skip


@pytest.fixture
def bring(tmp_path):
    """A function that imports these items and lines as a listwise study, or adds them to it."""

    def bring(items=(), *, questions=QUESTIONS, live=True, ratings=(), annotations=(), **more) -> Study:
        folder = tmp_path / f"in-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        body = {"slug": "ranks", "title": "Ranks", "protocol": "listwise", "redundancy": 3, "questions": questions}
        (folder / "study.json").write_text(json.dumps(body | {"guidelines": "Rank *all*."} | more))
        for name, lines in (("items", items), ("ratings", ratings), ("annotations", annotations)):
            if lines:
                (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        study = import_study(folder).study
        if live:
            while plan_chunk(study):
                pass
            study.refresh_from_db()
            study.status = Study.Status.LIVE
            study.save()
        return study

    return bring


def take(study, person):
    if not study.memberships.filter(person=person).exists():
        add_member(study, person, "annotator", None)
    return next_assignment(study, rater_for(study, person))


def good(count=5):
    letters = "ABCDEFGHIJ"[:count]
    form = {f"q-overall-{letter}": [str(1 + place // 2)] for place, letter in enumerate(letters)}
    form |= {f"q-factual-{letter}": [str(count - place)] for place, letter in enumerate(letters)}
    spans = [{"output": "A", "start": 0, "end": 1, "text": "🚢", "label": "wrong", "note": "No ship."}]
    form |= {"q-errors": [json.dumps({"spans": spans})]}
    form |= {f"q-errors-{letter}": ["none"] for letter in letters[1:]}
    return form | {"q-clear-B": ["true"], "q-reason": ["Because it sails."]}


def errors_of(client, task, form):
    response = client.post(reverse("annotation:submit_task", args=[task.key]), form | {"revision": "0"})
    return response, response.context["desk"]["errors"] if response.status_code == 422 else {}


def test_an_item_is_one_task_of_all_its_outputs(bring, rater):
    bring([item("one"), item("two", SYSTEMS[:2]), item("alone", SYSTEMS[:1])])
    tasks = Task.objects.order_by("item")
    assert [(task.item.key, task.outputs.count()) for task in tasks] == [("one", 5), ("two", 2)]
    assert Slot.objects.count() == 6


@pytest.mark.parametrize("count", [2, 3, 10, 12])
def test_two_to_ten_outputs_are_ranked_and_more_can_be(bring, rater, count):
    systems = [f"system-{number}" for number in range(count)]
    questions = [{"key": "overall", "type": "rank", "ranks": 12}]
    study = bring([item("one", systems, [f"Text {n}" for n in range(count)])], questions=questions)
    task = take(study, rater)
    form = {f"q-overall-{letter}": [str(place + 1)] for place, letter in enumerate("ABCDEFGHIJKL"[:count])}
    answers = submit(task, Submission(form, 0)).answers["overall"]
    assert sorted(answers.values()) == list(range(1, count + 1))


@pytest.mark.parametrize(
    ("questions", "options", "said"),
    [
        ([{"key": "why", "type": "text"}], {}, "rank"),
        ([{"key": "a", "type": "rank", "ranks": 5}, {"key": "a-B", "type": "text"}], {}, "does not begin with a-"),
        ([{"key": "a", "type": "rank", "ranks": 5}], {"dense": "yes"}, "dense"),
        ([{"key": "a", "type": "rank", "ranks": 5}], {"pairs": "all"}, "unknown option"),
        ([{"key": "a", "type": "rank", "ranks": 5},
          {"key": "b", "type": "text", "when": {"question": "a", "equals": {"system-north": 1}}}], {}, "when"),
    ],
)  # fmt: skip
def test_a_study_that_cannot_be_run_is_refused(bring, questions, options, said):
    with pytest.raises(ImportRefusedError, match=said):
        bring([item("one")], questions=questions, options=options)


def test_best_and_worst_alone_make_a_listwise_study_and_a_slider_may_be_a_condition(bring):
    asked = [
        {"key": "extremes", "type": "best_worst"},
        {"key": "gap", "type": "slider", "max": 1},
        {"key": "why", "type": "text", "when": {"question": "gap", "equals": 0.5}},
    ]
    assert [question.type for question in bring(questions=asked).questions.order_by("position")] == [
        "best_worst", "slider", "text",
    ]  # fmt: skip


def test_an_answer_gives_flat_ratings_with_their_levels(bring, rater):
    task = take(bring([item("one")]), rater)
    annotation = submit(task, Submission(good(), 0))
    keys = [SYSTEMS[place] for place in task.order]
    assert annotation.answers["overall"] == dict(sorted(zip(keys, [1, 1, 2, 2, 3], strict=True)))
    assert annotation.answers["errors"]["none"] == keys[1:]
    rows = {row.question.key: row for row in Rating.objects.select_related("question", "output")}
    assert {key: row.level for key, row in rows.items()} == {
        "overall": "rank", "factual": "rank", "errors": "span", "clear": "nominal", "reason": "text",
    }  # fmt: skip
    assert rows["overall"].output is None
    assert rows["clear"].output.key == keys[1]
    assert rows["overall"].shown == keys


def test_undo_opens_the_answer_as_it_was_typed(bring, rater):
    task = take(bring([item("one")]), rater)
    submit(task, Submission(good(), 0))
    undo(task, Submission({}, 1))
    task.refresh_from_db()
    assert {name: value for name, value in task.draft.items() if name != "q-errors"} == {
        name: value for name, value in good().items() if name != "q-errors"
    }
    assert json.loads(task.draft["q-errors"][0]) == json.loads(good()["q-errors"][0])


@pytest.mark.parametrize(
    ("change", "key", "said"),
    [
        ({"q-overall-C": [""]}, "overall", "This answer leaves out C: every output needs a rank."),
        ({"q-overall-C": ["6"]}, "overall", "from 1 to 5 for C"),
        ({"q-overall-F": ["1"]}, "overall", "ranks F, which was not shown"),
        ({"q-factual-A": ["1"]}, "factual", "gives A and E the same rank"),
        ({f"q-overall-{letter}": [""] for letter in "ABCDE"}, "overall", "This question needs an answer."),
        ({"q-errors-D": [""]}, "errors", "This question needs an answer for D."),
        ({"q-errors-A": ["none"]}, "errors", "remove one of the two"),
        ({"q-errors": ['{"spans": [{"output": "A", "start": 0, "end": 1, "text": "x", "label": "wrong"}]}']},
         "errors", "but the text has “🚢” there"),
        ({"q-errors": ['{"spans": [{"output": "A", "start": 90, "end": 91, "text": "x", "label": "wrong"}]}']},
         "errors", "beyond the end"),
        ({"q-errors": ['{"spans": [{"output": "Z", "start": 0, "end": 1, "text": "x", "label": "wrong"}]}']},
         "errors", "not shown"),
        ({"q-reason": ["Too short"]}, "reason", "at least 3 words; it has 2"),
    ],
)  # fmt: skip
def test_an_invalid_answer_comes_back_with_its_errors_and_everything_that_was_typed(
    client, bring, rater, change, key, said
):
    task = take(bring([item("one")]), rater)
    client.force_login(rater)
    response, errors = errors_of(client, task, good() | change)
    assert list(errors) == [key]
    assert said in errors[key]
    page = response.content.decode()
    assert "Because it sails." in page or "Too short" in page
    shown = {
        row["name"]: row["value"]
        for field in response.context["desk"]["fields"]
        for row in field.get("rows", [])
        if "value" in row
    }
    typed = {name: value[0] for name, value in (good() | change).items() if name in shown}
    assert {name: shown[name] for name in typed} == typed
    assert not any(system in page for system in SYSTEMS)
    assert not Annotation.objects.exists()


def test_nothing_that_is_sent_names_a_system(client, bring, rater):
    task = take(bring([item("one"), item("two")]), rater)
    client.force_login(rater)
    page = reverse("annotation:desk", args=[task.key])
    sent = [client.get(page), errors_of(client, task, good() | {"q-overall-A": ["9"]})[0]]
    form = good() | {"revision": "0", "draft_version": "0"}
    sent.append(client.post(reverse("annotation:save_draft", args=[task.key]), form))
    sent.append(client.get(page))
    sent.append(client.post(reverse("annotation:submit_task", args=[task.key]), form))
    sent += [client.get(page), client.post(reverse("annotation:submit_task", args=[task.key]), form)]
    assert [response.status_code for response in sent] == [200, 422, 200, 200, 302, 200, 409]
    for response in sent:
        text = f"{response.headers} {response.content.decode()}"
        assert [canary for canary in (*SYSTEMS, "CANARY", "gold") if canary in text] == []


def test_identical_outputs_are_pointed_out(client, bring, rater):
    task = take(bring([item("one", texts=["Same.", "Other.", "Same.", "Third.", "Same."])]), rater)
    client.force_login(rater)
    outputs = client.get(reverse("annotation:desk", args=[task.key])).context["desk"]["outputs"]
    twins = {output["letter"]: output["same_as"] for output in outputs}
    same = [output["letter"] for output in outputs if output["text"] == "Same."]
    assert twins == {letter: [one for one in same if one != letter] if letter in same else [] for letter in "ABCDE"}


def table_of(shown):
    """Return how often each system was in each position."""
    return Counter((key, place) for keys in shown for place, key in enumerate(keys))


def test_60_annotators_see_each_output_in_each_position_equally_often(bring, capsys):
    study = bring([item(f"item-{number}") for number in range(20)])
    by_item = {}
    for number in range(60):
        task = take(study, make_person(f"person-{number}"))
        annotation = submit(task, Submission(good(), 0))
        keys = [SYSTEMS[place] for place in annotation.shown]
        by_item.setdefault(task.task.item.key, []).append(keys)
    assert [len(orders) for orders in by_item.values()] == [3] * 20
    for orders in by_item.values():
        assert set(table_of(orders).values()) == {1}  # 3 of 5 rows of a Latin square: never twice in one position
    whole = table_of([keys for orders in by_item.values() for keys in orders])
    with capsys.disabled():
        print("\nposition     " + "".join(f"{place:>6}" for place in range(1, 6)))
        for system in SYSTEMS:
            print(f"{system:<13}" + "".join(f"{whole[system, place]:>6}" for place in range(5)))
    assert set(whole.values()) == {12}


@pytest.mark.parametrize(("count", "slots"), [(2, 3), (3, 3), (4, 3), (5, 3), (5, 7), (7, 4), (10, 3)])
def test_orders_are_balanced_within_an_item_and_over_all_items(count, slots):
    protocol = protocols()["listwise"]
    whole, pairs = Counter(), Counter()
    for number in range(2 * count):
        orders = protocol.orders(count, slots, Random(0), number, seed=7)
        here = table_of(orders)
        for order in orders:
            assert sorted(order) == list(range(count))
        counts = [here[output, place] for output in range(count) for place in range(count)]
        assert max(counts) - min(counts) <= 1
        whole.update(here)
        pairs.update((one, other) for order in orders for one, other in pairwise(order))
        evens = [whole[output, place] for output in range(count) for place in range(count)]
        assert max(evens) - min(evens) <= 1
    assert set(whole.values()) == {2 * slots}
    assert len(set(pairs.values())) == 1
    assert len(pairs) == count * (count - 1)


def test_the_orders_of_another_study_differ():
    protocol = protocols()["listwise"]
    made = {str(protocol.orders(5, 3, Random(0), 0, seed)) for seed in range(20)}
    assert len(made) > 10


def test_outputs_added_later_make_another_task_and_export_and_import_keep_both(bring, rater, stranger, tmp_path):
    study = bring([item("one", SYSTEMS[:3])], redundancy=1)
    submit(take(study, rater), Submission(good(3), 0))
    study = bring([item("one")], redundancy=1)
    assert sorted(task.outputs.count() for task in Task.objects.all()) == [3, 5]
    submit(take(study, stranger), Submission(good(), 0))
    export_study(study, tmp_path / "out")
    first = bytes_of(tmp_path / "out")
    empty_the_database()
    again = import_study(tmp_path / "out").study
    assert Annotation.objects.count() == 2
    export_study(again, tmp_path / "again")
    assert bytes_of(tmp_path / "again") == first


def line(value, question="overall", **more):
    return {"item": "one", "rater": "ann", "question": question, "value": value} | more


NORTH = {"output": SYSTEMS[0], "start": 0, "end": 1, "text": "🚢"}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([line({SYSTEMS[0]: 1}), line({SYSTEMS[0]: 1.5}, rater="bob")], "line 2.*value.*whole numbers from 1 to 5"),
        ([line({SYSTEMS[0]: 6})], "line 1.*whole numbers from 1 to 5"),
        ([line({SYSTEMS[0]: 0})], "line 1.*whole numbers"),
        ([line({"system-moon": 1})], "line 1.*'system-moon'"),
        ([line({SYSTEMS[0]: 1}, output=SYSTEMS[0])], "line 1.*output.*left out"),
        ([line(True, "clear")], "line 1.*output.*missing"),
        ([line({"spans": [NORTH | {"text": "x"}], "none": []}, "errors")], "line 1.*but the text has"),
        ([line({"spans": [NORTH | {"output": "system-moon"}], "none": []}, "errors")], "line 1.*'system-moon'"),
        ([line({"spans": [NORTH | {"end": 2, "text": "🚢x"}], "none": []}, "errors")], "line 1.*but the text has"),
        ([line({"spans": [NORTH | {"start": 99, "end": 100}], "none": []}, "errors")], "line 1.*beyond the end"),
    ],
)
def test_an_invalid_line_is_refused_with_its_number_and_nothing_is_stored(bring, lines, said):
    with pytest.raises(ImportRefusedError) as problem:
        bring([item("one")], ratings=lines)
    assert re.search(said, str(problem.value), re.DOTALL)
    assert not Study.objects.exists()


def test_imported_rankings_keep_gaps_and_may_leave_outputs_out(bring):
    value = {SYSTEMS[4]: 5, SYSTEMS[0]: 2, SYSTEMS[1]: 2}
    bring([item("one")], ratings=[line(value), line({"spans": [NORTH], "none": [SYSTEMS[1]]}, "errors")])
    assert {row.level: row.value for row in Rating.objects.all()} == {
        "rank": value, "span": {"spans": [NORTH], "none": [SYSTEMS[1]]},
    }  # fmt: skip


def test_gaps_are_refused_on_import_if_the_study_says_dense(bring):
    bring([item("one")], ratings=[line({SYSTEMS[0]: 1, SYSTEMS[1]: 1, SYSTEMS[2]: 2})], options={"dense": True})
    with pytest.raises(ImportRefusedError, match="dense"):
        bring(ratings=[line({SYSTEMS[0]: 1, SYSTEMS[1]: 3}, rater="bob")], options={"dense": True})


def test_imported_annotations_are_checked_against_what_was_shown(bring):
    answers = {
        "overall": dict.fromkeys(SYSTEMS, 1), "factual": {s: n for n, s in enumerate(SYSTEMS, 1)},
        "errors": {"spans": [NORTH], "none": list(SYSTEMS[1:])}, "reason": "one two three",
    }  # fmt: skip
    body = {"item": "one", "outputs": list(SYSTEMS), "rater": "ann", "revision": 1, "status": "submitted"}
    body |= {"submitted_at": "2026-01-01T00:00:00Z", "opened_at": "2026-01-01T00:00:00Z"}
    wrong = answers | {"errors": {"spans": [NORTH | {"start": 1, "end": 2}], "none": []}}
    with pytest.raises(ImportRefusedError, match="but the text has"):
        bring([item("one")], annotations=[body | {"answers": wrong}], live=False)
    bring([item("one")], annotations=[body | {"answers": answers}], live=False)
    assert Rating.objects.count() == 4
    assert Output.objects.count() == 5
    assert not Assignment.objects.exists()


def test_a_study_may_ask_about_each_output_by_itself_without_a_ranking(bring):
    each = {"key": "quality", "type": "category", "per": "output", "choices": ["good", "bad"]}
    study = bring([item("a", SYSTEMS[:2])], questions=[each], redundancy=1)
    person = make_person("ann")
    add_member(study, person, "annotator", None)
    task = next_assignment(study, rater_for(study, person))
    submit(task, Submission({"q-quality-A": ["good"], "q-quality-B": ["bad"]}, revision=0, guidelines_version=1))
    found = dict(Rating.objects.filter(study=study).values_list("output__key", "value"))
    first, second = (SYSTEMS[place] for place in task.order)
    assert found == {first: "good", second: "bad"}
    with pytest.raises(ImportRefusedError, match="be asked per output"):
        bring(questions=[{**each, "per": "task"}], slug="none")
