"""Build `.venv` and install a lock file into it if needed: `-m scripts.virtual_environment base|test|dense`.

Runs before anything but Python is installed, so it uses only the standard library.
"""

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from scripts.stop_errors import StopError, disk_full, file_problem, need_room, stop

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
SYSTEM_PREFIX, SYSTEM_PYTHON = "/usr", Path("/usr/bin/python3")
KIND = "import ensurepip, sys, venv; print((sys.implementation.name, sys.version_info[:2], sys.abiflags))"
UV_FOLDER = VENV / "uv"
"""Where uv and its cache are while packages are installed."""
LOCKS = {"base": ("base",), "test": ("test", "base"), "retrieval": ("retrieval",), "models": ("models", "retrieval")}
"""The lock files that installing each one covers: the one for tests contains all packages of the base."""
ROOM = {"base": 600, "test": 1200, "retrieval": 1000, "models": 1100}
TORCH_ROOM = 1200
NO_TORCH = (
    "pip finds no build of torch {} for CPUs only with a locked hash, and one for graphics cards takes 3 GB. "
    "Name an index or folder that has it (PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS), or install any build with "
    ".venv/bin/python -m pip install torch=={}, then run make dense"
)
NOT_REACHED = (
    "NewConnectionError", "Temporary failure in name resolution", "No matching distribution", "ReadTimeout",
    "ProxyError", "ConnectTimeout", "Connection refused", "Network is unreachable", "Could not fetch URL",
)  # fmt: skip


def lock_file(name: str) -> Path:
    """Return the path of the lock file called `name`."""
    return ROOT / "requirements" / f"{name}.txt"


def check_tools(name: str) -> None:
    """Raise StopError if a prerequisite is missing; its message says how to install it."""
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise StopError(
            f"Python's venv module is missing: sudo apt install python3-venv (or python{version}-venv), then try again."
        )
    if name == "test" and shutil.which("git") is None:
        raise StopError("git is missing: sudo apt install git, then start again.")


def venv_version() -> str | None:
    """Return the version of the environment's interpreter, or None if it does not run or has no packages."""
    try:
        asked = subprocess.run(
            [PYTHON, "-c", "import sys; print('.'.join(map(str, sys.version_info[:3])))"],
            capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return None
    version = asked.stdout.strip()
    packages = VENV / "lib" / f"python{version.rpartition('.')[0]}" / "site-packages"
    return version if packages.is_dir() else None


def stamp(name: str, version: str) -> str:
    """Return what identifies an installation: the interpreter's version and the hash of the lock file."""
    return f"{version} {hashlib.sha256(lock_file(name).read_bytes()).hexdigest()}"


def is_installed(name: str, version: str) -> bool:
    """Return whether the lock file called `name` is installed in its present version."""
    try:
        return (VENV / f"installed-{name}").read_text(encoding="ascii").strip() == stamp(name, version)
    except FileNotFoundError:
        return False


def run(command: list[str | Path], failure: str) -> None:
    """Run `command` quietly. If it fails, raise StopError with the cause, or with the end of the program's output."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        output, _ = process.communicate()
    except BaseException:
        process.kill()
        process.wait()
        raise
    if process.returncode == 0:
        return
    if "No space left on device" in output or "Disk quota exceeded" in output:
        raise disk_full(ROOT)
    if "do not match the hashes" in output.lower():
        raise StopError(f"{failure}: a package differs from the locked one. It was not installed.\n{output}")
    if any(sign in output for sign in NOT_REACHED):
        raise StopError(
            f"{failure}: the package index did not answer. Check the network (or PIP_INDEX_URL), then start again.\n"
            + "\n".join(output.splitlines()[-3:])
        )
    raise StopError(f"{failure}.\n" + "\n".join(output.splitlines()[-20:]))


def chosen_python() -> Path:
    """Return the path of the Python to build the environment with: the one that runs this, or the system's.

    A Python configured without `--enable-optimizations`, as pyenv does unless told otherwise, takes about a fifth more
    processor time. So the system's is used if it is of the same minor version and kind and has venv, unless PYTHON
    names one.
    """
    running = Path(sys.executable)
    is_optimized = "--enable-optimizations" in str(sysconfig.get_config_var("CONFIG_ARGS"))
    if is_optimized or sys.base_prefix == SYSTEM_PREFIX or os.environ.get("PYTHON"):
        return running
    try:
        asked = subprocess.run(
            [SYSTEM_PYTHON, "-I", "-c", KIND], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
    except OSError:
        return running
    ours = (sys.implementation.name, sys.version_info[:2], sys.abiflags)
    return SYSTEM_PYTHON if asked.returncode == 0 and asked.stdout.strip() == str(ours) else running


def build() -> str:
    """Create the environment, or rebuild one that does not run; return its interpreter's version."""
    again = VENV.exists()
    python = chosen_python()
    print(f"Building the virtual environment in .venv with {python} ...", flush=True)
    run(
        [python, "-m", "venv", *(["--clear"] if again else []), VENV],
        "The virtual environment could not be built",
    )
    version = venv_version()
    if version is None:
        raise StopError("The new virtual environment does not run: rm -rf .venv, then start again.")
    return version


def pip_install(what: list[str | Path], failure: str) -> None:
    """Install packages by pip, which leaves compiling to `compile_packages`."""
    run(
        [
            PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-deps", "--no-compile",
            "--only-binary", ":all:", *what,
        ],
        failure,
    )  # fmt: skip


def succeeds(command: list[str | Path], environment: dict[str, str] | None = None) -> bool:
    """Run `command` without showing what it says; return whether it could be run and ended well."""
    try:
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        return False
    return done.returncode == 0


def has_own_index() -> bool:
    """Return whether pip is told to ask another index than the public one, or none."""
    asked = subprocess.run(
        [PYTHON, "-m", "pip", "config", "list"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    return re.search(r"\.(?:index-url|no-index)=", asked.stdout) is not None


def uv_install(file: Path) -> bool:
    """Install a lock file by uv, which takes an eighth of pip's time; return whether that succeeded.

    Uv is fetched by pip for the occasion, with its cache inside `.venv`, whose files it links instead of copying.
    """
    if has_own_index():  # uv does not read pip's settings
        return False
    uv = UV_FOLDER / "bin" / "uv"
    if not uv.exists():
        fetched: list[str | Path] = [
            PYTHON, "-m", "pip", "install", "--no-input", "--no-deps", "--no-compile", "--only-binary", ":all:",
        ]  # fmt: skip
        if not succeeds([*fetched, "--target", UV_FOLDER, "--require-hashes", "-r", lock_file("uv")]):
            return False
    options = ["--no-config", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    return succeeds(
        [uv, "pip", "install", "--python", PYTHON, *options, "-r", file],
        {**os.environ, "UV_CACHE_DIR": str(UV_FOLDER / "cache")},
    )


def compile_packages() -> None:
    """Compile what is installed on all cores. Pip would compile on one, longer than all the rest.

    The tests of packages are left out, and a file that is not for this version of Python is not a failure.
    """
    subprocess.run(
        [PYTHON, "-m", "compileall", "-qq", "-j", "0", "-x", "site-packages/.*/tests/", VENV / "lib"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def install(name: str) -> None:
    """Install the lock file called `name` into `.venv`, unless it is installed already."""
    version = venv_version()
    if version is not None and is_installed(name, version):
        return
    need_room(ROOT, ROOM[name])
    if version is None:
        version = build()
    if not list(VENV.glob("lib/python*/site-packages/pip")):
        run([PYTHON, "-m", "ensurepip", "--upgrade"], "pip could not be installed into .venv")
    print(f"Installing {lock_file(name).relative_to(ROOT)} (half a minute or less) ...", flush=True)
    if not uv_install(lock_file(name)):  # pip says what is wrong, if it cannot either
        pip_install(["--require-hashes", "-r", lock_file(name)], "The dependencies could not be installed")
    if name != "models":  # of which tests load a small part, in few processes: each compiles it when it is needed
        compile_packages()
    for installed in LOCKS[name]:
        (VENV / f"installed-{installed}").write_text(stamp(installed, version) + "\n", encoding="ascii")


def torch_number() -> str:
    """Return the version of torch that dense retrieval uses."""
    (line,) = (line for line in lock_file("torch").read_text(encoding="ascii").splitlines() if line.startswith("torch"))
    return line.partition("==")[2].strip()


def has_torch(number: str) -> bool:
    """Return whether any build of this version of torch is installed."""
    code = "import importlib.metadata as found; print(found.version('torch'))"
    asked = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return asked.returncode == 0 and asked.stdout.strip().partition("+")[0] == number


def install_torch() -> None:
    """Install the small build of torch, for CPUs only; raises StopError if pip finds none."""
    number = torch_number()
    if has_torch(number):
        return
    need_room(ROOT, TORCH_ROOM)
    # On Linux the default index has a build that needs gigabytes of libraries; elsewhere it is for CPUs only.
    locked = lock_file("torch_cpu" if sys.platform == "linux" else "torch_default")
    print(f"Looking for torch {number} ({locked.relative_to(ROOT)}) ...", flush=True)
    try:
        pip_install(["--require-hashes", "-r", locked], "torch could not be installed")
    except StopError as problem:
        raise StopError(NO_TORCH.format(number, number) + ".") from problem


def install_dense(name: str) -> None:
    """Install torch and the lock file `name`. For `models`, which only tests need, a missing torch is just printed."""
    version = venv_version()
    if version is not None and is_installed(name, version) and has_torch(torch_number()):
        return
    try:
        install_torch()
    except StopError as problem:
        if name != "models":
            raise
        print(f"Tests of dense retrieval will be skipped: {problem}", flush=True)
        return
    install(name)


def install_part(part: str) -> None:
    """Install the lock files of `base`, `test` or `dense`."""
    try:
        install("base" if part == "dense" else part)
        if part != "base":
            install_dense("retrieval" if part == "dense" else "models")
    finally:
        shutil.rmtree(UV_FOLDER, ignore_errors=True)


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Hold a lock, so that a second installation in the same checkout waits for this one."""
    with lock_file(name).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another installation of this checkout ...", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def end(number: int, frame: FrameType | None) -> NoReturn:
    """Exit with the code for this signal; the exit kills the program that is running."""
    sys.exit(128 + number)


def main(name: str) -> int:
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    try:
        check_tools(name)
        with alone("base"):
            install_part(name)
    except StopError as problem:
        return stop(problem)
    except OSError as problem:
        return stop(file_problem(VENV, problem))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
