"""Stop rules in words, for pages and reports."""

from parts.stopping.plan_spec import (
    ALPHA,
    SCORE,
    SEPARATED,
    SEVERITY_ALPHA,
    WIN_RATE,
    StopCondition,
    StoppingSpec,
)

FIGURE_WORDS = {
    ALPHA: "Krippendorff's alpha", WIN_RATE: "the win rate", SCORE: "the mean score",
    "alpha_ordinal": "ordinal alpha", "alpha_masi": "alpha of pairs with MASI",
    "alpha_implied_pairs": "alpha of the implied pairs", "alpha_masi_rankings": "alpha of whole rankings with MASI",
    "alpha_ordinal_ranks": "ordinal alpha of ranks", "alpha_interval_ranks": "interval alpha of ranks",
    "alpha_best": "alpha of the best output", "alpha_worst": "alpha of the worst output",
    "span_alpha": "alpha of marked characters", SEVERITY_ALPHA: "alpha of weighted scores of spans",
}  # fmt: skip
CORRECTION_WORDS = {
    "obrien_fleming": "alpha spent as by O'Brien and Fleming",
    "pocock": "alpha spent as by Pocock",
    "confidence_sequence": "a confidence sequence",
}


def rule_in_words(rule: StopCondition) -> str:
    """A rule as the end of the sentence "Stop when …"."""
    if rule.until == SEPARATED:
        what = "the win rates" if rule.figure == WIN_RATE else "the mean scores"
        return f"{what} of {rule.question} separate every two systems"
    each = {WIN_RATE: " of every two systems", SCORE: " of every system"}.get(rule.figure, "")
    return f"the interval of {FIGURE_WORDS[rule.figure]} of {rule.question}{each} is at most {rule.width:g} wide"


def plan_in_words(spec: StoppingSpec) -> list[str]:
    """The whole plan as sentences."""
    said = []
    if spec.rules:
        looks = ", ".join(f"{one:,}" for one in spec.looks)
        said.append(f"Looks after {looks} answers; the last one ends the study whatever it shows.")
        said.append(f"Stop when {', and '.join(rule_in_words(rule) for rule in spec.rules)}.")
        over = "all rules and looks" if len(spec.rules) > 1 else "all looks"
        said.append(f"Error probability over {over} {spec.alpha:g}: {CORRECTION_WORDS[spec.correction]}.")
    third = spec.third_rater
    if third is not None:
        about = f" about {', '.join(third.questions)}" if third.questions else ""
        by = f" by more than {third.more_than:g}" if third.more_than else ""
        said.append(f"Where the planned raters of a task disagree{about}{by}, one more rater is asked.")
    return said
