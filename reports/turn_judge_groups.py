"""Judges of turns as rows of KIWI's tables 5 and 7: those that differ only by the seed of their split are one row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import JudgeRun, Study
from config.model_fields import canonical_json
from judges.split_of_run import ratings_of, seed_of, shots_of, without_seed


@dataclass(frozen=True)
class TurnJudges:
    """The judges of one row, by name, and what their newest runs say; None for what they do not say."""

    names: tuple[str, ...]
    ratings: Sequence[str] | None = None
    shots: int | None = None
    is_trained: bool = False
    seeds: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        """The first name, how many more there are, and what the judge chose among, was shown and was split by."""
        more = f" and {len(self.names) - 1} more" if len(self.names) > 1 else ""
        said = [] if self.ratings is None else [f"{len(self.ratings)} ratings"]
        if self.is_trained:
            said.append("trained")
        if self.shots is not None:
            said.append("no examples" if not self.shots else f"{self.shots} example{'s' if self.shots > 1 else ''}")
        if self.seeds:
            said.append(f"seed{'s' if len(self.seeds) > 1 else ''} {', '.join(map(str, self.seeds))}")
        return f"{self.names[0]}{more}" + (f" ({', '.join(said)})" if said else "")


def judges_by_split(study: Study, names: Iterable[str]) -> list[TurnJudges]:
    """The judges in groups, each of those whose newest runs differ only by their split's seed, in order of name.

    A judge without a run is a group by itself.
    """
    runs = JudgeRun.objects.filter(rater__study=study, replaced_by=None).order_by("pk")
    configurations = dict(runs.values_list("rater__name", "configuration"))
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        same = without_seed(configurations.get(name)) or canonical_json({"judge": name})
        groups.setdefault(same, []).append(name)
    return [_group(own, configurations) for own in groups.values()]


def _group(names: Sequence[str], configurations: Mapping[str, Any]) -> TurnJudges:
    first = configurations.get(names[0])
    seeds = [seed for name in names if (seed := seed_of(configurations.get(name))) is not None]
    is_trained = isinstance(first, dict) and isinstance(first.get("split"), dict)
    return TurnJudges(tuple(names), ratings_of(first), shots_of(first), is_trained, tuple(sorted(seeds)))
