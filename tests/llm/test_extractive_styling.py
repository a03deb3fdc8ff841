"""Instructions on style that rules can carry out are carried out wholly; others are refused, and nothing changes."""

import pytest

from llm.asking import Material
from llm.errors import CannotError
from llm.extractive import answer

ONE = (
    "Judges agree with people only in part [0]. Fu et al. (2023) report a correlation of 0.61 on summaries [1]. "
    "Length bias is common: judges prefer longer answers [2]."
)
TWO = (
    "Human annotators disagree as well [0]. The agreement of annotators is measured by alpha [0, 3]. "
    "It was 0.7 in one study [3]."
)
THREE = "Limitations remain, such as the small number of raters [1]. Future studies need more domains [2]."
ANSWER = f"{ONE}\n\n{TWO}\n\n{THREE}"
S = [sentence + "." for part in (ONE, TWO, THREE) for sentence in part.removesuffix(".").split("]. ")]
S = [sentence if "]" in sentence[-2:] else sentence.removesuffix(".") + "]." for sentence in S]


def styled(instruction, previous=ANSWER):
    return answer(Material("style", "How far do judges agree with people?", (), previous, instruction))


def text(*paragraphs):
    return "\n\n".join(" ".join(S[number] for number in paragraph) for paragraph in paragraphs)


def test_the_sentences_of_these_tests_are_those_of_the_answer():
    assert text((0, 1, 2), (3, 4, 5), (6, 7)) == ANSWER


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Please remove the last paragraph.", text((0, 1, 2), (3, 4, 5))),
        ("Delete the second sentence", text((0, 2), (3, 4, 5), (6, 7))),
        ("Remove the first and last sentence.", text((1, 2), (3, 4, 5), (6,))),
        ("Remove the last two sentences of the second paragraph", text((0, 1, 2), (3,), (6, 7))),
        ("Could you please remove sentence 3 and 4?", text((0, 1), (4, 5), (6, 7))),
        ("Without changing anything else, remove the sentence about length bias.", text((0, 1), (3, 4, 5), (6, 7))),
        ("Remove the paragraph about limitations.", text((0, 1, 2), (3, 4, 5))),
        ("Drop the sentence that mentions domains", text((0, 1, 2), (3, 4, 5), (6,))),
        ('Remove the sentence starting with "Fu et al."', text((0, 2), (3, 4, 5), (6, 7))),
        ('Delete every instance of the string "in one study".', ANSWER.replace(" in one study", "")),
        ("Remove all citations.", ANSWER.replace(" [0, 3]", "").replace(" [0]", "").replace(" [1]", "")
         .replace(" [2]", "").replace(" [3]", "")),
        ("Remove the citations to paper 0", ANSWER.replace(" [0]", "").replace("[0, 3]", "[3]")),
        ("Only keep the first sentence.", text((0,))),
        ("Give me only the first two sentences", text((0, 1))),
        ("Remove everything except the first paragraph", text((0, 1, 2))),
        ("Shorten the second paragraph to one sentence. Keep the rest as it is.", text((0, 1, 2), (3,), (6, 7))),
        ("Shorten the answer to a maximum of 2 paragraphs.", text((0, 1, 2), (3, 4, 5))),
        ("Turn the answer into a bulleted list.", "\n".join(f"- {one}" for one in S)),
        ("Make it a numbered list", "\n".join(f"{number}. {one}" for number, one in enumerate(S, 1))),
        ("Format the last paragraph as bullet points", f"{ONE}\n\n{TWO}\n\n- {S[6]}\n- {S[7]}"),
        ("Combine everything into one paragraph", text(range(8))),
        ("Merge the first two paragraphs", text(range(6), (6, 7))),
        ("Split it into 4 paragraphs.", text((0, 1), (2, 3), (4, 5), (6, 7))),
        ("Start with the paragraph about limitations.", text((6, 7), (0, 1, 2), (3, 4, 5))),
        ("Move the last paragraph to the beginning", text((6, 7), (0, 1, 2), (3, 4, 5))),
        ("Move the first sentence to the end.", text((1, 2), (3, 4, 5), (6, 7, 0))),
        ("Put the limitations last", text((0, 1, 2), (3, 4, 5), (7, 6))),
        ('Move the paragraph starting with "Limitations" to after the first paragraph',
         text((0, 1, 2), (6, 7), (3, 4, 5))),
        ("Move the last sentence before the second sentence", text((0, 7, 1, 2), (3, 4, 5), (6,))),
        ("Reverse the order of the paragraphs", text((6, 7), (3, 4, 5), (0, 1, 2))),
        ("Swap the first two paragraphs", text((3, 4, 5), (0, 1, 2), (6, 7))),
        ('At the end of the final paragraph, add the sentence "More is needed."', f"{ANSWER} More is needed."),
        ('As the first sentence add "Yes, in part."', f"Yes, in part. {ANSWER}"),
        ('Add this sentence at the end of the first paragraph: "So it is."', None),
        ('Add "So it is." at the end of the first paragraph', f"{ONE} So it is.\n\n{TWO}\n\n{THREE}"),
        ('Immediately after this sentence: "Human annotators disagree as well." add this sentence "No wonder."',
         ANSWER.replace("as well [0].", "as well [0]. No wonder.")),
        ('Replace "people" with "humans".', ANSWER.replace("people", "humans")),
        ('Add the heading "Judges and people"', f"Judges and people\n\n{ANSWER}"),
        ("Shorten to the first two sentences and turn them into a list", None),
        ("Only the first two sentences, then make it a bullet list", f"- {S[0]}\n- {S[1]}"),
        ("Remove the last paragraph and make it a list", "\n".join(f"- {one}" for one in S[:6])),
        ("Don't change anything further about this answer but copy it as-is.", ANSWER),
    ],
)  # fmt: skip
def test_what_a_rule_can_do_is_done_and_nothing_else_changes(instruction, expected):
    if expected is None:
        with pytest.raises(CannotError):
            styled(instruction)
    else:
        assert styled(instruction) == expected


@pytest.mark.parametrize(
    "instruction",
    [
        "Rewrite in simpler words.",
        "Make it more friendly",
        "Reorganize the answer so that positive results come first, followed by open problems.",
        "Remove the repeated techniques listed in the last paragraph.",
        "Make the answer two sentences long and more friendly",
        "Remove the last paragraph and make it rhyme",
        "Don't mention judges so often",
        "Translate it into French.",
        "K\u00fcrze die Antwort auf zwei S\u00e4tze.",
        "Remove the tenth sentence.",
        "Remove the paragraph about bananas",
        'Replace "bananas" with "apples"',
        'Delete the string "study stud"',
        "Shorten to 20 paragraphs",
        "Cut it to 2 words",
        "Remove all sentences about bananas and judges",
        "x" * 5000,
    ],
)
def test_what_no_rule_does_is_refused_with_a_sentence(instruction):
    with pytest.raises(CannotError) as refused:
        styled(instruction)
    assert refused.value.kind == "cannot"
    assert refused.value.reason.endswith(".")


@pytest.mark.parametrize(
    ("instruction", "most"),
    [
        ("Make it shorter", 35),
        ("Cut it in half.", 29),
        ("Make it half as long.", 29),
        ("Make the answer about half as long", 29),
        ("Use 20 words", 20),
    ],
)
def test_shortening_leaves_whole_sentences_in_their_order(instruction, most):
    left = styled(instruction)
    found = [number for number, sentence in enumerate(S) if sentence in left]
    assert " ".join(left.split()) == " ".join(S[number] for number in found)
    words = sum(len(word.strip("[],.0123456789")) > 0 for word in left.split())
    assert most / 2 < words <= most


def test_the_first_sentence_becomes_the_one_that_answers():
    given = "Work goes on in this field [1]. Judges agree with people only in part [0]."
    expected = "Judges agree with people only in part [0]. Work goes on in this field [1]."
    assert styled("Make the first sentence a direct answer to the question.", given) == expected
    with pytest.raises(CannotError, match="already"):
        styled("Start with a direct answer", expected)


def test_repeated_sentences_go():
    again = f"{ONE}\n\nJudges prefer longer answers, and length bias is common [2]. {S[7]}"
    assert styled("Remove redundant sentences", again) == f"{ONE}\n\n{S[7]}"


def test_lists_become_prose_and_keep_what_stands_around_them():
    listed = f"Two things:\n- {S[0]}\n- {S[1]}\n\nThe end."
    assert styled("Remove the bullet points", listed) == f"Two things:\n\n{S[0]} {S[1]}\n\nThe end."
    assert styled("Remove bullet point 2", listed) == f"Two things:\n- {S[0]}\n\nThe end."


def test_paragraphs_that_are_not_spoken_of_keep_every_space():
    odd = f"An  odd   paragraph ,\nwith a line break\n\n{TWO}"
    assert styled("Remove the last sentence", odd).startswith("An  odd   paragraph ,\nwith a line break\n\n")
