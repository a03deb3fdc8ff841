"""HREF, table 2: leave-one-out agreement of judges and people, by category of items."""

from parts.papers.figures.category_agreement import category_report, item_categories
from parts.papers.judge_facts import JudgeFacts, judge_facts
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import (
    PaperTable,
    TableBody,
    TableCell,
    TableColumn,
    cell_of,
    text_cell,
    with_highest_marked,
)
from reports.figures.study_answers import Report

NAME = "leave_one_out"
ANCHOR = "agreement-by-category-and-judge"
PEOPLE = "one more person"
PERSON = "people see no reference and no prompt"
NO_RUN = "no run says so"
FACTS = (("model", "Model"), ("reference", "Reference"), ("prompt", "Prompt"))
NOTES = (
    "Each judge is compared with the modes of all sets of people that leave one out; the row of people holds the one "
    "left out against the others.",
    "Only pairs of outputs that three or more people judged count. Intervals draw items.",
    "Prompts: A own guidelines and own examples, B own guidelines and other examples, C own guidelines without "
    "examples, D other guidelines and examples.",
    "Marked: the judge with the highest agreement.",
)


class AgreementByCategory(PaperTable):
    """A row per judge and question; the columns after the facts are all items, and the items of each category."""

    key = "href_2"
    title = "Leave-one-out agreement by category"
    source = "HREF, table 2"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        categories = item_categories(answers.rated.categories)
        facts = judge_facts(answers.study)
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        for key in answers.compared_questions:
            people, judges = answers.people(key), answers.judges(key)
            if not judges or not people.scores.value.size:
                continue
            report = category_report(people, judges, categories, replicates=answers.replicates)
            if not report["people"]["pairs"]:
                continue
            person = [TableCell(None, reason=PERSON)] * len(FACTS)
            own = [
                [*_facts(facts.get(judge.name)), *_figures(report, ("judges", judge.name), categories.names)]
                for judge in judges
            ]
            shown = len(FACTS) + 1 + len(categories.names)
            marked = with_highest_marked(own, range(len(FACTS), shown))
            rows.append((PEOPLE, [*person, *_figures(report, ("people",), categories.names)]))
            rows += [(judge.name, cells) for judge, cells in zip(judges, marked, strict=True)]
            parts += [key] * (1 + len(judges))
        if not rows:
            return None
        columns = [TableColumn(name, title) for name, title in FACTS]
        columns.append(TableColumn("all", "All", anchor=ANCHOR))
        columns += [TableColumn(f"category:{name}", name, anchor=ANCHOR) for name in categories.names]
        return TableBody("Judge", [*columns, TableColumn("pairs", "Pairs", "count")], rows, parts, NOTES)


def _figures(report: Report, path: tuple[str, ...], names: tuple[str, ...]) -> list[TableCell]:
    """The agreement on all items and on those of each category, and the number of pairs."""
    by_category = [cell_of(report, (*path, "categories", name, NAME)) for name in names]
    return [cell_of(report, (*path, NAME)), *by_category, cell_of(report, (*path, "pairs"))]


def _facts(facts: JudgeFacts | None) -> list[TableCell]:
    known = facts or JudgeFacts()
    return [text_cell(getattr(known, name), NO_RUN) for name, _ in FACTS]


TABLE = AgreementByCategory()
