"""Examples of reports for the API's schema, shortened to one question."""

ABOUT = {
    "study": "ferries", "protocol": "rating", "items": 1, "kinds": ["human"], "raters": [],
    "guidelines": {"chosen": 1, "versions": {"1": 2}},
}  # fmt: skip
AGREEMENT = {
    **ABOUT, "surplus": 0, "dimensions": [],
    "questions": {"correct": {"level": "nominal", "ratings": 2, "raters": 2, "percent_agreement": 1.0,
                              "leave_one_out": None, "comparisons": None}},
}  # fmt: skip
META_EVALUATION = {
    **ABOUT, "kinds": ["model", "metric"], "software": "0.1", "people": [], "panel": [], "replicates": 1000,
    "beyond_papers": {"epsilon": 0.1}, "across": [], "tables": {},
    "questions": {"correct": {"text": "Is the answer correct?", "judges": {"judge-small": {"accuracy": 0.9}}}},
}  # fmt: skip
SESSIONS = {
    "study": "ferries", "protocol": "session", "models": ["campus/small"], "labellers": {"all": [], "chosen": None},
    "statuses": {"satisfied": 1.0}, "overview": {"campus/small": {"sessions": 1, "turns": 1}}, "ratings_by_kind": {},
    "kinds_by_position": [], "instruction_types": {}, "error_categories": {}, "retrieval": {}, "text_figures": {},
    "label_agreement": {}, "second_ratings": {}, "undefined": {},
}  # fmt: skip
DETAILS = {
    "study": "ferries", "protocol": "rating", "software": "0.1", "kinds": ["human"], "raters": [],
    "guidelines": ABOUT["guidelines"], "replicates": 1000, "time": {}, "exclusions": [],
    "questions": {"correct": {"level": "nominal", "reason": "Fewer than two raters."}},
    "methods": {"text": "Two people rated 1 item.", "latex": "Two people rated 1 item.", "bibtex": "", "facts": {}},
}  # fmt: skip
RATER_CHECKS = {
    "study": "ferries", "least": {"checks": 5, "answers": 10}, "replicates": 1000, "seconds": 40.0,
    "raters": [
        {"pk": 1, "name": "rater-1", "excluded": False,
         "gold": {"n": 8, "value": 0.75, "low": 0.41, "high": 0.93, "reason": None}},
    ],
    "questions": {
        "correct": {"level": "nominal", "all": {"ratings": 2, "alpha": 1.0},
                    "without_excluded": {"ratings": 2, "alpha": 1.0}},
    },
}  # fmt: skip
