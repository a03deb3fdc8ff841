"""Where the models of dense searchers are on this machine. Nothing here loads one or asks the network for one.

A model is named as on the Hugging Face hub (`facebook/contriever-msmarco`) or by a folder's name; both are looked
for below `VAR/models`: as a folder of that name, and in the hub's own layout, which `download_model` fills.
"""

import hashlib
import re
from pathlib import Path

from django.conf import settings

from retrieval.errors import ModelMissingError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,95}(/[A-Za-z0-9][A-Za-z0-9_.-]{0,95})?")
CONFIGS = ("modules.json", "config.json")
READ_WHOLE = 1 << 20
SAMPLES, SAMPLE = 64, 4096
"""How many pieces of a larger file are looked at, and how many bytes of each: it is done before every search."""


def models_folder() -> Path:
    """Where models are looked for, and downloaded to."""
    return Path(settings.VAR) / "models"


def check_name(name: object) -> str:
    """The name, which cannot lead out of the folder of models; raises ModelMissingError."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ModelMissingError(f"{str(name)[:60]!r} is no name of a model. One is 'facebook/contriever-msmarco'.")
    return name


def find_model(name: str) -> Path:
    """The folder of the model; raises ModelMissingError with what to do."""
    check_name(name)
    hub = models_folder() / f"models--{name.replace('/', '--')}"
    places = [models_folder() / name]
    revision = hub / "refs" / "main"
    if revision.is_file():
        places.append(hub / "snapshots" / revision.read_text(encoding="ascii").strip())
    for place in places:
        if any((place / config).is_file() for config in CONFIGS):
            return place
    raise ModelMissingError(
        f"The model {name} is not on this machine. The operator can fetch it with: "
        f"python manage.py download_model {name}"
    )


def fingerprint(folder: Path) -> str:
    """Tells a model's files from other ones: names, sizes and contents, those of large ones in samples."""
    found = hashlib.blake2b(digest_size=16)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        size = path.stat().st_size
        content = hashlib.blake2b(path.read_bytes() if size <= READ_WHOLE else _samples(path, size)).digest()
        found.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode() + content)
    return found.hexdigest()


def _samples(path: Path, size: int) -> bytes:
    """Pieces from all over a file: weights that were trained further differ nearly everywhere."""
    with path.open("rb") as file:
        pieces = []
        for number in range(SAMPLES):
            file.seek(size * number // SAMPLES)
            pieces.append(file.read(SAMPLE))
    return b"".join(pieces)
