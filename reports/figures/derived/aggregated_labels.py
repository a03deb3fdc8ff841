"""One label per unit and question from all its raters: see `reports.figures.derived.computing.unit_labels`."""

from annotation.typed_columns import Column, ColumnKind, anything, number, text, texts, whole
from files.writing.table_list import DerivedTable, computed_by
from reports.figures.derived import FOLDER, always


def _label(name: str, about: str) -> Column:
    return Column(name, ColumnKind.VALUE, about)


COLUMNS = (
    text("question", "the question"),
    text("item", "the item; absent for turns"),
    text("output", "the output that was judged"),
    texts("outputs", "instead: the two outputs that were compared, sorted"),
    text("session", "instead: the session of the turn that was judged"),
    whole("turn", "the turn's number"),
    whole("raters", "people who answered, each counted once with the latest answer"),
    number("agreement", "share of the raters who gave the most frequent label"),
    _label("majority", "the most frequent label; absent if several are"),
    anything("tied", "instead: the labels that are equally frequent, sorted"),
    number("mean", "mean of the answers that are numbers; of yes and no, the share of yes"),
    _label("dawid_skene", "the most probable label by Dawid and Skene's model"),
    number("dawid_skene_probability", "its probability"),
    _label("mace", "the most probable label by MACE"),
    number("mace_probability", "its probability"),
    _label("glad", "the most probable label by GLAD"),
    number("glad_probability", "its probability"),
)

TABLE = DerivedTable(
    f"{FOLDER}/aggregated_labels",
    "one unit and question, with the labels that follow from all its raters",
    always(*COLUMNS),
    computed_by("reports.figures.derived.computing.unit_labels.aggregated_lines"),
)
