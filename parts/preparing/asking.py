"""The ways from a step to its model: asking it at the study's cost, or looking at what would be sent."""

from collections.abc import Callable, Mapping

from annotation.models import Study
from llm.door import complete
from llm.endpoints import find_model
from llm.models import Reservation
from llm.prompt_files import Prompt, pinned_prompt
from llm.recorded_answers import unusable_of_same_work
from llm.requests import Charge, Reply, Request
from parts.preparing.step_configuration import APP, PreparationRefusedError, StepConfiguration
from parts.preparing.step_kind import StepAsker

PROMPT_CHANGED = "The prompt {} has changed since this step was configured. Start a new step with the new prompt."


class RequestingAsker(StepAsker):
    """Makes requests as the step's configuration says; subclasses decide what becomes of them."""

    def __init__(self, study: Study, configuration: StepConfiguration) -> None:
        super().__init__(configuration)
        self.study = study
        self.prompts: dict[str, Prompt] = {}

    def request(self, prompt: str, values: Mapping[str, str], greedy: bool) -> Request:
        """Return the request. Raises PreparationRefusedError if the prompt has changed."""
        mine = self.configuration
        found = self._prompt(prompt)
        seeded = not greedy and "seed" in find_model(mine.model)[1].supports
        return Request(
            mine.model, found.fill(values), found.reference, temperature=0.0 if greedy else mine.temperature,
            top_p=1.0 if greedy else mine.top_p, max_tokens=mine.max_tokens, seed=mine.seed if seeded else None,
        )  # fmt: skip

    def _prompt(self, name: str) -> Prompt:
        if name not in self.prompts:
            digest = self.configuration.prompts[name]["digest"]
            found = pinned_prompt(self.study, APP, name, self.configuration.model, digest)
            if found is None:
                raise PreparationRefusedError(PROMPT_CHANGED.format(name))
            self.prompts[name] = found
        return self.prompts[name]


class PayingAsker(RequestingAsker):
    """Asks the model, in the name of a step's work and from its reservation."""

    def __init__(
        self,
        study: Study,
        configuration: StepConfiguration,
        charge: Charge,
        stopped: Callable[[], bool],
        reservation: Reservation | None,
    ) -> None:
        super().__init__(study, configuration)
        self.charge, self.stopped, self.reservation = charge, stopped, reservation

    def ask(self, prompt: str, values: Mapping[str, str], name: str, *, greedy: bool = False) -> Reply:
        unusable = unusable_of_same_work(self.study.pk, self.charge.work, name)
        if unusable is not None:
            raise unusable
        mine = self.charge
        charge = Charge(mine.study, mine.run, mine.person, mine.work, name)
        request = self.request(prompt, values, greedy)
        return complete(request, charge, stopped=self.stopped, reservation=self.reservation)


class OnlyFirstError(Exception):
    """Ends a case after its first request, which is all that was wanted."""


class FirstRequestAsker(RequestingAsker):
    """Keeps the first request of a case and ends it: for estimates, and for showing a prompt."""

    first: Request | None = None

    def ask(self, prompt: str, values: Mapping[str, str], name: str, *, greedy: bool = False) -> Reply:
        self.first = self.request(prompt, values, greedy)
        raise OnlyFirstError
