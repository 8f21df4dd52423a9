"""What Gradio's queue holds for visitors, bounded: by itself it keeps their names, and what they never fetch."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from typing import Any

from keyphrase_metrics.errors import not_allowed

PROXIES = "KEYPHRASE_METRICS_PROXIES"
MAX_NAME_CHARACTERS = 100  # characters; Gradio's clients make names of up to 36


class Visitors:
    """The visitors of an app, each known by the ``session_hash`` that comes with every call.

    Args:
        blocks: the app, as ``gradio.Blocks``.
        sessions: visitors that Gradio remembers; the queue then holds nothing for others who wait for no answer.
        unfetched: answers that one visitor may have asked for without fetching them.
        waiting: calls of one address that may wait or be worked on.
        proxies: of the owner's that stand before the app, each of which adds to ``X-Forwarded-For``.
    """

    def __init__(self, blocks: Any, *, sessions: int, unfetched: int, waiting: int, proxies: int = 0) -> None:
        self._blocks, self._sessions, self._unfetched = blocks, sessions, unfetched
        self._waiting, self._proxies = waiting, proxies

    def knows(self, name: str) -> bool:
        """Say whether there may be messages for a visitor, or for who asked for a single answer by its id."""
        queue = self._blocks._queue
        return name in queue.pending_messages_per_session or any(
            name in asked for asked in queue.pending_event_ids_session.values()
        )

    def admit(self, name: str | None, scope: Mapping[str, Any]) -> bool:
        """Say whether a visitor may ask for more. Runs where the app's event loop does, which changes the same."""
        self._forget()
        queue = self._blocks._queue
        if (address := address_of(scope, self._proxies)) is not None:
            scopes = [event.request.scope for event in queue.event_ids_to_events.values() if event.request]
            if sum(address_of(one, self._proxies) == address for one in scopes) >= self._waiting:
                return False
        asked = queue.pending_event_ids_session.get(name)
        if not asked:
            return True
        unread = queue.pending_messages_per_session.get(name)
        waiting = {message.event_id for message in unread._queue} if unread is not None else set()
        asked &= waiting | queue.event_ids_to_events.keys()  # of a stream that broke, Gradio keeps the rest
        return len(asked) < self._unfetched

    def _forget(self) -> None:
        queue, remembered = self._blocks._queue, self._blocks.state_holder
        held = (queue.pending_event_ids_session, queue.pending_messages_per_session)
        if max(map(len, held)) <= self._sessions:
            return
        waiting = {event.session_hash for event in queue.event_ids_to_events.values()}
        for by_name in held:
            for name in [name for name in by_name if name not in waiting and name not in remembered]:
                del by_name[name]


def address_of(scope: Mapping[str, Any], proxies: int) -> str | None:
    """Return whose request it is; ``None`` where that is not known: a proxy's own address is that of all behind it.

    Args:
        scope: of the request.
        proxies: of the owner's. Without any, what a request says of itself is not believed, and an address that is
            not public, as of a proxy in the same network, is nobody's.

    >>> address_of({"client": ("10.0.0.7", 1), "headers": [(b"x-forwarded-for", b"1.2.3.4, 8.8.8.8")]}, proxies=1)
    '8.8.8.8'
    """
    if proxies:
        said = b",".join(value for key, value in scope["headers"] if key == b"x-forwarded-for").decode("latin-1")
        forwarded = [part.strip() for part in said.split(",")]
        given = forwarded[-proxies] if len(forwarded) >= proxies else ""
    else:
        given = (scope.get("client") or ("",))[0]
    try:
        address = ipaddress.ip_address(given)
    except ValueError:
        return None
    if not proxies and not address.is_global:
        return None
    if address.version == 6:  # one customer has at least so many
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def proxies_of(environment: Mapping[str, str] = os.environ) -> int:
    """Return how many proxies the owner has before the app. Raises InputError for what is no number."""
    value = environment.get(PROXIES, "0")
    if not (value.isascii() and value.isdecimal()):
        raise not_allowed(PROXIES, value, "give a whole number")
    return int(value)


def is_name(value: object) -> bool:
    """Say whether a ``session_hash`` is one that a client of Gradio may have made, or none."""
    return value is None or (
        isinstance(value, str) and value.isascii() and value.isprintable() and 0 < len(value) <= MAX_NAME_CHARACTERS
    )
