"""Reads exported files with pandas, polars and `datasets`, as their documentation says, and back to lines of JSONL."""

import json
import math
from datetime import datetime

import pandas
import polars
from datasets import load_dataset

from config.text_validation import time_text
from config.yaml_reading import parse_yaml
from files.tables.csv_cells import restore

ADDED = {"value_number", "value_label", "value_labels", "value_ranking", "categories"}
PANDAS = {"string": "string", "int64": "Int64", "float64": "float64", "bool": "boolean"}
POLARS = {
    "string": polars.String, "int64": polars.Int64, "float64": polars.Float64, "bool": polars.Boolean,
    "json": polars.String,
}  # fmt: skip


def card_of(folder):
    """The front matter of a folder's card."""
    return parse_yaml((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


def tables_of(folder):
    """Each table's file and its features by column, by the name of its configuration."""
    card = card_of(folder)
    features = {one["config_name"]: {f["name"]: f for f in one["features"]} for one in card["dataset_info"]}
    return {one["config_name"]: (folder / one["data_files"], features[one["config_name"]]) for one in card["configs"]}


def by_pandas(path, features):
    if path.suffix == ".parquet":
        return pandas.read_parquet(path, dtype_backend="pyarrow").astype(object).to_dict("records")
    if path.suffix == ".jsonl":
        return pandas.read_json(path, lines=True, dtype=False, precise_float=True).astype(object).to_dict("records")
    types = {name: PANDAS[one["dtype"]] for name, one in features.items()}
    frame = pandas.read_csv(path, dtype=types, keep_default_na=False, na_values=[""])
    return frame.astype(object).to_dict("records")


def by_polars(path, features):
    types = {name: _polars_type(one) for name, one in features.items()} if path.suffix != ".parquet" else {}
    if path.suffix == ".parquet":
        return polars.read_parquet(path).to_dicts()
    if path.suffix == ".jsonl":
        return polars.read_ndjson(path, schema=types).to_dicts()
    return polars.read_csv(path, schema_overrides=types).to_dicts()


def _polars_type(feature):
    if isinstance(feature, str):
        return POLARS[feature]
    if "list" in feature:
        inside = feature["list"]
        return polars.List(_polars_type({"struct": inside} if isinstance(inside, list) else inside))
    if "struct" in feature:
        return polars.Struct({one["name"]: _polars_type(one) for one in feature["struct"]})
    return POLARS[feature["dtype"]]


def by_datasets(folder, config, cache):
    return load_dataset(str(folder), config, split="train", cache_dir=str(cache)).to_list()


def line_of(row, line, suffix, more_json=()):
    """A loaded row as the line of JSONL, which is `line` if nothing was lost; that tells texts from JSON."""
    found = {name: _plain(value) for name, value in row.items()}
    found = {name: value for name, value in found.items() if value is not None and value != ""}
    if suffix == ".csv":
        found = {name: restore(value) if isinstance(value, str) else value for name, value in found.items()}
    if "value" in found and "value_number" in row:
        found["value"] = found["value_label"] if "value_label" in found else json.loads(found["value"])
    if "document_turns" in found:
        found["document"] = found.pop("document_turns")
    found = {name: _read(value, line.get(name)) for name, value in found.items() if name not in ADDED}
    if suffix != ".jsonl":
        found |= {name: json.loads(found[name]) for name in more_json if isinstance(found.get(name), str)}
    for output in found.get("outputs", ()) if suffix != ".jsonl" else ():
        if isinstance(output, dict):
            if "turns" in output:
                output["text"] = output.pop("turns")
            if isinstance(output.get("metadata"), str):
                output["metadata"] = json.loads(output["metadata"])
    return given(found)


def _read(value, expected):
    return json.loads(value) if isinstance(value, str) and not isinstance(expected, str | None) else value


def _plain(value):
    """A loaded value as JSON has it; None for what is absent."""
    if value is None or value is pandas.NA or value is pandas.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, dict):
        return {key: plain for key, one in value.items() if (plain := _plain(one)) is not None}
    if isinstance(value, list | tuple) or type(value).__name__ == "ndarray":
        return [_plain(one) for one in value]
    return value.item() if type(value).__module__ == "numpy" else value


def given(value):
    """A value without what is absent or empty, which not every format tells apart."""
    if isinstance(value, dict):
        return {key: given(one) for key, one in value.items() if one is not None and one != ""}
    return [given(one) for one in value] if isinstance(value, list) else value
