"""Tiny models with random weights, saved as the hub has models, so that the real loading code is tested."""

import importlib.util
from pathlib import Path

import pytest

WORDS = (
    "the", "ferry", "leaves", "at", "night", "train", "sails", "in", "winter", "dogs", "are", "free", "a", "b", "c",
    "d", "e", ".", ",", ":", "1", "0", "good", "bad", "neutral",
)  # fmt: skip
FORMS = ["premise", "hypothesis", "Original", "question", "Previous", "answer", "Instruction", "Updated", "Rating"]


def absent(*packages: str) -> bool:
    return any(importlib.util.find_spec(name) is None for name in packages)


needs_torch = pytest.mark.skipif(absent("torch", "transformers"), reason="torch or transformers is absent")


def seeded(number: int) -> None:
    """Draw the weights that follow by this seed, on one thread: for tiny models more threads only wait."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(number)


def save_tokenizer(folder: Path, template: str) -> None:
    """Save a tokenizer of whole words; `template` says where its special tokens are, such as "<s> $A </s>"."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "<s>", "</s>", "<unk>"]
    vocabulary = {word: number for number, word in enumerate([*special, *WORDS, *FORMS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    pair = template.replace("$A", "$A </s> $B") if template.startswith("<s>") else template
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template, pair=pair if "$B" in pair else None, special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)


def tiny_t5(folder: Path, **changes) -> Path:
    from transformers import T5Config, T5ForConditionalGeneration

    seeded(1)
    config = T5Config(
        vocab_size=64, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, pad_token_id=0, eos_token_id=2,
        decoder_start_token_id=0, **changes,
    )  # fmt: skip
    T5ForConditionalGeneration(config).save_pretrained(folder)
    save_tokenizer(folder, "$A </s>")
    return folder


@pytest.fixture(scope="session")
def t5(tmp_path_factory) -> Path:
    """A T5 of two layers."""
    return tiny_t5(tmp_path_factory.mktemp("t5"))


@pytest.fixture(scope="session")
def bart(tmp_path_factory) -> Path:
    """A BART of two layers that reads 24 tokens."""
    from transformers import BartConfig, BartForConditionalGeneration

    folder = tmp_path_factory.mktemp("bart")
    seeded(2)
    config = BartConfig(
        vocab_size=64, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=24, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2, init_std=0.3, dropout=0.3,
    )  # fmt: skip
    BartForConditionalGeneration(config).save_pretrained(folder)
    save_tokenizer(folder, "<s> $A </s>")
    return folder


@pytest.fixture(scope="session")
def roberta(tmp_path_factory) -> Path:
    """A RoBERTa of two layers that reads 20 tokens: its first position is behind that of the padding."""
    from transformers import RobertaConfig, RobertaModel

    folder = tmp_path_factory.mktemp("roberta")
    seeded(3)
    config = RobertaConfig(
        vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=21, pad_token_id=0, bos_token_id=1, eos_token_id=2, initializer_range=0.3,
    )  # fmt: skip
    RobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    save_tokenizer(folder, "<s> $A </s>")
    return folder


def tiny_classifier(folder: Path, labels: list[str]) -> Path:
    """Save a RoBERTa that classifies pairs and reads 20 tokens."""
    from transformers import RobertaConfig, RobertaForSequenceClassification

    seeded(4)
    config = RobertaConfig(
        vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=21, pad_token_id=0, bos_token_id=1, eos_token_id=2, initializer_range=0.3,
        id2label=dict(enumerate(labels)), label2id={label: number for number, label in enumerate(labels)},
    )  # fmt: skip
    RobertaForSequenceClassification(config).save_pretrained(folder)
    save_tokenizer(folder, "<s> $A </s>")
    return folder
