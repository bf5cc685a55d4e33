#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`surety serve` by TLS: gateway_tls_test.py [SURETY]. Certificates that the
command openssl makes; without it the test is skipped. That the bytes are those
of plain HTTP, however they are cut, is a law of serve_tls_test.c."""

import json
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
import warnings

from cli_run import ENV, FOLDER, check, run_tests, same, skip, surety
from gateway_run import Gateway, said
from mock_run import WAIT, Mock, Response
from others_run import npm_install
from process import until

TEXT = "Grüße, 日本語 🎉. " * 3000
SCRIPT = {"then": "repeat", "replies": [{"text": TEXT, "chunks": 40}]}
CONFIG = {"models": {"small": {"provider": "openai", "model": "m"}}}
HERE = os.path.dirname(os.path.abspath(__file__))
GET = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: %s\r\n\r\n"


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


class Files:
    """A certificate for 127.0.0.1 and its key, in a folder of their own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(dir=FOLDER)
        self.certificate = os.path.join(self.folder, "cert.pem")
        self.key = os.path.join(self.folder, "key.pem")
        self.make()

    def make(self):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                "-keyout", self.key, "-out", self.certificate)
        os.chmod(self.key, 0o600)

    def options(self):
        return ("--tls-cert", self.certificate, "--tls-key", self.key)


class Authority:
    """A private authority that signs certificates of clients."""

    def __init__(self, name="authority"):
        self.folder = tempfile.mkdtemp(dir=FOLDER)
        self.key = os.path.join(self.folder, "ca.key")
        self.certificate = os.path.join(self.folder, "ca.pem")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=" + name, "-keyout", self.key, "-out", self.certificate)

    def sign(self, name, *extension):
        """The paths of a certificate and its key."""
        path = os.path.join(self.folder, name)
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                "-nodes", "-subj", "/CN=" + name, "-keyout", path + ".key",
                "-out", path + ".csr")
        with open(path + ".ext", "w", encoding="ascii") as file:
            file.write("\n".join(extension))
        openssl("x509", "-req", "-in", path + ".csr", "-CA", self.certificate,
                "-CAkey", self.key, "-CAcreateserial", "-days", "1",
                "-extfile", path + ".ext", "-out", path + ".pem")
        return path + ".pem", path + ".key"


    def revoke(self, *certificates, until=("-crldays", "1")):
        """A list of these revoked certificates, in force until then."""
        config = os.path.join(self.folder, "revoke.cnf")
        index = os.path.join(self.folder, "index.txt")
        with open(config, "w", encoding="ascii") as file:
            file.write(f"[ca]\ndefault_ca=ours\n[ours]\ndatabase={index}\n"
                       f"certificate={self.certificate}\n"
                       f"private_key={self.key}\ndefault_md=sha256\n")
        with open(index, "w", encoding="ascii"):
            pass
        for certificate in certificates:
            openssl("ca", "-config", config, "-revoke", certificate)
        path = os.path.join(self.folder, "revoked.pem")
        openssl("ca", "-config", config, "-gencrl", *until, "-out", path)
        with open(path, encoding="ascii") as file:
            return file.read()


class Secure(Gateway):
    """A gateway that is dialled by TLS."""

    def __init__(self, files, *options):
        self.files = files
        super().__init__(SCRIPT, *files.options(), *options, config=CONFIG)

    def dial(self, **limits):
        context = ssl.create_default_context(cafile=self.files.certificate)
        for name, value in limits.items():
            if name == "alpn":
                context.set_alpn_protocols(value)
            elif name == "client":
                context.load_cert_chain(*value)
            elif name == "ciphers":
                context.set_ciphers(value)
            else:
                setattr(context, name, value)
        return context.wrap_socket(Mock.dial(self),
                                   server_hostname="127.0.0.1")


def refused(gateway, **limits):
    try:
        gateway.dial(**limits).close()
    except (ssl.SSLError, ConnectionResetError) as error:
        return str(error) or "reset"
    return ""


def test_calls():
    with Secure(Files()) as gateway:
        check("the line names https", "https://127.0.0.1:" in gateway.line,
              gateway.line)
        same("whole", said("openai", gateway.call(model="small")), TEXT)
        link = gateway.dial()
        for _ in range(3):
            link.sendall(GET % b"keep-alive")
            check("a connection is kept", link.recv(9999).endswith(b"ok\n"),
                  link)
        link.sendall(GET % b"keep-alive" + GET % b"close")
        same("requests in one record", Response(link).raw.count(b" 200 OK"), 2)
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            link = gateway.dial(minimum_version=version,
                                maximum_version=version)
            link.sendall(GET % b"close")
            same(f"{version.name}", Response(link).status, 200)
        link = gateway.dial(alpn=["h2", "http/1.1"])
        same("of the offered protocols HTTP/1.1 is chosen",
             link.selected_alpn_protocol(), "http/1.1")
        link.close()
        check("a client that has only HTTP/2 is refused",
              refused(gateway, alpn=["h2"]), "")
        warnings.simplefilter("ignore", DeprecationWarning)
        error = refused(gateway, ciphers="ALL:@SECLEVEL=0",
                        minimum_version=ssl.TLSVersion.TLSv1,
                        maximum_version=ssl.TLSVersion.TLSv1_1)
        check("TLS 1.1 is refused by the server", "ALERT" in error.upper(),
              error)


def test_strangers():
    """Clients that do not speak TLS, or stop in the middle of it."""
    with Secure(Files()) as gateway:
        link = Mock.dial(gateway)
        link.sendall(GET % b"close")
        plain = Response(link)
        same("HTTP without TLS is answered so", plain.status, 400)
        check("and the answer says what to do", b"https://" in plain.raw,
              plain.raw)
        for data in (b"", b"\x16", b"\x16\x03\x01\x02\x00\x01\x00",
                     b"\x16\x03\x01\x00\x05hello", b"\0" * 500, b"\x80\x2e\1"):
            link = Mock.dial(gateway)
            link.sendall(data)
            link.close()
        link = Mock.dial(gateway)
        link.sendall(b"\x16\x03\x01\x00\x05hello")
        check("noise ends the connection", Response(link).end != "silence")
        waits = Mock.dial(gateway)
        waits.sendall(b"\x16\x03\x01")
        same("none of them hinders others",
             said("openai", gateway.call(model="small")), TEXT)
        waits.close()


def answer(gateway, **limits):
    """The text of /healthz, or of the error. In TLS 1.3 a client learns with
    its first read that its certificate is refused."""
    try:
        link = gateway.dial(**limits)
        link.sendall(GET % b"close")
        return link.recv(9999).rsplit(b"\n", 2)[-2].decode()
    except (ssl.SSLError, ConnectionError) as error:
        return "refused" if "ALERT" in str(error).upper() else str(error)


def failed(gateway, **limits):
    """The handshakes that failed, as /metrics has them."""
    link = gateway.dial(**limits)
    link.sendall((GET % b"close").replace(b"healthz", b"metrics"))
    lines = Response(link).body.decode().split("\n")
    return [int(line.split(" ")[1]) for line in lines
            if line.startswith("surety_tls_handshakes_failed_total ")]


def test_clients():
    """Only a client with a certificate of the authority connects, by either
    version of TLS; all others are counted."""
    ours, other = Authority(), Authority()
    good = ours.sign("good")
    middle = ours.sign("middle", "basicConstraints=critical,CA:TRUE")
    versions = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
    with Secure(Files(), "--tls-client-ca", ours.certificate) as gateway:
        for version in versions:
            limits = {"minimum_version": version, "maximum_version": version}
            same(f"{version.name}: a certificate of ours",
                 answer(gateway, client=good, **limits), "ok")
            for name, client in (
                    ("another authority's", other.sign("stranger")),
                    ("the authority's for a server", ours.sign(
                        "server", "extendedKeyUsage=serverAuth"))):
                same(f"{version.name}: {name}", answer(
                    gateway, client=client, **limits), "refused")
            same(f"{version.name}: no certificate",
                 answer(gateway, **limits), "refused")
        same("each is counted", failed(gateway, client=good), [6])
        plain = Mock.dial(gateway)
        plain.sendall(GET % b"close")
        same("HTTP without TLS", Response(plain).status, 400)
        Mock.dial(gateway).close()
        same("too, but not a connection without a byte",
             failed(gateway, client=good), [7])
        shutil.copy(other.certificate, ours.certificate)
        gateway.process.send_signal(signal.SIGHUP)
        until(lambda: answer(gateway, client=good) != "ok", WAIT)
        same("after a reload it is another authority", [
            answer(gateway, client=good),
            answer(gateway, client=other.sign("friend"))], ["refused", "ok"])
    with Secure(Files(), "--tls-client-ca", middle[0]) as gateway:
        same("a certificate in the middle of a chain signs too",
             answer(gateway, client=good), "refused")
        same("itself it is known", answer(gateway, client=middle), "ok")
    with Secure(Files()) as gateway:
        same("without an authority none is needed", answer(gateway), "ok")
        same("and nothing fails", failed(gateway), [0])


def test_revoked():
    """A client that a list of its signer names does not connect, and where
    there are lists, none whose signer has no list in force."""
    ours, other = Authority("ours"), Authority("other")
    good, bad = ours.sign("good"), ours.sign("bad")
    friend = other.sign("friend")
    signers = ""
    for authority in (ours, other):
        with open(authority.certificate, encoding="ascii") as file:
            signers += file.read()
    old = ("-crl_lastupdate", "20200101000000Z",
           "-crl_nextupdate", "20200102000000Z")
    for name, lists, want in (
            ("no list", "", ["ok", "ok", "ok"]),
            ("none is revoked", ours.revoke() + other.revoke(),
             ["ok", "ok", "ok"]),
            ("one is", ours.revoke(bad[0]) + other.revoke(),
             ["ok", "refused", "ok"]),
            ("one signer has no list", ours.revoke(bad[0]),
             ["ok", "refused", "refused"]),
            ("a list that ended", ours.revoke(until=old) + other.revoke(),
             ["refused", "refused", "ok"])):
        for place, text in (("before", lists + signers),
                            ("behind", signers + lists)):
            path = os.path.join(FOLDER, "signers.pem")
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            with Secure(Files(), "--tls-client-ca", path) as gateway:
                same(f"{name}, {place} the certificates", [
                    answer(gateway, client=one)
                    for one in (good, bad, friend)], want)


def test_reload():
    files = Files()
    with Secure(files) as gateway:
        old = gateway.dial()
        first = old.getpeercert(True)

        def reload(until):
            gateway.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + WAIT
            while time.monotonic() < end:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
                with context.wrap_socket(Mock.dial(gateway)) as one:
                    if until(one.getpeercert(True)):
                        return True
            return False

        key = files.key
        with open(key, encoding="ascii") as file:
            right = file.read()
        with open(key, "w", encoding="ascii") as file:
            file.write("no key\n")
        check("a wrong file is reported",
              reload(lambda _: "key.pem has no key" in gateway.heard()),
              gateway.heard())
        check("and the old certificate stays", reload(lambda one: one == first))
        with open(key, "w", encoding="ascii") as file:
            file.write(right)
        files.make()
        check("a reload", reload(lambda one: one != first))
        old.sendall(GET % b"close")
        same("a connection goes on with the old one", Response(old).status,
             200)
        same("clients trust the new one",
             said("openai", gateway.call(model="small")), TEXT)


def test_refused():
    def says(name, words, *options):
        run = surety("serve", "--ledger", "none", "--listen", "127.0.0.1:0",
                     *options)
        check(name, run.code and words in run.err, run.err)

    files, others = Files(), Files()
    says("a file that is not there", "cannot be read", "--tls-cert",
         files.folder + "/none")
    says("a key that fits another certificate", "does not fit", "--tls-cert",
         files.certificate, "--tls-key", others.key)
    says("a file without a certificate", "has no certificate", "--tls-cert",
         files.key, "--tls-key", files.key)
    os.chmod(files.certificate, 0o600)
    says("a file without a key", "has no key", "--tls-cert",
         files.certificate)
    says("a key without a certificate", "the key of no certificate",
         "--tls-key", files.key)
    says("certificates of clients without one's own", "with --tls-cert",
         "--tls-client-ca", others.certificate)
    damaged = files.folder + "/damaged.pem"
    with open(others.certificate, encoding="ascii") as file:
        text = file.read()
    with open(damaged, "w", encoding="ascii") as file:
        file.write(text + text.replace(" CERTIFICATE-", " X509 CRL-"))
    says("a list that is none", "a list of revoked certificates",
         "--tls-cert", files.certificate, "--tls-key", files.key,
         "--tls-client-ca", damaged)
    says("no certificate of an authority", "the certificates that sign",
         "--tls-cert", files.certificate, "--tls-key", files.key,
         "--tls-client-ca", files.key)
    locked = files.folder + "/locked.pem"
    openssl("pkey", "-in", files.key, "-aes128", "-passout", "pass:x", "-out",
            locked)
    os.chmod(locked, 0o600)
    says("a key that is encrypted", "is encrypted", "--tls-cert",
         files.certificate, "--tls-key", locked)
    os.chmod(files.key, 0o644)
    says("a key that every user can read", "chmod 640", *files.options())


def test_npm():
    folder, reason = npm_install("gateway-tls", ["openai@6.49.0"])
    if not folder:
        skip("the client openai over HTTPS", reason)
        return
    shutil.copy(os.path.join(HERE, "gateway_tls.mjs"), folder)
    files = Files()
    with Secure(files) as gateway:
        run = subprocess.run(
            ["node", os.path.join(folder, "gateway_tls.mjs"),
             f"https://127.0.0.1:{gateway.port}/v1"], cwd=folder,
            env={**ENV, "NODE_EXTRA_CA_CERTS": files.certificate},
            capture_output=True, timeout=WAIT, check=False)
        same("the client openai over HTTPS, whole and streamed",
             json.loads(run.stdout or "null"), [TEXT, TEXT])


def main():
    if not shutil.which("openssl"):
        skip("TLS", "there is no command openssl")
        return
    for test in (test_calls, test_strangers, test_clients, test_revoked,
                 test_reload, test_refused, test_npm):
        test()


run_tests(main)
