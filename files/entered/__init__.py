"""What pages and programs enter, checked by the code that checks files: drafts, single items, recruiting settings."""
