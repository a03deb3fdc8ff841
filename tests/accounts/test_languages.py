"""The language and the time zone of the annotators' pages: whose they are, where they apply, and where they do not."""

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from accounts.languages import LANGUAGES, annotators_pages, zone_named
from accounts.models import AuditEntry, Person
from accounts.preferences import preferences_of, save_preferences
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, skip
from annotation.members.membership import rater_for
from annotation.models import Question, Study

CHOOSE, ZONE, SETTINGS = "/language/", "/my-settings/time-zone/", "/my-settings/"
MY_WORK = {"en": "My work", "de": "Meine Arbeit", "es": "Mi trabajo", "ar": "عملي", "zh-hans": "我的工作"}
SUBMIT = {
    "en": "Submit and next", "de": "Absenden und weiter", "es": "Enviar y seguir", "ar": "إرسال ومتابعة",
    "zh-hans": "提交并继续",
}  # fmt: skip


@pytest.fixture
def signed_in(client, rater):
    client.force_login(rater)
    return client


@pytest.fixture
def task(study, rater):
    return next_assignment(study, rater_for(study, rater))


def shown(client, address="/", **headers):
    return client.get(address, headers=headers).content.decode()


def test_the_browser_decides_until_somebody_chooses(client, db):
    assert "Anmelden" in shown(client, "/sign-in/", accept_language="fr,de-AT;q=0.8,en;q=0.5")
    assert "登录" in shown(client, "/sign-in/", accept_language="zh-CN,zh;q=0.9")
    assert '<html lang="en">' in shown(client, "/sign-in/", accept_language="fr, sv")
    assert '<html lang="en">' in shown(client, "/sign-in/")


def test_before_signing_in_the_choice_is_kept_in_a_cookie_and_leads_back(client, db):
    answer = client.post(CHOOSE, {"language": "es", "next": "/sign-in/?next=/my-day/"})
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/sign-in/?next=/my-day/"
    assert answer.cookies["django_language"]["httponly"]
    assert "Iniciar sesión" in shown(client, "/sign-in/", accept_language="de")
    assert client.post(CHOOSE, {"language": "es", "next": "https://elsewhere.example/"}).headers["Location"] == "/"


@pytest.mark.parametrize("wanted", ["", "fr", "de-at", "../../etc/passwd", "en\x00"])
def test_other_languages_are_refused(client, db, wanted):
    answer = client.post(CHOOSE, {"language": wanted})
    assert answer.status_code == 400
    assert "django_language" not in answer.cookies


@pytest.mark.thorough
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_person_keeps_the_language_on_every_computer(signed_in, rater, study, task, language):
    signed_in.post(CHOOSE, {"language": language})
    assert preferences_of(Person.objects.get(pk=rater.pk)).language == language
    signed_in.cookies.pop("django_language")
    home, desk = (shown(signed_in, address, accept_language="fr") for address in ("/", f"/work/{task.key}/"))
    direction = ' dir="rtl"' if language == "ar" else ""
    for page in (home, desk):
        assert f'<html lang="{language}"{direction}>' in page
        assert (f"js/languages/{language}.js" in page) == (language != "en")
    assert MY_WORK[language] in home
    assert SUBMIT[language] in desk
    entry = AuditEntry.objects.get(action="preferences changed")
    assert entry.new["language"] == language


def test_the_language_is_not_that_of_the_study(signed_in, study, task):
    Study.objects.update(language="ar")
    page = shown(signed_in, f"/work/{task.key}/")
    assert '<html lang="en">' in page
    assert 'lang="ar" dir="auto"' in page


def test_what_a_study_writes_is_shown_as_written(signed_in, rater, study, task):
    Question.objects.filter(study=study).update(text="Save")
    save_preferences(rater, language="de")
    assert '<bdi lang="en">Save</bdi>' in shown(signed_in, f"/work/{task.key}/")


def test_rendered_parts_of_one_language_are_never_served_in_another(client, study, rater, task):
    pages = {}
    for _ in range(2):
        for language in LANGUAGES:
            save_preferences(Person.objects.get(pk=rater.pk), language=language)
            client.force_login(rater)
            page = shown(client, f"/work/{task.key}/")
            told = page[page.index('<div class="questions"') :].replace("\n", " ")
            told = told[: told.index("</form>")] + told[told.index('<dialog id="help"') : told.index("</dialog>")]
            assert pages.setdefault(language, told) == told
            assert {"de": "(freiwillig)", "es": "(opcional)", "ar": "(اختياري)", "zh-hans": "选填"}.get(
                language, "(optional)"
            ) in told
    assert len(set(pages.values())) == len(LANGUAGES)


def test_a_language_and_a_time_zone_cost_no_statement(signed_in, rater, study, task):
    counts = {}
    for options in ({}, {"language": "ar", "time_zone": "Asia/Tokyo"}):
        save_preferences(Person.objects.get(pk=rater.pk), **options)
        for address in ("/", f"/work/{task.key}/", "/my-day/"):
            cache.clear()
            with CaptureQueriesContext(
                connection,
            ) as asked:
                assert signed_in.get(address).status_code == 200
            counts.setdefault(address, set()).add(len(asked))
    assert [len(found) for found in counts.values()] == [1, 1, 1]


def test_researchers_pages_and_programs_read_english(client, study, owner):
    save_preferences(owner, language="ar", time_zone="Asia/Tokyo")
    client.force_login(owner)
    client.cookies["django_language"] = "ar"
    for address in ("/studies/study/", "/studies/study/people/", "/admin/"):
        page = shown(client, address, accept_language="ar")
        assert 'dir="rtl"' not in page.split("<body", 1)[0], address
    assert client.get("/api/studies/study/", headers={"accept-language": "ar"}).headers["Content-Language"] == "en"
    refused = client.get("/api/nothing/", headers={"accept-language": "ar"})
    assert refused.json()["detail"].isascii()
    assert "عملي" not in shown(client, "/studies/study/")
    assert translation.get_language() == "en"
    assert timezone.get_current_timezone_name() == "UTC"


def test_error_pages_and_problems_of_an_answer_are_in_the_language(signed_in, rater, study, task):
    signed_in.post(CHOOSE, {"language": "de"})
    assert "Seite nicht gefunden" in shown(signed_in, "/nowhere/")
    assert "Seite nicht gefunden" in shown(signed_in, "/studies/none/guidelines/")
    page = signed_in.post(f"/work/{task.key}/submit/", {"q-how_well": "9"}).content.decode()
    assert "Diese Antwort muss eine ganze Zahl von 1 bis 5 sein." in page
    assert "Diese Frage braucht eine Antwort." in page


def test_all_routes_of_annotators_exist():
    from django.urls import get_resolver

    known = {f"{space}:{name}" for space, (_, resolver) in get_resolver().namespace_dict.items()
             for name in resolver.reverse_dict if isinstance(name, str)}  # fmt: skip
    assert annotators_pages() <= known


def test_times_are_those_of_the_person(signed_in, rater, study, task):
    skip(task, Submission({}, 0, 1), "Why not.")
    save_preferences(Person.objects.get(pk=rater.pk), time_zone="Asia/Tokyo")
    page = shown(signed_in, "/studies/study/my-answers/")
    assert "+09:00" in page
    assert " JST</time>" in page
    assert 'data-zone="Asia/Tokyo"' in page
    assert 'data-zone="Asia/Tokyo"' in shown(signed_in, "/my-day/").partition("<body")[2]


def test_the_browser_says_the_time_zone_once(signed_in, rater):
    assert f'data-zone-address="{ZONE}"' in shown(signed_in)
    assert signed_in.post(ZONE, {"zone": "America/Lima"}).status_code == 204
    assert signed_in.post(ZONE, {"zone": "Asia/Tokyo"}).status_code == 204
    assert preferences_of(Person.objects.get(pk=rater.pk)).time_zone == "America/Lima"
    assert "data-zone-address" not in shown(signed_in)


@pytest.mark.parametrize("name", ["Mars/Base", "../../etc/passwd", "/etc/localtime", "Europe", "x" * 65, "UTC\x00"])
def test_what_is_no_time_zone_is_refused(signed_in, rater, name):
    assert zone_named(name) is None
    assert signed_in.post(ZONE, {"zone": name}).status_code == 400
    assert signed_in.post(SETTINGS, {"time_zone": name}).status_code == 422
    assert preferences_of(Person.objects.get(pk=rater.pk)).time_zone == ""


def test_both_are_chosen_in_the_settings(signed_in, rater):
    form = {"keys_on": "on", "language": "zh-hans", "time_zone": "Europe/Madrid"}
    assert signed_in.post(SETTINGS, form).status_code == 302
    page = shown(signed_in, SETTINGS)
    assert "已保存。" in page
    assert 'value="Europe/Madrid"' in page
    assert signed_in.post(SETTINGS, {"keys_on": "on", "language": "xx"}).status_code == 422
    signed_in.post(SETTINGS, {"keys_on": "on"})
    assert "Nothing was changed" not in shown(signed_in, SETTINGS, accept_language="en")
    assert '<html lang="es"' in shown(signed_in, "/", accept_language="es")
