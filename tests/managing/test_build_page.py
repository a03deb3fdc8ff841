import pytest
from tests.conftest import draft_study
from annotation.members.membership import add_member

def test_try(client, owner, db):
    study = draft_study(); add_member(study, owner, "owner", None); client.force_login(owner)
    r = client.get("/studies/study/build/"); assert r.status_code == 200
    open("/tmp/build.html","w").write(r.content.decode())
