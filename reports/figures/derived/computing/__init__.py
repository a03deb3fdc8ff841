"""What computes the lines of derived tables, in workers and commands alone."""
