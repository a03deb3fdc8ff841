"""What papers add: tables of a comparison of judges with people."""

from config.part import Part
from parts.papers.chosen_questions import MAJORITY_OF, MEAN_OF
from reports.comparison_tables import ComparisonTables


class PapersPart(Part):
    comparison_tables = ComparisonTables("parts.papers.paper_table.tables_of", (MAJORITY_OF, MEAN_OF))


PART = PapersPart()
