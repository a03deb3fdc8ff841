"""`download_model` fetches all files of a checkpoint's weights, by the real client from a hub on this machine."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from judges.metrics import MetricInput, metrics
from retrieval.model_files import find_model, missing_shards
from tests.house import ROOT
from tests.judges.tiny_models import bart, needs_torch  # noqa: F401 - a fixture

pytestmark = needs_torch
COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = "tiny/sharded"
TEXTS = [MetricInput("dogs are free", "the ferry leaves at night .")]


class Hub(BaseHTTPRequestHandler):
    """As much of the hub as its client needs to list a model's files and to fetch them; `server.folder` has them."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def answer(self):
        files = sorted(path for path in self.server.folder.iterdir() if path.is_file())
        path = self.path.partition("?")[0]
        if path.startswith(f"/api/models/{NAME}/tree/"):
            said = [{"type": "file", "path": one.name, "size": one.stat().st_size, "oid": COMMIT} for one in files]
            self.send(json.dumps(said).encode(), "application/json")
        elif path.startswith(f"/api/models/{NAME}"):
            said = {"id": NAME, "sha": COMMIT, "siblings": [{"rfilename": one.name} for one in files]}
            self.send(json.dumps(said).encode(), "application/json")
        else:
            self.send((self.server.folder / path.rpartition("/")[2]).read_bytes(), "application/octet-stream")

    def send(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def hub(tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        server.folder = tmp_path / "hub"
        server.folder.mkdir()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join(5)


@pytest.fixture
def var(settings, tmp_path):
    settings.VAR = tmp_path / "var"
    return settings.VAR


def save_in_shards(whole, folder, kind):
    """Save a model in several files of weights, of this kind, beside its tokenizer."""
    import torch
    from transformers import BartForConditionalGeneration

    model = BartForConditionalGeneration.from_pretrained(whole)
    model.save_pretrained(folder, max_shard_size="20KB")
    for path in whole.glob("token*.json"):
        (folder / path.name).write_bytes(path.read_bytes())
    if kind == "bin":
        from safetensors.torch import load_file

        index = folder / "model.safetensors.index.json"
        said = json.loads(index.read_text().replace("model-", "pytorch_model-").replace(".safetensors", ".bin"))
        for path in folder.glob("*.safetensors"):
            torch.save(load_file(path), folder / f"pytorch_{path.stem}.bin")
            path.unlink()
        index.unlink()
        (folder / "pytorch_model.bin.index.json").write_text(json.dumps(said))


def downloaded(hub, var):
    """Run the command in a process of its own, because the client reads the hub's address when it is loaded."""
    site = f"http://127.0.0.1:{hub.server_address[1]}"
    env = {**os.environ, "HF_ENDPOINT": site, "HF_HUB_DISABLE_XET": "1", "VAR": str(var), "no_proxy": "127.0.0.1"}
    command = [sys.executable, "manage.py", "download_model", NAME]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_all_shards_of_a_checkpoint_are_downloaded_and_give_the_same_values(hub, var, bart, kind):  # noqa: F811
    save_in_shards(bart, hub.folder, kind)
    assert len(list(hub.folder.glob(f"*-of-*.{kind}"))) > 1
    done = downloaded(hub, var)
    assert done.returncode == 0, done.stderr
    folder = find_model(NAME)
    assert {path.name for path in folder.iterdir()} == {path.name for path in hub.folder.iterdir()}
    options = {"device": "cpu"}
    whole, sharded = (
        metrics()["bartscore"].scores(TEXTS, {**options, "model": model})[0].value for model in (str(bart), NAME)
    )
    assert sharded == whole


@pytest.mark.thorough
def test_shards_of_a_format_that_is_not_used_are_left_out(hub, var, bart):  # noqa: F811
    save_in_shards(bart, hub.folder, "safetensors")
    (hub.folder / "pytorch_model-00001-of-00001.bin").write_bytes(b"not wanted")
    index = {"weight_map": {"a": "pytorch_model-00001-of-00001.bin"}}
    (hub.folder / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    done = downloaded(hub, var)
    assert done.returncode == 0, done.stderr
    assert not list(find_model(NAME).glob("*.bin"))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_a_checkpoint_that_lacks_a_shard_is_refused(hub, var, bart, kind):  # noqa: F811
    save_in_shards(bart, hub.folder, kind)
    lost = sorted(hub.folder.glob(f"*-of-*.{kind}"))[1]
    lost.unlink()
    assert missing_shards(hub.folder) == [lost.name]
    done = downloaded(hub, var)
    assert f"{NAME} is incomplete on the hub: it lacks {lost.name}." in done.stderr
    assert done.returncode == 1
