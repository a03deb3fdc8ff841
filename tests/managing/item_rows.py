"""A final answer and the summary of an item, for tests that need a row of each model."""

from annotation.models import Output
from annotation.protocols import Unit
from annotation.review.adjudicating import adjudicate
from managing.models import ItemSummary


def add_item_rows(study, person):
    """Add the rows to the study's first item; return them by their models' names."""
    output = Output.objects.filter(item__study=study).select_related("item__study").first()
    question = study.questions.get(key="how_well")
    return {
        "adjudication": adjudicate(output.item, question, Unit(output.key), 4, "CANARY-REASON", person, number=0),
        "itemsummary": ItemSummary.objects.create(
            item=output.item, study=study, key=output.item.key, text="CANARY-TEXT", pool="main", state="open"
        ),
    }
