"""Preregistration: the plan of a study, dated and hashed before its first answer, and what was done differently."""
