"""The proxy with a certificate of its own, as deploy/https.yml configures it, with a real nginx."""

import http.client
import http.server
import shutil
import signal
import ssl
import subprocess
import threading
from dataclasses import replace

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor

from scripts import compose
from scripts.stack import Stack
from tests.ops.conftest import ROOT, free_port
from tests.ops.test_proxy import Echo
from tests.own_proxy import PATH, wait_for

pytestmark = pytest.mark.skipif(
    shutil.which("nginx", path=PATH) is None or shutil.which("openssl") is None, reason="nginx or openssl is missing"
)


def override() -> dict:
    """The file that is read after docker-compose.yml; `!override` replaces a list instead of adding to it."""

    class Reader(SafeConstructor):
        pass

    Reader.add_constructor("!override", lambda reader, node: reader.construct_sequence(node))
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = Reader
    return yaml.load((ROOT / "deploy" / "https.yml").read_text(encoding="utf-8"))


def test_the_override_changes_only_what_https_needs():
    found = override()
    assert set(found) == {"services", "configs"}
    assert set(found["services"]) == {"proxy"}
    assert found["services"]["proxy"]["ports"] == ["${HTTP_PORT:-80}:8080", "${HTTPS_PORT:-443}:8443"]
    (volume,) = found["services"]["proxy"]["volumes"]
    assert volume.startswith("${TLS_FOLDER:?")
    assert volume.endswith(":/etc/nginx/tls:ro")
    assert found["configs"] == {"listen": {"file": "./proxy/listen_https.conf"}}
    assert compose.read()["configs"].keys() > found["configs"].keys()


@pytest.fixture(scope="module")
def ports(tmp_path_factory):
    """The ports for HTTP and HTTPS of a proxy before a server that answers with the fields that it got."""
    folder = tmp_path_factory.mktemp("https")
    folder.chmod(0o711)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
         "-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")],
        check=True, capture_output=True,
    )  # fmt: skip
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    plain, secure = free_port(), free_port()
    stack = Stack(folder, PATH, {"postgres": 1, "redis": 2, "web": server.server_port, "proxy": plain})
    (service,) = (service for service in stack.described if service.name == "proxy")
    listen = ROOT / override()["configs"]["listen"]["file"]
    service = replace(service, files={**service.files, "/etc/nginx/listen.conf": listen})
    stack.described = [service]
    stack.make_folders()
    written = stack.file_place(service, "/etc/nginx/listen.conf")
    text = written.read_text(encoding="utf-8").replace("listen 8443", f"listen 127.0.0.1:{secure}")
    written.write_text(text.replace("/etc/nginx/tls/", f"{folder}/"), encoding="utf-8")
    process = subprocess.Popen(stack.command(service, service.command), stdin=subprocess.DEVNULL)
    wait_for(plain, process)
    yield plain, secure
    process.send_signal(signal.SIGTERM)
    process.wait(30)
    server.shutdown()
    server.server_close()


def test_plain_http_is_redirected_with_its_path(ports):
    connection = http.client.HTTPConnection("127.0.0.1", ports[0], timeout=30)
    connection.request("POST", "/sign-in/?next=/x", headers={"Host": "rate.example.org"})
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Location"]) == (308, "https://rate.example.org/sign-in/?next=/x")
    connection.close()


def ask(port: int, context: ssl.SSLContext, **fields: str) -> dict[str, str]:
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=context)
    connection.request("GET", "/", headers={name.replace("_", "-"): value for name, value in fields.items()})
    text = connection.getresponse().read().decode()
    connection.close()
    return dict(line.split(": ", 1) for line in text.splitlines() if line)


def unchecked() -> ssl.SSLContext:
    """Accepts the certificate that the test has made."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def test_what_clients_claim_about_address_and_scheme_is_replaced(ports):
    told = ask(ports[1], unchecked(), X_Forwarded_For="198.51.100.7", X_Forwarded_Proto="http")
    assert (told["X-Forwarded-Proto"], told["X-Forwarded-For"]) == ("https", "127.0.0.1")
