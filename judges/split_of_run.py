"""What the configuration of a run that judged turns says: its split, its ratings, and what else makes it the judge."""

from collections.abc import Mapping
from typing import Any

from config.model_fields import canonical_json
from judges.turn_ratings import LABELS
from judges.turn_split import TurnSplit

PROMPTED = ("protocol", "model", "model_asked", "prompts", "texts", "references", "guidelines_version", "parser")
TRAINED = ("model", "base", "ratings", "labels", "parameters")
SEED = "split_seed"


def split_of(configuration: Any) -> TurnSplit | None:
    """Return the split on whose test part a judge was trained or shown examples; None if it has no split."""
    if not isinstance(configuration, dict):
        return None
    if isinstance(configuration.get("split"), dict):
        return TurnSplit(**configuration["split"])
    options = _options(configuration)
    if not (options.get("examples") or options.get("test_only")) or SEED not in options:
        return None
    return TurnSplit.of(options)


def ratings_of(configuration: Any) -> tuple[str, ...] | None:
    """Return the ratings among which a judge chose; None if the configuration does not say."""
    if not isinstance(configuration, dict):
        return None
    said = configuration.get("ratings") or _options(configuration).get("ratings")
    return tuple(LABELS[said]) if isinstance(said, str) and said in LABELS else None


def shots_of(configuration: Any) -> int | None:
    """Return how many examples the prompt showed; None for a trained judge, or if the configuration does not say."""
    shots = _options(configuration).get("examples") if isinstance(configuration, dict) else None
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
    options = _options(configuration)
    if SEED not in options:
        return None
    return canonical_json({**_part(configuration, PROMPTED), "options": _without(options, SEED)})


def _options(configuration: Mapping[str, Any]) -> Mapping[str, Any]:
    options = configuration.get("options")
    return options if isinstance(options, dict) else {}


def _part(configuration: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: configuration.get(key) for key in keys}


def _without(values: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != key}
