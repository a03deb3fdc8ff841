"""Rules about tasks and the places that raters take in them."""

from operating.data_check import sql_check

OWN_TURN = (
    "EXISTS (SELECT 1 FROM revision_sessions_turn u JOIN revision_sessions_revisionsession s ON s.id = u.session_id "
    "WHERE u.task_id = a.task_id AND s.rater_id = a.rater_id)"
)
"""The user of a session rates its turns without a place: the places are for second ratings."""
RESERVED = (
    "EXISTS (SELECT 1 FROM annotation_item i JOIN annotation_study y ON y.id = i.study_id "
    "JOIN annotation_rater r ON r.id = s.holder_id JOIN accounts_auditentry e ON e.study = y.slug "
    "WHERE i.id = s.item_id AND e.action = 'slot reserved' "
    "AND substr(e.subject, 1, length(i.key) + 11) = 'item ' || i.key || ' slot ' "
    "AND replace(CAST(e.new AS text), '\"' || r.name || '\"', '') <> CAST(e.new AS text))"
)
"""A researcher reserved a place of the item for the rater, who has not opened the task yet."""
COUNTED = "a.is_current AND a.status = 'submitted' AND NOT a.surplus"

CHECKS = (
    sql_check(
        "tasks_over_quota",
        "A task has more answers that count than places for raters.",
        "SELECT n.task_id, n.answers, p.places FROM (SELECT a.task_id, COUNT(*) AS answers "  # noqa: S608
        f"FROM annotation_annotation a WHERE {COUNTED} AND NOT {OWN_TURN} GROUP BY a.task_id) n "
        "JOIN (SELECT task_id, COUNT(*) AS places FROM annotation_slot GROUP BY task_id) p ON p.task_id = n.task_id "
        "WHERE n.answers > p.places",
    ),
    sql_check(
        "filled_places_without_answer",
        "A place is filled, but its rater has neither an answer to the task nor a session about it.",
        "SELECT s.id, s.task_id, s.holder_id FROM annotation_slot s WHERE s.state = 'filled' AND NOT EXISTS "
        "(SELECT 1 FROM annotation_annotation a WHERE a.task_id = s.task_id AND a.rater_id = s.holder_id "
        "AND a.is_current AND a.status IN ('submitted', 'skipped')) AND NOT EXISTS "
        "(SELECT 1 FROM revision_sessions_revisionsession u WHERE u.task_id = s.task_id AND u.rater_id = s.holder_id)",
    ),
    sql_check(
        "answers_without_place",
        "An answer counts, but its rater has no filled place in the task.",
        "SELECT a.id, a.task_id, a.rater_id FROM annotation_annotation a "  # noqa: S608
        "JOIN annotation_rater r ON r.id = a.rater_id "
        f"WHERE {COUNTED} AND r.person_id IS NOT NULL AND NOT {OWN_TURN} "
        "AND EXISTS (SELECT 1 FROM annotation_slot s WHERE s.task_id = a.task_id) AND NOT EXISTS "
        "(SELECT 1 FROM annotation_slot s WHERE s.task_id = a.task_id AND s.holder_id = a.rater_id "
        "AND s.state = 'filled')",
    ),
    sql_check(
        "held_places_without_assignment",
        "A rater holds a place in a task of an item that they were never given, and that nobody reserved for them.",
        "SELECT s.id, s.task_id, s.holder_id FROM annotation_slot s WHERE s.state = 'held' AND NOT EXISTS "  # noqa: S608
        "(SELECT 1 FROM annotation_assignment a JOIN annotation_task t ON t.id = a.task_id "
        f"WHERE t.item_id = s.item_id AND a.rater_id = s.holder_id) AND NOT {RESERVED}",
    ),
    sql_check(
        "places_of_another_item",
        "A place names another item or study than its task.",
        "SELECT s.id, s.task_id FROM annotation_slot s JOIN annotation_task t ON t.id = s.task_id "
        "JOIN annotation_item i ON i.id = t.item_id "
        "WHERE s.item_id <> t.item_id OR (s.study_id IS NOT NULL AND s.study_id <> i.study_id)",
    ),
    sql_check(
        "outputs_of_another_item",
        "A task shows an output of another item.",
        "SELECT x.id, x.task_id, x.output_id FROM annotation_taskoutput x JOIN annotation_task t ON t.id = x.task_id "
        "JOIN annotation_output o ON o.id = x.output_id WHERE o.item_id <> t.item_id",
    ),
)
