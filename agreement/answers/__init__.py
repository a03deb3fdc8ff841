"""What was answered, how long it took, and when the rest will be there."""
