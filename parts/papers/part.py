"""What papers add: tables of a comparison of judges with people."""

from config.part import Part


class PapersPart(Part):
    comparison_tables = "parts.papers.paper_table.tables_of"


PART = PapersPart()
