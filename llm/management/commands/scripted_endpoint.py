"""`manage.py scripted_endpoint`: run a scripted server as an endpoint of this site, without any language model."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from llm.endpoint_file import EndpointsInvalidError
from llm.endpoints import endpoints
from llm.scripted.program import add_arguments, steps_of
from llm.scripted.script import ScriptInvalidError
from llm.scripted.server import ScriptedServer

NAME = "scripted"
SECTION = """  {name}:
    base_url: {address}
    scripted: true
    in_flight: 16
    models:
      chat: {{context: 32768, logprobs: 20, supports: [stream, seed, json_schema], price_in: 0, price_out: 0}}
      base: {{api: completions, context: 32768, logprobs: 5, supports: [stream, seed, echo], price_in: 0, price_out: 0}}
"""
WRITTEN = "Wrote {path} with the models {name}/chat and {name}/base."
TO_ADD = "Add these lines under `endpoints:` in {path} to use it:\n\n{section}"
KNOWN = "{path} has the models {models}."
OTHER = "{path} has an endpoint {name} with another address ({found}) or without `scripted: true`. Change or remove it."


class Command(BaseCommand):
    help = "Run a test server that follows a script, as an endpoint of this site. It is not a language model."

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            steps = steps_of(options["script"])
        except (OSError, ScriptInvalidError) as problem:
            raise CommandError(f"{options['script']}: {problem}") from None
        try:
            server = ScriptedServer(options["port"], steps, options["log"])
        except OSError as problem:
            raise CommandError(f"Port {options['port']} cannot be used: {problem.strerror}.") from None
        with server:
            self.stdout.write(made_known(server.address))
            self.stdout.write(f"{server.address} answers until you press Ctrl-C.")
            self.stdout.flush()
            server.serve_until_signal()


def made_known(address: str) -> str:
    """Write the file of endpoints if there is none yet, and return what was done or what is left to do."""
    path = Path(settings.ENDPOINTS_FILE)
    section = SECTION.format(name=NAME, address=address)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(f"endpoints:\n{section}")
        return WRITTEN.format(path=path, name=NAME)
    except FileExistsError:
        pass
    except OSError as problem:
        raise CommandError(f"{path} cannot be written: {problem.strerror}.") from None
    try:
        found = endpoints().get(NAME)
    except EndpointsInvalidError as problem:
        raise CommandError(str(problem)) from None
    if found is None:
        return TO_ADD.format(path=path, section=section)
    if found.base_url != address or not found.scripted:
        raise CommandError(OTHER.format(path=path, name=NAME, found=found.base_url))
    return KNOWN.format(path=path, models=", ".join(f"{NAME}/{model}" for model in found.models))
