"""Work of recruiting that no page waits for."""
