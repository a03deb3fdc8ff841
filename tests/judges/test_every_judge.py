"""Every protocol and every metric of the registries runs to its end from the page and by the command, with equal rows.

Protocols ask the scripted endpoint over HTTP. A new module in `judge_protocols` or `metrics` is tried without a change
here; a metric with a model needs a tiny one in MODELS.
"""

import html
import re
import shutil

import pytest
from django.core.management import call_command

from annotation.models import JudgeRun, Rating
from config.background.claiming import run_waiting
from judges.background.run_upkeep import settle_runs
from judges.judge_choices import judge_choice, judge_groups
from judges.metrics import metrics
from judges.models import Judgment, MetricRequest
from judges.options import read_options
from llm.management.commands.scripted_endpoint import SECTION
from llm.scripted.server_thread import serving
from sessions.models import TurnLabel
from tests.fewer import chosen_cases
from tests.judges.fitting_studies import fitting_study
from tests.judges.metrics.test_bleurt import with_words  # noqa: F401 - a fixture
from tests.judges.tiny_models import absent, tiny_classifier

pytestmark = pytest.mark.django_db(transaction=True)
JUDGES = [choice.key for group in judge_groups() for choice in group.choices]
REPRESENTATIVES = {*(group.choices[0].key for group in judge_groups()), "words", "rouge"}
"""Of each group its first, and two metrics without a model."""
MODELS = {"embedding": "roberta", "bartscore": "bart", "bleurt": "with_words", "entailment": "nli"}
"""The fixture with the tiny model of each metric that has one."""
SELECT = re.compile(r'<select name="([\w-]+)"[^>]*>(.*?)</select>', re.DOTALL)
SELECTED = re.compile(r'<option value="([^"]*)" selected')
INPUT = re.compile(r'<input type="(?:number|text|hidden)" name="([\w-]+)" value="([^"]*)"')
TEXT = re.compile(r'<textarea name="([\w-]+)"[^>]*>\s*(.*?)</textarea>', re.DOTALL)


@pytest.fixture
def scripted(settings, tmp_path):
    """The scripted endpoint, as its command describes it."""
    with serving() as server:
        settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
        settings.ENDPOINTS_FILE.write_text(f"endpoints:\n{SECTION.format(name='scripted', address=server.address)}")
        yield server


@pytest.fixture(scope="session")
def nli(tmp_path_factory):
    return tiny_classifier(tmp_path_factory.mktemp("nli"), ["contradiction", "neutral", "entailment"])


@pytest.fixture
def tiny(settings, tmp_path, request):
    """A function that puts the tiny model of a metric into the site's folder and returns its name, or None."""
    settings.VAR = tmp_path / "var"

    def placed(judge):
        if not judge.has_weights:
            return None
        if absent("torch", "transformers"):
            pytest.skip("torch or transformers is absent")
        assert judge.key in MODELS, "this metric has a model: name the fixture of a tiny one in MODELS"
        shutil.copytree(request.getfixturevalue(MODELS[judge.key]), settings.VAR / "models" / "tiny" / judge.key)
        return f"tiny/{judge.key}"

    return placed


def fields_of(page):
    """What a browser would send of the form as it is: every field with its value."""
    found = dict(INPUT.findall(page)) | dict(TEXT.findall(page))
    for name, options in SELECT.findall(page):
        found[name] = (SELECTED.findall(options) or re.findall(r'<option value="([^"]*)"', options))[0]
    return found | dict.fromkeys(re.findall(r'<input type="checkbox" name="(option-[\w-]+)"[^>]*checked', page), "on")


def offered(page, name):
    return re.findall(rf'name="{name}" value="([\w-]+)"', page)


def work_until_over():
    """Work as workers do until nothing waits and every run is settled."""
    while run_waiting():
        settle_runs()
    settle_runs()


def run_from_the_page(client, study, judge, page, given):
    """Start a run from the form as it is, with `given` in place of some values; return the run at its end."""
    address = f"/studies/{study.slug}/judges/new/"
    fields = {**fields_of(page), **given, "protocol": judge.key}
    estimate = client.post(address, {**fields, "estimate": "yes"})
    shown = html.unescape(estimate.content.decode())
    assert estimate.status_code == 200, re.findall(r'role="alert">(.*?)</', shown)
    key, digest = (re.search(rf'name="{name}" value="([\w-]+)"', shown)[1] for name in ("key", "estimated"))
    for _ in range(2):  # the second press starts no second run
        assert client.post(address, {**fields, "start": "yes", "estimated": digest, "key": key}).status_code == 302
    work_until_over()
    return JudgeRun.objects.get()


def run_by_the_command(study, judge, questions, references, model, tiny_model):
    """Run the same by the command; return the run at its end."""
    arguments = ["--json"]
    if questions:
        arguments += ["--question", *questions]
    if references:
        arguments += ["--reference", *references]
    if judge.protocol is not None:
        call_command("judge", study.slug, "--protocol", judge.key, "--model", model, *arguments)
    else:
        option = ["--option", f"model={tiny_model}"] if tiny_model else []
        call_command("score", study.slug, "--metric", judge.key, *option, *arguments)
    return JudgeRun.objects.latest("pk")


def written(run):
    """What a run has written, by its unit: the values of ratings, or of labels of turns."""
    rows = Rating.objects.filter(rater=run.rater, run=run.name)
    columns = ("question__key", "item__key", "output__key", "other_output__key", "variant", "replicate", "shown")
    found = {str(unit): said for *unit, said in rows.values_list(*columns, "value")}
    labels = TurnLabel.objects.filter(rater=run.rater, run=run.name)
    return found | {f"turn {turn}": value for turn, value in labels.values_list("turn", "value")}


def needs_references(judge):
    if judge.protocol is not None:
        return judge.protocol.needs_references(read_options(judge.options, {}))
    metric = metrics()[judge.key]
    return metric.needed(metric.checked({})) == "references"


@pytest.mark.parametrize("key", chosen_cases(JUDGES, REPRESENTATIVES))
def test_page_and_command_run_it_to_its_end_with_equal_rows(client, tmp_path, owner, scripted, tiny, key):
    judge = judge_choice(key)
    tiny_model, study = tiny(judge), fitting_study(tmp_path, owner, judge.protocol)
    client.force_login(owner)
    page = html.unescape(client.get(f"/studies/{study.slug}/judges/new/?protocol={key}").content.decode())
    assert judge.label in page
    questions, references = offered(page, "questions")[:1], ["human"] if needs_references(judge) else []
    given = {"questions": questions, "references": references}
    given |= {"option-model": tiny_model} if tiny_model else {}
    given |= {"model": "scripted/chat", "pilot": "0"} if judge.protocol else {}
    run = run_from_the_page(client, study, judge, page, given)
    rows = written(run)
    assert (run.status, set(run.counts), sum(run.counts.values())) == ("finished", {"valid"}, len(rows))
    assert rows
    assert MetricRequest.objects.count() == bool(tiny_model)
    again = run_by_the_command(study, judge, questions, references, "scripted/chat", tiny_model)
    assert (again.status, again.counts, again.configuration) == ("finished", run.counts, run.configuration)
    assert (again.rater, again.name) == (run.rater, "2")
    assert written(again) == rows
    address = f"/studies/{study.slug}/judges/"
    assert "judged" in client.get(f"{address}runs/{run.pk}/").content.decode()
    for judgment in Judgment.objects.filter(run=run)[:3]:
        assert client.get(f"{address}judgments/{judgment.pk}/").status_code == 200
        assert client.get(f"{address}judgments/{judgment.pk}/disagreement/").status_code == 302
