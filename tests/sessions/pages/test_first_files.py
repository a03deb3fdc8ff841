"""The files that a session's page asks for when a browser loads it for the first time."""

import re

import pytest
from django.urls import reverse

from accounts.preferences import save_preferences

pytestmark = pytest.mark.django_db


def test_a_browser_asks_for_all_files_of_a_session_at_once(client, session, rater):
    save_preferences(rater, language="de")  # whose words are a file more
    client.force_login(rater)
    key = rater.raters.get().assignments.get(task=session.task).key
    head = client.get(reverse("revision_sessions:session", args=[key])).content.decode().split("</head>")[0]
    files = re.findall(r'<script [^>]*src="[^"]+"|<link rel="stylesheet" href="[^"]+"', head)
    assert any("languages/de" in file for file in files)
    assert len(files) <= 6, files  # over HTTP/1.1 the script, the last one, waits behind more
