"""The part of the published schemas of Kubernetes that the files of deploy/kubernetes need.

    python -m tests.ops.kubernetes_schemas _definitions.json

reads the definitions of a version (Apache License 2.0; the package kubernetes-validate has them as
`kubernetes-json-schema/v1.37.0-local-strict/_definitions.json`, 22 MB with all versions), keeps what our kinds refer
to, without descriptions, and writes `tests/data/kubernetes_schemas.json`.
"""

import json
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "data" / "kubernetes_schemas.json"
VERSION = "1.37.0"
KINDS = {
    "apps/v1/Deployment": "io.k8s.api.apps.v1.Deployment",
    "apps/v1/StatefulSet": "io.k8s.api.apps.v1.StatefulSet",
    "autoscaling/v2/HorizontalPodAutoscaler": "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
    "batch/v1/CronJob": "io.k8s.api.batch.v1.CronJob",
    "batch/v1/Job": "io.k8s.api.batch.v1.Job",
    "networking.k8s.io/v1/Ingress": "io.k8s.api.networking.v1.Ingress",
    "networking.k8s.io/v1/NetworkPolicy": "io.k8s.api.networking.v1.NetworkPolicy",
    "policy/v1/PodDisruptionBudget": "io.k8s.api.policy.v1.PodDisruptionBudget",
    "v1/ConfigMap": "io.k8s.api.core.v1.ConfigMap",
    "v1/Namespace": "io.k8s.api.core.v1.Namespace",
    "v1/PersistentVolumeClaim": "io.k8s.api.core.v1.PersistentVolumeClaim",
    "v1/Service": "io.k8s.api.core.v1.Service",
}
"""The kinds that our files use, by apiVersion, and their definitions."""
PREFIX = "/api/_definitions.json#/$defs/"


def trimmed(node: Any) -> Any:
    """Return a schema without descriptions, with references inside one file."""
    if isinstance(node, dict):
        kept = {key: value for key, value in node.items() if key != "description" or not isinstance(value, str)}
        return {
            key: value.replace(PREFIX, "#/$defs/") if key == "$ref" else trimmed(value) for key, value in kept.items()
        }
    return [trimmed(one) for one in node] if isinstance(node, list) else node


def references(node: Any) -> set[str]:
    """Return the names of the definitions that a trimmed schema refers to."""
    if isinstance(node, dict):
        own = {node["$ref"].removeprefix("#/$defs/")} if isinstance(node.get("$ref"), str) else set()
        return own.union(*map(references, node.values()))
    return set().union(*map(references, node)) if isinstance(node, list) else set()


def main(source: str) -> None:
    definitions, kept, waiting = json.loads(Path(source).read_text(encoding="utf-8"))["$defs"], {}, set(KINDS.values())
    while waiting:
        name = waiting.pop()
        kept[name] = trimmed(definitions[name])
        waiting |= references(kept[name]) - kept.keys()
    FILE.write_text(
        json.dumps({"version": VERSION, "$defs": kept}, sort_keys=True, separators=(",", ":")) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main(sys.argv[1])
