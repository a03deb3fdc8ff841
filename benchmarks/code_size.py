"""Counts modules, lines and statements of the core and of the parts, in this checkout or in a commit.

    python -m benchmarks.code_size [COMMIT]

Without migrations. Statements are counted by the syntax tree, which formatting cannot change.
"""

import argparse
import ast
import subprocess
from collections import defaultdict

OUTSIDE = ("tests", "benchmarks", "scripts", "client_library", "demo", "deploy")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", nargs="?", default="HEAD")
    commit = parser.parse_args().commit
    names = git("ls-tree", "-r", "--name-only", commit).splitlines()
    counted: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for name in names:
        top, *below = name.split("/")
        if not name.endswith(".py") or not below or "migrations" in below or top in OUTSIDE:
            continue
        text = git("show", f"{commit}:{name}")
        statements = sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))
        of = counted["parts" if top == "parts" else "core"]
        for place, number in enumerate((1, text.count("\n"), statements)):
            of[place] += number
    for of, (modules, lines, statements) in sorted(counted.items()):
        print(f"{of:<6} {modules:>6} modules {lines:>8} lines {statements:>8} statements")


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
