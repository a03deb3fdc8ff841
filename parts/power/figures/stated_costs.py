"""What a number of answers takes and costs, from the costs that are stated."""

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class StatedCosts:
    """Minutes per task; pay per task, per hour or both, which add up; a recruiter's fee in percent of the pay; and what
    the study costs once, whatever its size.

    Each person also spends `step_minutes` before the first task, which pay per hour pays. A person does at most
    `tasks_per_person`; 0: a task of each item.
    """

    minutes_per_task: float
    pay_per_task: float = 0.0
    pay_per_hour: float = 0.0
    fee_percent: float = 0.0
    fixed_cost: float = 0.0
    step_minutes: float = 0.0
    tasks_per_person: int = 0

    def of(self, answers: int, raters: int = 1) -> dict[str, float]:
        """{people, minutes, pay, fee, total} of this many answers, by this many different raters per item."""
        people = max(raters, ceil(answers / self.tasks_per_person)) if self.tasks_per_person else raters
        minutes = answers * self.minutes_per_task + people * self.step_minutes
        pay = answers * self.pay_per_task + minutes / 60 * self.pay_per_hour
        fee = pay * self.fee_percent / 100
        return {"people": people, "minutes": minutes, "pay": pay, "fee": fee, "total": pay + fee + self.fixed_cost}
