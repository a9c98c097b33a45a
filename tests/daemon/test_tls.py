"""Whom a client of TLS trusts, on each Python: authorities without key identifiers too, and nobody else's."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading

import pytest

from pitwatch.daemon import cli
from pitwatch.daemon.common.tls import client_context

REQUEST = "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={0} -keyout {0}.key -out {0}.csr"
SIGN = "x509 -req -in {0}.csr -days 2 -out {0}.crt -extfile {0}.ext"


@pytest.fixture
def openssl(tmp_path):
    def run(command, name, extensions=""):
        (tmp_path / f"{name}.ext").write_text(extensions)
        done = subprocess.run(["openssl", *command.format(name).split()], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return run


@pytest.fixture
def house(tmp_path, openssl):
    """An authority and a broker's certificate as OpenSSL 1.1 and earlier versions of `provision` made them."""
    none = "subjectKeyIdentifier=none\nauthorityKeyIdentifier=none\n"
    openssl(REQUEST, "ca")
    openssl(SIGN + " -signkey ca.key", "ca", none + "basicConstraints=critical,CA:TRUE\n")
    openssl(REQUEST, "broker")
    openssl(SIGN + " -CA ca.crt -CAkey ca.key -CAcreateserial", "broker", none + "subjectAltName=DNS:localhost\n")
    return tmp_path


def connect(house, context, name="localhost"):
    """Shake hands with the broker of the house. Raises ssl.SSLError."""
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(house / "broker.crt", house / "broker.key")
    here, there = socket.socketpair()

    def serve():
        try:
            served.wrap_socket(there, server_side=True).close()
        except OSError:
            there.close()

    server = threading.Thread(target=serve)
    server.start()
    try:
        context.wrap_socket(here, server_hostname=name).close()
    finally:
        here.close()
        server.join()


def test_an_authority_without_key_identifiers_is_trusted(house):
    connect(house, client_context(str(house / "ca.crt")))


def test_another_authority_and_another_host_are_not(house, openssl):
    openssl(REQUEST, "other")
    openssl(SIGN + " -signkey other.key", "other", "basicConstraints=critical,CA:TRUE\n")
    for context, name in (
        (client_context(str(house / "other.crt")), "localhost"),
        (client_context(), "localhost"),
        (client_context(str(house / "ca.crt")), "broker.example"),
    ):
        with pytest.raises(ssl.SSLCertVerificationError):
            connect(house, context, name)


def test_what_provision_makes_is_right_for_strict_clients(tmp_path):
    here = [
        "--broker",
        "localhost",
        "--table",
        "toledo/RL-07",
        "--surveillance",
        "eye",
        "--broker-folder",
        "/etc/broker",
    ]
    assert cli.main(["provision", str(tmp_path / "house"), *here]) == 0
    house = tmp_path / "house"
    for certificate in ("broker/broker.crt", "tables/toledo/RL-07/client.crt", "surveillance/eye/client.crt"):
        strict = ["openssl", "verify", "-x509_strict", "-CAfile", house / "ca" / "ca.crt", house / certificate]
        done = subprocess.run(strict, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
