"""For each check of the data, what puts an inconsistency of its kind into a database that `tests.filled` has filled."""

import json
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from annotation.models import DrawnAnswer, Item, Study, StudyCounts
from annotation.studies.kept_counts import OVERVIEW
from config.bulk_insert import stored_time
from config.erasure import open_erasure
from judges.models import RunWork
from managing.models import ItemUpload
from operating.data_check import all_checks, run_check, sql_rows
from reports.kept.freezing import frozen_key
from reports.kept.kept_exports import place_of
from reports.models import KeptExport, KeptReport
from tests.operating.routing_seeds import routing_count_drift
from tests.operating.schema_seeds import lost_constraints, lost_triggers

LONG_AGO = timedelta(days=2)


def run(sql, parameters=()):
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.rowcount


def one(sql):
    """The first row of a query."""
    return next(iter(sql_rows(sql)))


def alter(sql, parameters=()):
    """Change rows that the triggers keep."""
    with open_erasure("seeded"):
        changed = run(sql, parameters)
    assert changed, "nothing was seeded"


def without_index(name):
    """Drop a unique index, so that equal rows can be stored."""
    run(f'DROP INDEX "{name}"')


def copied(table, pk, **values):
    """Insert a copy of a row with other values."""
    with connection.cursor() as cursor:
        names = [column.name for column in connection.introspection.get_table_description(cursor, table)]
    names.remove("id")
    listed = ", ".join(f'"{name}"' for name in names)
    given = ", ".join("%s" if name in values else f'"{name}"' for name in names)
    parameters = [values[name] for name in names if name in values]
    run(f'INSERT INTO "{table}" ({listed}) SELECT {given} FROM "{table}" WHERE id = %s', [*parameters, pk])


def ago():
    return stored_time(timezone.now() - LONG_AGO)


ANSWER = "SELECT * FROM annotation_annotation WHERE is_current AND status = 'submitted' AND client_key IS NOT NULL"
LOCAL = f"{ANSWER} AND task_id IN (SELECT task_id FROM annotation_slot WHERE state = 'filled')"
RATING = "SELECT id FROM annotation_rating WHERE annotation_id IS NOT NULL AND is_current AND level = '{}'"
OTHER_ITEM = "(SELECT MAX(id) FROM annotation_item)"


def orphan_rows():
    run("UPDATE annotation_draftconflict SET assignment_id = 999999")


def lost_indexes():
    without_index("annotation_one_current")


def wrong_schema():
    run("INSERT INTO django_migrations (app, name, applied) VALUES ('annotation', '0009_later', %s)", [ago()])


def used_numbers():
    if connection.vendor == "sqlite":
        run("UPDATE sqlite_sequence SET seq = 1 WHERE name = 'annotation_item'")
    else:
        run("SELECT setval(pg_get_serial_sequence('annotation_item', 'id'), 1)")


def open_erasures():
    run("INSERT INTO config_erasure (at, scope, counts, open_id) VALUES (%s, 'study:1', '{}', 0)", [ago()])


def duplicate_current_answers():
    without_index("annotation_one_current")
    row = one(LOCAL)
    copied("annotation_annotation", row["id"], revision=row["revision"] + 1, client_key=None)


def revision_gaps():
    alter("UPDATE annotation_annotation SET revision = revision + 5 WHERE id = %s", [one(LOCAL)["id"]])


def current_is_not_newest():
    row = one(LOCAL)
    copied("annotation_annotation", row["id"], revision=row["revision"] + 1, client_key=None, is_current=False)


def ratings_of_another_revision():
    run("UPDATE annotation_rating SET is_current = %s WHERE id = %s", [False, one(RATING.format("nominal"))["id"]])


def ratings_of_another_rater():
    alter(
        "UPDATE annotation_rating SET rater_id = (SELECT MIN(id) FROM annotation_rater r WHERE "
        "r.study_id = annotation_rating.study_id AND r.id <> annotation_rating.rater_id) WHERE id = %s",
        [one(RATING.format("interval"))["id"]],
    )


def ratings_without_answer():
    given = "annotation_id IS NOT NULL AND rater_id IN (SELECT id FROM annotation_rater WHERE person_id IS NOT NULL)"
    rating = one(f"SELECT MIN(id) AS id FROM annotation_rating WHERE {given}")["id"]
    alter("UPDATE annotation_rating SET annotation_id = NULL WHERE id = %s", [rating])


def answers_without_ratings():
    alter("DELETE FROM annotation_rating WHERE annotation_id = %s AND level <> 'span'", [one(LOCAL)["id"]])


def ratings_of_another_study():
    alter(f"UPDATE annotation_rating SET item_id = {OTHER_ITEM} WHERE id = %s", [one(RATING.format("interval"))["id"]])


def unknown_guidelines():
    alter("UPDATE annotation_annotation SET guidelines_version = 77 WHERE id = %s", [one(LOCAL)["id"]])


def answers_missing_in_audit():
    subject = one("SELECT subject FROM accounts_auditentry WHERE action = 'task submitted'")["subject"]
    alter("DELETE FROM accounts_auditentry WHERE action = 'task submitted' AND subject = %s", [subject])


FULL = "task_id IN (SELECT task_id FROM annotation_slot GROUP BY task_id HAVING MIN(state) = 'filled' AND MAX(state) = "
FULL += "'filled') AND task_id NOT IN (SELECT task_id FROM revision_sessions_revisionsession)"


def tasks_over_quota():
    row = one(f"{ANSWER} AND {FULL}")
    filled_task = row["task_id"]
    other = one(
        "SELECT id FROM annotation_rater WHERE study_id = (SELECT study_id FROM annotation_rater "
        f"WHERE id = {row['rater_id']}) AND id NOT IN (SELECT rater_id FROM annotation_annotation "
        f"WHERE task_id = {filled_task})"
    )
    copied("annotation_annotation", row["id"], rater_id=other["id"], revision=1, client_key=None)


def filled_places_without_answer():
    slot = one("SELECT * FROM annotation_slot WHERE state = 'held'")
    run("UPDATE annotation_slot SET state = 'filled', lease_until = NULL WHERE id = %s", [slot["id"]])


def answers_without_place():
    row = one(f"{LOCAL} AND task_id NOT IN (SELECT task_id FROM revision_sessions_turn WHERE task_id IS NOT NULL)")
    run(
        "UPDATE annotation_slot SET state = 'open', holder_id = NULL WHERE task_id = %s AND holder_id = %s",
        [row["task_id"], row["rater_id"]],
    )


def held_places_without_assignment():
    slot = one("SELECT id, study_id FROM annotation_slot WHERE state = 'open' AND study_id IS NOT NULL")
    rater = one(f"SELECT MAX(id) AS id FROM annotation_rater WHERE study_id = {slot['study_id']}")["id"]
    run(
        "UPDATE annotation_slot SET state = 'held', holder_id = %s, lease_until = %s WHERE id = %s",
        [rater, ago(), slot["id"]],
    )


def places_of_another_item():
    run(
        f"UPDATE annotation_slot SET item_id = {OTHER_ITEM} WHERE id = %s",
        [one("SELECT id FROM annotation_slot")["id"]],
    )


def outputs_of_another_item():
    run(
        "UPDATE annotation_taskoutput SET output_id = (SELECT MAX(id) FROM annotation_output) WHERE id = %s",
        [one("SELECT MIN(id) AS id FROM annotation_taskoutput")["id"]],
    )


def numbering(table, column="number"):
    def seed():
        alter(f'UPDATE "{table}" SET "{column}" = "{column}" + 3 WHERE is_current')

    return seed


def turns_out_of_order():
    alter("UPDATE revision_sessions_turn SET number = number + 4 WHERE number >= 1")


def turns_after_unfinished():
    row = one("SELECT MIN(id) AS id FROM revision_sessions_turn WHERE number = 0 AND status = 'done'")
    run("UPDATE revision_sessions_turn SET status = 'failed' WHERE id = %s", [row["id"]])


def turn_ratings_of_others():
    other = one("SELECT MIN(id) AS id FROM annotation_annotation")["id"]
    run("UPDATE revision_sessions_turn SET annotation_id = %s WHERE annotation_id IS NOT NULL", [other])


def stuck_work():
    row = one("SELECT id FROM reports_keptreport WHERE status = 'done' AND frozen_as IS NULL")
    run(
        "UPDATE reports_keptreport SET status = 'running', token = %s, lease_until = %s WHERE id = %s",
        ["0" * 32, ago(), row["id"]],
    )


def calls_without_end():
    call = one("SELECT * FROM llm_call WHERE status = 'answered'")
    copied("llm_call", call["id"], status="running", ended_at=None, price_charged=None, lease_until=ago())


def open_reservations():
    run("UPDATE llm_reservation SET lease_until = %s WHERE closed_at IS NULL", [ago()])


def stuck_runs():
    run("UPDATE judges_judgment SET status = 'stopped', token = NULL, lease_until = NULL, ended_at = %s "
        "WHERE status IN ('queued', 'running')", [ago()])  # fmt: skip
    work = one("SELECT id, run_id FROM judges_runwork")
    run("UPDATE annotation_judgerun SET status = 'running' WHERE id = %s", [work["run_id"]])
    RunWork.objects.filter(pk=work["id"]).update(
        status="done", token=None, lease_until=None, settled=False, ended_at=timezone.now() - LONG_AGO
    )


def budget_spent_drift():
    run("UPDATE llm_budget SET spent = spent + 7")


def budget_reserved_drift():
    run("UPDATE llm_budget SET reserved = reserved + 7")


def run_progress_drift():
    run(
        "UPDATE judges_runwork SET is_planned = %s, planned = 12345 WHERE run_id IN "
        "(SELECT run_id FROM judges_judgment)", [True],
    )  # fmt: skip


def altered_value(change):
    row = one("SELECT id, value FROM annotation_rating WHERE level = 'span' AND value LIKE '%%\"start\":%%'")
    value = json.loads(row["value"])
    change(value["spans"][0])
    alter("UPDATE annotation_rating SET value = %s WHERE id = %s", [json.dumps(value), row["id"]])


def misplaced_spans():
    altered_value(lambda span: span.update(end=4000))


def misquoted_spans():
    altered_value(lambda span: span.update(text="other words"))


def reviews_of_no_span():
    alter('UPDATE annotation_spanreview SET "index" = 40')


def ratings_of_another_level():
    alter("UPDATE annotation_rating SET level = 'ordinal' WHERE id = %s", [one(RATING.format("interval"))["id"]])


def ratings_without_number():
    alter("UPDATE annotation_rating SET number = NULL WHERE id = %s", [one(RATING.format("interval"))["id"]])


def choices_without_pair():
    alter("UPDATE annotation_rating SET other_output_id = NULL WHERE id = %s", [one(RATING.format("choice"))["id"]])


def altered_items():
    alter("UPDATE annotation_item SET document = 'Another text.' WHERE pool = 'main'")


def altered_outputs():
    alter("UPDATE annotation_output SET text = 'Another text.' WHERE id = (SELECT MIN(id) FROM annotation_output)")


def altered_plans():
    alter("UPDATE preregistration_preregistration SET body = body || ' '")


def altered_stop_plans():
    alter("UPDATE stopping_stopplan SET body = body || ' '")


def altered_reports():
    report = KeptReport.objects.filter(status="done", frozen_as=None).select_related("study").first()
    key = frozen_key(report.study.slug, report.digest, report.figures)
    KeptReport.objects.filter(pk=report.pk).update(frozen_as=key)
    assert not run_check({check.key: check for check in all_checks()}["altered_reports"]).count
    KeptReport.objects.filter(pk=report.pk).update(figures='{"alpha":1}')


def lost_exports():
    place_of(KeptExport.objects.filter(has_file=True).first()).unlink()


def altered_exports():
    place_of(KeptExport.objects.filter(has_file=True).last()).write_bytes(b"PK.!")


def lost_uploads():
    ItemUpload.objects.filter(pk=one("SELECT MIN(id) AS id FROM managing_itemupload")["id"]).update(has_file=True)


def lost_trained_judges():
    work = RunWork.objects.select_related("run").first()
    stored = {
        "trained": "a" * 64, "model": "m", "base": {}, "ratings": "own", "labels": [], "questions": [], "split": {},
        "parameters": {}, "turns": {}, "data_sha256": "", "weights_sha256": "b" * 64, "best_epoch": 1, "epochs": [],
    }  # fmt: skip
    alter("UPDATE annotation_judgerun SET configuration = %s WHERE id = %s", [json.dumps(stored), work.run_id])


def kept_count_drift():
    row = StudyCounts.objects.filter(subject=OVERVIEW, status="done").first()
    if row is None:
        row = StudyCounts.objects.create(
            study=Study.objects.get(slug="the-rating"), subject=OVERVIEW, status="done", ended_at=timezone.now(),
            read_at=timezone.now(),
        )  # fmt: skip
    later = timezone.now() + timedelta(hours=1)
    StudyCounts.objects.filter(pk=row.pk).update(read_at=later, figures={"slots": -1})


def item_count_drift():
    later = timezone.now() + timedelta(hours=1)
    KeptReport.objects.filter(kind="items", status="done", frozen_as=None).update(read_at=later)
    run("UPDATE managing_itemsummary SET answers = answers + 3")


def planned_without_tasks():
    item = Item.objects.filter(study__slug="the-rating", pool="main", tasks=None).first()
    if item is None:
        study = one("SELECT id FROM annotation_study WHERE slug = 'the-rating'")["id"]
        item = Item.objects.create(study_id=study, key="without tasks", digest="d")
    run("UPDATE annotation_study SET planned_through = %s WHERE id = %s", [item.pk, item.study_id])


def sample_count_drift():
    drawn = DrawnAnswer.objects.filter(counts__status="done").first()
    if drawn is None:
        answer = one(LOCAL)
        counts = StudyCounts.objects.filter(status="done").first() or StudyCounts.objects.create(
            study_id=one(f"SELECT study_id FROM annotation_rater WHERE id = {answer['rater_id']}")["study_id"],
            subject="batch 0", status="done", ended_at=timezone.now(), read_at=timezone.now(),
        )  # fmt: skip
        drawn = DrawnAnswer.objects.create(
            counts=counts, place=99, task_id=answer["task_id"], rater_id=answer["rater_id"], is_open=True
        )
    checked = run_check({check.key: check for check in all_checks()}["sample_count_drift"]).count
    DrawnAnswer.objects.filter(pk=drawn.pk).update(is_open=not drawn.is_open)
    assert run_check({check.key: check for check in all_checks()}["sample_count_drift"]).count != checked
    if checked:
        DrawnAnswer.objects.filter(pk=drawn.pk).update(is_open=drawn.is_open)


SEEDS = {
    **{seed.__name__: seed for seed in (
        orphan_rows, lost_triggers, lost_indexes, wrong_schema, used_numbers, open_erasures, duplicate_current_answers,
        revision_gaps, current_is_not_newest, ratings_of_another_revision, ratings_of_another_rater,
        ratings_without_answer, answers_without_ratings, ratings_of_another_study, unknown_guidelines,
        answers_missing_in_audit, tasks_over_quota, filled_places_without_answer, answers_without_place,
        held_places_without_assignment, places_of_another_item, outputs_of_another_item, turns_out_of_order,
        turns_after_unfinished, turn_ratings_of_others, stuck_work, calls_without_end, open_reservations, stuck_runs,
        budget_spent_drift, budget_reserved_drift, run_progress_drift, misplaced_spans, reviews_of_no_span,
        ratings_of_another_level, ratings_without_number, choices_without_pair, altered_items, altered_outputs,
        altered_plans, altered_stop_plans, altered_reports, lost_exports, lost_uploads, lost_trained_judges,
        kept_count_drift, item_count_drift, routing_count_drift, planned_without_tasks, sample_count_drift,
    )},
    "lost_second_factors": lambda: run("UPDATE accounts_secondfactor SET sealed_key = 'of another key'"),
    "numbering_of_span_reviews": numbering("annotation_spanreview"),
    "numbering_of_spot_checks": numbering("annotation_spotcheck"),
    "numbering_of_final_answers": numbering("annotation_adjudication"),
    "numbering_of_flag_answers": numbering("annotation_flaganswer"),
    "numbering_of_turn_labels": numbering("revision_sessions_turnlabel", "revision"),
}  # fmt: skip
"""For each check, what puts an inconsistency of its kind into the database."""
VARIANTS = {
    "misquoted_spans": ("misplaced_spans", misquoted_spans),
    "altered_exports": ("lost_exports", altered_exports),
    "lost_constraints": ("lost_indexes", lost_constraints),
}
