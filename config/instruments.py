"""What a process counts with. `config.process_counts` loads this, and Prometheus' client with it, only if needed."""

from prometheus_client import CollectorRegistry, Counter, Histogram

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
COUNTED = {
    "claims": "Tasks given to raters",
    "submits": "Answers that raters submitted, skipped or took back",
    "lease_expiries": "Tasks whose lease ended before an answer came",
    "calls": "Calls to models that have ended",
    "call_cost": "What calls to models cost, in the currency of their prices",
}
LABELS = {"submits": ("status",), "calls": ("status",)}


class Instruments:
    """The counters of this process; the library opens its file at the first use."""

    def __init__(self) -> None:
        registry = CollectorRegistry()  # only what is written to files is ever read
        self.counters = {
            name: Counter(f"interrater_{name}", about, LABELS.get(name, ()), registry=registry)
            for name, about in COUNTED.items()
        }
        self.requests = Histogram(
            "interrater_request_seconds", "Requests by part of the site and status", ("part", "status"),
            registry=registry, buckets=BUCKETS,
        )  # fmt: skip
