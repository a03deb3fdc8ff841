"""Work of the way in that no page waits for."""
