"""What the service is told at its start: keys, hosts, limits. Made from the settings; knows no request."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.settings import Settings

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""Hosts that are always accepted, with or without port."""
ANYWHERE = ("0.0.0.0", "[::]")
"""What stands for all addresses of a machine, and names none."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How the service answers.

    `api_keys` are the keys that are valid (none: no key is asked for). `allowed_hosts` are accepted as `Host` beside
    those of this machine, with or without port; without `check_hosts` any is. `cors_origins` are the pages of other
    origins that may call ("*": all). `rate_limit` is requests per minute and client (0: no limit), `max_body_bytes`
    bounds a request's body, `body_timeout` is how many seconds a body may take to arrive. `compile_roots` are the
    folders that may be compiled beside the roots of the store.
    """

    api_keys: tuple[str, ...] = field(default=(), repr=False)
    allowed_hosts: tuple[str, ...] = ()
    check_hosts: bool = True
    cors_origins: tuple[str, ...] = ()
    rate_limit: int = 0
    max_body_bytes: int = 16_000_000
    body_timeout: float = 30.0
    compile_roots: tuple[str, ...] = ()


def read_options(settings: Settings) -> ServerOptions:
    """The options that the settings name. Beyond this machine a key is asked for, so any name will do there, unless
    names are given."""
    server = settings.server
    host = f"[{server.host}]" if ":" in server.host else server.host
    beyond = host in ANYWHERE or not is_local(host)
    return ServerOptions(
        api_keys=tuple(key for key in (server.api_key, server.second_api_key) if key),
        allowed_hosts=(*server.allowed_hosts, host),
        check_hosts=bool(server.allowed_hosts) or not beyond,
        cors_origins=server.cors_origins,
        rate_limit=server.rate_limit,
        max_body_bytes=settings.limits.max_body_bytes,
        body_timeout=settings.limits.body_timeout,
        compile_roots=settings.compile.roots,
    )


def is_local(host: str) -> bool:
    """Whether a host is this machine: localhost, or an address of the loopback network."""
    name = host.strip("[]")
    if name.lower() == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
