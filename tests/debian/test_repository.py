"""The signed repository that `make repo` makes, as a Debian 13 takes it: what is refused, and that upgrades arrive."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from tests.debian import builds

REPO = builds.PROJECT / "systemd" / "deb" / "repo"
UPDATE = "apt-get update -o Acquire::Check-Valid-Until=true --error-on=any 2>&1"
OURS = """
install -Dm 644 /tmp/repo/pitwatch.gpg /etc/apt/keyrings/pitwatch.gpg
install -m 644 /tmp/repo/pitwatch.pref /etc/apt/preferences.d/
echo 'deb [signed-by=/etc/apt/keyrings/pitwatch.gpg] file:/tmp/repo trixie main' >/etc/apt/sources.list
"""
FOREIGN = """
mkdir -p /tmp/foreign/root/DEBIAN && cd /tmp/foreign
cat >root/DEBIAN/control <<END
Package: pitwatch
Version: 99
Architecture: all
Maintainer: Somebody <somebody@example.org>
Description: another program of the same name
END
dpkg-deb --build root pitwatch_99_all.deb && apt-ftparchive packages . >Packages
echo 'deb [trusted=yes] file:/tmp/foreign ./' >>/etc/apt/sources.list
"""


class Keys:
    """gpg's keyring of a house, with a key of each name."""

    def __init__(self, folder):
        folder.mkdir(mode=0o700)
        self.environment = {**os.environ, "GNUPGHOME": str(folder)}

    def gpg(self, *arguments):
        command = ["gpg", "--batch", "--yes", "--passphrase", "", "--pinentry-mode", "loopback", *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr

    def make(self, name):
        self.gpg("--quick-generate-key", name, "ed25519", "sign", "1d")
        return re.search("^fpr:+([0-9A-F]+):", self.gpg("--list-keys", "--with-colons", name), re.MULTILINE)[1]

    def close(self):
        subprocess.run(["gpgconf", "--kill", "all"], env=self.environment, check=False)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    keys = Keys(tmp_path_factory.mktemp("keys") / "gnupg")
    yield keys
    keys.close()


@pytest.fixture(scope="module")
def key(keys):
    return keys.make("Pitwatch packages of the house")


@pytest.fixture
def repository(shop, keys, key):
    """Adds packages to the repository in the Debian's /tmp, signed by the house's key or another."""
    folder = shop.folder / "repo"
    shutil.rmtree(folder, ignore_errors=True)

    def add(which, signer=key):
        command = [REPO, signer, shop.folder / which, folder]
        subprocess.run(command, env=keys.environment, check=True, capture_output=True)
        return folder

    return add


def candidate(debian):
    return re.search("Candidate: (.*)", debian.does("apt-cache policy pitwatch"))[1]


def test_packages_come_from_it_and_each_build_is_an_upgrade(shop, debian, repository):
    repository("old")
    debian.does(OURS)
    debian.does(f"{UPDATE} && apt-get install -y pitwatch-floor 2>&1")
    assert debian.does("pitwatch --version") == f"pitwatch {shop.old.version}"
    repository("new")
    debian.does(f"{UPDATE} && apt-get upgrade -y 2>&1")
    assert debian.does("pitwatch --version") == f"pitwatch {shop.new.version}"
    assert debian.does("dpkg-query -W -f '${Version}' pitwatch-floor") == shop.new.version
    refused = debian.refuses(f"apt-get install -y pitwatch={shop.old.version} pitwatch-floor={shop.old.version} 2>&1")
    assert "downgraded" in refused
    assert debian.does("pitwatch --version") == f"pitwatch {shop.new.version}"


def test_an_index_that_nobody_signed_is_refused(debian, repository):
    folder = repository("old")
    debian.does(OURS)
    (folder / "dists" / "trixie" / "InRelease").unlink()
    assert "is not signed" in debian.refuses(UPDATE)
    debian.refuses("apt-get install -y pitwatch 2>&1")


def test_an_index_that_another_signed_is_refused(keys, debian, repository):
    folder = repository("old")
    debian.does(OURS)
    repository("new", keys.make("Somebody else"))
    assert (folder / "pitwatch.gpg").exists()
    assert re.search("NO_PUBKEY|Missing key|not signed", debian.refuses(UPDATE))
    debian.refuses("apt-get install -y pitwatch 2>&1")


@pytest.mark.parametrize("what", ["index", "package"])
def test_what_was_altered_is_refused(debian, repository, what):
    folder = repository("old")
    debian.does(OURS)
    index = folder / "dists" / "trixie" / "main" / "binary-amd64" / "Packages"
    if what == "index":
        index.write_text(index.read_text().replace("Depends: python3", "Depends: netcat, python3"))
        index.with_suffix(".gz").unlink()
        debian.refuses(UPDATE)
    else:
        (package,) = (folder / "pool" / "trixie").glob("pitwatch_*_amd64.deb")
        data = bytearray(package.read_bytes())
        data[-100] ^= 1
        package.write_bytes(data)
        debian.does(UPDATE)
        assert re.search("[Hh]ash|corrupt", debian.refuses("apt-get install -y pitwatch 2>&1"))
    debian.refuses("dpkg -s pitwatch")


def test_an_index_out_of_date_is_refused(keys, key, debian, repository):
    folder = repository("old")
    debian.does(OURS)
    release = folder / "dists" / "trixie" / "Release"
    release.write_text(re.sub("Valid-Until: .*", "Valid-Until: Thu, 01 Jan 2026 00:00:00 UTC", release.read_text()))
    keys.gpg("--local-user", key, "--clearsign", "--output", str(release.with_name("InRelease")), str(release))
    assert "is expired" in debian.refuses(UPDATE)


def test_an_older_index_put_back_changes_nothing(shop, debian, repository, tmp_path):
    folder = repository("old")
    shutil.copytree(folder / "dists", tmp_path / "dists")
    release = folder / "dists" / "trixie" / "Release"
    made = re.search("^Date: .*", release.read_text(), re.MULTILINE)[0]
    while made in release.read_text():  # until the clock's next second
        repository("new")
    debian.does(OURS + UPDATE)
    assert candidate(debian) == shop.new.version
    shutil.rmtree(folder / "dists")
    shutil.copytree(tmp_path / "dists", folder / "dists")
    debian.tries(UPDATE)
    assert candidate(debian) == shop.new.version


def test_the_name_in_another_repository_is_not_taken(shop, debian, repository):
    repository("old")
    debian.does(OURS)
    debian.does(FOREIGN)
    debian.does("apt-get update 2>&1")
    assert "99" in debian.does("apt-cache madison pitwatch")
    assert candidate(debian) == shop.old.version
    shutil.rmtree(shop.folder / "foreign")


@pytest.mark.parametrize(("arguments", "says"), [((), "no key is named"), (("0" * 40,), "gpg has no secret key 0000")])
def test_without_a_key_it_says_what_is_missing(keys, shop, arguments, says):
    done = subprocess.run([REPO, *arguments], env=keys.environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"repo: {says}")
    assert done.stderr.count("\n") == 1
