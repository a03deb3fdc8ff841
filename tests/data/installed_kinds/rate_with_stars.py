"""Run by a test with this folder on the path: from a study file with the package's parts to its export."""

import json
import sys
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from accounts.models import Person  # noqa: E402
from annotation.desk.assigning import next_assignment  # noqa: E402
from annotation.members.membership import add_member, rater_for  # noqa: E402
from annotation.models import Study  # noqa: E402
from annotation.studies.planning import plan_chunk  # noqa: E402
from files.reading import import_study  # noqa: E402
from files.writing import export_study  # noqa: E402

folder = Path(sys.argv[1])
settings.ALLOWED_HOSTS = ["testserver"]
settings.STORAGES = settings.STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
call_command("migrate", verbosity=0)
study = import_study(folder / "in").study
while plan_chunk(study):
    pass
Study.objects.update(status="live")
study.refresh_from_db()
rater = Person.objects.create_user("rater", password="a long password of the rater")
add_member(study, rater, "annotator", None)
task = next_assignment(study, rater_for(study, rater))
client = Client()
client.force_login(rater)
page = client.get(f"/work/{task.key}/").content.decode()
refused = client.post(f"/work/{task.key}/submit/", {"q-liked": "six", "revision": "0", "client_key": ""})
hidden = {name: page.split(f'name="{name}" value="')[1].split('"')[0] for name in ("revision", "client_key")}
sent = client.post(f"/work/{task.key}/submit/", {**hidden, "q-liked": "4"})
export_study(study, folder / "out")
line = json.loads((folder / "out" / "annotations.jsonl").read_text().splitlines()[0])
print(json.dumps({"stars": page.count("★"), "refused": refused.status_code, "sent": sent.status_code, "line": line}))
