"""`make lock`: resolve `requirements/*.in` for all supported machines and Python versions.

The result names no index, so anyone can install from their own mirror; the hashes are those of the public index.
Torch and the packages of its builds are left out: `torch_default` has them, and `torch_cpu`, whose hashes are copied by
hand, because the default index does not have that build.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = "uv"
"""Its file is resolved like the others; with that version `scripts.virtual_environment` installs them."""
OLDEST = "3.11"
NAMES = (UV, "base", "test", "sentry", "retrieval", "models", "torch_default")
"""The files to resolve, in order: a file may use those before it as constraints."""
OF_TORCH = re.compile(r"^(?:torch|triton|(?:nvidia|cuda)-[a-z0-9-]+)==(?:.*\\\n)*.*\n", flags=re.MULTILINE)
OURS_ONLY = ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_EXTRA_INDEX_URL", "UV_INDEX")


def resolve(name: str, environment: dict[str, str]) -> None:
    """Write `requirements/<name>.txt` from `requirements/<name>.in`."""
    command = [
        sys.executable, "-m", "uv", "pip", "compile", f"requirements/{name}.in", "-o", f"requirements/{name}.txt",
        "--universal", "--python-version", OLDEST, "--generate-hashes", "--no-config", "--no-emit-index-url",
        "--no-emit-find-links", "--no-header", "--no-annotate", "--quiet", *sys.argv[1:],
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    file = ROOT / "requirements" / f"{name}.txt"
    text = file.read_text(encoding="utf-8")
    if name != "torch_default":
        text = OF_TORCH.sub("", text)
        file.write_text(text, encoding="utf-8")
    if re.search(r"://|^-|(?:^|\s)@ |/home/|/root/|/opt/", text, flags=re.MULTILINE):
        sys.exit(f"requirements/{name}.txt contains the address of an index or a path of this machine.")


def main() -> None:
    environment = {key: value for key, value in os.environ.items() if key not in OURS_ONLY}
    locked = ["--require-hashes", "-r", f"requirements/{UV}.txt"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", *locked], cwd=ROOT, check=True, stdin=subprocess.DEVNULL
    )
    for name in NAMES:
        resolve(name, environment)


if __name__ == "__main__":
    main()
