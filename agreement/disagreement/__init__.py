"""Where raters disagree: which items, which raters, which values, and when; and each rater's care."""
