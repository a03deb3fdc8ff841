"""Erasing studies and raters: what is deleted, what stays, and what the audit says afterwards."""

import itertools
import threading
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, connections, transaction
from django.test import override_settings

from accounts.audited_erasure import ErasureRefusedError
from accounts.models import AuditEntry, Identity, Person
from annotation.desk.assigning import next_assignment, release_held_by
from annotation.erasing import Erasing, all_erasing
from annotation.members.membership import MembershipRefusedError, add_member, rater_for
from annotation.members.rater_erasure import erase_rater
from annotation.models import Annotation, Assignment, JudgeRun, Membership, Rater, Rating, Slot, Study
from annotation.models.imports import PendingImport, PendingRows
from annotation.studies import stepwise_erasure, study_erasure
from annotation.studies.lifecycle import close
from annotation.studies.study_erasure import erase_study
from config.models import Erasure, QueueTurn
from config.parts import OPTIONAL
from config.triggers import frozen_tables
from config.write_pauses import WritePauses
from files.writing import export_study
from judges.models import Judgment
from llm.models import Call
from retrieval.models import IndexBuild
from sessions.models import RevisionSession, Turn
from tests.fewer import first_cases
from tests.filled import fill
from tests.models_and_papers import make_call

pytestmark = pytest.mark.both
OURS = {
    "config", "accounts", "annotation", "llm", "retrieval", "revision_sessions", "judges", "reports", "managing",
    *OPTIONAL,
}  # fmt: skip
STUDIES = ("the-rating", "the-listwise", "the-pairwise", "the-session")
CANARIES = {
    "the-rating": ("ANSWER-OF-ANN", "FLAG-OF-ANN", "REASON-OF-ANN", "DRAFT-OF-ANN", "CONFLICT-OF-ANN", "NOTE-ON-ANN"),
    "the-session": ("INSTRUCTION-OF-ANN", "EDIT-OF-ANN"),
}


@pytest.fixture(scope="module")
def filled(rows_of_module, tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled")
    with override_settings(VAR=folder / "var"):
        yield rows_of_module(lambda: fill(folder / "studies"))


@pytest.fixture
def people(filled, db):
    yield filled
    connection.check_constraints()


def study_called(slug):
    return Study.objects.get(slug=slug)


def ann_of(study, people):
    return Rater.objects.get(study=study, person=people.ann)


def everything():
    """All rows of all tables as one text, except the log of migrations and the descriptions of our own tables."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table not in ("django_migrations", "auth_permission", "django_content_type", "sqlite_sequence"):
                cursor.execute(f'SELECT * FROM "{table}"')
                found.extend(f"{table}: {row}" for row in cursor.fetchall())
    return "\n".join(found)


def exported(study, folder):
    export_study(study, folder)
    return {path.name: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def reaches_study():
    """Our models from which foreign keys lead to a study, through any other models except people."""
    found = {Study}
    ours = [model for model in apps.get_models() if model._meta.app_label in OURS and model is not Person]
    for _ in ours:
        for model in ours:
            targets = {field.related_model for field in model._meta.concrete_fields if field.is_relation}
            found |= {model} if targets & found else set()
    return found


@pytest.mark.thorough
def test_the_filled_database_has_a_row_of_everything(people):
    ours = [model for model in apps.get_models() if model._meta.app_label in OURS and not model._meta.auto_created]
    assert {model for model in ours if not model.objects.exists()} == {Erasure, PendingImport, PendingRows, QueueTurn}


def test_each_table_that_belongs_to_a_study_is_erased_with_it(people):
    rows = list(itertools.chain(*(part.study_rows for part in all_erasing())))
    assert {model for model, _ in rows} == reaches_study()
    assert len(rows) == len(reaches_study())
    study = study_called("the-session")
    assert all(
        model.objects.filter(**{path: study.pk}).exists()
        for model, path in rows
        if model._meta.app_label != "annotation"
    )


def test_no_row_of_a_frozen_table_is_changed_or_deleted(people):
    """Use the filled database, so that each trigger has a row to protect."""
    unset = set()
    for table, frozen in frozen_tables(connection).items():
        if table == "config_erasure":
            continue
        with pytest.raises(IntegrityError, match="is kept"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f'DELETE FROM "{table}"')
        for column in (*frozen.columns, *frozen.once):
            with connection.cursor() as cursor:
                cursor.execute(f'SELECT count(*) FROM "{table}" WHERE "{column}" IS NOT NULL')
                if cursor.fetchone() == (0,):
                    unset.add(f"{table}.{column}")
                    continue
            with pytest.raises(IntegrityError, match="is frozen"), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f'UPDATE "{table}" SET "{column}" = NULL')
    assert unset == set()


def erase_in_steps(study, actor):
    """Erase a study in many steps; after each the rows that are left refer to no row that is gone."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stepwise_erasure, "STEP_ROWS", 7)
        patched.setattr(stepwise_erasure, "FEW_ROWS", 3)
        patched.setattr(WritePauses, "take", lambda pauses: connection.check_constraints())
        stepwise_erasure.decide_erasure(study, actor)
        assert stepwise_erasure.continue_erasure(study)
    *steps, end = Erasure.objects.filter(scope=f"study {study.pk}").order_by("pk").values_list("counts", flat=True)
    assert len(steps) > 10
    assert max(sum(counts.values()) for counts in (*steps, end)) <= 7


@pytest.mark.parametrize(
    ("slug", "erase"),
    first_cases(
        [
            ("the-session", erase_in_steps),
            ("the-rating", erase_study),
            ("the-rating", erase_in_steps),
            *((slug, erase_study) for slug in STUDIES[1:]),
        ],
        2,
    ),
)
def test_a_study_is_erased_with_all_its_rows_and_others_are_unchanged(people, tmp_path, slug, erase):
    study = study_called(slug)
    others = [study_called(other) for other in STUDIES if other != slug]
    before = [exported(other, tmp_path / f"before-{other.pk}") for other in others]
    counts = {model: model.objects.exclude(study=study).count() for model in (Rating, Call, Slot, Membership)}
    close(study, people.owner)
    places = [build.place for build in IndexBuild.objects.filter(study=study).exclude(folder="")]
    charged = sum(Call.objects.filter(study=study).values_list("price_charged", flat=True))
    erase(study, people.owner)
    assert not any(place.exists() for place in places)
    assert {model: model.objects.count() for model in counts} == counts
    assert before == [exported(other, tmp_path / f"after-{other.pk}") for other in others]
    entry = AuditEntry.objects.get(study=slug)
    assert (entry.action, entry.actor.person) == ("study erased", people.owner)
    assert entry.new["charged"] == charged
    assert Identity.objects.filter(study=slug).count() == 1
    left = [line for line in everything().split("\n") if slug in line]
    assert len(left) == 2  # the entry, and the identity of who erased it
    for canary in CANARIES.get(slug, ()):
        assert canary not in everything()


@pytest.mark.thorough
def test_erasing_a_study_keeps_what_stayed_of_an_earlier_one_of_the_same_slug(people, make_study):
    study = study_called("the-session")
    close(study, people.owner)
    erase_study(study, people.owner)
    first = AuditEntry.objects.values().get(study="the-session")
    assert "charged" in first["new"]
    again = make_study("the-session")
    add_member(again, people.ben, "annotator", people.owner)
    add_member(again, people.ann, "owner", people.ann)
    erase_rater(rater_for(again, people.owner), people.ann, keep_answers=False)
    assert AuditEntry.objects.values().get(action="study erased") == first
    erase_study(again, people.ann)
    entries = AuditEntry.objects.filter(study="the-session").order_by("pk")
    assert entries.values()[0] == first
    assert [(entry.action, entry.actor.person) for entry in entries] == [
        ("study erased", None), ("study erased", people.ann),
    ]  # fmt: skip
    assert Identity.objects.filter(study="the-session").count() == 2


def test_a_study_in_which_people_or_workers_are_active_is_not_erased(people):
    study = study_called("the-session")
    counts = [model.objects.count() for model in (Study, Turn, Rating, AuditEntry)]
    with pytest.raises(ErasureRefusedError, match="Close it first"):
        erase_study(study, None)
    Study.objects.filter(pk=study.pk).update(status="closed")
    study.refresh_from_db()
    turn = Turn.objects.filter(session__study=study, number=0).latest("pk")
    Turn.objects.filter(pk=turn.pk).update(status="running", token="0" * 32, lease_until=turn.created_at, ended_at=None)
    with pytest.raises(ErasureRefusedError, match="still active"):
        erase_study(study, None)
    assert [model.objects.count() for model in (Study, Turn, Rating, AuditEntry)] == counts


@pytest.mark.parametrize("slug", ["the-rating", "the-session"])
def test_a_rater_s_answers_are_erased_and_their_slots_open_again(people, slug):
    study = study_called(slug)
    ann = ann_of(study, people)
    assert all(canary in everything() for canary in CANARIES[slug])
    tasks = set(
        Slot.objects.filter(holder=ann).exclude(task__variant__startswith="turn:").values_list("task", "number")
    )
    of_ben = Annotation.objects.filter(rater__study=study).exclude(rater=ann).exclude(task__variant__startswith="turn:")
    before = set(of_ben.values_list("pk", flat=True))
    assert not erase_rater(ann, None, keep_answers=False)
    text = everything()
    for canary in CANARIES[slug]:
        assert [line for line in text.split("\n") if canary in line] == []
    assert set(of_ben.values_list("pk", flat=True)) == before
    assert tasks <= set(Slot.objects.filter(study=study, state="open").values_list("task", "number"))
    assert not Rater.objects.filter(study=study, person=people.ann).exists()
    assert not Membership.objects.filter(study=study, person=people.ann).exists()
    new = add_member(study, Person.objects.create_user("new"), "annotator", None).person
    assert next_assignment(study, rater_for(study, new)) is not None


def test_reviews_of_erased_answers_are_erased_with_them(people):
    ranked = study_called("the-listwise")
    erase_rater(ann_of(ranked, people), None, keep_answers=False)
    assert Rating.objects.filter(study=ranked, level="span").count() == 2
    assert sum(len(rating.span_reviews.all()) for rating in Rating.objects.filter(study=ranked)) == 6
    revised = study_called("the-session")
    erase_rater(ann_of(revised, people), None, keep_answers=False)
    assert set(RevisionSession.objects.values_list("rater__person", flat=True)) == {people.ben.pk}
    assert "SECOND-RATING" not in everything()
    erased = Call.objects.filter(study=revised, reason="The texts were erased.")
    assert erased.exists()
    assert set(erased.values_list("text", "raw", "request_digest", "person")) == {("", "", "", None)}
    assert all(call.messages == call.attempts == [] and call.parameters == {} for call in erased)
    assert not erased.filter(price_charged=None).exists()


@pytest.mark.parametrize("slug", STUDIES)
def test_kept_answers_are_exported_as_before_and_identify_nobody(people, tmp_path, slug):
    study = study_called(slug)
    ann = ann_of(study, people)
    release_held_by(study, ann, "so that the session under way is already abandoned")
    before = exported(study, tmp_path / "before")
    erase_rater(ann, people.owner, keep_answers=True)
    after = exported(study, tmp_path / "after")
    assert after == before
    ann.refresh_from_db()
    assert ann.person is None
    entry = AuditEntry.objects.get(action="rater erased")
    assert (entry.subject, entry.actor.person, entry.about) == (f"rater {ann.pk}", people.owner, None)
    named = AuditEntry.objects.filter(study=slug)
    assert not named.filter(actor__person=people.ann).exists()
    assert not named.filter(about__person=people.ann).exists()
    assert not Slot.objects.filter(holder=ann, state="held").exists()
    assert not Assignment.objects.filter(rater=ann).exclude(draft=None).exists()
    people_of_study = {
        model: model.objects.filter(**{path: study.pk, field.name: people.ann.pk}).count()
        for part in all_erasing()
        for model, path in part.study_rows
        for field in model._meta.concrete_fields
        if field.related_model is Person
    }
    assert set(people_of_study.values()) == {0}


def test_an_imported_rater_is_erased_by_the_name_in_the_files(people):
    study = study_called("the-rating")
    imported = Rater.objects.get(study=study, name="Imported Rater")
    erase_rater(imported, None, keep_answers=False)
    assert "Imported Rater" not in everything()
    assert Rating.objects.filter(study=study, rater__name="judge").count() == 1


def test_a_judge_is_erased_with_its_runs_and_nobody_elses(people):
    study = study_called("the-rating")
    judge, chooser = (Rater.objects.get(study=study, name=name) for name in ("judge", "chooser"))
    run = JudgeRun.objects.create(rater=chooser, name="r", configuration={}, replaced_by=judge.runs.get(name="run-1"))
    erase_rater(judge, None, keep_answers=False)
    run.refresh_from_db()
    runs = JudgeRun.objects.filter(rater__study=study).exclude(rater__name="llm_eval/campus/small")
    assert (run.replaced_by, list(runs)) == (None, [run])


def test_a_judge_is_erased_with_its_judgments_and_the_texts_of_their_calls(people):
    study = study_called("the-rating")
    judge = Rater.objects.get(study=study, name="llm_eval/campus/small")
    judgment = Judgment.objects.get(run__rater=judge)
    call = make_call(study, work=judgment.work_name, text="CANARY-REPLY")
    erase_rater(judge, None, keep_answers=False)
    call.refresh_from_db()
    assert call.text == ""
    assert not Judgment.objects.filter(run__rater__study=study).exists()
    assert not JudgeRun.objects.filter(rater__name="llm_eval/campus/small", rater__study=study).exists()


def test_the_only_owner_of_a_study_is_not_erased_from_it(people):
    study = study_called("the-session")
    before = everything()
    with pytest.raises(MembershipRefusedError, match="only owner"):
        erase_rater(Rater.objects.get(study=study, person=people.owner), None, keep_answers=True)
    assert everything() == before


def test_the_commands_show_what_they_would_erase_and_erase_when_confirmed(people, capsys):
    study = study_called("the-rating")
    ann = ann_of(study, people).name
    before = everything()
    for command in (
        ("erase_rater", study.slug, ann, "--answers", "erase"), ("erase_study", study.slug),
        ("erase_study", study.slug, "--confirm", "another"),
    ):  # fmt: skip
        with pytest.raises(CommandError, match="Nothing was erased"):
            call_command(*command)
    for wrong in (("erase_rater", study.slug, "nobody", "--answers", "keep"), ("erase_study", "no-study")):
        with pytest.raises(CommandError, match="called"):
            call_command(*wrong)
    with pytest.raises(CommandError, match="Close it first"):
        call_command("erase_study", study.slug, "--confirm", study.slug)
    assert everything() == before
    assert "deleted annotation.Rating" in capsys.readouterr().out
    call_command("erase_rater", study.slug, ann, "--answers", "erase", "--confirm")
    Study.objects.filter(pk=study.pk).update(status="closed")
    call_command("erase_study", study.slug, "--confirm", study.slug)
    assert "The study the-rating was erased" in capsys.readouterr().out
    assert not Study.objects.filter(slug=study.slug).exists()
    assert Erasure.objects.count() == 2


@pytest.mark.postgresql
@pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite nobody else writes meanwhile")
@pytest.mark.django_db(transaction=True)
def test_a_row_added_during_the_erasure_keeps_the_whole_study(make_study, monkeypatch):
    study = make_study()

    class Meanwhile(Erasing):
        @property
        def study_rows(self):
            """Once calls are deleted, another process records one."""
            other = threading.Thread(target=lambda: (make_call(study), connections.close_all()))
            other.start()
            other.join(60)
            return ()

    *upper, own = all_erasing()
    monkeypatch.setattr(study_erasure, "all_erasing", lambda: (*upper, Meanwhile(), own))
    with pytest.raises(ErasureRefusedError, match="Nothing was erased"):
        erase_study(study, None)
    assert Study.objects.filter(pk=study.pk).exists()
    assert study.items.exists()
    assert not AuditEntry.objects.exists()
    assert not Erasure.objects.exists()
