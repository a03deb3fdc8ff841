"""What was answered, how long it took, when the rest will be there, and one label per unit from several."""
