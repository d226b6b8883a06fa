"""The MCP server: answers the protocol's requests from tables of tools, resources and prompts. Knows no transport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcp.server.lowlevel import Server
from mcp.types import (
    CallToolRequestParams,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SetLevelRequestParams,
    TextResourceContents,
)

from remem import __version__
from remem.checks import find_meant, rename_fields
from remem.errors import NotFoundError, RememError
from remem.faces.mcp.arguments import list_aliases, read_arguments
from remem.faces.mcp.digest import offer_message, set_level
from remem.faces.mcp.families import choose_tools, make_instructions
from remem.faces.mcp.feed import ResourceFeed
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.prompts import PROMPTS, make_prompt
from remem.faces.mcp.resources import MIME_TYPE, RESOURCES, TEMPLATES, read_resource
from remem.faces.mcp.results import clean_text, refuse_request, show_answer, show_crash, show_error
from remem.faces.mcp.sessions import Context
from remem.faces.mcp.subscriptions import make_handlers
from remem.faces.mcp.tools import Answer, Tool, ToolCall
from remem.faces.wire import Json

LONGEST_NAME = 80


def build_server(host: StoreHost, feed: ResourceFeed | None = None, tools: Sequence[Tool] | None = None) -> Server[Any]:
    """A server of these tools, or those that the setting `[mcp] tools` names, over one store. It opens nothing. Without
    a feed clients cannot follow resources."""
    family = host.settings.mcp.tools
    tools = choose_tools(family) if tools is None else tools
    table = {tool.name: tool for tool in tools}
    listing = ListToolsResult.model_validate({"tools": [tool.describe() for tool in tools]})

    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return listing

    async def call_tool(context: Context, params: CallToolRequestParams) -> Any:
        return await run_tool(host, table, params, context)

    async def list_resources(context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult.model_validate({"resources": RESOURCES})

    async def list_templates(context: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult.model_validate({"resourceTemplates": TEMPLATES})

    async def read(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        return await show_resource(host, params.uri)

    async def list_prompts(context: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult.model_validate({"prompts": PROMPTS})

    async def get_prompt(context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        return await show_prompt(host, params)

    server: Server[Any] = Server(
        "remem",
        version=__version__,
        title="Remem",
        instructions=make_instructions(family),
        get_tool_input_schema=lambda name: _find_schema(table, name),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        **({} if feed is None else make_handlers(feed)),
    )
    server.add_request_handler("logging/setLevel", SetLevelRequestParams, set_level)
    return server


async def run_tool(host: StoreHost, table: dict[str, Tool], params: CallToolRequestParams, context: Context) -> Json:
    """What a tool answers. Whatever goes wrong is a result that the model can read."""
    tool = table.get(params.name)
    if tool is None:
        name = params.name[:LONGEST_NAME]
        return show_error(name, _refuse_tool(name, table))
    try:
        call = ToolCall(await host.get(), host.settings, context.session.report_progress, host.digest)
        answer = await answer_call(tool, call, params.arguments or {})
        await offer_message(call.digest, call.remem, context)
        return show_answer(answer)
    except RememError as error:
        return show_error(tool.name, error, as_text=tool.output is not None)
    except Exception as error:
        return show_crash(tool.name, error, as_text=tool.output is not None)


async def answer_call(tool: Tool, call: ToolCall, given: Json) -> Answer:
    """The answer of a tool. Raises RememError, which calls the arguments what the tool calls them."""
    arguments = read_arguments(tool.parameters, given)
    try:
        return await tool.run(call, arguments)
    except RememError as error:
        raise rename_fields(error, {**tool.names, **list_aliases(tool.parameters, given)}) from None


async def show_resource(host: StoreHost, uri: str) -> ReadResourceResult:
    """The text of a resource. Raises MCPError where there is none of that address, or it cannot be read."""
    try:
        text = await read_resource(await host.get(), uri)
    except RememError as error:
        raise refuse_request(error, uri=uri) from None
    contents = [TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=clean_text(text))]
    return ReadResourceResult(contents=list(contents))


async def show_prompt(host: StoreHost, params: GetPromptRequestParams) -> GetPromptResult:
    """A prompt with what it asks about. Raises MCPError where there is none of that name, or it cannot be made."""
    try:
        text = await make_prompt(await host.get(), params.name, params.arguments or {})
    except RememError as error:
        raise refuse_request(error, name=params.name[:LONGEST_NAME]) from None
    message = {"role": "user", "content": {"type": "text", "text": clean_text(text)}}
    return GetPromptResult.model_validate({"messages": [message]})


def _refuse_tool(name: str, table: dict[str, Tool]) -> RememError:
    meant = find_meant(name, table, 0.4)
    hint = f"did you mean {meant}?" if meant else f"there are {', '.join(table)}"
    return NotFoundError(f"there is no tool {name}; {hint}")


def _find_schema(table: dict[str, Tool], name: str) -> Json | None:
    tool = table.get(name)
    return None if tool is None else tool.describe()["inputSchema"]  # type: ignore[return-value]
