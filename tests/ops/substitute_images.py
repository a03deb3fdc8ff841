"""Images of Debian's packages in the place of the official ones, for a trial where no registry can be reached.

    python -m tests.ops.substitute_images [--remove]

Makes a root of each of two Debian releases by debootstrap, which needs root, and builds the images of
`tests/ops/substitutes` on them, or removes them all. Their names begin with `interrater-substitute-`.
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


def official_images() -> dict[str, str]:
    """Return the images that are not ours, as files name them, by their short names: `{"redis": "redis:7.4…"}`."""
    named = [service["image"] for service in compose.read()["services"].values() if "build" not in service]
    named += re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    return {name.partition(":")[0]: name for name in named}


def substitutes() -> dict[str, str]:
    """Return the names of the substitutes, by those that files give the official images."""
    return {official: f"interrater-substitute-{name}" for name, official in official_images().items()}


def docker(*words: str, where: Path = ROOT) -> str:
    return subprocess.run(["docker", *words], cwd=where, check=True, stdout=subprocess.PIPE, text=True).stdout


def has_image(name: str) -> bool:
    """Whether the engine has an image of this name, tag or digest."""
    asked = subprocess.run(["docker", "image", "inspect", name], capture_output=True, check=False)
    return asked.returncode == 0


def has_official_images() -> bool:
    """Whether those of the services are there. Builds fetch the one that ours begins with, and list it nowhere."""
    return all(has_image(image) for name, image in official_images().items() if name != "python")


def uses_substitutes() -> bool:
    """Whether substitutes are there, and the official images are not."""
    return all(map(has_image, substitutes().values())) and not has_official_images()


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
    if sys.argv[1:] == ["--remove"]:
        releases = [f"interrater-substitute-{release}" for release in RELEASES]
        made = [name for name in (*substitutes().values(), *releases) if has_image(name)]
        print(docker("image", "rm", *made) if made else "There are none.")
        return
    if missing := [name for name in ("docker", "debootstrap") if shutil.which(name) is None]:
        sys.exit(f"Install {' and '.join(missing)} first.")
    with tempfile.TemporaryDirectory(prefix="interrater-images-") as temporary:
        folder = Path(temporary)
        for release in RELEASES:
            make_release(release, folder)
        for name, official in official_images().items():
            image = substitutes()[official]
            shutil.copytree(FOLDER / name, folder / name)
            if name == "python":
                shutil.copy(CERTIFICATES, folder / name / "certificates.crt")
            docker("build", "--quiet", "--tag", image, ".", where=folder / name)
            print(f"{image}, in the place of {official}")


if __name__ == "__main__":
    main()
