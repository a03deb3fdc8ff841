"""Files with code in them: opening a manipulated index, part of an index or model runs nothing."""

import io
import os
import pickle

import numpy as np
import pytest

from retrieval import embedding
from retrieval.embedding import load_encoder
from retrieval.models import IndexBuild
from retrieval.search_errors import ModelMissingError, SearchError
from retrieval.searchers.dense import Dense
from retrieval.searching import _opened, search

needs_torch = pytest.mark.skipif(not embedding.installed(), reason="torch, sentence-transformers or faiss is absent")


class Code:
    """An object that makes the folder `made` when it is unpickled."""

    def __init__(self, made):
        self.made = str(made)

    def __reduce__(self):
        return os.mkdir, (self.made,)


@pytest.fixture
def made(tmp_path):
    """The folder that exists once the code of a file has run; the fixture checks that running it makes one."""
    pickle.loads(pickle.dumps(Code(tmp_path / "tried")))
    assert (tmp_path / "tried").is_dir()
    return tmp_path / "made"


def as_pickle(made):
    return pickle.dumps(Code(made))


def as_array(made):
    file = io.BytesIO()
    np.save(file, np.array([Code(made)], dtype=object), allow_pickle=True)
    return file.getvalue()


def as_archive(made):
    file = io.BytesIO()
    np.savez(file, np.array([Code(made)], dtype=object))
    return file.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("crafted", [as_pickle, as_array])
def test_no_file_of_an_index_runs_code(indexed, made, crafted):
    item, folder = indexed.items.get(), IndexBuild.objects.get().files
    assert search(item, "ferry").hits
    arrays = sorted(path.name for path in folder.glob("*.npy"))
    assert {"items.npy", "starts.npy", "rows.npy"} < {*arrays}
    for name in sorted(path.name for path in folder.iterdir()):
        kept = (folder / name).read_bytes()
        (folder / name).write_bytes(crafted(made))
        _opened.cache_clear()
        with pytest.raises(SearchError, match="damaged"):
            search(item, "ferry")
        (folder / name).write_bytes(kept)
    assert not made.exists()
    _opened.cache_clear()
    assert search(item, "ferry").hits


@needs_torch
@pytest.mark.parametrize("crafted", [as_pickle, as_array, as_archive])
def test_no_part_of_a_dense_index_runs_code(tmp_path, made, crafted):
    part = tmp_path / "part.npy"
    part.write_bytes(crafted(made))
    with pytest.raises((ValueError, AttributeError)):
        Dense().assemble(tmp_path, [part], {})
    assert not made.exists()


@needs_torch
def test_no_weights_of_a_downloaded_model_run_code(tmp_path, made):
    import torch
    from transformers import BertConfig

    folder = tmp_path / "model"
    BertConfig(
        vocab_size=4, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8
    ).save_pretrained(folder)
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n")
    torch.save({"weights": Code(made)}, folder / "pytorch_model.bin")
    with pytest.raises(ModelMissingError, match="cannot be loaded"):
        load_encoder(folder)
    assert not made.exists()
