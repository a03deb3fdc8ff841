"""How large the files of another tool may be."""

from typing import Any

from environs import Env

from config.environment import read_whole

VARIABLES = ("OTHER_TOOL_BYTES",)


def read(env: Env, profile: str) -> dict[str, Any]:
    """Return OTHER_TOOL_BYTES: of the largest file, and of the files of one upload together."""
    return {"OTHER_TOOL_BYTES": read_whole(env, "OTHER_TOOL_BYTES", 50 * 1024 * 1024)}
