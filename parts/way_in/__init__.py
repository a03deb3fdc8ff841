"""How people come into a study, learn it, are checked in it, and leave it."""
