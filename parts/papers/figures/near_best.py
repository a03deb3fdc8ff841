"""Methods that are near the best one of a column: their intervals of one standard error overlap (riSum, Table 4).

The table's rows are methods; each of its columns may be about another question, such as AUC for a yes/no question
beside distances for a Likert question. Its caption marks methods "with overlapping confidence intervals with the best";
intervals of plus and minus one standard error reproduce what is marked in bold.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from agreement.intervals.report_entries import Report

NO_VALUE = "the method has no value in this column"
NO_ERROR = "the method's value has no standard error"


@dataclass(frozen=True)
class MethodColumn:
    """A column: {method: (value, standard error)}, None for what is undefined; `higher` values are better, or lower."""

    values: Mapping[str, tuple[float | None, float | None]]
    higher: bool


def near_best_table(columns: Mapping[str, MethodColumn]) -> Report:
    """`methods` by name, each {column: {value, se, near_best}}, and the `best` method of each column.

    A method is near the best if the intervals of value ± se of both touch. Without a standard error of its own or of
    the best, `near_best` is None, except for the best itself. Methods are in the order in which the columns have them;
    of several with the best value, the first is the best.
    """
    names = list(dict.fromkeys(name for column in columns.values() for name in column.values))
    methods: dict[str, Report] = {name: {} for name in names}
    best: dict[str, str | None] = {}
    undefined: dict[str, str] = {}
    for title, column in columns.items():
        known = {name: value for name, (value, _) in column.values.items() if value is not None}
        sign = 1 if column.higher else -1
        best[title] = max(known, key=lambda name: sign * known[name], default=None)
        for name in names:
            value, se = column.values.get(name, (None, None))
            near = _is_near(name, best[title], column)
            methods[name][title] = {"value": value, "se": se, "near_best": near}
            if near is None:
                undefined[f"methods.{name}.{title}.near_best"] = NO_VALUE if value is None else NO_ERROR
    return {"methods": methods, "best": best, "undefined": undefined}


def _is_near(name: str, best: str | None, column: MethodColumn) -> bool | None:
    value, se = column.values.get(name, (None, None))
    if best is None or value is None:
        return None
    if name == best:
        return True
    top, top_se = column.values[best]
    if se is None or top is None or top_se is None:
        return None
    return abs(top - value) <= round(se + top_se, 12) + 1e-12
