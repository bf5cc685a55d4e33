# SPDX-License-Identifier: Apache-2.0
"""What the system knows of processes, and of what they have not read yet."""

import fcntl
import random
import socket
import struct
import termios
import time


def is_running(pid):
    """Whether the process is there and no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def until(holds, seconds):
    """Waits until it holds; whether it did in time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def is_read(port):
    """Whether all connections to a port of 127.0.0.1 are accepted, and all that
    was sent on them to this port is read. The kernel has the numbers: of a
    socket that listens the connections that wait, of others the bytes, those to
    be sent first."""
    own = f"0100007F:{port:04X}"
    with open("/proc/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    return all(row[1] != own or row[4].endswith(":00000000") for row in rows
               ) and all(row[2] != own or row[4].startswith("00000000:")
                         for row in rows)


def is_drained(pipe):
    """Whether the reader of a pipe has taken all that was written to it."""
    waiting = fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4)
    return struct.unpack("i", waiting)[0] == 0


def lasting_port():
    """A port for a server that is ended and started again. It is outside the
    range of the system's free ports, so no other process gets it meanwhile."""
    with open("/proc/sys/net/ipv4/ip_local_port_range",
              encoding="ascii") as file:
        low, high = map(int, file.read().split())
    ports = [*range(1 << 13, low), *range(high + 1, 1 << 16)]
    while True:
        port = random.choice(ports)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
