"""The lines of an export's judged examples for judges."""

from collections.abc import Iterator

from annotation.models import Study, WrittenExample
from config.text_validation import given
from files.writing.study_lines import Line


def has_examples(study: Study) -> bool:
    return WrittenExample.objects.filter(study=study).exists()


def example_lines(study: Study) -> Iterator[Line]:
    """Yield the newest edition of the examples in its order."""
    for example in WrittenExample.newest(study):
        several = isinstance(example.outputs, list)
        yield given(
            {
                "item": example.item_key or None,
                "document": example.document or None,
                "instruction": example.instruction or None,
                "output": None if several else example.outputs,
                "outputs": example.outputs if several else None,
                "values": example.values,
                "rationale": example.rationale or None,
            }
        )
