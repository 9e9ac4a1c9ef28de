"""What an agent tried to reach outside its sandbox, as lines of a file: each goal once, in the order of first tries."""

from __future__ import annotations

import json
import os
import socket
import struct
import time

MOST = 1_000  # goals listed; an agent that scans the world fills no disk


class Attempts:
    """Reads the watcher's packets. A line: `{"at", "how": "tcp" | "udp" | "dns" | "ip", "to": address or name, "port"}`."""

    def __init__(self, seen: socket.socket, path: str) -> None:
        self.source, self._path = seen, path
        self._known: set[tuple[str, str, int]] = set()
        seen.setblocking(False)

    def read(self) -> None:
        """Take what has come."""
        for _ in range(256):
            try:
                packet = self.source.recv(2048)
            except BlockingIOError:
                return
            goal = goal_of(packet)
            if goal is not None and goal not in self._known and len(self._known) < MOST:
                self._known.add(goal)
                self._note(*goal)

    def _note(self, how: str, to: str, port: int) -> None:
        if not self._path:
            return
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{time.time_ns() // 1_000_000 % 1000:03d}Z"
        line = json.dumps({"at": at, "how": how, "to": to, "port": port}) + "\n"
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)


def goal_of(packet: bytes) -> tuple[str, str, int] | None:
    """How, where and to which port an IP packet goes; None for an answer, or what cannot be read. Pure."""
    try:
        version = packet[0] >> 4
        if version == 4:
            kind, body = packet[9], packet[(packet[0] & 15) * 4 :]
            to = socket.inet_ntop(socket.AF_INET, packet[16:20])
        elif version == 6:
            kind, body, to = packet[6], packet[40:], socket.inet_ntop(socket.AF_INET6, packet[24:40])
        else:
            return None
        if kind == socket.IPPROTO_TCP:
            port, flags = struct.unpack("!H", body[2:4])[0], body[13]
            return ("tcp", to, port) if flags & 0x12 == 0x02 else None  # a SYN, not its answer
        if kind == socket.IPPROTO_UDP:
            port = struct.unpack("!H", body[2:4])[0]
            return ("dns", _name(body[8:]), port) if port == 53 else ("udp", to, port)
        return None if kind == socket.IPPROTO_ICMP else ("ip", to, 0)
    except (IndexError, ValueError, struct.error, OSError):
        return None


def _name(question: bytes) -> str:
    """The name a DNS question asks for."""
    parts: list[str] = []
    at = 12
    while (length := question[at]) and len(parts) < 64:
        parts.append(question[at + 1 : at + 1 + length].decode("ascii", "replace"))
        at += 1 + length
    return ".".join(parts)
