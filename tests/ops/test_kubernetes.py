"""The files of deploy/kubernetes: valid by the published schemas, hardened, and with the commands of compose."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from scripts import compose
from tests.ops.conftest import ROOT
from tests.ops.kubernetes_schemas import FILE, KINDS

FOLDER = ROOT / "deploy" / "kubernetes"
OWN = {"Kustomization", "Component"}
NOT_OURS = {"prometheus-adapter.yaml"}
"""Values for a chart of others, which have no kind."""
SCHEMAS = json.loads(FILE.read_text(encoding="utf-8"))
COMMANDS = ("web", "migrate", "redis")


def parsed(path: Path) -> list[dict]:
    """The objects of a file, as Kubernetes reads them: in YAML 1.1, where 0440 is octal."""
    found = []
    for part in re.split(r"^---\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
        yaml = YAML(typ="safe", pure=True)
        yaml.version = (1, 1)
        found.append(yaml.load(part))
    return found


FILES = sorted(path for path in FOLDER.rglob("*.yaml") if path.name not in NOT_OURS)
OBJECTS = [(path, thing) for path in FILES for thing in parsed(path) if thing["kind"] not in OWN]
BY_NAME = {(thing["kind"], thing["metadata"]["name"]): thing for _, thing in OBJECTS}


def pods() -> dict[str, dict]:
    """The description of each pod, by the name of what makes it."""
    found = {}
    for (kind, name), thing in BY_NAME.items():
        spec = thing["spec"]["jobTemplate"]["spec"] if kind == "CronJob" else thing.get("spec", {})
        if "template" in spec:
            found[name] = spec["template"]["spec"]
    return found


def problems(thing: dict) -> list[str]:
    """What the published schema says against an object."""
    name = KINDS[f"{thing['apiVersion']}/{thing['kind']}"]
    validator = Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMAS["$defs"]})
    return [f"{'/'.join(map(str, error.path))}: {error.message}" for error in validator.iter_errors(thing)]


@pytest.mark.parametrize(("path", "thing"), OBJECTS, ids=[f"{t['kind']}-{t['metadata']['name']}" for _, t in OBJECTS])
def test_every_object_is_valid_by_the_published_schema(path, thing):
    assert problems(thing) == [], path


def test_the_schemas_find_wrong_objects():
    good = json.loads(json.dumps(BY_NAME["Deployment", "web"]))
    assert problems({**good, "spek": {}})
    assert problems({**good, "spec": {**good["spec"], "replicas": "two"}})
    good["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
    assert problems(good)


def test_every_file_is_in_a_kustomization_and_every_resource_exists():
    for folder in (path.parent for path in FOLDER.rglob("kustomization.yaml")):
        (listed,) = parsed(folder / "kustomization.yaml")
        named = {*listed.get("resources", []), *listed.get("components", [])}
        assert all((folder / name).exists() for name in named)
        assert {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml", *NOT_OURS} <= named
        version = "v1alpha1" if listed["kind"] == "Component" else "v1beta1"
        assert listed["apiVersion"] == f"kustomize.config.k8s.io/{version}"


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is missing")
def test_kustomize_builds_the_example_and_the_result_is_valid():
    done = subprocess.run(
        ["kubectl", "kustomize", str(FOLDER / "example")], capture_output=True, text=True, timeout=60, check=True
    )
    built = list(YAML(typ="safe", pure=True).load_all(done.stdout))
    assert len(built) == len(OBJECTS)
    assert [problem for thing in built for problem in problems(thing)] == []
    images = {found for thing in built for found in re.findall(r"'image': '([^']+)'", str(thing))}
    databases = {compose.read()["services"][name]["image"] for name in ("postgres", "redis")}
    assert images == {"registry.example.org/interrater:0.1.0"} | databases
    assert {thing["metadata"].get("namespace") for thing in built if thing["kind"] != "Namespace"} == {"interrater"}


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is missing")
def test_for_a_restore_only_databases_and_a_job_that_waits_for_its_commands_run(tmp_path):
    """The Job has what the daily backup has, because the commands need both volumes."""
    shutil.copytree(FOLDER, tmp_path / "kubernetes")
    listed = tmp_path / "kubernetes" / "example" / "kustomization.yaml"
    text = listed.read_text(encoding="utf-8")
    listed.write_text(text.replace("\nimages:", "\n  - ../restoring\nimages:"), encoding="utf-8")
    done = subprocess.run(
        ["kubectl", "kustomize", str(listed.parent)], capture_output=True, text=True, timeout=60, check=True
    )
    built = list(YAML(typ="safe", pure=True).load_all(done.stdout))
    assert [problem for thing in built for problem in problems(thing)] == []
    running = {
        (thing["kind"], thing["metadata"]["name"])
        for thing in built
        if "spec" in thing.get("spec", {}).get("template", {})
    }
    assert running == {("StatefulSet", "postgres"), ("StatefulSet", "redis"), ("Job", "restore")}
    assert not any(thing["kind"] == "HorizontalPodAutoscaler" for thing in built)
    (job,) = (thing["spec"]["template"]["spec"] for thing in built if thing["kind"] == "Job")
    (daily,) = (thing["spec"] for thing in built if thing["kind"] == "CronJob")
    assert daily["suspend"] is True
    like = daily["jobTemplate"]["spec"]["template"]["spec"]
    assert job["volumes"] == like["volumes"]
    same = {**like["containers"][0], "name": "restore", "command": ["sleep", "infinity"]}
    assert job["containers"] == [same]


@pytest.mark.parametrize("name", pods())
def test_no_pod_runs_as_root_or_writes_to_its_image(name):
    pod = pods()[name]
    assert pod["automountServiceAccountToken"] is False
    security = pod["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["runAsUser"] > 0
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
    for container in pod["containers"]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
        }  # fmt: skip
        assert "memory" in container["resources"]["limits"]
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        claims = BY_NAME.get(("StatefulSet", name), {}).get("spec", {}).get("volumeClaimTemplates", [])
        assert mounted == {v["name"] for v in pod["volumes"]} | {c["metadata"]["name"] for c in claims}


@pytest.mark.parametrize("name", pods())
def test_secrets_are_files_that_others_cannot_read(name):
    (secret,) = (volume["secret"] for volume in pods()[name]["volumes"] if "secret" in volume)
    assert secret["defaultMode"] == 0o440
    text = json.dumps(pods()[name])
    assert set(re.findall(r"/run/secrets/interrater/(\w+)", text)) <= set(compose.read()["secrets"])
    for container in pods()[name]["containers"]:
        assert not any(re.fullmatch(r".*(PASSWORD|KEY|TOKEN)", one["name"]) for one in container.get("env", []))


def test_settings_and_commands_are_those_of_compose():
    described = {service.name: service for service in compose.services({"ALLOWED_HOSTS": "rate.example.org"})}
    settings = BY_NAME["ConfigMap", "interrater"]["data"]
    for name, value in settings.items():
        assert described["web"].environment[name] == value.replace("/run/secrets/interrater/", "/run/secrets/"), name
    for name in COMMANDS:
        (container,) = pods()[name]["containers"]
        words = [word.replace("/run/secrets/interrater/", "/run/secrets/") for word in container["command"]]
        assert words == list(described[name].command), name
    *program, calls, jobs = described["workers"].command
    for queue in (calls, jobs):  # each can be scaled by itself
        (container,) = pods()[f"worker-{queue}"]["containers"]
        assert container["command"] == [*program, queue]
    for name in ("postgres", "redis"):
        (container,) = pods()[name]["containers"]
        assert container["image"] == compose.read()["services"][name]["image"]
    given = {one["name"]: one["value"] for one in pods()["postgres"]["containers"][0]["env"]}
    assert given["POSTGRES_INITDB_ARGS"] == described["postgres"].environment["POSTGRES_INITDB_ARGS"]


def test_probes_ask_for_health_by_a_host_that_is_allowed():
    (container,) = pods()["web"]["containers"]
    host = BY_NAME["ConfigMap", "interrater"]["data"]["ALLOWED_HOSTS"]
    paths = {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
    for probe, path in paths.items():
        asked = container[probe]["httpGet"]
        assert (asked["path"], asked["httpHeaders"]) == (path, [{"name": "Host", "value": host}])
    for queue in ("calls", "jobs"):
        (worker,) = pods()[f"worker-{queue}"]["containers"]
        command = ["python", "-m", "config.health_check", queue]
        assert worker["livenessProbe"]["exec"]["command"] == [*command, "--alive"]
        assert worker["readinessProbe"]["exec"]["command"] == command


def test_everything_that_selects_pods_selects_pods_that_exist():
    labels = [
        (spec["template"] if "template" in spec else spec["jobTemplate"]["spec"]["template"])["metadata"]["labels"]
        for spec in (thing.get("spec", {}) for thing in BY_NAME.values())
        if "template" in spec or "jobTemplate" in spec
    ]
    for (kind, name), thing in BY_NAME.items():
        spec = thing.get("spec", {})
        asked = spec.get("podSelector") or spec.get("selector") or {}
        asked = asked.get("matchLabels", asked if kind == "Service" else {})
        if kind in ("Service", "PodDisruptionBudget", "NetworkPolicy", "Deployment", "StatefulSet"):
            assert any(asked.items() <= given.items() for given in labels), (kind, name)
        if kind == "HorizontalPodAutoscaler":
            assert ("Deployment", spec["scaleTargetRef"]["name"]) in BY_NAME


def test_workers_are_scaled_by_the_metric_that_the_adapter_reports():
    (values,) = parsed(FOLDER / "autoscaling" / "prometheus-adapter.yaml")
    (rule,) = values["rules"]["external"]
    for queue in ("calls", "jobs"):
        (metric,) = BY_NAME["HorizontalPodAutoscaler", f"worker-{queue}"]["spec"]["metrics"]
        assert metric["external"]["metric"]["name"] == rule["name"]["as"] == "interrater_queue_age_seconds"
        assert metric["external"]["metric"]["selector"] == {"matchLabels": {"queue": queue}}
    assert rule["metricsQuery"].endswith("by (queue)")  # the label that /metrics has: tests/config/test_monitoring.py


def test_the_ingress_has_the_limits_of_the_proxy():
    proxy = "".join((ROOT / "proxy" / name).read_text(encoding="utf-8") for name in ("nginx.conf", "forward.conf"))
    told = BY_NAME["Ingress", "web"]["metadata"]["annotations"]
    (size,) = re.findall(r"client_max_body_size (\w+);", proxy)
    assert told["nginx.ingress.kubernetes.io/proxy-body-size"] == size
    for name in ("connect", "send", "read"):
        (seconds,) = re.findall(rf"proxy_{name}_timeout (\d+)s;", proxy)
        assert told[f"nginx.ingress.kubernetes.io/proxy-{name}-timeout"] == seconds
    assert told["nginx.ingress.kubernetes.io/proxy-request-buffering"] == "off"
