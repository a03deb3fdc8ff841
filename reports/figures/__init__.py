"""From a study's rows to what its reports say, as plain values: nothing of pages is in here.

Read `rows` first: it reads ratings into the arrays of `agreement`. `figures_by_level` has the figures of one question,
`agreement_report` those of a study; `details_report`, `session_report` and the other reports follow it. People and
machines are compared by `study_answers` and `meta_evaluation_report`.
"""
