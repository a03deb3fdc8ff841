"""Train a judge on the rated turns of a study's sessions and judge the test turns; also stop and resume its runs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import JudgeRun, Study
from files.management.study_lookup import find_study
from judges.configuration import ConfigurationRefusedError
from judges.management.run_command import add_result_arguments, existing_run, named_values, work_off
from judges.run_states import start_run
from parts.trained_judge.trained_configuration import TrainedConfiguration
from parts.trained_judge.turn_judge_training import TRAINING_OPTIONS, trained_configuration


class Command(BaseCommand):
    help = (
        "Fine-tune a sequence-to-sequence model on the training turns of a split, keep it in VAR, and judge the test "
        "turns with it. A judge that was trained with the same data and options is not trained again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--model", metavar="NAME_OR_PATH", help="a model on this machine, or its absolute path")
        known = "; ".join(f"{name} ({option.default}): {option.help}" for name, option in TRAINING_OPTIONS.items())
        parser.add_argument("--option", nargs="+", default=[], metavar="NAME=VALUE", help=known)
        add_result_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        try:
            run = existing_run(study, options)
            if run is None and not options["stop"] and not options["replace"]:
                run = self._started(study, options)
        except ConfigurationRefusedError as problem:
            raise CommandError(problem.reason) from None
        if run is not None:
            work_off(self, run, as_json=options["json"])

    def _started(self, study: Study, options: dict[str, Any]) -> JudgeRun:
        """Train a judge unless it is there, print its curve, and start its run."""
        if not options["model"]:
            raise CommandError("--model is missing.")

        def tell(done: int, steps: int) -> None:
            self.stderr.write(f"{done:,} of {steps:,} steps", ending="\r")

        given = named_values("option", options["option"])
        configuration = trained_configuration(study, options["model"], given, tell)
        if not options["json"]:
            self._print_curve(study, configuration)
        return start_run(study, configuration, None)

    def _print_curve(self, study: Study, configuration: TrainedConfiguration) -> None:
        turns = configuration.turns
        self.stdout.write(
            f"{turns['training']:,} turns for training, {turns['validation']:,} for validation; "
            f"kept in {configuration.folder(study)}\n"
            "epoch  training loss  validation loss  validation accuracy"
        )
        for epoch in configuration.epochs:
            kept = "  kept" if epoch["number"] == configuration.best_epoch else ""
            self.stdout.write(
                f"{epoch['number']:>5}  {epoch['training_loss']:>13.4f}  {epoch['validation_loss']:>15.4f}"
                f"  {epoch['validation_accuracy']:>19.1%}{kept}"
            )
