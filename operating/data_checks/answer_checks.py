"""Rules about answers: their revisions, which of them is current, and their ratings."""

from operating.data_check import sql_check

CHECKS = (
    sql_check(
        "duplicate_current_answers",
        "A rater has several current answers to one task.",
        "SELECT task_id, rater_id, COUNT(*) AS current FROM annotation_annotation WHERE is_current "
        "GROUP BY task_id, rater_id HAVING COUNT(*) > 1",
    ),
    sql_check(
        "revision_gaps",
        "The revisions of an answer are not numbered 1, 2, 3 and so on.",
        "SELECT task_id, rater_id, COUNT(*) AS revisions, MAX(revision) AS highest FROM annotation_annotation "
        "GROUP BY task_id, rater_id HAVING COUNT(*) <> MAX(revision) OR MIN(revision) <> 1",
    ),
    sql_check(
        "current_is_not_newest",
        "The newest revision of an answer is not the current one.",
        "SELECT a.id, a.task_id, a.rater_id, a.revision FROM annotation_annotation a JOIN "
        "(SELECT task_id, rater_id, MAX(revision) AS newest FROM annotation_annotation GROUP BY task_id, rater_id) n "
        "ON n.task_id = a.task_id AND n.rater_id = a.rater_id "
        "WHERE (a.revision = n.newest) <> a.is_current",
    ),
    sql_check(
        "ratings_of_another_revision",
        "A rating is current although its answer is not, or the other way round.",
        "SELECT r.id, r.annotation_id FROM annotation_rating r JOIN annotation_annotation a ON a.id = r.annotation_id "
        "WHERE r.is_current <> a.is_current OR r.revision <> a.revision",
    ),
    sql_check(
        "ratings_of_another_rater",
        "A rating has another rater or item than its answer.",
        "SELECT r.id, r.annotation_id FROM annotation_rating r JOIN annotation_annotation a ON a.id = r.annotation_id "
        "JOIN annotation_task t ON t.id = a.task_id WHERE r.rater_id <> a.rater_id OR r.item_id <> t.item_id",
    ),
    sql_check(
        "ratings_without_answer",
        "A rating that somebody gave on this site belongs to no answer.",
        "SELECT r.id, r.rater_id FROM annotation_rating r JOIN annotation_rater p ON p.id = r.rater_id "
        "WHERE r.annotation_id IS NULL AND p.person_id IS NOT NULL AND r.protocol_version IS NOT NULL",
    ),
    sql_check(
        "answers_without_ratings",
        "A submitted answer has no ratings.",
        "SELECT a.id, a.task_id, a.rater_id FROM annotation_annotation a WHERE a.status = 'submitted' "
        "AND a.answers <> '{}' AND NOT EXISTS (SELECT 1 FROM annotation_rating r WHERE r.annotation_id = a.id)",
    ),
    sql_check(
        "ratings_of_another_study",
        "A rating's item, question or rater belongs to another study, or its output to another item.",
        "SELECT r.id FROM annotation_rating r JOIN annotation_item i ON i.id = r.item_id "
        "JOIN annotation_question q ON q.id = r.question_id JOIN annotation_rater p ON p.id = r.rater_id "
        "LEFT JOIN annotation_output o ON o.id = r.output_id LEFT JOIN annotation_output s ON s.id = r.other_output_id "
        "WHERE i.study_id <> r.study_id OR q.study_id <> r.study_id OR p.study_id <> r.study_id "
        "OR o.item_id <> r.item_id OR s.item_id <> r.item_id",
    ),
    sql_check(
        "unknown_guidelines",
        "An answer names a version of the guidelines that the study does not have.",
        "SELECT a.id, a.guidelines_version FROM annotation_annotation a JOIN annotation_rater p ON p.id = a.rater_id "
        "LEFT JOIN annotation_guideline g ON g.study_id = p.study_id AND g.number = a.guidelines_version "
        "WHERE a.guidelines_version IS NOT NULL AND g.id IS NULL",
    ),
    sql_check(
        "answers_missing_in_audit",
        "The audit has fewer entries about a rater's answer than the answer has revisions made on this site.",
        "SELECT a.task_id, a.rater_id, a.revisions, COALESCE(e.entries, 0) AS entries FROM "
        "(SELECT n.task_id, n.rater_id, COUNT(*) AS revisions FROM annotation_annotation n "
        "WHERE n.client_key IS NOT NULL AND n.submitted_at >= (SELECT MIN(at) FROM accounts_auditentry) "
        "GROUP BY n.task_id, n.rater_id) a "
        "JOIN annotation_rater p ON p.id = a.rater_id JOIN annotation_study s ON s.id = p.study_id LEFT JOIN "
        "(SELECT study, subject, COUNT(*) AS entries FROM accounts_auditentry WHERE action IN "
        "('task submitted', 'task skipped', 'task withdrawn', 'task flagged') GROUP BY study, subject) e "
        "ON e.study = s.slug AND e.subject = 'task ' || a.task_id || ' of ' || p.name "
        "WHERE p.person_id IS NOT NULL AND COALESCE(e.entries, 0) < a.revisions",
    ),
)
