"""Images of Debian's packages in the place of the official ones, for a trial where no registry can be reached.

    python -m tests.ops.substitute_images

Makes a root of each of two Debian releases by debootstrap, which needs root, and builds the images of
`tests/ops/substitutes` on them. Each gets the name that docker-compose.yml or the Dockerfile gives, without its digest.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts import compose
from tests.house import ROOT

FOLDER = Path(__file__).parent / "substitutes"
RELEASES = ("bookworm", "trixie")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
DIGEST = re.compile(r"@sha256:[0-9a-f]{64}")


def official_images(*, digests: bool = False) -> dict[str, str]:
    """Return the images that are not ours, by their names: `{"redis": "redis:7.4…"}`, with digests if asked."""
    named = [service["image"] for service in compose.read()["services"].values() if "build" not in service]
    named += re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    return {name.partition(":")[0]: name if digests else DIGEST.sub("", name) for name in named}


def docker(*words: str, where: Path = ROOT) -> str:
    return subprocess.run(["docker", *words], cwd=where, check=True, stdout=subprocess.PIPE, text=True).stdout


def has_image(name: str) -> bool:
    """Whether the engine has an image of this name, tag or digest."""
    asked = subprocess.run(["docker", "image", "inspect", name], capture_output=True, check=False)
    return asked.returncode == 0


def make_release(release: str, folder: Path) -> None:
    """Make the image `interrater-substitute-RELEASE` of a minimal Debian, unless it is there."""
    name = f"interrater-substitute-{release}"
    if has_image(name):
        return
    root = folder / release
    subprocess.run(["debootstrap", "--variant=minbase", release, root], check=True, stdout=subprocess.DEVNULL)
    with subprocess.Popen(["tar", "-C", root, "-c", "."], stdout=subprocess.PIPE) as packed:
        subprocess.run(["docker", "import", "-", name], stdin=packed.stdout, stdout=subprocess.DEVNULL, check=True)


def main() -> None:
    if missing := [name for name in ("docker", "debootstrap") if shutil.which(name) is None]:
        sys.exit(f"Install {' and '.join(missing)} first.")
    with tempfile.TemporaryDirectory(prefix="interrater-images-") as temporary:
        folder = Path(temporary)
        for release in RELEASES:
            make_release(release, folder)
        for name, image in official_images().items():
            shutil.copytree(FOLDER / name, folder / name)
            if name == "python":
                shutil.copy(CERTIFICATES, folder / name / "certificates.crt")
            docker("build", "--quiet", "--tag", image, ".", where=folder / name)
            print(f"{image} is made of Debian's packages")


if __name__ == "__main__":
    main()
