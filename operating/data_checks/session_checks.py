"""Rules about sessions and their turns."""

from operating.data_check import sql_check

CHECKS = (
    sql_check(
        "turns_out_of_order",
        "The turns of a session are not numbered 0, 1, 2 and so on.",
        "SELECT session_id, COUNT(*) AS turns, MAX(number) AS highest FROM revision_sessions_turn "
        "WHERE NOT discarded GROUP BY session_id HAVING COUNT(*) <> MAX(number) + 1 OR MIN(number) <> 0",
    ),
    sql_check(
        "turns_after_unfinished",
        "A session went on although a turn before had no answer.",
        "SELECT t.id, t.session_id, t.number, t.status FROM revision_sessions_turn t WHERE NOT t.discarded "
        "AND t.status <> 'done' AND EXISTS (SELECT 1 FROM revision_sessions_turn n "
        "WHERE n.session_id = t.session_id AND NOT n.discarded AND n.number > t.number)",
    ),
    sql_check(
        "turn_ratings_of_others",
        "A turn's own rating belongs to another task or rater than the session's.",
        "SELECT t.id, t.annotation_id FROM revision_sessions_turn t "
        "JOIN revision_sessions_revisionsession s ON s.id = t.session_id "
        "JOIN annotation_annotation a ON a.id = t.annotation_id "
        "WHERE a.rater_id <> s.rater_id OR t.task_id IS NULL OR a.task_id <> t.task_id",
    ),
)
