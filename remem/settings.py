"""What can be set: one section a class, one setting a field with its default, bounds and description. Where the values
come from is not known here.

A new setting is one field here and one line in `remem-server.toml`.
"""

from __future__ import annotations

import os
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


class FileOnly(NamedTuple):
    """Marks a field that is never taken from the environment. `group` is what the message calls such settings."""

    group: str


class Section(BaseModel):
    """Base of the sections and of the whole: unknown names are refused, values do not change."""

    # Built when first used: a command that needs no settings pays nothing for them.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False)


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
        description="Folders that may be compiled by a call from outside (MCP), beside the roots that the store knows.",
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


class Settings(Section):
    """All settings, one section a field."""

    storage: StorageSettings = Field(default_factory=StorageSettings)
    compile: CompileSettings = Field(default_factory=CompileSettings)
    embedding: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    connections: ConnectionSettings = Field(default_factory=ConnectionSettings)
    search: SearchSettings = Field(default_factory=SearchSettings)
    temperature: TemperatureSettings = Field(default_factory=TemperatureSettings)
    lifecycle: LifecycleSettings = Field(default_factory=LifecycleSettings)
    mcp: McpSettings = Field(default_factory=McpSettings)
