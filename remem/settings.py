"""What can be set: one section a class, one setting a field with its default, bounds and description. Where the values
come from is not known here.

A new setting is one field here and one line in `remem-server.toml`.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from remem.records import EmbedderOptions


class FileOnly(NamedTuple):
    """Marks a field that is never taken from the environment. `group` is what the message calls such settings."""

    group: str


class Section(BaseModel):
    """Base of the sections and of the whole: unknown names are refused, values do not change."""

    # Built when first used: a command that needs no settings pays nothing for them.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False)


SecretKind: TypeAlias = Literal["private_key", "api_key", "token", "jwt", "password", "connection_string"]
SECRET_KINDS: tuple[SecretKind, ...] = ("private_key", "api_key", "token", "jwt", "password", "connection_string")


def _check_key(key: str) -> str:
    """A key as a header can carry it; the message never repeats it."""
    if key.strip() != key or not key.isprintable():
        raise ValueError("a key has no control characters in it and no spaces around it")
    return key


def _check_pattern(text: str) -> str:
    """`kind=regular expression`, with an expression that can be used."""
    kind, found, expression = text.partition("=")
    if not found or not re.fullmatch("[a-z][a-z0-9_]{0,39}", kind) or not expression:
        raise ValueError("a pattern is written as kind=regular expression, the kind in lower-case letters")
    try:
        re.compile(expression)
    except re.error as error:
        raise ValueError(f"the pattern of {kind} is no regular expression: {error}") from None
    return text


def _check_host(name: str) -> str:
    """A host as `Host` names it, without its port, with which it is accepted too."""
    if not re.fullmatch(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", name):
        raise ValueError(
            f"{name[:80]!r} is no name of a host: it is written without scheme, port, path or *, like notes.example"
        )
    return name


def _check_origin(origin: str) -> str:
    """An origin as browsers send it, or all of them."""
    if origin not in ("*", "null") and not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@*]+/?", origin):
        raise ValueError(
            f"{origin[:80]!r} is no origin: it is written with scheme and host, without path, like"
            ' https://notes.example, or "*" alone for all'
        )
    return origin


Host = Annotated[str, Field(min_length=1, max_length=255), AfterValidator(_check_host)]
Origin = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_check_origin)]
Key = Annotated[str, AfterValidator(_check_key), Field(max_length=1000, repr=False)]


class ServerSettings(Section):
    """`[server]`"""

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        max_length=255,
        description="Where `remem serve` listens. Beyond this machine (0.0.0.0) only with a key.",
    )
    port: int = Field(default=4545, ge=0, le=65_535, description="The port. 0: any free one.")
    api_key: Key = Field(
        default="",
        description='The key that requests must bring, better kept in the variable REMEM_API_KEY. "": none.',
    )
    second_api_key: Key = Field(
        default="", description="Another key that is valid too, so that keys can be changed one after the other."
    )
    allowed_hosts: tuple[Host, ...] = Field(
        default=(),
        description="Names under which the server is reached, beside localhost, 127.0.0.1, [::1] and its own host.",
    )
    cors_origins: tuple[Origin, ...] = Field(
        default=(),
        description='Web pages of other origins that may call it, like "https://notes.example". "*": all of them.',
    )
    rate_limit: int = Field(
        default=0, ge=0, le=10_000_000, description="Requests that one client may make in a minute. 0: any number."
    )


class StorageSettings(Section):
    """`[storage]`"""

    path: Annotated[str, AfterValidator(os.path.expanduser)] = Field(
        default="memory.db",
        min_length=1,
        description="The one file that holds everything. A relative path counts from the working directory.",
    )
    synchronous: Literal["full", "normal"] = Field(
        default="full",
        description='"full": what was acknowledged survives a power cut. "normal": faster, survives a crash only.',
    )
    busy_timeout: float = Field(
        default=60.0, ge=0, le=600, description="Seconds to wait while another process writes, as a compile may."
    )


class CompileSettings(Section):
    """`[compile]`"""

    max_node_tokens: int = Field(
        default=512, ge=64, le=8192, description="Blocks with more tokens (cl100k) than this are split. 64 to 8192."
    )
    max_file_bytes: int = Field(
        default=100_000_000, ge=1, le=2_000_000_000, description="Files with more bytes are left out, and reported."
    )
    slice_bytes: int = Field(
        default=20_000_000,
        ge=1,
        le=2_000_000_000,
        description="Above this many bytes of changed text a compile commits in slices.",
    )
    roots: tuple[Annotated[str, Field(min_length=1), AfterValidator(os.path.expanduser)], ...] = Field(
        default=(),
        description="Folders that a server compiles as it starts; calls may compile these and the known roots.",
    )
    watch: bool = Field(
        default=False, description="While a server runs, compile these folders and the known roots as files change."
    )


class ConnectionSettings(Section):
    """`[connections]`"""

    mentions: bool = Field(
        default=True, description="Connect a text with the nodes that it names without a link to them."
    )
    mention_max_texts: int = Field(
        default=50,
        ge=1,
        le=1_000_000,
        description="A name that more texts than this use connects none of them. 1 to 1 000 000.",
    )
    auto_discovery_threshold: Annotated[float, FileOnly("the auto_discovery_* settings")] = Field(
        default=0.7, ge=0, le=1, description="minimum similarity to auto-link two memories"
    )
    auto_discovery_top_k: Annotated[int, FileOnly("the auto_discovery_* settings")] = Field(
        default=5, ge=0, le=100, description="max auto-created connections per new memory (mentions come on top)"
    )
    auto_discovery_max_degree: Annotated[int, FileOnly("the auto_discovery_* settings")] = Field(
        default=50, ge=0, le=1_000_000, description="Auto-created connections at one node at most. 0: any number."
    )
    scope: Literal["memories", "all"] = Field(
        default="memories", description='What is auto-linked: "memories", or "all" (sections of notes too).'
    )


class SearchSettings(Section):
    """`[search]`"""

    dense_share: float = Field(
        default=0.45,
        ge=0,
        le=1,
        description="The share of meaning in a hybrid score, 0 to 1; the rest is that of words.",
    )


class TemperatureSettings(Section):
    """`[temperature]`"""

    half_life_days: float = Field(
        default=7.0,
        ge=0.01,
        le=3650,
        description="Days after which the temperature of a node that nobody uses has halved. 0.01 to 3650.",
    )


class EmbeddingSettings(Section):
    """`[embedding]`"""

    provider: Literal["minilm", "openai", "ollama", "folder", "hashing", "none"] = Field(
        default="minilm",
        description='"minilm": built in, offline, English. Else openai, ollama, folder, hashing (no meaning), none.',
    )
    notes: Literal["auto"] | bool = Field(
        default="auto",
        description='Embed passages of notes: true, false, "auto" (a server does, up to 5 000 passages).',
    )
    model: str = Field(default="", max_length=200, description="The model's name, for openai and ollama.")
    url: str = Field(
        default="",
        max_length=2000,
        description='Where the service is, like "http://127.0.0.1:11434". "": its usual place.',
    )
    api_key: str = Field(
        default="",
        max_length=10_000,
        repr=False,
        description="The service's key, better kept in the variable REMEM_EMBEDDING__API_KEY.",
    )
    folder: Annotated[str, AfterValidator(os.path.expanduser)] = Field(
        default="", description="A folder with a BERT model as sentence-transformers has it, for folder."
    )
    dimensions: int = Field(
        default=0, ge=0, le=8192, description="Numbers of a vector, 1 to 8192. 0: as many as the model gives."
    )
    query_prefix: str = Field(
        default="", max_length=1000, description="What is put before a text that is searched for."
    )
    passage_prefix: str = Field(default="", max_length=1000, description="What is put before a text that is stored.")
    batch_size: int = Field(default=32, ge=1, le=2048, description="Texts in one request to a service. 1 to 2048.")
    connect_timeout: float = Field(
        default=5.0, gt=0, le=600, description="Seconds to wait for a connection to a service."
    )
    read_timeout: float = Field(
        default=60.0, gt=0, le=3600, description="Seconds to wait for the whole answer of a service."
    )
    retries: int = Field(default=3, ge=0, le=10, description="How often a failed request to a service is sent again.")

    def make_options(self) -> EmbedderOptions:
        """What embedders are told of it."""
        from remem.records import EmbedderOptions  # loaded where there is something to embed

        return EmbedderOptions(**self.model_dump(exclude={"notes"}))


class McpSettings(Section):
    """`[mcp]`"""

    tools: Literal["all", "tree", "memories"] = Field(
        default="all",
        description='Which tools a model sees: "tree" (Memory…), "memories" (store_memory and others), "all".',
    )


class LifecycleSettings(Section):
    """`[lifecycle]`"""

    remove_archived: bool = Field(
        default=False, description="Remove memories for good when they have been archived for a while."
    )
    remove_archived_days: float = Field(
        default=30.0, ge=0.01, le=36_500, description="How many days archived memories are kept then. 0.01 to 36500."
    )


class RedactionSettings(Section):
    """`[redaction]`"""

    enabled: bool = Field(
        default=True, description="Replace secrets by [redacted:kind] before a text reaches the store."
    )
    kinds: tuple[SecretKind, ...] = Field(default=SECRET_KINDS, description="The kinds of secrets that are looked for.")
    patterns: tuple[Annotated[str, AfterValidator(_check_pattern), Field(max_length=1000)], ...] = Field(
        default=(),
        description='More of them: "kind=regular expression", as in "ticket=TK-[0-9]{12}".',
    )


class LoggingSettings(Section):
    """`[logging]`"""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning",
        description='What a server tells on stderr: "debug", "info" (each request), "warning", "error".',
    )
    format: Literal["text", "json"] = Field(default="text", description='"text", or "json": one object a line.')


class LimitSettings(Section):
    """`[limits]`"""

    max_body_bytes: int = Field(
        default=16_000_000, ge=1024, le=1_000_000_000, description="Requests with more bytes are refused."
    )
    body_timeout: float = Field(
        default=30.0, ge=0.1, le=3600, description="Seconds that the body of a request may take to arrive."
    )
    max_sessions: int = Field(
        default=1000, ge=1, le=100_000, description="MCP sessions over HTTP that may be open at once."
    )


class Settings(Section):
    """All settings, one section a field."""

    server: ServerSettings = Field(default_factory=ServerSettings)
    storage: StorageSettings = Field(default_factory=StorageSettings)
    compile: CompileSettings = Field(default_factory=CompileSettings)
    embedding: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    connections: ConnectionSettings = Field(default_factory=ConnectionSettings)
    search: SearchSettings = Field(default_factory=SearchSettings)
    temperature: TemperatureSettings = Field(default_factory=TemperatureSettings)
    lifecycle: LifecycleSettings = Field(default_factory=LifecycleSettings)
    redaction: RedactionSettings = Field(default_factory=RedactionSettings)
    mcp: McpSettings = Field(default_factory=McpSettings)
    logging: LoggingSettings = Field(default_factory=LoggingSettings)
    limits: LimitSettings = Field(default_factory=LimitSettings)
