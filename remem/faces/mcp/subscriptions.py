"""How clients ask to be told of changes: `resources/subscribe` in sessions, `subscriptions/listen` without. When they
are told is the feed's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.types import (
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from remem.errors import RememError
from remem.faces.mcp.results import refuse_request
from remem.faces.mcp.sessions import Context, find_connection

if TYPE_CHECKING:
    from remem.faces.mcp.feed import ResourceFeed

LONGEST_TOLD = 1000
FOLLOWS = "remem.follows"
"""Under this name a session's state says that it leaves the feed when it ends."""


def make_handlers(feed: ResourceFeed) -> dict[str, Any]:
    """The handlers of a server for subscriptions, by the names of its arguments."""
    sessions, listeners = SessionFollowers(feed), Listeners(feed)
    return {
        "on_subscribe_resource": sessions.subscribe,
        "on_unsubscribe_resource": sessions.unsubscribe,
        "on_subscriptions_listen": listeners.listen,
    }


async def check_known(feed: ResourceFeed, uris: list[str]) -> None:
    """Raises MCPError where one of the addresses is that of no resource."""
    try:
        await feed.check(uris)
    except RememError as error:
        raise refuse_request(error, uri=", ".join(uris)[:LONGEST_TOLD]) from None


class SessionFollowers:
    """Sessions that follow resources, each until it says otherwise or ends."""

    def __init__(self, feed: ResourceFeed) -> None:
        self._feed = feed

    async def subscribe(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Has the session told of the resource from now on. Asked twice, it is told once. Raises MCPError where
        there is no such resource."""
        await check_known(self._feed, [params.uri])
        connection = find_connection(context)
        tell = connection.send_resource_updated  # each look-up gives an equal one
        if FOLLOWS not in connection.state:
            connection.state[FOLLOWS] = True
            connection.exit_stack.callback(self._feed.leave, tell)
        self._feed.leave(tell, [params.uri])
        await self._feed.follow(tell, [params.uri])
        return EmptyResult()

    async def unsubscribe(self, context: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Ends that."""
        self._feed.leave(find_connection(context).send_resource_updated, [params.uri])
        return EmptyResult()


class Listeners:
    """Streams of notices, each open as long as the client reads it."""

    def __init__(self, feed: ResourceFeed) -> None:
        self._feed = feed
        self._bus = InMemorySubscriptionBus()
        self._handler = ListenHandler(self._bus)

    async def listen(self, context: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Serves one stream."""
        uris = list(dict.fromkeys(params.notifications.resource_subscriptions or ()))
        await check_known(self._feed, uris)
        await self._feed.follow(self._publish, uris)
        try:
            return await self._handler(context, params)
        finally:
            self._feed.leave(self._publish, uris)

    async def _publish(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri))
