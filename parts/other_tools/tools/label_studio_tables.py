"""Label Studio's exports with a row per annotation, JSON-MIN and CSV, as the tasks that its JSON export has."""

import re
from typing import Any

from files.import_problems import FieldInvalidError
from files.line_reading import JSONInvalidError, parse_json
from parts.other_tools.tool_files import Body
from parts.other_tools.tools.label_studio_config import LabellingConfig

ABOUT = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "history")
RENAMED = "_data_"
"""What begins the name of a column of data whose own name is that of a control."""
NUMBER = re.compile(r"\d+(\.\d*)?(e-?\d+)?")
PLAIN = {"choices": "choices", "textarea": "text"}
"""The tags whose single answers are written as a text, and the key of the value that they stand for."""


def is_of_table(body: Body) -> bool:
    """Return whether a record is a row of such an export."""
    return {"annotator", "annotation_id"} <= body.keys()


def as_task(body: Body, config: LabellingConfig, is_table: bool) -> Body:
    """Return the task with the one annotation of a row; cells of a table are texts. Raises FieldInvalidError."""
    row = {key: _from_cell(value) for key, value in body.items()} if is_table else body
    data = {
        key.removeprefix(RENAMED): value
        for key, value in row.items()
        if key not in ABOUT and key not in config.controls and key != "id" and not _is_transcript(key, config)
    }
    results = [
        result
        for name, control in config.controls.items()
        if row.get(name) is not None
        for result in _results(name, control.tag, row[name])
    ]
    seconds = row.get("lead_time")
    if isinstance(seconds, str) and NUMBER.fullmatch(seconds):
        seconds = float(seconds)
    annotation = {
        "completed_by": body["annotator"],
        "updated_at": row.get("updated_at"),
        "created_at": row.get("created_at"),
        "lead_time": seconds,
        "result": results,
    }
    return {"id": body.get("id"), "data": data, "annotations": [annotation]}


def _is_transcript(key: str, config: LabellingConfig) -> bool:
    return key.endswith("_transcript") and key.removesuffix("_transcript") in config.controls


def _from_cell(cell: str) -> Any:
    """The value of a cell: lists and objects are JSON, everything else is a text."""
    if cell[:1] in "[{":
        try:
            return parse_json(cell)
        except JSONInvalidError:
            return cell
    return cell


def _results(name: str, tag: str, value: Any) -> list[dict[str, Any]]:
    """The results of one control, each as in the JSON export."""
    found = []
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, dict):
            if tag not in PLAIN:
                raise FieldInvalidError(name, f"must be what a {tag} writes")
            one = {PLAIN[tag]: [str(one)]}
        found.append({"from_name": name, "type": tag, "value": one})
    return found
