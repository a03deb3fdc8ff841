"""An OpenAI-compatible server that follows a script, for tests, demos and drills. Nothing else starts it."""
