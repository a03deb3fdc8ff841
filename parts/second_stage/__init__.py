"""A second stage: annotators give final answers to items about which the first annotators disagree."""
