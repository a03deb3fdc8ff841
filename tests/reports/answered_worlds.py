"""Files of studies in which people and judges answer about outputs of four systems, and changes that mean nothing."""

import json
import random
import re

SYSTEMS = ("apple", "beta", "coral", "delta")
RENAMED = dict(zip(SYSTEMS, ("yoke", "zebu", "acorn", "kelp"), strict=True))
"""Names in another order."""
RATERS = ("ann", "bob", "cyd")
OTHER_RATERS = dict(zip(RATERS, ("zoe", "wim", "xia"), strict=True))
JUDGES = ("judge-1", "judge-2")
QUESTIONS = {
    "pairwise": [{"key": "better", "type": "preference"}],
    "listwise": [{"key": "overall", "type": "rank", "ranks": 4}, {"key": "ends", "type": "best_worst"}],
    "rating": [{"key": "good", "type": "likert", "min": 1, "max": 5}, {"key": "follows", "type": "binary"}],
}
BASELINE = "beta"


class World:
    """The lines of a study's files."""

    def __init__(self, protocol, items=12):
        draw = random.Random(protocol)
        self.protocol = protocol
        self.study = {
            "slug": "plain", "protocol": protocol, "redundancy": 3, "questions": QUESTIONS[protocol],
            "systems": {
                name: {"family": name[0], "model": f"lab/{name}", **({"baseline": True} if name == BASELINE else {})}
                for name in SYSTEMS
            },
        }  # fmt: skip
        self.items, self.ratings, self.scores = [], [], []
        for number in range(items):
            item = f"item{number:02}"
            outputs = [{"id": name, "text": "word " * draw.randint(3, 30)} for name in SYSTEMS]
            self.items.append({"id": item, "category": ("news", "mail")[number % 2], "outputs": outputs})
            quality = {name: draw.gauss(place * 0.7, 1) for place, name in enumerate(SYSTEMS)}
            for rater in (*RATERS, *JUDGES):
                seen = {name: quality[name] + draw.gauss(0, 0.6 if rater in RATERS else 1.5) for name in SYSTEMS}
                lines, kind = (self.ratings, {}) if rater in RATERS else (self.scores, {"rater_kind": "model"})
                answers = self._answers(seen, draw, in_both_orders=rater == JUDGES[1])
                lines += [{"item": item, "rater": rater, **kind, **answer} for answer in answers]

    def _answers(self, seen, draw, *, in_both_orders):
        shown = draw.sample(SYSTEMS, len(SYSTEMS))
        if self.protocol == "rating":
            for name in SYSTEMS:
                yield {"output": name, "question": "good", "value": min(5, max(1, round(seen[name] + 2)))}
                yield {"output": name, "question": "follows", "value": seen[name] > 1}
        elif self.protocol == "listwise":
            levels = sorted({round(value) for value in seen.values()}, reverse=True)
            ranks = {name: 1 + levels.index(round(seen[name])) for name in SYSTEMS}
            yield {"question": "overall", "value": ranks, "shown": shown}
            ends = {"best": max(seen, key=seen.get), "worst": min(seen, key=seen.get)}
            yield {"question": "ends", "value": ends, "shown": shown}
        else:
            for place, name in enumerate(shown):
                for other in shown[place + 1 :]:
                    if draw.random() < 0.7:
                        for order, pair in enumerate(([name, other], [other, name])[: 1 + in_both_orders]):
                            gap = seen[pair[0]] - seen[pair[1]] + (draw.gauss(0.5, 1) if in_both_orders else 0)
                            value = "tie" if abs(gap) < 0.4 else pair[0] if gap > 0 else pair[1]
                            answer = {"question": "better", "outputs": pair, "value": value, "shown": pair}
                            # the later of two answers of a rater counts in agreement, whatever the order of lines
                            yield answer | (
                                {"submitted_at": f"2026-01-0{1 + order}T00:00:00Z"} if in_both_orders else {}
                            )

    def write(self, folder):
        folder.mkdir()
        files = {"study": [self.study], "items": self.items, "ratings": self.ratings, "scores": self.scores}
        for name, lines in files.items():
            ending = "json" if name == "study" else "jsonl"
            (folder / f"{name}.{ending}").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return folder

    def changed(self, slug, **lines):
        """The same study under another slug, with other lines of `items`, `ratings` or `scores`."""
        made = World.__new__(World)
        vars(made).update(vars(self) | {"study": {**self.study, "slug": slug}} | lines)
        return made

    def with_names(self, slug, names):
        """The same study with other names of systems or raters."""
        made = self.changed(slug)
        for key in ("study", "items", "ratings", "scores"):
            setattr(made, key, renamed(getattr(made, key), names))
        return made

    def turned(self, slug):
        """The outputs of each item, and of each pair in a line, are listed in the other order."""
        return self.changed(slug, **{
            key: [{**line, "outputs": line["outputs"][::-1]} if "outputs" in line else line for line in lines]
            for key, lines in (("items", self.items), ("ratings", self.ratings), ("scores", self.scores))
        })  # fmt: skip

    def shuffled(self, slug, *keys):
        draw = random.Random(slug)
        return self.changed(slug, **{key: draw.sample(getattr(self, key), len(getattr(self, key))) for key in keys})


def renamed(value, names):
    """Plain values with other names, wherever they are."""
    text = json.dumps(value)
    for name, new in names.items():
        text = re.sub(rf"\b{name}\b", new, text)
    return json.loads(text)
