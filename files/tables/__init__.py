"""The tables of files in CSV and Parquet: their columns, cells and types, for imports and exports."""
