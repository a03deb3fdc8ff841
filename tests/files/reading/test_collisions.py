"""Changes by others between the check of the files and the writing: an import is complete or refused as a whole."""

import pytest
from django.db import connection

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, sheet_of, submit
from annotation.machine_ratings import MachineRating, write_machine_ratings
from annotation.machine_shapes import checked_answer
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Assignment, Item, Output, PendingImport, PendingRows, Rater, Rating, Study
from annotation.protocols import Unit, protocols
from annotation.studies import lifecycle
from config.write_pauses import WritePauses
from files.reading import CHANGED, ImportRefusedError, import_study, stepwise_import
from files.reading.import_lock import import_lock
from tests.files.reading.conftest import ANNOTATION, ITEM, RATING

GOOD = {"q-follows": ["true"], "q-how_well": ["4"]}
TABLES = (Item, Output, Rater, Rating, Annotation, Assignment, PendingImport, PendingRows)

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]


@pytest.fixture(params=["at once", "in steps"])
def meanwhile(request, monkeypatch):
    """A function that runs `act` once per attempt, after the files are checked and before anything is written."""
    steps = request.param == "in steps"
    if steps and connection.vendor != "sqlite":
        pytest.skip("on PostgreSQL an import is one transaction")
    monkeypatch.setattr(stepwise_import, "STEP_SECONDS", 0)
    monkeypatch.setattr(WritePauses, "take", lambda self: None)

    def arrange(act):
        def decide_how(staging):
            if not steps:
                act()
            return not steps

        def keep(staging, slug, keep=stepwise_import.keep):
            pending = keep(staging, slug)
            act()
            return pending

        monkeypatch.setattr(stepwise_import, "fits_one_step", decide_how)
        monkeypatch.setattr(stepwise_import, "keep", keep)

    return arrange


@pytest.fixture
def live(folder, owner, rater):
    """A live study of one item with an annotator."""
    study = import_study(folder(), owner=owner).study
    add_member(study, rater, "annotator", owner)
    lifecycle.prepare(study, 10)
    lifecycle.make_live(study, owner)
    return study


def counts():
    return {model: model.objects.count() for model in TABLES}


def refusal(path):
    with pytest.raises(ImportRefusedError) as refused:
        import_study(path)
    [problem] = refused.value.problems
    return str(problem)


def test_a_study_made_during_the_import_with_the_same_slug_refuses_the_whole_import(folder, meanwhile, make_study):
    meanwhile(lambda: make_study("ferries", items=0))
    assert "a study with this slug was created at the same time: try again" in refusal(folder(ratings=[RATING]))
    assert set(counts().values()) == {0}
    assert not AuditEntry.objects.exists()


def test_an_answer_submitted_during_an_import_that_has_it_too_refuses_the_whole_import(folder, live, rater, meanwhile):
    mine, given = rater_for(live, rater), []
    assignment = next_assignment(live, mine)
    shown = sheet_of(assignment).keys
    own = {**ANNOTATION, "outputs": list(shown), "rater": mine.name, "answers": {"follows": True, "how_well": 1}}

    def answer():
        if not given:
            given.append(submit(assignment, Submission(GOOD, revision=0, guidelines_version=1)))

    meanwhile(answer)
    before = counts()
    said = refusal(folder(annotations=[{**ANNOTATION, "rater": "bob"}, own], ratings=[RATING]))
    assert said.startswith("annotations.jsonl, line 2: revision:")
    assert "is different" in said
    assert len(given) == 1
    assert counts() == before | {Annotation: 1, Rating: 2}
    assert Annotation.objects.get().rater == mine


def test_work_during_an_import_that_leaves_its_files_valid_is_kept_with_all_their_rows(folder, live, rater, meanwhile):
    mine, done = rater_for(live, rater), []
    assignments = [next_assignment(live, mine)]
    other = {"north": "south", "south": "north"}[sheet_of(assignments[0]).keys[0]]

    def answer():
        if not done:
            done.append(submit(assignments[0], Submission(GOOD, revision=0, guidelines_version=1)))

    meanwhile(answer)
    lines = [{**ANNOTATION, "outputs": [other], "rater": name} for name in ("ann", mine.name)]
    import_study(folder(annotations=lines, ratings=[RATING]))
    assert Annotation.objects.filter(rater=mine, is_current=True).count() == 2
    assert Annotation.objects.filter(rater__name="ann").count() == 1
    assert (Rating.objects.count(), PendingRows.objects.count()) == (2 * 3 + 1, 0)


def test_an_import_that_is_overtaken_repeatedly_says_so_and_stores_nothing(folder, live, meanwhile):
    """After each check of the files, somebody adds one of their raters before the import does."""
    names = iter(("ann", "bob", "cat"))
    meanwhile(lambda: Rater.objects.create(study=live, name=next(names)))
    before = counts()
    lines = [{**RATING, "rater": name} for name in ("ann", "bob", "cat", "dan")]
    assert refusal(folder(ratings=lines)) == f"ferries: {CHANGED}"
    assert counts() == before | {Rater: before[Rater] + 3}


def test_guidelines_published_during_an_import_of_other_ones_refuse_the_whole_import(folder, live, owner, meanwhile):
    versions = folder(items=[{**ITEM, "id": "quay"}])
    (versions / "guidelines").mkdir()
    (versions / "guidelines" / "1.md").write_text("Read everything.")
    (versions / "guidelines" / "2.md").write_text("Read twice.")
    meanwhile(lambda: lifecycle.publish_guidelines(live, "Read it three times.", owner))
    before = counts()
    assert "guidelines/2.md: differs from this version in the study" in refusal(versions)
    assert counts() == before
    assert Study.objects.get().guidelines.count() == 2


def test_the_lock_is_free_after_a_refusal(folder, meanwhile, make_study):
    meanwhile(lambda: make_study("ferries", items=0))
    refusal(folder())
    with import_lock("ferries"):
        pass


def test_scores_that_a_run_writes_during_an_import_of_the_same_are_stored_once(folder, live, meanwhile):
    line = {**RATING, "rater": "judge", "rater_kind": "model", "run": "run-1"}
    import_study(folder(scores=[{**line, "run": "run-0"}]))
    north, question = Output.objects.get(key="north"), live.questions.get(key="how_well")
    answer = checked_answer(question, protocols()["rating"], Unit(output="north"), 4)
    written = MachineRating(answer, Rater.objects.get(name="judge").pk, north.item_id, north.pk, run="run-1")
    meanwhile(lambda: write_machine_ratings(live, [written]))
    assert import_study(folder(scores=[line, {**line, "output": "south"}])).added["scores"] == 1
    assert Rating.objects.filter(run="run-1").count() == 2
