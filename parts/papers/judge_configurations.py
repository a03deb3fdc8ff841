"""By what the configurations of runs that judged turns tell judges apart: examples, seeds, and all but the seed."""

from collections.abc import Mapping
from typing import Any

from config.model_fields import canonical_json
from judges.split_of_run import SEED, options_of, split_of

PROMPTED = ("protocol", "model", "model_asked", "prompts", "texts", "references", "guidelines_version", "parser")
TRAINED = ("model", "base", "ratings", "labels", "parameters")


def shots_of(configuration: Any) -> int | None:
    """Return how many examples the prompt showed; None for a trained judge, or if the configuration does not say."""
    shots = options_of(configuration).get("examples") if isinstance(configuration, dict) else None
    return shots if isinstance(shots, int) else None


def seed_of(configuration: Any) -> int | None:
    """Return the seed of a judge's split; None for a judge without one."""
    split = split_of(configuration)
    return None if split is None else split.seed


def without_seed(configuration: Any) -> str | None:
    """Return a text that is equal for judges that differ only by their split's seed; None for a judge without one."""
    if not isinstance(configuration, dict):
        return None
    if isinstance(configuration.get("split"), dict):
        split = _without(configuration["split"], "seed")
        parameters = configuration.get("parameters")
        parameters = _without(parameters, "seed") if isinstance(parameters, dict) else parameters
        return canonical_json({**_part(configuration, TRAINED), "parameters": parameters, "split": split})
    options = options_of(configuration)
    if SEED not in options:
        return None
    return canonical_json({**_part(configuration, PROMPTED), "options": _without(options, SEED)})


def _part(configuration: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: configuration.get(key) for key in keys}


def _without(values: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != key}
