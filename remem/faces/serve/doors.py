"""Where a server may listen: beyond this machine only with a key. Opens the sockets; serves nothing."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
from collections.abc import Iterator, Sequence

from remem.errors import ConfigError, ConflictError, RefusedError
from remem.settings import ServerSettings

SHORT_KEY = 16
"""A key with fewer characters can be guessed: it draws a warning."""
BACKLOG = 2048


def find_addresses(host: str) -> list[str]:
    """The addresses that a host stands for, IPv4 first. Raises ConfigError where there are none."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        message = f"[server] host: {host[:100]} is no address of this machine"
        raise ConfigError(message, name="server.host") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in sorted(found, key=lambda entry: ":" in str(entry[4][0]))))


def is_local(addresses: Sequence[str]) -> bool:
    """Whether nobody but this machine can reach them."""
    return all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in addresses)


def check_keys(server: ServerSettings, addresses: Sequence[str]) -> Iterator[str]:
    """Warnings about the keys. Raises ConfigError where the world could call without one."""
    keys = [key for key in (server.api_key, server.second_api_key) if key]
    if not keys and not is_local(addresses):
        raise ConfigError(
            f"[server] host {server.host} can be reached from other machines, and no key is set: set REMEM_API_KEY, or"
            " listen on 127.0.0.1",
            name="server.api_key",
        )
    if any(len(key) < SHORT_KEY for key in keys):
        yield f"a key has fewer than {SHORT_KEY} characters; a longer one cannot be guessed"
    if not keys and "*" in server.cors_origins:
        yield (
            '[server] cors_origins is "*" and no key is set: any web page that is opened on this machine can read and'
            " change everything"
        )


def open_sockets(host: str, port: int, addresses: Sequence[str]) -> list[socket.socket]:
    """A bound socket for each address, all on one port (0: one that is free). Raises ConflictError where the port is in
    use, RefusedError where it may not be taken, ConfigError where the address is not of this machine."""
    opened: list[socket.socket] = []
    try:
        for address in addresses:
            opened.append(_open_socket(address, port))
            port = opened[0].getsockname()[1]
    except OSError as error:
        for each in opened:
            each.close()
        raise _explain_failure(host, port, error) from None
    return opened


def _open_socket(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let two servers have one port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((address, port))
        made.listen(BACKLOG)  # what is in use shows here at the latest
        made.setblocking(False)
    except BaseException:
        made.close()
        raise
    return made


def _explain_failure(host: str, port: int, error: OSError) -> ConflictError | RefusedError | ConfigError:
    if error.errno == errno.EADDRINUSE:
        message = f"port {port} of {host} is in use, perhaps by another `remem serve`; --port names another (0: any)"
        return ConflictError(message, port=port)
    if error.errno in (errno.EACCES, errno.EPERM):
        return RefusedError(f"port {port} of {host} may not be used by this user; --port names another", port=port)
    return ConfigError(f"[server] host: cannot listen on {host}: {error.strerror}", name="server.host")


def show_address(host: str, sockets: Sequence[socket.socket]) -> str:
    """The address of a server as a browser takes it; one that listens everywhere is shown by its local name."""
    name, port = sockets[0].getsockname()[:2]
    if ipaddress.ip_address(name.partition("%")[0]).is_unspecified:
        name = "localhost"
    elif host == "localhost":
        name = host
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
