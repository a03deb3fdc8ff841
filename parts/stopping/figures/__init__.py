"""Looking at a study while it runs: boundaries, repeated intervals, stop rules, and planning of power and cost."""
