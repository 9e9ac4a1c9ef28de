"""A network namespace that holds nothing but loopback, and a socket that sees whatever is sent elsewhere. Runs inside the namespace.

Every address of the world is made local to it: a connection to one is refused at once by this machine's own stack, where it would otherwise
fail without a packet and so without a trace. The relay's listeners are bound to 127.0.0.1 alone.
"""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP, _SO_ATTACH_FILTER = 0x8913, 0x8914, 1, 26
_NEWROUTE, _REQUEST_CREATE, _TABLE_LOCAL, _SCOPE_HOST, _TYPE_LOCAL, _OIF, _LO = 24, 0x0405, 255, 254, 2, 4, 1
DROP, KEEP = 0, 0xFFFF


def loopback_only() -> None:
    """Bring loopback up and make every address local. Without IPv6 in the kernel, that half is left out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        asked = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(control, _SIOCGIFFLAGS, asked))[1]
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", flags | _IFF_UP))
    for family in (socket.AF_INET, socket.AF_INET6):
        _everything_is_local(family)


def _everything_is_local(family: int) -> None:
    route = struct.pack("=BBBBBBBBI", family, 0, 0, 0, _TABLE_LOCAL, 3, _SCOPE_HOST, _TYPE_LOCAL, 0)
    route += struct.pack("=HHI", 8, _OIF, _LO)
    head = struct.pack("=IHHII", 16 + len(route), _NEWROUTE, _REQUEST_CREATE, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        kernel.send(head + route)
        problem = struct.unpack("=i", kernel.recv(4096)[16:20])[0]
    if problem and family == socket.AF_INET:
        raise OSError(-problem, "no route to loopback for the rest of the world")


def listeners(ports: tuple[int, ...]) -> list[socket.socket]:
    """Listening sockets on 127.0.0.1, one a port."""
    found = []
    for port in ports:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(64)
        found.append(listener)
    return found


def watcher() -> socket.socket:
    """A packet socket that sees what goes to other addresses than loopback's, and questions to a name server."""
    seen = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    program = b"".join(struct.pack("=HBBI", *line) for line in _FILTER)
    kept = ctypes.create_string_buffer(program, len(program))
    seen.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HP", len(_FILTER), ctypes.addressof(kept)))
    seen.bind(("lo", 0x0003))  # ETH_P_ALL, only once the filter is in place
    return seen


_LDB, _LDH_X, _LD, _LDX_IP, _AND, _JEQ, _RET = 0x30, 0x48, 0x20, 0xB1, 0x54, 0x15, 0x06
# (operation, jump if equal, jump if not, value), as `tcpdump -dd` writes it
_FILTER = (
    (_LDB, 0, 0, 0),
    (_AND, 0, 0, 0xF0),
    (_JEQ, 0, 7, 0x40),  # IPv4, else on to IPv6
    (_LDB, 0, 0, 16),
    (_JEQ, 0, 15, 127),  # an address outside 127/8: keep
    (_LDB, 0, 0, 9),
    (_JEQ, 0, 12, 17),  # loopback and not UDP: drop
    (_LDX_IP, 0, 0, 0),
    (_LDH_X, 0, 0, 2),
    (_JEQ, 10, 9, 53),  # a name server's port: keep
    (_JEQ, 0, 8, 0x60),  # neither IPv4 nor IPv6: drop
    (_LDB, 0, 0, 6),
    (_JEQ, 6, 0, 58),  # the kernel's own ICMPv6: drop
    (_LD, 0, 0, 24),
    (_JEQ, 0, 5, 0),
    (_LD, 0, 0, 28),
    (_JEQ, 0, 3, 0),
    (_LD, 0, 0, 36),
    (_JEQ, 0, 1, 1),  # ::1: drop
    (_RET, 0, 0, DROP),
    (_RET, 0, 0, KEEP),
)
