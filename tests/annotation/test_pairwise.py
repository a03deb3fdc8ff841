"""Pairwise choice: which pairs, on which sides, what answers become, and what bad input gets."""

import json
from collections import Counter
from itertools import combinations, pairwise
from random import Random

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import Person
from annotation.assigning import next_assignment
from annotation.desk import desk_context
from annotation.importing import ImportRefusedError, import_study
from annotation.membership import add_member, rater_for
from annotation.models import Annotation, Item, Rating, Slot, Study, Task
from annotation.planning import plan_chunk
from annotation.protocols import Sheet, protocols
from annotation.submitting import Submission, submit
from reports.exporting import export_study
from tests.reports.test_exporting import bytes_of, empty_the_database, objects_of

pytestmark = pytest.mark.django_db
PROTOCOL = protocols()["pairwise"]
SYSTEMS = ["system-north", "system-south", "system-west"]
GUIDELINES = (
    "# All\n\nRead.\n\n## Checklist\n\n- Is it *right*?\n\n"
    "## Example 1\n\nA wins.\n\n## Example 2\n\nB wins.\n\n## End\n\nx"
)
STUDY = {
    "slug": "pairs",
    "title": "Pairs",
    "protocol": "pairwise",
    "redundancy": 2,
    "guidelines": GUIDELINES,
    "questions": [
        {"key": "better", "type": "preference", "text": "Which is better?"},
        {"key": "why", "type": "text", "text": "Why?", "required": False},
        {"key": "length", "type": "category", "choices": ["alike", "not"], "text": "Length?", "required": False},
        {"key": "fluent", "type": "likert", "min": 1, "max": 3, "per": "output", "text": "Fluent?", "required": False},
    ],
}


def item(name, systems=SYSTEMS, **more):
    outputs = [{"id": system, "text": f"{name} by number {place}"} for place, system in enumerate(systems)]
    references = [{"id": "CANARY-ID", "text": "CANARY-TEXT", "writer": "human"}]
    return {"id": name, "document": "", "instruction": "Do it.", "outputs": outputs, "references": references, **more}


@pytest.fixture
def folder(tmp_path):
    """A function that writes a study's folder."""

    def write(items=None, *, name="in", ratings=None, annotations=None, **study):
        made = tmp_path / name
        made.mkdir()
        (made / "study.json").write_text(json.dumps(STUDY | study))
        files = {"items": items or [item("one"), item("two")], "ratings": ratings, "annotations": annotations}
        for file, lines in files.items():
            if lines is not None:
                (made / f"{file}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return made

    return write


def live(study, *people):
    for person in people:
        add_member(study, person, "annotator", None)
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    study.status = Study.Status.LIVE
    study.save()
    return study


@pytest.fixture
def study(folder, rater):
    return live(import_study(folder()).study, rater)


@pytest.fixture
def task(study, rater):
    return next_assignment(study, rater_for(study, rater))


def problems_of(path):
    with pytest.raises(ImportRefusedError) as refused:
        import_study(path)
    return [(problem.line, problem.field, problem.reason) for problem in refused.value.problems]


# Which pairs


def pairs(outputs, number=0, **options):
    return [plan.outputs for plan in PROTOCOL.plan(outputs, options, number)]


def test_all_pairs_of_an_item_are_the_default():
    assert pairs(SYSTEMS) == pairs(SYSTEMS, pairs="all") == list(combinations(SYSTEMS, 2))
    assert pairs(SYSTEMS[:1]) == []


def test_each_system_is_compared_with_the_baseline():
    assert pairs(["a", "b", "c"], pairs={"baseline": "b"}) == [("a", "b"), ("b", "c")]
    assert pairs(["a", "c"], pairs={"baseline": "b"}) == []


def test_a_given_list_names_pairs_in_either_order():
    assert pairs(["a", "b", "c"], pairs={"list": [["c", "a"], ["a", "d"]]}) == [("a", "c")]


@pytest.mark.parametrize("options", [{}, {"pairs": {"baseline": "a"}}, {"pairs": {"list": [["a", "b"], ["d", "a"]]}}])
def test_an_output_added_later_only_adds_pairs(options):
    assert set(pairs(["a", "b", "c"], **options)) <= set(pairs(["a", "b", "c", "d"], **options))


@pytest.mark.parametrize("systems", range(2, 10))
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_sample_meets_all_systems_equally_often_at_every_point_of_the_study(systems, size):
    names = [f"s{number}" for number in range(systems)]
    met, asked = Counter(dict.fromkeys(names, 0)), Counter(dict.fromkeys(combinations(names, 2), 0))
    for number in range(60):
        drawn = pairs(names, number, pairs={"sample": size}, seed=5)
        assert len(set(drawn)) == len(drawn) == min(size, systems * (systems - 1) // 2)
        met.update(name for pair in drawn for name in pair)
        asked.update(drawn)
        assert max(met.values()) - min(met.values()) <= 1
        assert max(asked.values()) - min(asked.values()) <= 1


def test_a_sample_depends_on_the_seed_and_the_items_number_alone():
    names = [f"s{number}" for number in range(6)]
    draws = [[pairs(names, number, pairs={"sample": 2}, seed=seed) for number in range(8)] for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert pairs(names[::-1], 3, pairs={"sample": 2}, seed=1) != []


def test_the_planned_sample_is_balanced_whatever_the_chunks(folder):
    items = [item(f"i{number}", ["a", "b", "c", "d", "e"]) for number in range(30)]
    study = import_study(folder(items, options={"pairs": {"sample": 2}})).study
    while plan_chunk(study, 7):
        pass
    met = Counter(Task.objects.filter(item__study=study).values_list("outputs__key", flat=True))
    assert Task.objects.count() == 60
    assert set(met.values()) == {24}


@pytest.mark.parametrize("systems", range(2, 9))
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("slots", [1, 3])
def test_the_sides_of_a_sampled_pair_are_balanced_whatever_the_sample(systems, size, slots):
    names = [f"s{number}" for number in range(systems)]
    sides: dict[tuple, Counter] = {pair: Counter() for pair in combinations(names, 2)}
    for number in range(56):
        for plan in PROTOCOL.plan(names, {"pairs": {"sample": size}, "seed": 3}, number):
            for order in PROTOCOL.orders(2, slots, Random(number), plan.turn, seed=9):
                sides[plan.outputs].update([plan.outputs[order[0]]])
    for pair, left in sides.items():
        assert abs(left[pair[0]] - left[pair[1]]) <= 1


def test_the_sides_of_a_planned_sample_are_balanced_over_the_study(folder):
    items = [item(f"i{number}", ["a", "b", "c", "d"]) for number in range(36)]
    study = import_study(folder(items, redundancy=3, options={"pairs": {"sample": 1}})).study
    while plan_chunk(study, 7):
        pass
    left: dict[tuple, Counter] = {}
    for slot in Slot.objects.select_related("task"):
        keys = tuple(slot.task.task_outputs.order_by("position").values_list("output__key", flat=True))
        left.setdefault(keys, Counter()).update([slot.order[0]])
    assert len(left) == 6
    assert all(set(counts.values()) == {9} for counts in left.values())


def test_an_annotation_of_a_pair_that_an_earlier_sample_asked_about_is_imported(folder):
    about = {"item": "one", "rater": "r", "revision": 1, "status": "submitted"}
    items, options = [item("one", ["a", "b", "c"])], {"pairs": {"sample": 1}}
    for pair in combinations(["a", "b", "c"], 2):
        line = about | {"outputs": pair, "shown": pair[::-1], "answers": {"better": pair[0]}}
        name = "-".join(pair)
        import_study(folder(items, name=name, slug=name, options=options, annotations=[line]))
    assert Annotation.objects.count() == 3


def test_an_annotation_of_a_pair_that_the_study_does_not_compare_is_refused(folder):
    about = {"item": "one", "rater": "r", "revision": 1, "status": "submitted", "answers": {"better": "tie"}}
    options = {"pairs": {"baseline": SYSTEMS[0]}}
    [(line, field, _)] = problems_of(folder(annotations=[about | {"outputs": SYSTEMS[1:]}], options=options))
    assert (line, field) == (1, "outputs")


@pytest.mark.parametrize(
    "pairs", ["some", {}, [], {"baseline": ""}, {"list": []}, {"list": [["a", "a"]]}, {"list": [["a"]]}, {"sample": 0},
              {"sample": True}, {"sample": "2"}, {"baseline": "a", "sample": 1}, {"other": 1}, 3]
)  # fmt: skip
def test_a_way_to_name_pairs_that_does_not_exist_is_refused(folder, pairs):
    [(_, _, reason)] = problems_of(folder(options={"pairs": pairs}))
    assert reason.startswith("options.pairs must be")


# Sides


def test_with_an_even_number_of_raters_each_output_is_on_either_side_as_often():
    for seed in range(20):
        orders = PROTOCOL.orders(2, 4, Random(seed), seed)
        assert Counter(map(tuple, orders)) == {(0, 1): 2, (1, 0): 2}


def test_with_an_odd_number_the_side_changes_from_item_to_item():
    for number, following in pairwise(range(10)):
        first, second = (Counter(map(tuple, PROTOCOL.orders(2, 3, Random(n), n))) for n in (number, following))
        assert first[0, 1] == second[1, 0] in (1, 2)


def test_sixty_annotators_meet_every_system_on_both_sides_alike(folder):
    items = [item(f"i{number}") for number in range(40)]
    study = live(import_study(folder(items, redundancy=3)).study)
    people = [Person.objects.create_user(f"p{number}", password="x") for number in range(60)]
    for person in people:
        add_member(study, person, "annotator", None)
    raters = [rater_for(study, person) for person in people]
    sides, by_rater = Counter(), {rater.pk: Counter() for rater in raters}
    while raters:
        raters = [rater for rater in raters if _answers(study, rater, sides, by_rater[rater.pk])]
    assert Annotation.objects.count() == 360 == Slot.objects.filter(state="filled").count()
    table = {system: (sides[system, 0], sides[system, 1]) for system in SYSTEMS}
    assert table == dict.fromkeys(SYSTEMS, (120, 120))
    for slots in _orders_by_task().values():
        assert sorted(Counter(slots).values()) == [1, 2]
    # By how much does a rater meet one of the two ways round more often? Six fair coins differ by 0.31 on average.
    skews = [abs(row["first"] - row["second"]) / row.total() for row in by_rater.values()]
    assert sum(skews) / len(skews) < 0.4


def _orders_by_task():
    found = {}
    for task, order in Slot.objects.values_list("task", "order"):
        found.setdefault(task, []).append(tuple(order))
    return found


def _answers(study, rater, sides, own):
    """One task of `rater` claimed and answered; whether there was one."""
    assignment = next_assignment(study, rater)
    if assignment is None:
        return False
    annotation = submit(assignment, Submission(form={"q-better": ["A"]}, revision=0))
    shown = annotation.ratings.get(question__key="better").shown
    sides.update((system, side) for side, system in enumerate(shown))
    own.update(["first" if SYSTEMS.index(shown[0]) < SYSTEMS.index(shown[1]) else "second"])
    return True


# What an answer becomes


def test_an_answer_becomes_ratings_of_the_pair_in_the_order_shown(study, task):
    left, right = (list(task.task.task_outputs.values_list("output__key", flat=True))[place] for place in task.order)
    form = {"q-better": ["B"], "q-why": ["Because."], "q-length": ["alike"], "q-fluent-A": ["1"], "q-fluent-B": ["3"]}
    annotation = submit(task, Submission(form=form, revision=0))
    assert annotation.answers["better"] == right
    assert annotation.answers["fluent"] == {left: 1, right: 3}
    found = {
        (rating.question.key, rating.output.key, rating.other_output and rating.other_output.key): (
            rating.value, rating.level,
        )
        for rating in annotation.ratings.all()
    }  # fmt: skip
    assert found == {
        ("better", left, right): (right, "choice"),
        ("why", left, right): ("Because.", "text"),
        ("length", left, right): ("alike", "nominal"),
        ("fluent", left, None): (1, "interval"),
        ("fluent", right, None): (3, "interval"),
    }


def test_an_answer_opens_again_as_it_was_given(study, task):
    form = {"q-better": ["A"], "q-fluent-A": ["2"], "q-fluent-B": ["2"]}
    annotation = submit(task, Submission(form=form, revision=0))
    questions, keys = list(study.questions.order_by("position")), _shown(task)
    assert PROTOCOL.form_of(annotation.answers, questions, Sheet.of(keys)) == form


def _shown(assignment):
    keys = list(assignment.task.task_outputs.values_list("output__key", flat=True))
    return [keys[place] for place in assignment.order]


def test_pairs_are_not_kept_with_the_same_raters_unless_the_study_says_so():
    assert not PROTOCOL.keeps_raters({})
    assert PROTOCOL.keeps_raters({"same_raters": True})


def test_database_export_import_export_give_the_same_bytes(study, rater, stranger, tmp_path):
    add_member(study, stranger, "annotator", None)
    choices = iter(["A", "B", "tie"] * 10)
    for person in (rater, stranger):
        while assignment := next_assignment(study, rater_for(study, person)):
            form = {"q-better": [next(choices)], "q-why": ["So."], "q-fluent-A": ["1"], "q-fluent-B": ["2"]}
            submit(assignment, Submission(form=form, revision=0))
    export_study(study, tmp_path / "first")
    lines = objects_of(tmp_path / "first" / "ratings.jsonl")
    for line in lines:
        assert (line["outputs"] == line["shown"]) if line["question"] != "fluent" else line["output"] in line["shown"]
    assert len({tuple(line["outputs"]) for line in lines if "outputs" in line}) > 3
    empty_the_database()
    import_study(tmp_path / "first")
    export_study(Study.objects.get(slug="pairs"), tmp_path / "second")
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")


def test_a_csv_export_imports_as_the_same_study(study, task, tmp_path):
    submit(task, Submission(form={"q-better": ["tie"], "q-why": ["Both bad."]}, revision=0))
    export_study(study, tmp_path / "jsonl")
    export_study(study, tmp_path / "csv", form="csv")
    empty_the_database()
    import_study(tmp_path / "csv")
    export_study(Study.objects.get(slug="pairs"), tmp_path / "again")
    name = "ratings.jsonl"
    assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "jsonl" / name).read_bytes()


def test_public_choices_import_and_come_out_as_they_went_in(reference_data, tmp_path):
    # The figures are compared in tests/reports; here it is that nothing gets lost or turned round.
    made = reference_data / "pandalm"
    study = import_study(made).study
    assert (study.items.count(), study.ratings.count()) == (999, 2997)
    export_study(study, tmp_path / "first")
    given = objects_of(made / "ratings.jsonl")
    found = [{key: line[key] for key in given[0]} for line in objects_of(tmp_path / "first" / "ratings.jsonl")]
    assert sorted(map(json.dumps, found)) == sorted(map(json.dumps, given))
    empty_the_database()
    import_study(tmp_path / "first")
    export_study(Study.objects.get(slug="pandalm"), tmp_path / "second")
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")


# Bad input


LINE = {"item": "one", "outputs": ["system-north", "system-west"], "rater": "r", "question": "better", "value": "tie"}


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"value": "system-south"}, "value", 'must be one of the outputs compared, or "tie"'),
        ({"value": "A"}, "value", "must be one of the outputs compared"),
        ({"value": 1}, "value", "must be the id of the better output"),
        ({"value": None}, "value", "is missing"),
        ({"outputs": ["system-north", "nobody"]}, "output", "is no output of item"),
        ({"outputs": ["system-north"]}, "outputs", "must be a list of two output ids"),
        ({"outputs": ["system-north", "system-north"]}, "outputs", "names the same output twice"),
        ({"outputs": ["system-north", 3]}, "outputs", "must be a list of two output ids"),
        ({"outputs": "system-north"}, "outputs", "must be a list of two output ids"),
        ({"shown": ["system-north", "system-south"]}, "shown", "must hold the two outputs compared"),
        ({"outputs": None}, "outputs", "is missing"),
        ({"outputs": None, "output": "system-north"}, "output", "this question is about a pair"),
        ({"item": "three"}, "item", "is no item of this study"),
        ({"question": "fluent", "value": 1}, "outputs", "asked per output"),
        ({"rater_kind": "model", "value": "system-south"}, "value", "must be one of the outputs compared"),
    ],
)
def test_an_imported_line_that_does_not_fit_is_named_by_line_and_nothing_is_stored(folder, change, field, reason):
    ratings = [LINE, LINE | {"rater": "s"} | change]
    [(line, found, said)] = problems_of(folder(ratings=ratings))
    assert (line, found) == (2, field)
    assert reason in said
    assert not Rating.objects.exists()
    assert not Study.objects.exists()


def test_an_imported_tie_is_refused_where_ties_are_off(folder):
    questions = [{"key": "better", "type": "preference", "allow_tie": False}]
    [(line, field, reason)] = problems_of(folder(ratings=[LINE], questions=questions))
    assert (line, field) == (1, "value")
    assert "takes no tie" in reason


def test_an_imported_annotation_names_a_winner_that_was_shown(folder):
    about = {"item": "one", "outputs": ["system-north", "system-south"], "rater": "r", "revision": 1}
    wrong = about | {"status": "submitted", "answers": {"better": "system-west"}}
    [(line, field, reason)] = problems_of(folder(annotations=[wrong]))
    assert (line, field) == (1, "answers.better")
    assert "outputs compared" in reason


def test_an_output_that_is_called_like_the_tie_is_refused(folder):
    [(line, field, reason)] = problems_of(folder([item("one"), item("two", ["system-north", "tie"])]))
    assert (line, field) == (2, "outputs")
    assert "give it another id" in reason
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("questions", "reason"),
    [
        ([{"key": "why", "type": "text"}], "one must be of type preference"),
        ([{"key": "better", "type": "preference", "per": "output"}], "asked once a task"),
        ([{"key": "better", "type": "preference"}, {"key": "x", "type": "text", "per": "pair"}], "per must be"),
    ],
)
def test_a_study_that_compares_nothing_is_refused(folder, questions, reason):
    [(_, _, said)] = problems_of(folder(questions=questions))
    assert reason in said


def test_check_7_a_condition_that_would_send_a_systems_name_is_refused(folder):
    better = {"key": "better", "type": "preference"}
    after = {"key": "why", "type": "text", "when": {"question": "better", "equals": "system-north"}}
    [(_, _, reason)] = problems_of(folder(questions=[better, after]))
    assert "would be sent to the raters" in reason
    after["when"]["equals"] = "tie"
    assert import_study(folder(name="tie", questions=[better, after])).study.questions.count() == 2


@pytest.fixture
def page(client, rater, task):
    """A function that posts a form for the rater's task and gives the response."""
    client.force_login(rater)
    return lambda form: client.post(reverse("annotation:submit_task", args=[task.key]), form | {"revision": "0"})


@pytest.mark.parametrize("value", ["C", "system-north", "tie ", "\u202eA"])
def test_a_winner_outside_the_pair_is_refused_beside_the_control_and_all_that_was_typed_kept(page, value):
    response = page({"q-better": value, "q-why": "kept <b>text</b>"})
    content = response.content.decode()
    assert response.status_code == 422
    assert 'id="question-1-error">This answer names none of the outputs shown: choose one of A, B.' in content
    assert "kept &lt;b&gt;text&lt;/b&gt;" in content
    assert not Annotation.objects.exists()


def test_a_tie_where_ties_are_off_is_refused_and_the_choice_not_offered(client, folder, rater):
    questions = [{"key": "better", "type": "preference", "allow_tie": False}, {"key": "why", "type": "text"}]
    study = live(import_study(folder(questions=questions)).study, rater)
    task = next_assignment(study, rater_for(study, rater))
    client.force_login(rater)
    shown = client.get(reverse("annotation:desk", args=[task.key])).content.decode()
    assert 'value="A"' in shown
    assert 'value="tie"' not in shown
    response = client.post(
        reverse("annotation:submit_task", args=[task.key]), {"q-better": "tie", "q-why": "typed", "revision": "0"}
    )
    assert response.status_code == 422
    assert "takes no tie" in response.content.decode()
    assert "typed" in response.content.decode()


def test_no_answer_is_asked_for_again(page):
    response = page({"q-why": "kept"})
    assert response.status_code == 422
    assert 'id="question-1-error">This question needs an answer.' in response.content.decode()


def test_check_24_counts_of_aids_that_the_page_does_not_have_are_refused(page):
    assert page({"q-better": "A", "tool_use": '{"common_words": 1}'}).status_code == 400
    assert page({"q-better": "A", "tool_use": '{"differences": 2}'}).status_code == 302
    assert Annotation.objects.get().tool_use == {"differences": 2}


# What a rater is sent


def test_check_7_nothing_sent_to_a_rater_names_a_system_or_shows_a_reference(client, study, task, rater):
    client.force_login(rater)
    sent = [client.get(reverse("annotation:home")), client.get(reverse("annotation:desk", args=[task.key]))]
    form = {"q-better": "B", "q-fluent-A": "1", "q-fluent-B": "2", "revision": "0"}
    sent += [client.post(reverse(f"annotation:{name}", args=[task.key]), form) for name in ("save_draft", "pulse")]
    sent += [client.post(reverse("annotation:submit_task", args=[task.key]), {"q-better": "C", "revision": "0"})]
    sent += [client.post(reverse("annotation:submit_task", args=[task.key]), form)]
    sent += [client.get(sent[-1]["Location"]), client.get(reverse("annotation:desk", args=[task.key]))]
    stale = client.post(reverse("annotation:submit_task", args=[task.key]), form | {"q-better": "A"})
    assert stale.status_code == 409
    for response in [*sent, stale]:
        text = response.content.decode() + str(response.headers)
        for canary in (*SYSTEMS, "CANARY", '"one"', '"two"'):
            assert canary not in text, (response.wsgi_request.path, canary)


def test_the_page_has_the_guidelines_checklist_and_examples(task):
    shown = desk_context(task)["desk"]
    assert [(part.title, part.html.strip()) for part in shown["checklist"]] == [
        ("Checklist", "<ul>\n<li>Is it <em>right</em>?</li>\n</ul>")
    ]
    assert [(part.title, part.html.strip()) for part in shown["examples"]] == [
        ("Example 1", "<p>A wins.</p>"), ("Example 2", "<p>B wins.</p>"),
    ]  # fmt: skip


def test_without_a_checklist_no_switch_for_it_is_shown(client, folder, rater):
    study = live(import_study(folder(guidelines="Read.")).study, rater)
    client.force_login(rater)
    content = client.get(reverse("annotation:desk", args=[next_assignment(study, rater_for(study, rater)).key]))
    assert "checklist-button" not in content.content.decode()
    assert "examples-button" not in content.content.decode()


def test_the_demo_study_can_be_imported_and_worked_on(rater):
    call_command("import_study", "demo/pairwise")
    study = live(Study.objects.get(slug="demo-pairwise"), rater)
    shown = desk_context(next_assignment(study, rater_for(study, rater)))["desk"]
    assert (len(shown["checklist"]), len(shown["examples"])) == (1, 2)
    assert Task.objects.filter(item__study=study).count() == 15
    assert all(item.references for item in study.items.all())
    assert len({str(item.categories) for item in study.items.all()}) == 5
