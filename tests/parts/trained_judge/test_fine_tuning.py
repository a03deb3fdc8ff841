"""Fine-tuning on a toy task: good if the new answer has the word that the instruction names."""

import json
import random

import pytest

from parts.trained_judge.fine_tuning import train
from parts.trained_judge.likeliest_labels import judge, judged_turns
from parts.trained_judge.training_turns import TrainingError, TrainingTurn, data_digest, target_text, turn_text
from tests.judges.tiny_models import needs_torch, tiny_t5

LETTERS = "abcde"
FEW = {"epochs": 2, "learning_rate": 1e-3, "device": "cpu", "seed": 3}


def toy_turns(number: int, seed: int) -> list[TrainingTurn]:
    """Turns that are good if the new answer ends with `free`, half of them."""
    drawn, found = random.Random(seed), []
    for place in range(number):
        rating = ("good", "bad")[place % 2]
        words = [drawn.choice(LETTERS) for _ in range(drawn.randrange(1, 5))]
        end = "free" if rating == "good" else "night"
        found.append(
            TrainingTurn("the ferry", "a b c", f"in {words[0]}", " ".join([*words, end]), rating, key=f"turn {place}")
        )
    return found


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_t5(tmp_path_factory.mktemp("base"), dropout_rate=0.1)


@pytest.fixture(scope="module")
def trained(model, tmp_path_factory):
    seen = []
    result = train(
        toy_turns(96, 1), toy_turns(20, 2), model, tmp_path_factory.mktemp("judges") / "judge", epochs=8,
        learning_rate=1e-2, device="cpu", seed=3, split={"name": "toy", "seed": 9},
        progress=lambda done, all_steps: seen.append((done, all_steps)),
    )  # fmt: skip
    assert seen == [(step, 48) for step in range(1, 49)]
    return result


@needs_torch
def test_training_lowers_the_loss_and_learns_the_task(trained):
    first, last = trained.epochs[0], trained.epochs[-1]
    assert [epoch.number for epoch in trained.epochs] == list(range(1, 9))
    assert last.training_loss < first.training_loss / 2
    best = trained.epochs[trained.best_epoch - 1]
    assert best.validation_accuracy == max(epoch.validation_accuracy for epoch in trained.epochs)
    assert best.validation_accuracy > 0.9
    others = toy_turns(30, 5)
    right = [label == turn.rating for label, turn in zip(judge(others, trained.folder), others, strict=True)]
    assert sum(right) >= 27


@needs_torch
def test_the_saved_judge_says_what_it_was_made_of(trained, model):
    about = json.loads((trained.folder / "training.json").read_text())
    assert about["data_sha256"] == trained.data_digest
    assert about["data_sha256"] == data_digest({"training": toy_turns(96, 1), "validation": toy_turns(20, 2)})
    assert about["weights_sha256"] == trained.weights_digest
    assert about["split"] == {"name": "toy", "seed": 9}
    assert about["turns"] == {"training": 96, "validation": 20}
    assert about["labels"] == ["bad", "good"]
    assert about["model"] == str(model)
    assert about["parameters"] == {
        "batch_size": 16, "learning_rate": 0.01, "epochs": 8, "seed": 3, "max_length": 1024, "device": "cpu",
    }  # fmt: skip
    assert [epoch["validation_loss"] for epoch in about["epochs"]] == [one.validation_loss for one in trained.epochs]
    assert about["best_epoch"] == trained.best_epoch
    assert about["identity"]["packages"]["torch"]
    assert about["identity"]["digest"]
    assert [path.name for path in trained.folder.parent.iterdir()] == ["judge"]


@needs_torch
def test_the_best_epoch_is_the_one_that_was_saved(trained):
    validation = toy_turns(20, 2)
    labels = judge(validation, trained.folder)
    accuracy = sum(label == turn.rating for label, turn in zip(labels, validation, strict=True)) / 20
    assert accuracy == trained.epochs[trained.best_epoch - 1].validation_accuracy


@needs_torch
def test_likelihoods_are_those_of_the_whole_target(trained):
    """Computed here: the model is asked for each token of the target, one turn and one token at a time."""
    import numpy as np
    import torch
    from transformers import AutoTokenizer, T5ForConditionalGeneration

    tokenizer = AutoTokenizer.from_pretrained(trained.folder)
    model = T5ForConditionalGeneration.from_pretrained(trained.folder).eval()
    turns = [toy_turns(4, 8)[place] for place in (0, 3)]
    for judged, turn in zip(judged_turns(turns, trained.folder), turns, strict=True):
        source = tokenizer("".join(turn_text(turn)), return_tensors="pt")
        expected = {}
        for label in ("bad", "good"):
            ids = tokenizer(target_text(label))["input_ids"]
            total = 0.0
            for place, token in enumerate(ids):
                with torch.no_grad():
                    read = torch.tensor([[0, *ids[:place]]])
                    logits = model(**source, decoder_input_ids=read).logits[0, -1].numpy().astype(np.float64)
                total += logits[token] - logits.max() - np.log(np.exp(logits - logits.max()).sum())
            expected[label] = total
        assert judged.likelihoods == pytest.approx(expected, abs=1e-4)
        assert judged.label == max(expected, key=expected.get)


@needs_torch
def test_turns_are_judged_alike_alone_and_in_batches(trained):
    turns = toy_turns(12, 6)
    together = judged_turns(turns, trained.folder)
    alone = [judged_turns([turn], trained.folder, batch_size=1)[0] for turn in turns]
    for one, other in zip(together, alone, strict=True):
        assert (one.label, one.truncated) == (other.label, 0)
        assert one.likelihoods == pytest.approx(other.likelihoods, abs=1e-4)
    assert judge(turns, trained.folder, ["good"]) == ["good"] * 12
    assert judge([], trained.folder) == []


@pytest.mark.thorough
@needs_torch
def test_the_same_seed_gives_the_same_weights(model, tmp_path):
    import torch

    data = toy_turns(24, 1), toy_turns(6, 2)
    torch.manual_seed(77)
    first = train(*data, model, tmp_path / "first", **FEW)
    after = torch.rand(1)
    second = train(*data, model, tmp_path / "second", **FEW)
    other = train(*data, model, tmp_path / "other", **{**FEW, "seed": 4})
    assert first.weights_digest == second.weights_digest != other.weights_digest
    assert first.epochs == second.epochs
    assert judge(data[1], first.folder) == judge(data[1], second.folder)
    torch.manual_seed(77)
    assert torch.rand(1) == after, "training draws no random numbers of the process"


@needs_torch
def test_long_turns_lose_the_end_of_the_previous_answer_first(model, tmp_path):
    """Beside headings, end and the other texts there is room for 20 of the previous answer's 50 tokens."""
    long = [TrainingTurn("dogs", "a b c d e " * 10, "free", f"{word} .", word) for word in ("good", "bad")]
    cut = [TrainingTurn("dogs", "a b c d e " * 4, "free", f"{word} .", word) for word in ("good", "bad")]
    headings = 3 + 3 + 2 + 3 + 1
    kept = headings + 1 + 1 + 2 + 20
    result = train(long, long, model, tmp_path / "long", **FEW, max_length=kept)
    assert result.truncated == 4 * 30
    judged = judged_turns([*long, *cut], tmp_path / "long")
    assert [one.truncated for one in judged] == [30, 30, 0, 0]
    assert judged[0].likelihoods == pytest.approx(judged[2].likelihoods, abs=1e-5)


@needs_torch
def test_nothing_is_left_of_a_training_that_was_stopped(model, tmp_path):
    class StoppedError(Exception):
        pass

    def stop(done: int, all_steps: int) -> None:
        if done == 3:
            raise StoppedError

    with pytest.raises(StoppedError):
        train(toy_turns(32, 1), toy_turns(4, 2), model, tmp_path / "judge", **FEW, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_data_that_cannot_be_learned_from_is_refused(tmp_path):
    some, none = toy_turns(4, 1), []
    for turns, validation, sentence in (
        (some, none, "no validation turns"),
        (none, some, "at least two different ratings"),
        (some[::2], some[::2], "at least two different ratings"),
        ([*some, TrainingTurn("q", "p", "i", "n")], some, "without a rating"),
        (some, [TrainingTurn("q", "p", "i", "n", "neutral")], "no training turn has: neutral"),
    ):
        with pytest.raises(TrainingError, match=sentence):
            train(turns, validation, "example/none", tmp_path / "judge")
    with pytest.raises(TrainingError, match="greater than 0"):
        train(some, some, "example/none", tmp_path / "judge", epochs=0)
    with pytest.raises(TrainingError, match="exists already"):
        train(some, some, "example/none", tmp_path)


def test_a_folder_without_training_cannot_judge(tmp_path):
    with pytest.raises(TrainingError, match="so it is no trained judge"):
        judge(toy_turns(2, 1), tmp_path)
    (tmp_path / "training.json").write_text(json.dumps({"labels": ["bad", "good"]}))
    with pytest.raises(TrainingError, match="trained on the labels bad, good, not on neutral"):
        judge(toy_turns(2, 1), tmp_path, ["good", "neutral"])


def test_the_digest_covers_every_text_the_order_and_the_part():
    turns = toy_turns(4, 1)
    first = data_digest({"training": turns, "validation": []})
    assert first == data_digest({"validation": [], "training": list(turns)})
    assert first != data_digest({"training": turns[::-1], "validation": []})
    assert first != data_digest({"training": [], "validation": turns})
    changed = [TrainingTurn("the ferry", "", "", "", "good"), *turns[1:]]
    assert first != data_digest({"training": changed, "validation": []})


def test_turns_are_worded_as_in_the_paper():
    turn = TrainingTurn("Q?", "Old.", "Do it.", "New.", "good")
    assert "".join(turn_text(turn)) == (
        "Original question: Q? Previous answer: Old. Instruction: Do it. Updated answer: New."
    )
    assert target_text(turn.rating) == "Rating : good"
