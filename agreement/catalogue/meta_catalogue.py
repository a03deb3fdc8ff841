"""Name, description and definition of the figures that compare judges with people, as a page prints them."""

from agreement.catalogue.p_values import REPLACEMENT, columns_of
from agreement.catalogue.report_catalogue import Figure, Good, Unit, count_of

SCORES = "scores-of-judges"
CHOSEN = "choices-of-judges"
WINNERS = "winners-of-items"
ORDERS = "both-orders"
AREA = "area-under-the-roc-curve"
RERUNS = "reruns-of-judges"
INSTEAD = "alternative-annotator-test"
MEANS = "corrected-means"
PANELS = "panels-of-judges"
LENGTH = "length-controlled-win-rates"
STYLE = "style-controlled-strengths"
BIASES = "biases-of-judges"
CALIBRATION = "calibration-of-judges"
LABELS = "labels-of-judges"
BESIDE = "one-more-person"
TAU_OF_CLOSE_SYSTEMS = (
    "In simulated studies of 11 systems and 100 items, 95 % intervals held the true tau in 94 % or more if systems "
    "differed clearly, but in 71 to 80 % if they lay close together; a fifth or more then lay wholly below it."
)
"""No usual correction does better: basic, shifted and bias-corrected intervals cover less often."""


def _figure(title: str, line: str, unit: Unit, anchor: str, good: Good = "neither") -> Figure:
    return Figure(title, line, unit, good, anchor)


def _alpha(title: str, line: str, anchor: str) -> Figure:
    return Figure(title, line, "alpha", "higher", anchor)


def _share(title: str, line: str, anchor: str, good: Good = "higher") -> Figure:
    return Figure(title, line, "share", good, anchor)


def _error(title: str, unit: Unit, anchor: str) -> Figure:
    return Figure(title, "How far the figure would vary between samples.", unit, "lower", anchor)


JUDGES_AND_PEOPLE: dict[str, Figure] = {
    "raters": count_of("People", "People whose answers the judges are compared with.", "judges-against-people"),
    "ratings": count_of("Answers", "People's answers, without repeats.", "judges-against-people"),
    "outputs": count_of("Outputs", "Outputs that people and the judge scored.", SCORES),
    "items_used": count_of("Items with an order", "Items whose outputs people score differently.", SCORES),
    "items_judge_constant": count_of(
        "Items without an order of the judge", "Items with an order by people whose outputs the judge ties; fewer is "
        "better.", SCORES,
    ),
    "pairs": count_of("Pairs", "Pairs that the judge answered and about which people have a majority.", CHOSEN),
    "reruns": count_of("Reruns", "How often the judge answered the whole study.", RERUNS),
    "spread": Figure(
        "Spread over reruns", "Standard deviation of each figure over the judge's reruns; 0 is always the same.",
        "table", "lower", RERUNS, "Figure",
    ),
    "item_kendall_tau_b": _alpha(
        "Kendall's tau of items", "Mean over items of the rank correlation with people; 1 is the same order, 0 is "
        "chance.", SCORES,
    ),
    "rank_distance": _share("Rank distance", "Half of 1 minus Kendall's tau; 0 is the same order.", SCORES, "lower"),
    "rank_distance_se": _error("Standard error of the rank distance", "share", SCORES),
    "pearson": _alpha("Pearson's r", "Linear correlation with people's means over all outputs; 1 is perfect.", SCORES),
    "pearson_distance": _share(
        "Pearson's distance", "1 minus the absolute value of Pearson's r; 0 is perfect.", SCORES, "lower"
    ),
    "pearson_distance_se": _error("Standard error of Pearson's distance", "share", SCORES),
    "pearson_distance_se_printed": _figure(
        "Printed standard error of Pearson's distance", "As riSum's table 4 prints it, from the distance and the "
        "number of outputs.", "share", SCORES, "lower",
    ),
    "system_kendall_tau_b": _alpha(
        "Kendall's tau of systems", "Rank correlation of the systems' means with people's; 1 is the same order.", SCORES
    ),
    "auc_roc": _share(
        "AUC", "How often an output with a majority of yes scores above one with a majority of no; 0.5 is chance.", AREA
    ),
    "auc_roc_se": _error("Standard error of the AUC", "share", AREA),
    "winners.perfect_agreement": _share(
        "Same winners", "Items on which the judge and people find the same outputs best; 1 is all.", WINNERS
    ),
    "winners.disagreement": _share(
        "Other winners", "Items on which no output is best for both; 0 is none.", WINNERS, "lower"
    ),
    "winners.prefers_own_family": _share(
        "Own family among other winners", "Of these items, the share in which an output of the judge's family wins.",
        WINNERS, "lower",
    ),
    "accuracy": _share("Accuracy", "Choices that are people's majority; 1 is all.", CHOSEN),
    "precision_macro": _share(
        "Precision", "Mean over first, second and tie: of the judge's such choices, the share that is people's "
        "majority.", CHOSEN,
    ),
    "recall_macro": _share(
        "Recall", "Mean over first, second and tie: of people's such majorities, the share that is the judge's choice.",
        CHOSEN,
    ),
    "f1_macro": _share("F1", "Mean over first, second and tie of the harmonic mean of precision and recall.", CHOSEN),
    "cohen_kappa": _alpha("Cohen's kappa", "Agreement with people's majority beyond chance; 1 is perfect.", CHOSEN),
    "alpha_nominal": _alpha(
        "Alpha, nominal", "Agreement of the judge and people's majority beyond chance; 1 is perfect.", CHOSEN
    ),
    "alpha_masi": _alpha("Alpha, MASI", "The same if a tie is half-way between the outputs; 1 is perfect.", CHOSEN),
    "leave_one_out": _share(
        "Leave-one-out agreement", "How often the judge gives the most common answer of all people but one; compare "
        "with people's own.", CHOSEN,
    ),
    "position_bias": _figure(
        "Position bias", "How much more often the output shown first is chosen; 0 is none.", "difference",
        "position-and-length",
    ),
    "length_bias_rate": _figure(
        "Length bias", "How much more often the longer output is chosen; compare with people's own.", "difference",
        "position-and-length",
    ),
    "both_orders.pairs": count_of(
        "Pairs in both orders", "Pairs on which all people prefer one output and the judge was asked in both orders.",
        ORDERS,
    ),
    "both_orders.accuracy": _share("Accuracy", "Choices that are people's, averaged over both orders.", ORDERS),
    "both_orders.alpha": _alpha("Alpha", "Agreement with people beyond chance, both orders together.", ORDERS),
    "both_orders.self_accuracy": _share(
        "Same in both orders", "Pairs for which the judge chose the same output in both orders; 1 is all.", ORDERS
    ),
    "both_orders.self_alpha": _alpha("Alpha with itself", "The same beyond chance; 1 is perfect.", ORDERS),
    "one_more_person.scores": count_of(
        "Scores beside one more person", "Scores of people about outputs that the judge and others scored, too.", BESIDE
    ),
    "one_more_person.choices": count_of(
        "Choices beside one more person", "Choices of people about pairs that the judge and others judged, too.", BESIDE
    ),
    "one_more_person.judge": Figure(
        "Judge beside one more person", "The judge against the other people, on the answers that each person gave.",
        "table", "neither", BESIDE, "Figure",
    ),
    "one_more_person.person": Figure(
        "One more person", "Each person against the others, on the answers that the judge gave, too: what a judge "
        "that answers as one person does can expect.", "table", "neither", BESIDE, "Figure",
    ),
}  # fmt: skip
"""Figures by their dotted names in a judge's, or in people's, part of a report."""

BEYOND_AGREEMENT: dict[str, Figure] = {
    "alternative_annotator.people": Figure(
        "Against each person", "Whether the judge fits the other people at least as well as this person does.", "table",
        "neither", INSTEAD, "Person",
    ),
    "alternative_annotator.epsilon": _figure(
        "Epsilon", "By how much people may be better, since they cost more.", "difference", INSTEAD
    ),
    "alternative_annotator.omega": _share(
        "Winning rate", "Share of people against whom the judge wins; from 0.5 on it may take a person's place.",
        INSTEAD,
    ),
    "alternative_annotator.rho": _share(
        "Advantage probability", "How often the judge fits the others at least as well as a person does.", INSTEAD
    ),
    "alternative_annotator.constant": _share(
        "Winning rate if constant", "Of a judge that always gives the same answer; it should be low.", INSTEAD, "lower"
    ),
    "alternative_annotator.shuffled": _share(
        "Winning rate if shuffled", "Of the judge's answers, shuffled over units; it should be low.", INSTEAD, "lower"
    ),
    "alternative_annotator.alpha": _alpha(
        "Alpha of people", "Agreement of the people beyond chance; without it any judge may seem to fit them.", INSTEAD
    ),
    "alternative_annotator.items": count_of("Items", "Items on which the two were compared.", INSTEAD),
    "alternative_annotator.units": count_of("Answers", "Answers in which the two were compared.", INSTEAD),
    "alternative_annotator.judge_advantage": _share(
        "Judge as good", "Answers in which the judge fits the others at least as well.", INSTEAD
    ),
    "alternative_annotator.person_advantage": _share(
        "Person as good", "Answers in which the person fits the others at least as well.", INSTEAD, "lower"
    ),
    **columns_of([REPLACEMENT]),
    "corrected_means.labels": count_of("People's answers", "Outputs of the system that people answered.", MEANS),
    "corrected_means.outputs": count_of("Judge's answers", "Outputs of the system that the judge answered.", MEANS),
    "corrected_means.lambda": _figure(
        "Lambda", "The weight of the judge's answers, chosen from the data; 0 is none.", "share", MEANS
    ),
    "corrected_means.people": _figure("People alone", "The mean of people's answers.", "scale", MEANS, "higher"),
    "corrected_means.judge": _figure(
        "Judge alone", "The mean of the judge's answers, with its errors.", "scale", MEANS, "higher"
    ),
    "corrected_means.prediction_powered": _figure(
        "Prediction-powered mean", "The judge's mean, corrected by people's answers.", "scale", MEANS, "higher"
    ),
    "corrected_means.sensitivity_specificity": _figure(
        "Corrected share of yes", "The judge's share of yes, corrected by its errors where people answered.", "share",
        MEANS, "higher",
    ),
    "corrected_means.people_se": _error("Standard error, people alone", "scale", MEANS),
    "corrected_means.judge_se": _error("Standard error, judge alone", "scale", MEANS),
    "corrected_means.prediction_powered_se": _error("Standard error, prediction-powered", "scale", MEANS),
    "corrected_means.sensitivity_specificity_se": _error("Standard error, corrected share", "share", MEANS),
    "corrected_means.prediction_powered_worth": count_of(
        "Worth, prediction-powered", "Answers of people that would give the same standard error without the judge.",
        MEANS,
    ),
    "corrected_means.sensitivity_specificity_worth": count_of(
        "Worth, corrected share", "Answers of people that would give the same standard error without the judge.", MEANS
    ),
    "panel.left_out": count_of(
        "Left out of the panel", "Outputs or pairs that only some of the panel's judges answered.", PANELS
    ),
    "length_controlled.choices": count_of("Choices", "Choices between the system and the baseline.", LENGTH),
    "length_controlled.items": count_of("Items", "Items of these choices.", LENGTH),
    "length_controlled.win_rate": _share("Win rate", "Share of the choices that the system won, ties half.", LENGTH),
    "length_controlled.controlled": _share(
        "Length-controlled win rate", "The win rate if both outputs were equally long.", LENGTH
    ),
    "length_controlled.length_effect": _figure(
        "Effect of length", "Log-odds by which a much longer output is preferred; 0 is none.", "strength", LENGTH
    ),
    "style_controlled.judgments": count_of("Choices", "Choices between systems that are compared.", STYLE),
    "style_controlled.items": count_of("Items", "Items of these choices.", STYLE),
    "style_controlled.strengths": Figure(
        "Strength without style", "Log-odds of winning against an average system at equal style.", "strength",
        "higher", STYLE, "System",
    ),
    "style_controlled.effects": Figure(
        "Effects of style", "Log-odds by which a typical difference in the feature favours an output; 0 is none.",
        "strength", "neither", STYLE, "Feature",
    ),
    "style_controlled.rank": _figure(
        "Rank", "1 plus the number of systems that are better beyond doubt; 1 is best.", "rank", STYLE, "lower"
    ),
    "bias_card.position": _figure(
        "Position", "How much more often the output shown first is chosen; 0 is none.", "difference", BIASES
    ),
    "bias_card.length": _figure(
        "Length", "How much more often the longer output is chosen; 0 is none.", "difference", BIASES
    ),
    "bias_card.own_family": _figure(
        "Own family", "How much more often the output of the judge's family is chosen; compare with people.",
        "difference", BIASES,
    ),
    "bias_card.verbosity": _figure(
        "Verbosity", "How much more often the longer of outputs is chosen between which people do not decide.",
        "difference", BIASES,
    ),
    "bias_card.injection": _share(
        "Injected instructions", "Judgments that an instruction hidden in an output turned; 0 is none.", BIASES, "lower"
    ),
    "bias_card.self_agreement": _share(
        "Agreement with itself", "How often the judge gives the same answer about a pair again; 1 is always.", BIASES
    ),
    "calibration.outputs": count_of("Outputs", "Outputs with a probability of the judge.", CALIBRATION),
    "calibration.bins": Figure(
        "Reliability diagram", "People's share of an answer by the judge's probability of it; equal is good.", "table",
        "neither", CALIBRATION, "Bin",
    ),
    "calibration.error": _share(
        "Expected calibration error", "Mean distance of the judge's probabilities from people's shares; 0 is perfect.",
        CALIBRATION, "lower",
    ),
    "calibration.by_chance": _share(
        "Error by chance", "The calibration error of a perfectly calibrated judge with so many answers.", CALIBRATION,
        "neither",
    ),
    "calibration.brier": _figure(
        "Brier score", "Mean squared distance of the probabilities from each person's answer; 0 is perfect.", "score",
        CALIBRATION, "lower",
    ),
    "calibration.brier_of_people": _figure(
        "Best possible Brier score", "The Brier score of predicting people's own shares.", "score", CALIBRATION
    ),
    "labels.splits": count_of("Splits", "Random divisions into training and test parts.", LABELS),
    "labels.units": count_of("Test units", "Turns or tasks in a test part, averaged over splits.", LABELS),
    "labels.accuracy": _share("Accuracy", "Labels that are people's; 1 is all.", LABELS),
    "labels.precision": _share(
        "Precision", "Of the positive labels given, the share that is people's; over all labels, the mean.", LABELS
    ),
    "labels.recall": _share(
        "Recall", "Of people's positive labels, the share that was given; over all labels, the mean.", LABELS
    ),
    "labels.f1": _share("F1", "The harmonic mean of precision and recall; over all labels, the mean.", LABELS),
    "labels.cohen_kappa": _alpha("Cohen's kappa", "Agreement with people beyond chance; 1 is perfect.", LABELS),
    "labels.labels": Figure(
        "Labels given", "The share of each label among those given.", "table", "neither", LABELS, "Label"
    ),
    "labels.spread": Figure(
        "Spread over splits", "Standard deviation of the judge's figures over splits.", "table", "lower", LABELS,
        "Figure",
    ),
}  # fmt: skip
"""Figures of the other modules by the module's subject and the figure's name in its result."""

META_FIGURES: dict[str, Figure] = JUDGES_AND_PEOPLE | BEYOND_AGREEMENT
