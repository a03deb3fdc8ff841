"""The README's commands for programs, run literally against a real server with a token from its page."""

import http.cookiejar
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request
import zipfile

import pytest

from tests.house import ROOT
from tests.load.server import Server, environment, own_database, run

README = (ROOT / "README.md").read_text(encoding="utf-8")
PASSWORD = "a password for this test only"
USER = "me"


def block(language):
    """The one block of the README in this language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return found


@pytest.fixture
def site(tmp_path):
    """The address of a server on which the README's first study is live, with its owner."""
    with own_database(None, tmp_path) as database:
        env = {**environment(database, tmp_path), "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
        for name, language in (("study.yaml", "yaml"), ("items.jsonl", "json")):
            (tmp_path / name).write_text(block(language), encoding="utf-8")
        run(["manage.py", "migrate", "--verbosity=0"], env)
        run(["manage.py", "collectstatic", "--noinput", "--verbosity=0"], env)
        run(["manage.py", "createsuperuser", "--username", USER, "--noinput"], env)
        files = [str(tmp_path / "study.yaml"), "--items", str(tmp_path / "items.jsonl")]
        run(["manage.py", "import_study", *files, "--owner", USER, "--live"], env)
        server = Server(env)
        server.start()
        worker = subprocess.Popen([sys.executable, "-m", "config.worker", "jobs"], cwd=ROOT, env=env)
        try:
            yield f"http://127.0.0.1:{server.port}", env
        finally:
            worker.terminate()
            worker.wait(30)
            server.end()


class Browser:
    """Forms of the pages, sent as a browser sends them."""

    def __init__(self, site):
        self.site = site
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), urllib.request.ProxyHandler({})
        )

    def get(self, path):
        with self.opener.open(self.site + path, timeout=30) as answer:
            return answer.read().decode()

    def send(self, path, **fields):
        fields["csrfmiddlewaretoken"] = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(path))[1]
        body = urllib.parse.urlencode(fields).encode()
        with self.opener.open(self.site + path, body, timeout=30) as answer:
            return answer.read().decode()


def new_token(site):
    """A token that writes, from the study's page, made by its owner."""
    browser = Browser(site)
    browser.send("/sign-in/", username=USER, password=PASSWORD)
    page = browser.send("/studies/headlines/tokens/", name="readme", scope="write", days="1")
    return re.search(r'<textarea id="secret"[^>]*>([^<]+)<', page)[1]


@pytest.mark.thorough
def test_the_readme_s_study_through_the_api_runs_as_written(site, tmp_path):
    address, env = site
    place = tmp_path / "program"
    place.mkdir()
    names = set(re.findall(r"(\w+)=", block("sh")))
    assert names == {"SITE", "TOKEN"}
    given = {**os.environ, "SITE": address, "TOKEN": new_token(address), "no_proxy": "*"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block("bash")],
        cwd=place, env=given, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    answers = list(values(done.stdout))
    assert answers[0]["status"] == "live"
    assert [answer["added"] for answer in answers[1:4]] == [
        {"items": 1, "outputs": 2, "raters": 0},
        {"ratings": 4, "raters": 2},
        {"scores": 1, "raters": 1},
    ]
    assert [answer["rater"] for answer in answers[4:]] == ["ann", "bob", "ann", "bob"]
    agreement = json.loads((place / "agreement.json").read_text())
    assert agreement["questions"]["faithful"]["alpha_nominal"] == 1.0
    with zipfile.ZipFile(place / "headlines.zip") as archive:
        archive.extractall(place)
    again = run(["manage.py", "import_study", str(place / "headlines")], env)
    assert again.startswith("Added to study headlines: nothing new.\n")


def values(text):
    """Return the JSON values that follow one another in a text."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        value, place = decoder.raw_decode(text, place)
        yield value
