"""What an app adds to monitoring.

It is told without Prometheus' library, which must not be loaded before `config.process_counts` has named its folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class MonitoredFigure:
    """A figure of an app: its values by the value of its label, or one under "" if it has no label."""

    name: str
    about: str
    label: str
    values: Mapping[str, float]
