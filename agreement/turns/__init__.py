"""Revision sessions: their turns, the people's labels of them, and second ratings."""
