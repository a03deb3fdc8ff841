"""Labels of long names, short enough for a drawing or a table's head, that stay distinct."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

CUT = "\N{HORIZONTAL ELLIPSIS}"
MOST_LETTERS = 28
IN_TABLES = 40
LEAST_PART = 3
"""Letters that are kept of a beginning or an end, if any are."""
JOINTS = (" \N{MINUS SIGN} ", " \N{MIDDLE DOT} ")
"""What joins two names to one, such as those of two systems that are compared."""


def short_names(names: Iterable[str], most: int = MOST_LETTERS) -> dict[str, str]:
    """A label for each name: the name itself if it has at most `most` letters, otherwise cut in the middle.

    Different names have different labels. A label has at most `most` letters; only if names differ in more places
    than that has room for, it ends with a number.
    """
    given = list(dict.fromkeys(names))
    labels = {name: name for name in given if len(name) <= most}
    brief = _without_shared([name for name in given if name not in labels])
    taken = set(labels.values())
    labels |= {name: text for name, text in brief.items() if len(text) <= most and text not in taken}
    for group in _alike([name for name in brief if name not in labels], brief, most):
        found = _distinct({name: brief[name] for name in group}, most, set(labels.values()))
        labels |= found
    return {name: labels[name] for name in given}


def short_rows(names: Sequence[str], most: int = IN_TABLES) -> dict[str, str]:
    """Labels of a table's rows; in rows of two names, such as pairs of systems, each name is cut."""
    joint = next((one for one in JOINTS if any(one in name for name in names)), None)
    if joint is None or all(len(name) <= most for name in names):
        return short_names(names, most)
    parts = short_names((part for name in names for part in name.split(joint)), max(most // 2, 2 * LEAST_PART + 2))
    labels = {name: joint.join(parts[part] for part in name.split(joint)) for name in names}
    return labels if len(set(labels.values())) == len(labels) else short_names(names, most)


def _without_shared(names: Sequence[str]) -> dict[str, str]:
    """The names without the words with which all of them begin or end, wherever these words are."""
    same = {name: name for name in names}
    if len(names) < 2:
        return same
    before = re.sub(r"[^\W_]*$", "", names[0][: _shared(names)])
    after = re.sub(r"^[^\W_]*", "", names[0][::-1][: _shared([name[::-1] for name in names])][::-1])
    words = [word for word in (before, after) if len(word) > LEAST_PART]
    if not words:
        return same
    pattern = re.compile("|".join(map(re.escape, words)))
    brief = {name: re.sub(f"{CUT}+", CUT, pattern.sub(CUT, name)) for name in names}
    is_right = len(set(brief.values())) == len(names) and all(text.strip(CUT) for text in brief.values())
    return brief if is_right else same


def _alike(names: Sequence[str], brief: Mapping[str, str], most: int) -> list[list[str]]:
    """Names whose beginnings and ends are the same, so that the usual cut would not tell them apart."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[_cut(brief[name], most, (most - 1) // 2)].append(name)
    return list(groups.values())


def _distinct(texts: Mapping[str, str], most: int, taken: set[str]) -> dict[str, str]:
    """Labels of names that are alike, by what is left of them, none of which is in `taken`."""
    tried = [{name: _cut(text, most, head) for name, text in texts.items()} for head in _heads(texts, most)]
    around = _around_what_differs(texts, most)
    for labels in (*tried[:1], *([around] if around else []), *tried[1:]):
        if len(set(labels.values())) == len(texts) and not taken & set(labels.values()):
            return labels
    labels, used = around or tried[0], set(taken)
    for name in texts:
        label, number = labels[name], 2
        while label in used:
            end = f" ({number})"
            label, number = _cut(texts[name], max(most - len(end), 1), max(most - len(end), 1) // 2) + end, number + 1
        labels[name] = label
        used.add(label)
    return labels


def _heads(texts: Mapping[str, str], most: int) -> list[int]:
    """How many letters of the beginning to keep: first what shows all in which the texts differ, then about half."""
    before, after, half = *_ends(list(texts.values())), (most - 1) // 2

    def place(head: int) -> tuple[bool, int]:
        shown = all(head >= len(text) - after or most - 1 - head >= len(text) - before for text in texts.values())
        return not shown, abs(head - half)

    return sorted(range(LEAST_PART, most - LEAST_PART), key=place)


def _ends(texts: Sequence[str]) -> tuple[int, int]:
    """How many letters the texts share at the beginning, and at the end behind that."""
    before = _shared(texts)
    return before, _shared([text[before:][::-1] for text in texts])


def _cut(name: str, most: int, head: int) -> str:
    """The first `head` letters and as many of the last as `most` letters have room for."""
    if len(name) <= most:
        return name
    tail = most - 1 - head
    return f"{name[:head]}{CUT}{name[len(name) - tail :] if tail > 0 else ''}"


def _around_what_differs(texts: Mapping[str, str], most: int) -> dict[str, str]:
    """The beginning, the part in which the texts differ, and the end; empty if one has nothing of its own."""
    before, after = _ends(list(texts.values()))
    room, labels = max(most - 2 - 2 * LEAST_PART, 1), {}
    for name, text in texts.items():
        differs = text[before : len(text) - after]
        if not differs or len(differs) > room:
            return {}
        labels[name] = f"{text[:LEAST_PART]}{CUT}{differs}{CUT}{text[-LEAST_PART:]}"[:most]
    return labels


def _shared(names: Sequence[str]) -> int:
    """How many letters all names begin with."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False)))
