"""What the configuration of a run that judged turns says: its split and its ratings."""

from collections.abc import Mapping
from typing import Any

from judges.turn_ratings import LABELS
from judges.turn_split import TurnSplit

SEED = "split_seed"


def split_of(configuration: Any) -> TurnSplit | None:
    """Return the split on whose test part a judge was trained or shown examples; None if it has no split."""
    if not isinstance(configuration, dict):
        return None
    if isinstance(configuration.get("split"), dict):
        return TurnSplit(**configuration["split"])
    options = options_of(configuration)
    if not (options.get("examples") or options.get("test_only")) or SEED not in options:
        return None
    return TurnSplit.of(options)


def ratings_of(configuration: Any) -> tuple[str, ...] | None:
    """Return the ratings among which a judge chose; None if the configuration does not say."""
    if not isinstance(configuration, dict):
        return None
    said = configuration.get("ratings") or options_of(configuration).get("ratings")
    return tuple(LABELS[said]) if isinstance(said, str) and said in LABELS else None


def options_of(configuration: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of the protocol by which a judge was prompted; none for a trained judge."""
    options = configuration.get("options")
    return options if isinstance(options, dict) else {}
