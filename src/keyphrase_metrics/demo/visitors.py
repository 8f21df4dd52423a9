"""What Gradio's queue holds for visitors, bounded: by itself it keeps their names, and what they never fetch."""

from __future__ import annotations

from typing import Any

MAX_NAME_CHARACTERS = 100  # characters; Gradio's clients make names of up to 36


class Visitors:
    """The visitors of an app, each known by the ``session_hash`` that comes with every call.

    Args:
        blocks: the app, as ``gradio.Blocks``.
        sessions: visitors that Gradio remembers; the queue then holds nothing for others who wait for no answer.
        unfetched: answers that one visitor may have asked for without fetching them.
    """

    def __init__(self, blocks: Any, *, sessions: int, unfetched: int) -> None:
        self._blocks, self._sessions, self._unfetched = blocks, sessions, unfetched

    def admit(self, name: str | None) -> bool:
        """Say whether a visitor may ask for more. Runs where the app's event loop does, which changes the same."""
        self._forget()
        queue = self._blocks._queue
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


def is_name(value: object) -> bool:
    """Say whether a ``session_hash`` is one that a client of Gradio may have made, or none."""
    return value is None or (
        isinstance(value, str) and value.isascii() and value.isprintable() and 0 < len(value) <= MAX_NAME_CHARACTERS
    )
