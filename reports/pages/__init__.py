"""The pages of reports: what they ask for, and how they show figures that are kept.

Read `forms` first (a report's choices), then `views` with `report_page`, and `judge_views`, `rater_checks_page` and
`export_views`. `display` turns figures into tables, drawings and files to copy. No page computes a figure.
"""
