"""The study file: YAML 1.2, its keys, and what may change in an existing study."""

import json

import pytest

from accounts.models import AuditEntry
from annotation.models import Guideline, Question, Study
from annotation.studies.planning import plan_chunk
from files.reading import ImportRefusedError, import_study
from files.reading.study_file import checked_study

HEAD = "slug: ferries\nprotocol: rating\nredundancy: 2\n"
FOLLOWS = "questions:\n  - {key: follows, type: binary, text: Follows?}\n"
WHEN = "  - {key: n, type: text, when: {question: %s, equals: 1}}\n"
ITEM = '{"id": "a", "outputs": [{"id": "n", "text": "x"}]}\n'

pytestmark = pytest.mark.django_db


@pytest.fixture
def apply(tmp_path):
    """A function that imports a study file of this text, with one item."""
    items = tmp_path / "items.jsonl"
    items.write_text(ITEM)

    def run(text, name="study.yaml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        import_study(path, {"items": items})
        return Study.objects.get()

    return run


def refusal(apply, text):
    with pytest.raises(ImportRefusedError) as refused:
        apply(text)
    return "\n".join(str(problem) for problem in refused.value.problems)


def test_json_is_a_study_file_too(apply):
    body = {"slug": "ferries", "protocol": "rating", "redundancy": 1, "questions": [{"key": "q", "type": "binary"}]}
    assert apply(json.dumps(body), "study.json").redundancy == 1
    assert apply(json.dumps(body), "study.yaml").redundancy == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEAD, "questions: must be a list of 1 to 200 questions"),
        (FOLLOWS, "slug: is missing"),
        (HEAD.replace("ferries", "Ferries"), "slug: must be 1 to 100 lower case letters"),
        (HEAD.replace("rating", "guessing") + FOLLOWS, 'protocol: must be one of'),
        (HEAD.replace("2", "0") + FOLLOWS, "redundancy: must be a whole number from 1"),
        (HEAD.replace("2", "true") + FOLLOWS, "redundancy: must be a whole number from 1"),
        (HEAD + FOLLOWS + "titel: x\n", '"titel": unknown key'),
        (HEAD + FOLLOWS + "title: 2026-01-01\n", "title: is a date: put it in quotes to make it text"),
        (HEAD + FOLLOWS + "title: 5\n", "title: must be text: put it in quotes"),
        (HEAD + FOLLOWS + "slug: other\n", "line 6: is not valid YAML (found duplicate key"),
        (HEAD + FOLLOWS + "options: {colour: red}\n", "options.colour: unknown option; this protocol has"),
        (HEAD + FOLLOWS + "options: {skip_reasons: []}\n", "options.skip_reasons: must be a list of 1 to 20"),
        (HEAD + FOLLOWS + "options: {skip_reasons: [a, a]}\n", "options.skip_reasons: must be a list of 1 to 20"),
        (HEAD + FOLLOWS + "options: {skip_reasons: [a, ' ']}\n", "options.skip_reasons: must be a list of 1 to 20"),
        (HEAD + FOLLOWS + "options: {lease_minutes: 0}\n", "options.lease_minutes: must be a whole number from 1"),
        (HEAD + FOLLOWS + "options: {seed: 1.5}\n", "options.seed: must be a whole number"),
        (HEAD + FOLLOWS + "options: {same_raters: 1}\n", "options.same_raters: must be true or false"),
        (HEAD + FOLLOWS.replace("binary", "rank"), "question follows: type must be one of"),
        (HEAD + FOLLOWS.replace("text:", "max: 3, text:"), 'question follows: unknown key "max" for'),
        (HEAD + FOLLOWS + "  - {key: follows, type: text}\n", "question follows: has the key of another question"),
        (HEAD + FOLLOWS + "  - {key: n, type: likert, min: 1}\n", "question n: min and max must be integers"),
        (HEAD + FOLLOWS + WHEN % "m", 'when names "m", which is not an earlier question'),
        (HEAD + FOLLOWS + WHEN % "follows", "when.equals must be true or false"),
        (HEAD + FOLLOWS + "  - {key: n, type: text, per: word}\n", "question n: per must be output or task"),
        ("[" * 5000 + "]" * 5000, "is nested deeper than 32 levels"),
        ("- 1\n", "must contain a mapping"),
        ("description: " + "x" * 1_000_000, "is longer than 1000000 bytes"),
        (HEAD + FOLLOWS + "options: {seed: .nan}\n", "options.seed: is not a finite number"),
        (HEAD + FOLLOWS + "options: {1: 2}\n", "options: has the key 1, which is not text"),
    ],
)  # fmt: skip
def test_an_invalid_study_file_is_refused_by_name(apply, text, says):
    assert says in refusal(apply, text)
    assert not Study.objects.exists()


def test_a_changed_question_is_refused_and_the_difference_named(apply):
    scale = "  - {key: how_well, type: likert, min: 1, max: %s, text: How well?}\n"
    apply(HEAD + FOLLOWS + scale % 5)
    assert 'question how_well: max was "5" and is "7"' in refusal(apply, HEAD + FOLLOWS + scale % 7)
    assert "question how_well: is missing" in refusal(apply, HEAD + FOLLOWS)
    assert "question follows: text was" in refusal(apply, HEAD + FOLLOWS.replace("Follows?", "Is it so?") + scale % 5)
    more = "  - {key: comment, type: text, text: Why?}\n"
    assert "question comment: is not a question of the study" in refusal(apply, HEAD + FOLLOWS + scale % 5 + more)
    assert Question.objects.count() == 2


def test_descriptions_of_a_study_may_change_and_are_audited(apply):
    apply(HEAD + "title: One\n" + FOLLOWS)
    study = apply(HEAD + "title: Two\ncontact: Room 5\n" + FOLLOWS)
    assert (study.title, study.contact) == ("Two", "Room 5")
    entry = AuditEntry.objects.get(action="study described")
    assert (entry.old, entry.new) == ({"title": "One", "contact": ""}, {"title": "Two", "contact": "Room 5"})


def test_settings_left_out_of_a_file_stay_as_they_are(apply):
    apply(HEAD + "title: One\noptions: {seed: 4}\n" + FOLLOWS)
    study = apply(HEAD + FOLLOWS)
    assert (study.title, study.options) == ("One", {"seed": 4})


def test_redundancy_and_options_are_fixed_once_tasks_are_planned(apply):
    apply(HEAD + FOLLOWS)
    study = apply(HEAD.replace("2", "3") + FOLLOWS)
    assert study.redundancy == 3
    assert plan_chunk(study)
    assert "redundancy: was 3 and is 4" in refusal(apply, HEAD.replace("2", "4") + FOLLOWS)
    assert "options: was {} and is {'seed': 1}" in refusal(
        apply, HEAD.replace("2", "3") + FOLLOWS + "options: {seed: 1}\n"
    )


def test_changed_guidelines_are_a_new_version_and_the_same_ones_are_not(apply):
    for text in ("One.", "One.", "Two.", "One."):
        apply(HEAD + f"guidelines: {text}\n" + FOLLOWS)
    assert list(Guideline.objects.order_by("number").values_list("number", "text")) == [
        (1, "One."),
        (2, "Two."),
        (3, "One."),
    ]


def test_a_folder_imports_all_versions_and_never_changes_one(tmp_path):
    (tmp_path / "study.yaml").write_text(HEAD + "guidelines: Two.\n" + FOLLOWS)
    versions = tmp_path / "guidelines"
    versions.mkdir()
    (versions / "1.md").write_bytes(b"One.\r\n ")
    (versions / "2.md").write_text("Two.")
    import_study(tmp_path)
    import_study(tmp_path)
    assert dict(Guideline.objects.values_list("number", "text")) == {1: "One.\r\n ", 2: "Two."}
    (versions / "1.md").write_text("Zero.")
    with pytest.raises(ImportRefusedError, match=r"guidelines/1\.md: differs from this version"):
        import_study(tmp_path)
    (versions / "1.md").write_bytes(b"One.\r\n ")
    (versions / "4.md").write_text("Four.")
    with pytest.raises(ImportRefusedError, match="comes after version 2: version 3 is missing"):
        import_study(tmp_path)
    (versions / "notes.txt").write_text("x")
    with pytest.raises(ImportRefusedError, match=r"notes\.txt: is not a version"):
        import_study(tmp_path)


def test_a_study_is_checked_without_a_file():
    body = {"slug": "ferries", "protocol": "rating", "redundancy": 2, "questions": [{"key": "q", "type": "binary"}]}
    assert checked_study(body, "Study").questions[0].key == "q"
    with pytest.raises(ImportRefusedError) as refused:
        checked_study({**body, "redundancy": 0, "title": 5}, "Study")
    assert [(problem.file, problem.field) for problem in refused.value.problems] == [
        ("Study", "title"),
        ("Study", "redundancy"),
    ]
    with pytest.raises(ImportRefusedError, match="Study: title: "):
        checked_study({**body, "title": "nul \0"}, "Study")
