"""An item for previews of studies that have no items yet."""

from annotation.desk.statements import TaskOutputRow
from annotation.models import Item, Study

DOCUMENT = """The harbour office has published the timetable for the winter.

From 1 November the first ferry to the island leaves at 9:00 instead of 8:00, and the last one returns at 18:30. On \
Sundays there are only three crossings. Bicycles travel free of charge, but no more than twelve on each ferry.

The office says that fewer people travel in winter and that one of the two ferries will be repaired until March."""
INSTRUCTION = "Say in one sentence what changes for people who take the first ferry."
OUTPUTS = (
    "From 1 November the first ferry to the island leaves an hour later, at 9:00.",
    "The timetable changes in winter. There are fewer ferries, and bicycles travel free of charge.",
    "The first ferry leaves at 8:00, and twelve bicycles may travel on it.",
)
QUESTION = "What changes for people who take the ferry to the island in winter?"
PAPERS = [
    {
        "id": "timetable", "title": "The winter timetable of the island ferry", "authors": ["Harbour office"],
        "year": 2025, "paragraphs": DOCUMENT.split("\n\n"),
    },
    {
        "id": "repairs", "title": "Repairs of the second ferry",
        "paragraphs": ["The second ferry is in the dock from November to March. Its engine is replaced."],
    },
]  # fmt: skip


def sample_item(item: Item | None, study: Study) -> Item:
    """An unsaved item with texts for every protocol, or the study's `item` if it lacks only outputs."""
    content = {"question": QUESTION, "documents": PAPERS}
    return item or Item(study=study, key="sample", document=DOCUMENT, instruction=INSTRUCTION, content=content)


def sample_outputs() -> list[TaskOutputRow]:
    """Three outputs, of which one is wrong and one is vague."""
    return [TaskOutputRow(number, f"sample-{number}", text, None) for number, text in enumerate(OUTPUTS, 1)]
