"""MT-bench's judgments, by people and by models, with texts in them or in files of their own."""

import pytest
from django.core.management import CommandError

from tests.parts.other_tools.conftest import questions_of, ratings_of


def talk(*texts):
    return [{"role": "assistant" if place % 2 else "user", "content": text} for place, text in enumerate(texts)]


def judged(winner, judge="expert_1", turn=1, first="ada", second="bea", question=81):
    return {
        "question_id": question,
        "model_a": first,
        "model_b": second,
        "winner": winner,
        "judge": judge,
        "conversation_a": talk("Q1", f"{first} 1", "Q2", f"{first} 2"),
        "turn": turn,
        "conversation_b": talk("Q1", f"{second} 1", "Q2", f"{second} 2"),
    }


def test_decisions_of_people_move_turn_by_turn_without_an_order(written, moved):
    file = written(
        "human.jsonl",
        [
            judged("model_b"),
            judged("tie", "author_2"),
            judged("model_a", first="bea", second="ada", judge="expert_3"),
            judged("tie (inconsistent)", "gpt4_pair"),
            judged("model_a", turn=2),
        ],
    )
    study, said = moved("mt-bench", file)
    assert study.protocol == "pairwise"
    assert ratings_of(study, "shown", "rater__kind") == sorted(
        [
            ("81-turn-1", "expert_1", "winner", "bea", [], "human"),
            ("81-turn-1", "author_2", "winner", "tie", [], "human"),
            ("81-turn-1", "expert_3", "winner", "bea", [], "human"),
            ("81-turn-1", "gpt4_pair", "winner", "tie", [], "model"),
            ("81-turn-2", "expert_1", "winner", "ada", [], "human"),
        ],
        key=repr,
    )
    assert study.items.get(key="81-turn-1").outputs.get(key="ada").text == "ada 1"
    later = study.items.get(key="81-turn-2")
    assert (later.instruction, later.outputs.get(key="bea").text) == ("Q1", "bea 1\n\nUser:\nQ2\n\nAssistant:\nbea 2")
    assert "1: ties of two games that contradict each other." in said


@pytest.fixture
def texts(written):
    """The files with the questions and the answers of two models."""
    questions = written("question.jsonl", [{"question_id": 81, "category": "writing", "turns": ["Q1", "Q2"]}])
    answers = [
        written(
            f"model_answer/{name}.jsonl",
            [
                {
                    "question_id": 81,
                    "answer_id": "x",
                    "model_id": name,
                    "tstamp": 1.5,
                    "choices": [{"index": 0, "turns": [f"{name} 1", f"{name} 2"]}],
                },
            ],
        )
        for name in ("ada", "bea")
    ]
    return [questions, *answers]


def test_both_games_of_a_model_move_with_their_orders(written, moved, texts):
    pair = {
        "question_id": 81,
        "model_1": "ada",
        "model_2": "bea",
        "judge": ["gpt-4", "pair-v2"],
        "turn": 2,
        "tstamp": 1687222222.5,
        "g1_user_prompt": "p",
        "g2_user_prompt": "p",
    }
    file = written(
        "gpt-4_pair.jsonl",
        [
            {**pair, "g1_winner": "model_1", "g2_winner": "tie", "g1_judgment": "why", "g2_judgment": "so"},
            {**pair, "turn": 1, "g1_winner": "error", "g2_winner": "model_2", "g1_judgment": "", "g2_judgment": "b"},
        ],
    )
    study, said = moved("mt-bench", file, *texts)
    assert ratings_of(study, "shown", "explanation") == [
        ("81-turn-1", "gpt-4", "winner", "bea", ["bea", "ada"], "b"),
        ("81-turn-2", "gpt-4", "winner", "ada", ["ada", "bea"], "why"),
        ("81-turn-2", "gpt-4", "winner", "tie", ["bea", "ada"], "so"),
    ]
    assert study.items.get(key="81-turn-2").metadata == {"question_id": 81, "turn": 2, "category": "writing"}
    assert "1: judgments without a result." in said
    with pytest.raises(CommandError, match=r"has no text of \"ada\": give question\.jsonl and the model's file"):
        moved("mt-bench", file)


def test_scores_of_single_answers_move(written, moved, texts):
    single = {"question_id": 81, "judge": ["gpt-4", "single-v1"], "user_prompt": "p", "judgment": "Rating: [[8]]"}
    file = written(
        "gpt-4_single.jsonl",
        [
            {**single, "model": "ada", "score": 8, "turn": 1},
            {**single, "model": "bea", "score": 6.5, "turn": 1},
            {**single, "model": "bea", "score": -1, "turn": 2},
        ],
    )
    study, said = moved("mt-bench", file, *texts)
    assert questions_of(study) == {"score": ("slider", {"min": 1, "max": 10})}
    assert ratings_of(study, "output__key", "metadata") == [
        ("81-turn-1", "gpt-4", "score", 6.5, "bea", {"prompt": "single-v1"}),
        ("81-turn-1", "gpt-4", "score", 8, "ada", {"prompt": "single-v1"}),
    ]
    assert "1: judgments without a result." in said


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (judged("north"), 'line 1: winner: must be model_a, model_b or tie, not "north"'),
        (judged("model_a", turn=3), "line 1: turn: is 3, but the conversation has fewer answers"),
        ({**judged("model_a"), "conversation_a": ["x"]}, r"line 1: conversation\.0: must be an object with a role"),
        ({**judged("model_a"), "judge": None}, "line 1: judge: is missing"),
    ],
)
def test_what_is_not_understood_names_its_line(written, moved, line, message):
    with pytest.raises(CommandError, match=message):
        moved("mt-bench", written("human.jsonl", [line]))
