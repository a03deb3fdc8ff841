"""Background work of mail: what is queued is sent, and news are looked for."""
