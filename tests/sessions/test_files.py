"""Export and import of sessions, and the messages about invalid files."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Adjudication, Annotation, Rating, Reviewer, Slot, Study
from annotation.studies.planning import plan_chunk
from config.background.claiming import run_waiting
from files.reading import ImportRefusedError, import_study
from files.writing import export_study
from llm.models import StudyPrompt
from retrieval.models import IndexBuild
from sessions import steps
from sessions.label_samples import draw_labels
from sessions.models import LabelSample, RevisionSession, Turn, TurnLabel
from sessions.second_ratings import sample_turns
from sessions.turn_labels import LabelRefusedError, label
from tests.conftest import make_person
from tests.files.writing.conftest import bytes_of, empty_the_database, objects_of
from tests.sessions.conftest import begun, instruct, question, turned, where

pytestmark = pytest.mark.django_db
SESSION = {
    "id": "s/1", "item": "q1", "rater": "ann", "model": "gpt-x", "status": "satisfied",
    "started_at": "2026-01-02T03:04:05.000000Z", "ended_at": "2026-01-02T04:04:05.000000Z",
    "initial_answer": "First [0].",
    "initial_passages": [
        {"document": "north", "paragraph": 0, "rank": 1, "score": 1.5, "text": "The ferry to the island sails at nine."}
    ],
    "turns": [
        {"number": 1, "instruction": "Shorter.", "kind": "style", "previous_answer": "First [0].", "answer": "Short.",
         "rating": "bad", "comment": "Too short.", "submitted_at": "2026-01-02T03:10:00.000000Z", "seconds": 12.5,
         "error_category": {"value": "instruction is ignored", "rater": "researcher-1"}},
        {"number": 2, "instruction": "And fares?", "kind": "information", "previous_answer": "First [0].",
         "passages": [], "searcher": "dense", "index": "7", "summary": "Twelve [2].", "answer": "With fares.",
         "rating": "neutral", "comment": "Half.", "edited_answer": "With all fares.",
         "submitted_at": "2026-01-02T03:20:00.000000Z", "seconds": 30.0,
         "instruction_type": {"value": "expand answer coverage", "rater": "researcher-1"}},
    ],
    "final_answer": "With all fares.",
}  # fmt: skip
SAMPLE = {
    "kind": "retrieval", "source": "all", "size": 2, "seed": 0, "turns": [{"session": "s/1", "turn": 2}],
    "made_at": "2026-01-02T05:00:00Z",
}  # fmt: skip


def changed(**more):
    return json.loads(json.dumps(SESSION)) | more


def with_turn(place, **more):
    session = changed()
    session["turns"][place - 1] |= more
    return session


def again(folder, tmp_path, name):
    """Import `folder` into an empty database and return what an export of that study contains."""
    empty_the_database(LabelSample, TurnLabel, Turn, RevisionSession, IndexBuild, StudyPrompt)
    study = import_study(folder).study
    export_study(study, tmp_path / name)
    return bytes_of(tmp_path / name)


@pytest.fixture
def worked(session, models, study):
    """A study with one ended session, one active session, labels, and a second rating."""
    turned(session, "Shorter.", "bad")
    turned(session, "What does it cost?", "neutral", "information", edited="By hand.")
    steps.finish(session)
    other = begun(study, session.rater.person)
    run_waiting()
    turned(other, "Longer.", "good")
    instruct(other, "Not answered yet.")
    researcher = make_person("researcher")
    from annotation.members.membership import rater_for

    by = rater_for(study, researcher)
    turn = session.turns.get(number=1)
    label(turn, "instruction_type", "condense", by)
    label(turn, "instruction_type", "others", by)
    label(turn, "error_category", "instruction is ignored", by)
    label(session.turns.get(number=2), "retrieval", "partial", by)
    sample_turns(study, count=1, seed=3)
    draw_labels(study, kind="retrieval", source="passages", size=1, per_model=False, seed=-3)
    draw_labels(study, kind="instruction_type", source="all", size=2, per_model=True, seed=0)
    return study


def test_an_imported_export_is_exported_with_the_same_bytes(worked, tmp_path):
    export_study(worked, tmp_path / "one")
    lines = objects_of(tmp_path / "one" / "sessions.jsonl")
    assert [line.get("status") for line in sorted(lines, key=lambda line: "status" not in line)] == ["satisfied", None]
    done = next(line for line in lines if "status" in line)
    assert [turn["rating"] for turn in done["turns"]] == ["bad", "neutral"]
    assert done["final_answer"] == done["turns"][1]["edited_answer"] == "By hand."
    assert done["turns"][0]["instruction_type"]["value"] == "others"
    assert [(line["kind"], line["seed"]) for line in objects_of(tmp_path / "one" / "label_samples.jsonl")] == [
        ("retrieval", -3), ("instruction_type", 0),
    ]  # fmt: skip
    first = bytes_of(tmp_path / "one")
    assert again(tmp_path / "one", tmp_path, "two") == first
    assert Turn.objects.filter(annotation__isnull=False).count() == 3
    assert [label.value for label in TurnLabel.objects.filter(kind="instruction_type").order_by("revision")] == [
        "condense", "others"
    ]  # fmt: skip
    import_study(tmp_path / "one")
    assert RevisionSession.objects.count() == 2


def test_ratings_name_the_session_and_the_turn(worked, tmp_path):
    export_study(worked, tmp_path / "one")
    lines = [line for line in objects_of(tmp_path / "one" / "ratings.jsonl") if line["question"] == "rating"]
    assert {(line["turn"], line["value"]) for line in lines} == {(1, "bad"), (2, "neutral"), (1, "good")}
    assert all("item" not in line and line["session"] for line in lines)


def test_sessions_alone_import_their_users_ratings(folder, tmp_path):
    study = import_study(folder(files={"sessions": [SESSION]})).study
    rows = Rating.objects.filter(study=study).order_by("pk").values_list("variant", "question__key", "value")
    assert list(rows) == [
        ("turn:s/1:1", "rating", "bad"), ("turn:s/1:1", "comment", "Too short."),
        ("turn:s/1:2", "rating", "neutral"), ("turn:s/1:2", "comment", "Half."),
    ]  # fmt: skip
    assert not Annotation.objects.exists()
    export_study(study, tmp_path / "one")
    assert objects_of(tmp_path / "one" / "sessions.jsonl") == [SESSION]
    assert again(tmp_path / "one", tmp_path, "two") == bytes_of(tmp_path / "one")


def test_a_final_answer_may_be_about_any_turn_that_is_rated_in_the_same_import(folder, tmp_path):
    line = {"item": "q1", "variant": "turn:s/1:1", "question": "rating", "number": 1, "value": "good", "reason": "So.",
            "reviewer": "reviewer-x", "at": "2026-03-01T12:00:00Z"}  # fmt: skip
    study = import_study(folder(files={"sessions": [SESSION], "adjudications": [line]})).study
    assert Adjudication.objects.get().variant == "turn:s/1:1"
    export_study(study, tmp_path / "one")
    first = bytes_of(tmp_path / "one")
    empty_the_database(TurnLabel, Turn, RevisionSession, IndexBuild, StudyPrompt, Adjudication, Reviewer)
    export_study(import_study(tmp_path / "one").study, tmp_path / "two")
    assert bytes_of(tmp_path / "two") == first
    wrong = [line, line | {"number": 2, "variant": "turn:s/1:9"}]
    with pytest.raises(ImportRefusedError, match=r"adjudications\.jsonl, line 2: variant: nobody has answered"):
        import_study(folder(name="wrong", files={"sessions": [SESSION], "adjudications": wrong}))


def test_an_imported_session_that_has_ended_takes_its_place(worked, tmp_path):
    export_study(worked, tmp_path / "one")
    again(tmp_path / "one", tmp_path, "two")
    [copy] = Study.objects.all()
    while plan_chunk(copy):
        pass
    [slot] = Slot.objects.filter(study=copy, state="filled").select_related("holder", "task")
    session = RevisionSession.objects.get(study=copy, status="satisfied")
    assert (slot.task_id, slot.holder_id) == (session.task_id, session.rater_id)
    assert not Slot.objects.filter(task__variant__startswith="turn:", state="filled").exists()


def test_ratings_in_their_own_file_are_not_duplicated(folder):
    line = {"session": "s/1", "turn": 1, "rater": "ann", "question": "rating", "value": "bad", "guidelines_version": 1}
    other = {"session": "s/1", "turn": 1, "rater": "bob", "question": "rating", "value": "good"}
    study = import_study(folder(files={"sessions": [SESSION], "ratings": [line, other]})).study
    assert Rating.objects.filter(study=study, rater__name="ann", question__key="rating").count() == 2
    assert Rating.objects.get(study=study, rater__name="bob").variant == "turn:s/1:1"


@pytest.mark.parametrize(
    ("files", "file", "field", "words"),
    [
        ({"sessions": [changed(extra=1)]}, "sessions.jsonl", '"extra"', "unknown key"),
        ({"sessions": [changed(item="q9")]}, "sessions.jsonl", "item", "not an item"),
        ({"sessions": [changed(status="over")]}, "sessions.jsonl", "status", "one of"),
        ({"sessions": [changed(final_answer="Else.")]}, "sessions.jsonl", "final_answer", "end with"),
        ({"sessions": [changed(), changed()]}, "sessions.jsonl", "id", "already in line 1"),
        ({"sessions": [with_turn(2, number=3)]}, "sessions.jsonl", "turns.1.number", "must be 2"),
        ({"sessions": [with_turn(1, kind="first")]}, "sessions.jsonl", "turns.0.kind", "one of"),
        ({"sessions": [with_turn(1, rating="ok")]}, "sessions.jsonl", "turns.0.rating", "one of"),
        ({"sessions": [with_turn(1, rating=None)]}, "sessions.jsonl", "turns.0.rating", "unrated"),
        ({"sessions": [with_turn(1, rating="good")]}, "sessions.jsonl", "turns.0.error_category", "neutral or bad"),
        ({"sessions": [with_turn(1, summary="x")]}, "sessions.jsonl", "turns.0.summary", "turns of kind"),
        ({"sessions": [with_turn(2, passages=[{"document": "east", "paragraph": 0, "text": ""}])]},
         "sessions.jsonl", "turns.1.passages", "not a paper"),
        ({"sessions": [with_turn(1, error_category={"value": "odd", "rater": "r"})]},
         "sessions.jsonl", "turns.0.error_category.value", "one of"),
        ({"sessions": [with_turn(1, error_category={"value": "others", "rater": 3})]},
         "sessions.jsonl", "turns.0.error_category.rater", "must be text"),
        ({"sessions": [with_turn(2, passages=[{"document": "north", "paragraph": 0, "rank": 0, "text": ""}])]},
         "sessions.jsonl", "turns.1.passages.0.rank", "1 or more"),
        ({"sessions": [with_turn(1, answre="Short.", answer=None)]},
         "sessions.jsonl", 'turns.0."answre"', "unknown key"),
        ({"sessions": [changed(ended_at="2026-01-02T04:04:05")]}, "sessions.jsonl", "ended_at", "offset from UTC"),
        ({"sessions": [changed(id="")]}, "sessions.jsonl", "id", "1 to 200"),
        ({"sessions": [SESSION],
          "ratings": [{"session": "s/1", "turn": 9, "rater": "bob", "question": "rating", "value": "bad"}]},
         "ratings.jsonl", "", "does not exist in this study"),
        ({"sessions": [SESSION],
          "ratings": [{"session": "s/1", "turn": 1, "rater": "ann", "question": "rating", "value": "good"}]},
         "sessions.jsonl", "turns.0.rating", "differs from"),
        ({"ratings": [{"item": "q1", "rater": "bob", "question": "rating", "value": "bad"}]},
         "ratings.jsonl", "item", "unknown key"),
        ({"label_samples": [{**SAMPLE, "kind": "odd"}]}, "label_samples.jsonl", "kind", "one of"),
        ({"label_samples": [{**SAMPLE, "seed": None}]}, "label_samples.jsonl", "seed", "missing"),
        ({"label_samples": [{**SAMPLE, "turns": ["s/1"]}]}, "label_samples.jsonl", "turns.0", "{session, turn}"),
        ({"label_samples": [{**SAMPLE, "turns": SAMPLE["turns"] * 2}]}, "label_samples.jsonl", "turns", "twice"),
        ({"label_samples": [SAMPLE, {**SAMPLE, "made_at": "2026-01-03T05:00:00Z"}]},
         "label_samples.jsonl", "turns", "differs"),
    ],
)  # fmt: skip
def test_invalid_lines_are_refused_by_file_line_and_field(folder, files, file, field, words):
    with pytest.raises(ImportRefusedError) as refused:
        import_study(folder(files=files))
    problem = refused.value.problems[0]
    assert (problem.file, problem.field) == (file, field)
    assert words in problem.reason
    assert not RevisionSession.objects.exists()


def test_an_existing_session_is_never_changed(folder):
    import_study(folder(files={"sessions": [SESSION]}))
    path = folder(files={"sessions": [with_turn(1, answer="Other.")]}, name="other")
    with pytest.raises(ImportRefusedError, match="is different"):
        import_study(path)


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ({"id": "q", "documents": [{"id": "a", "title": "A", "paragraphs": ["x"]}]}, "question"),
        (question("q", documents=[]), "documents"),
        (question("q", documents=[{"id": "a", "title": "A", "paragraphs": []}]), "documents.0.paragraphs"),
        (question("q", documents=[{"id": "a", "paragraphs": ["x"]}]), "documents.0.title"),
        (question("q", documents=[{"id": "a", "title": "A", "paragraphs": ["x"], "url": "javascript:alert(1)"}]),
         "documents.0.url"),
        (question("q", documents=[{"id": "a", "title": "A", "paragraphs": ["x"]}] * 2), "documents.1.id"),
        (question("q", document="text"), '"document"'),
        (question("q", outputs=[]), '"outputs"'),
        (question("q", documents=[{"id": "a", "title": "A", "paragraphs": ["x"], "doi": "1"}]), "documents.0.doi"),
    ],
)  # fmt: skip
def test_an_invalid_item_is_refused(folder, item, field):
    with pytest.raises(ImportRefusedError) as refused:
        import_study(folder([item]))
    assert refused.value.problems[0].field == field


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"options": {"models": ["gpt"]}}, "options.models"),
        ({"options": {"models": []}}, "options.models"),
        ({"options": {"max_turns": 0}}, "options.max_turns"),
        ({"options": {"searcher": "google"}}, "options.searcher"),
        (
            {"options": {"searcher": "dense", "searcher_approximate": "yes"}},
            "options.searcher_approximate: must be true",
        ),
        ({"options": {"second_ratings": {"share": 2}}}, "options.second_ratings"),
        ({"options": {"temperature": "hot"}}, "options.temperature"),
        ({"questions": [{"key": "comment", "type": "text"}]}, "question rating"),
        ({"questions": [{"key": "rating", "type": "category", "choices": ["good", "bad"]}]}, "question rating"),
    ],
)
def test_an_invalid_study_is_refused(folder, more, words):
    with pytest.raises(ImportRefusedError, match=words):
        import_study(folder(**more))


@pytest.mark.parametrize("approximate", [True, False])
def test_a_study_may_ask_for_approximate_search(folder, approximate):
    options = {"searcher": "dense", "searcher_approximate": approximate}
    assert import_study(folder(options=options)).study.options.get("searcher_approximate", None) is approximate


def test_unknown_models_warn_at_import_and_stop_a_study_from_going_live(folder, capsys):
    path = folder(options={"models": ["nowhere/model"]})
    with pytest.raises(Exception, match="nowhere/model"):
        call_command("import_study", str(path), "--live")
    assert "nowhere/model" in capsys.readouterr().err


def test_the_reference_study_imports(reference_data):
    path = Path(reference_data) / "papers-session"
    assert import_study(path).study.items.count() == 3


def test_labels_fit_their_turns(session, models):
    from annotation.members.membership import rater_for

    by = rater_for(session.study, make_person("researcher"))
    turn = turned(session, "Shorter.", "good")
    for kind, value in (("error_category", "others"), ("instruction_type", "odd"), ("retrieval", "partial")):
        with pytest.raises(LabelRefusedError):
            label(turn, kind, value, by)
    assert label(turn, "instruction_type", "condense", by) == label(turn, "instruction_type", "condense", by)
    assert where(session).rated == 1
