"""What a container sees, without an engine: the image's folder, the system's programs, and volumes; the rest is absent.

The root is read-only, as docker-compose.yml demands, and the process is the image's user without any rights. The base
image is this machine's: its libraries, and the Python of these tests with the installed packages.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.house import ROOT

USER = 10001
SYSTEM = ("/usr", "/etc")
LINKS = ("/bin", "/lib", "/lib64", "/sbin")
PYTHON = Path(sys.prefix)
BASE = Path(sys.base_prefix)
CHROOT = shutil.which("chroot", path=f"/usr/sbin:{os.environ.get('PATH', '')}") or "chroot"
WAIT = 300


def is_possible() -> bool:
    """Whether this process may make such a root."""
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("setpriv"):
        return False
    command = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def build(image: Path) -> None:
    """Copy what .dockerignore lets into the image, and collect the static files as the image's file does."""
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    image.mkdir()
    for name in (rule[1:] for rule in rules if rule.startswith("!")):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, image / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, image / name)
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"manage\.py collectstatic --noinput", text)
    collected = {"STATIC_ROOT": str(image / "static-collected"), "VAR": str(image.parent / "building")}
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"], cwd=image, check=True,
        env={"PATH": os.environ["PATH"], "PROFILE": "embedded", "PYTHONDONTWRITEBYTECODE": "1", **collected},
    )  # fmt: skip


@dataclass
class Container:
    """An image with volumes: {path in the container: folder}, and the environment of its processes."""

    image: Path
    root: Path
    volumes: Mapping[str, Path]
    secrets: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def command(self, words: list[str]) -> list[str]:
        """The command of this machine that runs `words` in the container."""
        top = shlex.quote(str(self.root))
        lines = ["set -e", f"mount -t tmpfs -o mode=755 tmpfs {top}"]
        # First, because the environment of the tests may be below /tmp itself.
        lines += [f"mkdir {top}/tmp", f"mount -t tmpfs -o mode=1777 tmpfs {top}/tmp"]
        lines += [f"ln -s usr{link} {top}{link}" for link in LINKS]
        read_only = {path: path for path in (*SYSTEM, str(BASE), str(PYTHON))}
        read_only |= {"/app": str(self.image), "/run/secrets": str(self.secrets)}
        for target, source in read_only.items():
            lines += [f"mkdir -p {top}{target}", f"mount --bind {shlex.quote(source)} {top}{target}",
                      f"mount -o remount,bind,ro {top}{target}"]  # fmt: skip
        for target in ("/proc", "/dev"):
            lines += [f"mkdir {top}{target}", f"mount --rbind {target} {top}{target}"]
        for target, folder in self.volumes.items():
            lines += [f"mkdir -p {top}{target}", f"mount --bind {shlex.quote(str(folder))} {top}{target}"]
        lines += [f"mount -o remount,ro {top}"]
        told = {"PATH": f"{PYTHON}/bin:/usr/bin", "STATIC_ROOT": "/app/static-collected", "HOME": "/nonexistent",
                "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1", **self.environment}  # fmt: skip
        drop = [
            "setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs", "--bounding-set=-all",
            "--inh-caps=-all", "--pdeathsig=KILL",
        ]  # fmt: skip
        inside = [*drop, "sh", "-c", 'cd /app && exec "$@"', "sh", *words]
        settings = [f"{name}={value}" for name, value in told.items()]
        lines += [shlex.join(["exec", "env", "-i", *settings, CHROOT, str(self.root), *inside])]
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(lines)]

    def run(self, *words: str) -> subprocess.CompletedProcess:
        """Run a command to its end."""
        return subprocess.run(self.command([*words]), capture_output=True, text=True, timeout=WAIT, check=False)

    def must(self, *words: str) -> str:
        """Run a command that must work; return what it prints."""
        done = self.run(*words)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def start(self, *words: str) -> subprocess.Popen:
        return subprocess.Popen(self.command([*words]), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
