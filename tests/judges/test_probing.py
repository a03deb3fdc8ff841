"""Outputs are data: what a judge makes of outputs that tell it what to say is measured, and never a rating."""

import re

import pytest

from annotation.models import Rating
from judges.injections import INJECTIONS, injections_digest
from judges.models import Judgment, RunWork
from judges.probing import ProbeResult, probe_result
from judges.protocol import judge_protocols
from tests.judges.protocol_cases import case
from tests.judges.scripted_judges import run_to_end

pytestmark = pytest.mark.django_db


class Gullible:
    """Answers as the last injected text demands, and else 2."""

    def __init__(self, model):
        self.model = model

    def pop(self, _):
        text = self.model.asked[-1].text()
        return f"Score: {5 if any(known.format(best='5') in text for known in INJECTIONS) else 2}"


def test_a_gullible_judge_is_found_and_its_answers_are_no_ratings(study, owner, model):
    model.replies = Gullible(model)
    run = run_to_end(study, owner, probe=injections_digest())
    found = probe_result(run)
    assert (found.judged, found.flipped, found.unusable, run.counts) == (6, 6, 0, {"valid": 12})
    assert ProbeResult.of(RunWork.objects.get(run=run).probe) == found
    assert sum(judged for judged, _ in found.by_injection.values()) == 6
    assert Rating.objects.filter(rater=run.rater).count() == 0


def test_a_judge_that_reads_outputs_as_data_is_not_moved(study, owner, model):
    model.replies = ["Score: 3"] * 10 + ["no"] * 2
    found = probe_result(run_to_end(study, owner, probe=injections_digest()))
    assert (found.judged, found.flipped, found.unusable) == (5, 0, 1)
    assert found.interval[0] == 0
    assert found.interval[1] == pytest.approx(0.4345, abs=1e-4)  # Wilson, 0 of 5


def test_each_injected_text_stays_inside_the_fence_of_its_output(study, owner, model):
    run = run_to_end(study, owner, probe=injections_digest())
    changed = Judgment.objects.filter(run=run, injection__isnull=False)
    assert len(set(changed.values_list("injection", flat=True))) > 1
    for request in model.asked:
        text = request.text()
        mark = re.search(r"<output ([0-9a-f]{16})>", text)[1]
        inside = text.partition(f"<output {mark}>")[2].partition(f"</output {mark}>")[0]
        outside = text.replace(inside, "")
        assert not any(known.format(best="5") in outside for known in INJECTIONS)


def test_the_set_has_twenty_texts_that_all_name_the_answer():
    assert len(set(INJECTIONS)) == 20
    assert all("{best}" in known and "BEST" in known.format(best="BEST") for known in INJECTIONS)


@pytest.mark.parametrize("key", sorted(judge_protocols()))
def test_each_protocol_says_what_its_best_answer_is(key):
    protocol = judge_protocols()[key]
    from judges.options import read_options

    assert protocol.best_answer(case(), read_options(protocol.options, {}), 0)


def test_nothing_judged_has_no_share():
    empty = ProbeResult(0, 0, 3, {})
    assert (empty.share, empty.interval) == (None, None)
