"""What a person's download leaves out, and why; it is the last list of the file."""

from collections.abc import Iterator
from typing import Any

LEFT_OUT = {
    "sessions of browsers": "The page of your browsers lists them and ends them. What identifies one is a secret.",
    "secrets": "Passwords, links, API tokens and second factors are kept as hashes or encrypted. The file says how many"
    " links there are, and since when you have a second factor. The page of API tokens lists yours.",
    "figures about your work": "They would tell which tasks were hidden checks: what rules look at, what was found, and"
    " what researchers noted about it. The people who run the study can tell you more when it is over.",
    "places and order of tasks": "They would tell which tasks come next, and which were checks. They say nothing about"
    " you.",
    "copies of your answers": "The same answers are kept once more as single ratings, as pages that were sent again,"
    " and as calls to language models. The file has the answers themselves.",
    "what others did with your answers": "Verdicts, labels, samples and final answers are other people's work. Notes"
    " and answers to your flags that were sent to you are in the file.",
    "subjects and values of the audit": "They can name other people, or tell which tasks were checks.",
    "work for studies that you run": "The pages of these studies show what you made, started and decided there:"
    " prompts, runs, uploads, exports, invitations, plans and settings.",
    "accounts of operators": "Rights in the administration and its old log are shown there.",
}
"""What is left out, by a short name: the reason, for the person."""


def left_out() -> Iterator[dict[str, Any]]:
    """The rows of the list."""
    for what, why in LEFT_OUT.items():
        yield {"what": what, "why": why}
