"""What a number of answers takes and costs, from the costs that are stated."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StatedCosts:
    """Minutes per task; pay per task, per hour or both, which add up; a recruiter's fee in percent of the pay; and what
    the study costs once, whatever its size.
    """

    minutes_per_task: float
    pay_per_task: float = 0.0
    pay_per_hour: float = 0.0
    fee_percent: float = 0.0
    fixed_cost: float = 0.0

    def of(self, answers: int) -> dict[str, float]:
        """{minutes, pay, fee, total} of this many answers."""
        minutes = answers * self.minutes_per_task
        pay = answers * self.pay_per_task + minutes / 60 * self.pay_per_hour
        fee = pay * self.fee_percent / 100
        return {"minutes": minutes, "pay": pay, "fee": fee, "total": pay + fee + self.fixed_cost}
