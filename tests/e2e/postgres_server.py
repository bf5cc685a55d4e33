# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of a test's own, on a socket and a port of 127.0.0.1."""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from process import is_running, lasting_port, until

SECRET = "p4ss w%rd"
SECRET_URL = "p4ss%20w%25rd"


def find_programs():
    """Where initdb, pg_ctl and psql are, or None: they may stand on PATH or
    in a folder of their version's, the newest first."""
    folders = glob.glob("/usr/lib/postgresql/*/bin")
    folders.sort(key=lambda path: -int(path.split("/")[4]))
    path = os.pathsep.join([os.environ["PATH"], *folders])
    found = {name: shutil.which(name, path=path)
             for name in ("initdb", "pg_ctl", "psql")}
    return found if all(found.values()) else None


class Server:
    """A server and its data."""

    def __init__(self, programs):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="surety-postgres-")
        self.user = None
        if not os.getuid():
            self.user = pwd.getpwnam("postgres")
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.data = os.path.join(self.folder, "data")
        self.port = lasting_port()

    def become(self):
        if self.user:
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)

    def run(self, program, *arguments, good=True):
        done = subprocess.run(
            [self.programs[program], *arguments], cwd=self.folder, check=False,
            preexec_fn=self.become, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=300, env={"PATH": os.environ["PATH"], "LC_ALL": "C",
                             "PGPASSWORD": SECRET})
        if good and done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}" + self.log())
        return done.stdout

    def log(self):
        """The last that the server said."""
        try:
            with open(os.path.join(self.folder, "log"),
                      encoding="utf-8") as file:
                return "".join(file.readlines()[-5:])
        except OSError:
            return ""

    def make(self):
        password = os.path.join(self.folder, "password")
        with open(password, "w", encoding="ascii") as file:
            file.write(SECRET)
        os.chmod(password, 0o644)
        self.run("initdb", "-D", self.data, "-U", "boss", "-A",
                 "scram-sha-256", "--pwfile", password, "-E", "UTF8",
                 "--locale", "C", "--no-sync")
        with open(os.path.join(self.data, "postgresql.conf"), "a",
                  encoding="ascii") as file:
            file.write(f"""
listen_addresses = '127.0.0.1'
port = {self.port}
unix_socket_directories = '{self.folder}'
shared_buffers = '16MB'
max_connections = 20
""")

    def start(self):
        log = os.path.join(self.folder, "log")
        self.run("pg_ctl", "-D", self.data, "-w", "-t", "250", "-l", log,
                 "start")

    def stop(self, mode="fast"):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop",
                 good=False)

    def pid(self):
        with open(os.path.join(self.data, "postmaster.pid"),
                  encoding="ascii") as file:
            return int(file.readline())

    def kill(self):
        """As in a power cut: the server and its children, at once."""
        pid = self.pid()
        kids = [int(line) for path in glob.glob(f"/proc/{pid}/task/*/children")
                for line in open(path, encoding="ascii").read().split()]
        for each in [pid, *kids]:
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                pass
        until(lambda: not any(map(is_running, [pid, *kids])), 100)
        # Where nobody waits for it a dead one keeps its number, and would be
        # taken for a server that runs.
        for lock in (os.path.join(self.data, "postmaster.pid"), os.path.join(
                self.folder, f".s.PGSQL.{self.port}.lock")):
            os.unlink(lock)

    def sql(self, text, database="postgres"):
        return self.run("psql", "-h", self.folder, "-p", str(self.port), "-U",
                        "boss", "-d", database, "-X", "-A", "-t", "-q", "-v",
                        "ON_ERROR_STOP=1", "-c", text).strip()

    def url(self, database="postgres", user="boss", password=SECRET_URL,
            scheme="postgresql"):
        return (f"{scheme}://{user}:{password}@127.0.0.1:{self.port}/"
                f"{database}")


def cut(server, before_commit, which=2):
    """A server in between that cuts the connection once, around its COMMIT
    number `which`: a process, and its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    code = f"""
import re, select, socket, sys
listener = socket.socket(fileno={listener.fileno()})
cuts = 0
while True:
    here = listener.accept()[0]
    there = socket.create_connection(("127.0.0.1", {server.port}))
    commits, open_ = 0, True
    while open_:
        for side in select.select([here, there], [], [])[0]:
            data = side.recv(65536)
            other = there if side is here else here
            last = side is here and bool(re.search(rb"COMMIT(?!TED)", data))
            commits += last
            if not data or (last and commits == {which} and not cuts):
                if data:
                    cuts = 1
                    if not {before_commit}:
                        there.sendall(data)
                        there.recv(65536)
                open_ = False
                break
            other.sendall(data)
    here.close()
    there.close()
"""
    process = subprocess.Popen([sys.executable, "-c", code],
                               pass_fds=[listener.fileno()])
    port = listener.getsockname()[1]
    listener.close()
    return process, port
