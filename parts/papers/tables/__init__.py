"""One module per table, which binds `TABLE`."""
