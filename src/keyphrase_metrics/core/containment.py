"""Which phrases stand in their documents as consecutive stems: all phrases of all documents looked for at once."""

from __future__ import annotations

import numpy as np

from keyphrase_metrics.text.arrays import (
    Ints,
    Mask,
    Stems,
    find_sorted,
    joint_keys,
    numbered,
)

_DEEPEST_LEVEL = 8  # stems; of longer patterns the rest is compared directly


def contained_in_documents(
    tokens: Stems, offsets: Ints, document: Ints, stem_id: Ints, stems: Stems, starts: Ints
) -> Mask:
    """Return, for each phrase (a document and a stem id), whether its stems are consecutive in that document.

    All positions of all documents walk down a trie of the phrases at once, a level a stem: what is left at a
    level are the positions where a phrase's first stems occur. So the work is bounded by the texts, not by
    texts × phrases.

    Args:
        tokens: (t,) stems of the documents' texts, one after the other.
        offsets: (n + 1,) where each document begins.
        document: (p,) each phrase's document.
        stem_id: (p,) each phrase's stem id; none without stems.
        stems: the stems of all stem ids, one after the other.
        starts: where each stem id begins in them.
    """
    flags = np.zeros(len(document), np.bool_)  # (p,) the phrases found so far
    lengths = (starts[1:] - starts[:-1])[stem_id]
    size = 1 + max(int(tokens.max(initial=0)), int(stems.max(initial=0)))
    begins = np.zeros(size, np.bool_)  # by stem: whether a phrase begins with it
    begins[stems[starts[stem_id]]] = True
    # Three arrays go together, an entry for each place in the texts that may still begin a phrase: position in
    # `tokens`, state of its walk, and end of its document.
    position = np.flatnonzero(begins[tokens])
    state = np.searchsorted(offsets, position, "right") - 1  # at first the document, then a node of the trie
    end = offsets[state + 1]
    # And two, an entry for each phrase that is longer than the level: its number, and its node of the trie.
    phrase, node = np.arange(len(stem_id)), document
    for level in range(_DEEPEST_LEVEL):
        # A node of the next level is a node of this one with a stem that some phrase has next.
        keys = joint_keys(node, stems[starts[stem_id[phrase]] + level].astype(np.int64), size)
        nodes, node = numbered(keys)
        key = joint_keys(state, tokens[position + level].astype(np.int64), size)
        alive, state = find_sorted(key, nodes)
        position, state, end = position[alive], state[alive], end[alive]
        # Phrases whose node no place has reached occur nowhere; those that end here are found.
        reached = np.zeros(len(nodes), np.bool_)
        reached[state] = True
        phrase, node = phrase[reached[node]], node[reached[node]]
        final = lengths[phrase] == level + 1
        flags[phrase[final]] = True
        phrase, node = phrase[~final], node[~final]
        inside = position + level + 1 < end  # the document has a next stem
        position, state, end = position[inside], state[inside], end[inside]
    for p in phrase:  # longer than the trie is deep, and begun somewhere in the document
        text = tokens[offsets[document[p]] : offsets[document[p] + 1]]
        flags[p] = _has(text, stems[starts[stem_id[p]] : starts[stem_id[p] + 1]])
    return flags


def _has(sequence: Stems, pattern: Stems) -> bool:
    """Say whether a pattern is in a sequence; a match of bytes counts where a stem begins."""
    raw, wanted = sequence.tobytes(), pattern.tobytes()
    at = raw.find(wanted)
    while at % sequence.itemsize and at >= 0:
        at = raw.find(wanted, at + 1)
    return at >= 0
