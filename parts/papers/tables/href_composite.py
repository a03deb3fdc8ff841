"""HREF, section 3.1: the judge that agrees best with people in each category, against one judge for all."""

from parts.papers.figures.category_agreement import category_report, item_categories
from parts.papers.figures.composite_judge import composite_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of, text_cell
from reports.figures.study_answers import Report

NAME = "leave_one_out"
COMPOSITE, SINGLE, DIFFERENCE = "composite, all items", "one judge for all categories", "difference"
NONE_CHOSEN = "no judge has an answer that can be compared with people's"
NO_CHOICE = "a difference of two figures has no judge of its own"
OF_EACH = "each category has its own judge"
NOTES = (
    "The judge of a category is the one with the highest leave-one-out agreement. It is chosen on half of the items "
    "and reported on the other half, and the other way round; both choices are named.",
    "In sample: chosen and reported on the same items, as in the paper, which makes it look better than it is.",
    "Intervals draw items and keep the choices.",
)


class CompositeJudge(PaperTable):
    key = "href_2_composite"
    title = "A judge for each category"
    source = "HREF, section 3.1"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        categories = item_categories(answers.rated.categories)
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        notes = list(NOTES)
        for key in answers.compared_questions if categories.names else ():
            people, judges = answers.people(key), answers.judges(key)
            if len(judges) < 2 or not people.scores.value.size:
                continue
            if not category_report(people, judges, categories, replicates=0)["people"]["pairs"]:
                continue
            report = composite_report(people, judges, categories, replicates=answers.replicates)
            own = _rows(report, categories.names)
            rows += own
            parts += [key] * len(own)
            if report["uncategorised"]:
                notes.append(f"{key}: {report['uncategorised']} items without a category are left out.")
        if not rows:
            return None
        columns = [
            TableColumn(NAME, "Agreement", "share", "composite-judge"), TableColumn("chosen", "Judges chosen"),
            TableColumn("in_sample", "In sample", "share", "composite-judge"),
            TableColumn("in_sample_judge", "Judge in sample"),
        ]  # fmt: skip
        return TableBody("Items", columns, rows, parts, notes)


def _rows(report: Report, names: tuple[str, ...]) -> list[tuple[str, list[TableCell]]]:
    rows = [(COMPOSITE, [
        cell_of(report, ("composite", NAME)), TableCell(None, reason=OF_EACH),
        cell_of(report, ("composite", "in_sample", NAME)), TableCell(None, reason=OF_EACH),
    ])]  # fmt: skip
    rows += [(name, _chosen(report, ("composite", "categories", name))) for name in names]
    rows.append((SINGLE, _chosen(report, ("single",))))
    rows.append((DIFFERENCE, [cell_of(report, ("difference",)), *[TableCell(None, reason=NO_CHOICE)] * 3]))
    return rows


def _chosen(report: Report, path: tuple[str, ...]) -> list[TableCell]:
    """Agreement, the judges chosen for the two halves, and both in sample."""
    place = report
    for name in path:
        place = place[name]
    return [
        cell_of(report, (*path, NAME)), text_cell(dict.fromkeys(place["chosen"]), NONE_CHOSEN),
        cell_of(report, (*path, "in_sample", NAME)), text_cell(place["in_sample"]["judge"], NONE_CHOSEN),
    ]  # fmt: skip


TABLE = CompositeJudge()
