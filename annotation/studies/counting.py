"""Counts within a query, so that a page counts several things of a study, or of many studies, in one query."""

from django.db.models import FloatField, IntegerField, Subquery


class CountOf(Subquery):
    """Counts the rows of a query that refers to the outer query. Of a sliced query it counts no more than the slice."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()


class MeanOf(Subquery):
    """The mean of the one column of a query that refers to the outer query."""

    template = "(SELECT AVG(visible_seconds) FROM (%(subquery)s) AS timed)"
    output_field = FloatField()
