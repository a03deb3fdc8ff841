"""Create a live study with signed-in raters in an empty database, and print what the load tools need.

    python -m tests.load.prepare RATERS TASKS REDUNDANCY [PROTOCOL WORDS [STUDIES]]

With several studies, all raters are in each of them.
"""

import json
import sys

import django

django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.core.management import call_command  # noqa: E402

from accounts.browser_sessions import SessionStore  # noqa: E402
from accounts.models import Person  # noqa: E402
from annotation.members.membership import add_member  # noqa: E402
from tests.load.imported_studies import live_study  # noqa: E402


def signed_in(person: Person) -> str:
    """Return the key of a new session in which `person` is signed in."""
    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def main() -> None:
    raters, tasks, redundancy = (int(text) for text in sys.argv[1:4])
    protocol, words = sys.argv[4:6] or ("rating", "2")
    names = ["load", *(f"load-{number}" for number in range(2, 1 + int(sys.argv[6])))] if sys.argv[6:] else ["load"]
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    studies = [live_study(protocol, tasks, redundancy, int(words), name) for name in names]
    people = [Person.objects.create(username=f"person-{number}", password="!") for number in range(raters)]
    for person in people:
        for study in studies:
            add_member(study, person, "annotator", None)
    sessions = [signed_in(person) for person in people]
    print(json.dumps({"study": studies[0].slug, "studies": [study.slug for study in studies], "sessions": sessions}))


if __name__ == "__main__":
    main()
