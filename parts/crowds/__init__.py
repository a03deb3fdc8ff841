"""People from recruiters and by a public link: how they come in, how their stay ends, and what they are paid."""
