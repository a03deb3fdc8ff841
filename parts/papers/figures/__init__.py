"""The figures in the tables: numpy and scipy, no Django."""
