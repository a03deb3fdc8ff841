"""Power and cost: how many items and raters a study needs, from assumed values or from those of a pilot."""
