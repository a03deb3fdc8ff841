"""Suggestions and outputs: what people decide and edit, and what a question must pass."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Item
from annotation.studies.study_erasure import erase_study
from judges.protocol import ReplyInvalidError
from parts.preparing.deciding import decide, write_suggestion
from parts.preparing.editing import save_hybrid
from parts.preparing.list_step import read_list
from parts.preparing.models import PreparationCall, PreparedText, SourceDocument, Suggestion
from parts.preparing.placing import place_items, readiness
from parts.preparing.prepare_page import question_counts
from parts.preparing.step_configuration import PreparationRefusedError
from parts.preparing.step_kinds.draft_questions import dropping_keyword
from tests.filled import PAPERS
from tests.parts.preparing.prepared_studies import empty_study, step_to_end, with_documents


@pytest.fixture
def draft(tmp_path, owner):
    study = empty_study(tmp_path, owner=owner)
    with_documents(study, tmp_path, 2)
    return study


@pytest.fixture
def answered(draft, model):
    """A draft with two accepted instructions and an output for each."""
    step_to_end(draft, "instructions", count=1, accept=True)
    model.replies = ["It sails at nine, they say.", "It sails at ten."]
    step_to_end(draft, "answers", system="north")
    return draft


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"), ("Sum it up.", "without a number"), ("1. A.\n3. B.", "out of order"), ("1. A.\n2. a.", "twice"),
        ("1. A.", "fewer"), ("1. A.\n2. B.\n3. C.", "more"), ("Here:\n1. A.\n2. B.", "without a number"),
        ("1. A.\n2. B.\nDone.", "without a number"), ("1. A.\n2.", "without a number"),
        (f"1. A.\n2. {'x' * 2001}", "long"), ("0. A.\n1. B.", "out of order"), ("- A.\n- B.", "without a number"),
    ],
)  # fmt: skip
def test_a_reply_that_is_not_the_list_asked_for_is_invalid(reply, reason):
    with pytest.raises(ReplyInvalidError, match=reason):
        read_list(reply, 2)


def test_a_list_may_have_blank_lines_and_brackets():
    assert read_list("\n1) Sum  it up.\n\n2. List names.\n", 2) == ["Sum it up.", "List names."]
    assert read_list("**1.** Sum it up.\n__2.__ List names.", 2) == ["Sum it up.", "List names."]


def test_a_person_edits_and_accepts_a_requirement_with_its_kinds(draft, owner, model):
    step_to_end(draft, "requirements", count=1, part=1)
    one = Suggestion.objects.get()
    with pytest.raises(PreparationRefusedError, match="at least one kind"):
        decide(one, "accepted", owner)
    decide(one, "accepted", owner, text="A timeline.", kinds=["meta", "formatting"])
    one.refresh_from_db()
    assert (one.state, one.text, one.kinds) == ("accepted", "A timeline.", ["formatting", "meta"])
    assert one.original not in ("", one.text)
    decide(one, "dropped", owner, reason="too easy")
    decide(one, "accepted", owner)
    one.refresh_from_db()
    assert one.reason == ""


def test_kinds_become_the_item_s_categories(answered, owner, model):
    document = SourceDocument.objects.first()
    made = write_suggestion(document, "requirement", "Name all ferries.", ["informational"], owner)
    assert (made.original, made.step, made.state) == ("", None, "accepted")
    step_to_end(answered, "answers", system="north")
    place_items(answered, owner)
    item = Item.objects.get(instruction="Name all ferries.")
    assert item.categories == ["informational"]
    assert (item.source, item.metadata) == ("news", {"document": document.key})


def test_what_has_outputs_is_not_changed_and_what_is_an_item_not_dropped(answered, owner):
    one = Suggestion.objects.first()
    with pytest.raises(PreparationRefusedError, match="can be dropped, but not changed"):
        decide(one, "accepted", owner, text="Another.")
    place_items(answered, owner)
    with pytest.raises(PreparationRefusedError, match="is an item"):
        decide(one, "dropped", owner)


def test_a_hybrid_keeps_its_original_and_the_difference_and_joins_its_item(answered, owner):
    place_items(answered, owner)
    original = PreparedText.objects.get(text="It sails at nine, they say.")
    made = save_hybrid(original, "It sails at nine.", "hybrid", owner)
    assert made.edited_from == original
    assert "".join(text for kind, text in made.difference if kind != "added") == original.text
    assert "".join(text for kind, text in made.difference if kind != "removed") == made.text
    assert readiness(answered).more_outputs == 1
    place_items(answered, owner)
    output = original.suggestion.item.outputs.get(key="hybrid")
    assert (output.text, output.writer, output.edited_from) == ("It sails at nine.", "human", "north")
    assert readiness(answered).more_outputs == 0


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("It sails at nine, they say.", "hybrid", "Nothing was changed"), (" ", "hybrid", "empty"),
        ("It sails at nine.", "north", "already"), ("It sails at nine.", "", "1 to 200"),
    ],
)  # fmt: skip
def test_an_edit_that_is_none_is_refused(answered, owner, text, key, reason):
    original = PreparedText.objects.get(text="It sails at nine, they say.")
    with pytest.raises(PreparationRefusedError, match=reason):
        save_hybrid(original, text, key, owner)
    with pytest.raises(PreparationRefusedError, match="Only outputs that a model wrote"):
        save_hybrid(save_hybrid(original, "Nine.", "mine", owner), "Ten.", "yours", owner)


def test_an_instruction_without_an_output_waits(answered, owner, model):
    write_suggestion(SourceDocument.objects.first(), "instruction", "Sum it up.", [], owner)
    assert (readiness(answered).ready, readiness(answered).waiting) == (2, 1)
    place_items(answered, owner)
    assert Item.objects.count() == 2


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("What does This Paper propose?", "this paper"), ("Which methods are mentioned?", "mentioned"),
        ("What do the authors say?", "author"), ("How do ferries sail on ice?", ""),
    ],
)  # fmt: skip
def test_questions_about_a_certain_paper_are_known_by_their_words(question, word):
    assert dropping_keyword(question, ("this paper", "mentioned", "author")) == word


def test_questions_are_filtered_by_keyword_and_by_a_model_and_each_drop_is_counted(tmp_path, owner, model):
    study = empty_study(tmp_path, "session", owner)
    with_documents(study, tmp_path, 1)
    model.replies = [
        "1. What does this paper say?\n2. How do ferries sail?\n3. When do they sail?\n4. Who sails?\n5. Why?",
        "Answered: Yes", "Partially", "No", "Maybe.",
    ]  # fmt: skip
    step = step_to_end(study, "questions", count=5, temperature=1.0, keywords=("this paper",))
    found = list(Suggestion.objects.order_by("number").values_list("state", "reason"))
    assert found == [
        ("dropped", "keyword: this paper"), ("open", ""), ("dropped", "answered by the paragraph: Partially"),
        ("dropped", "answered by the paragraph: No"),
        ("dropped", "could not be checked: no answer in the form requested"),
    ]  # fmt: skip
    assert question_counts(step) == {"written": 5, "by_keyword": 1, "not_answered": 3}
    assert [request.temperature for request in model.asked] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert "On ferries" in model.asked[0].text()
    assert PreparationCall.objects.get().outcome == "valid"


def test_an_accepted_question_becomes_an_item_with_the_papers_of_its_paragraph(tmp_path, owner, model):
    study = empty_study(tmp_path, "session", owner)
    with_documents(study, tmp_path, 1)
    model.replies = ["1. How do ferries sail?", "Yes"]
    step_to_end(study, "questions", count=1)
    with pytest.raises(PreparationRefusedError, match="Accept questions first"):
        place_items(study, owner)
    decide(Suggestion.objects.get(), "accepted", owner, text="How do ferries sail on ice?")
    place_items(study, owner)
    item = Item.objects.get()
    assert item.content == {"question": "How do ferries sail on ice?", "documents": PAPERS}
    assert (item.key, item.metadata) == ("news-0-1", {"document": "news-0", "source": "news"})


def test_the_study_is_erased_with_everything_that_was_prepared(answered, owner):
    place_items(answered, owner)
    erase_study(answered, owner)
    assert not any(
        model.objects.exists() for model in (Suggestion, SourceDocument, PreparedText, PreparationCall, Item)
    )


def test_the_page_costs_the_same_queries_however_much_there_is(answered, owner, client):
    client.force_login(owner)
    address = f"/studies/{answered.slug}/prepare/"
    counts = []
    for number in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        counts.append(len(queries))
        step_to_end(answered, "answers", system=f"south-{number}")
    assert counts[0] == counts[1]


def test_without_a_model_the_pages_say_what_needs_one(tmp_path, settings, owner, client):
    settings.ENDPOINTS_FILE = tmp_path / "missing.yaml"
    study = empty_study(tmp_path, owner=owner)
    client.force_login(owner)
    for path in ("", "ask/instructions/"):
        page = client.get(f"/studies/{study.slug}/prepare/{path}").content.decode()
        assert "only a language model drafts instructions, questions and answers" in page
        assert "manage.py scripted_endpoint" in page
        assert "judge" not in page[page.index('id="no-models"') :].partition("</section>")[0]
