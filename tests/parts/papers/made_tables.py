"""The tables of a study, and their values."""

from parts.papers.paper_table import tables_of
from reports.figures.study_answers import RaterComparison, StudyAnswers


def tables(of_study, *keys, **chosen):
    found = tables_of(StudyAnswers(of_study, RaterComparison(**chosen), replicates=20))
    return [found[key] for key in keys] if keys else found


def values(table):
    """{(part, name): {column: value}} of a table."""
    return {
        (row.get("part", ""), row["name"]): {key: cell["value"] for key, cell in row["cells"].items()}
        for row in table["rows"]
    }
