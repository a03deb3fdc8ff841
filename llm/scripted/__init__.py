"""An OpenAI-compatible server that follows a script: for tests, demos and drills, never started by anything else."""
