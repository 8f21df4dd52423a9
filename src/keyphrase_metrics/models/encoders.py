"""Encoders: phrases in, unit vectors out, each distinct phrase through the model once.

An encoder is a Sentence Transformers model by name or path, a loaded ``SentenceTransformer``, or a callable
``list[str] -> array (n, d)``. Models that are loaded here are kept, with the embeddings they gave, so that a
second metric, system or epoch costs only its new phrases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from contextvars import ContextVar
from itertools import chain
from pathlib import Path
from threading import Condition
from typing import Any

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache, cached

from keyphrase_metrics import user_warnings
from keyphrase_metrics.core.signature import custom_name
from keyphrase_metrics.errors import Arg, InputError, Part, not_allowed, wrong_value
from keyphrase_metrics.models.embedding_cache import DiskCache, Flags, MemoryCache, Vectors
from keyphrase_metrics.models.forward import Ids, Run, by_texts, by_tokens
from keyphrase_metrics.models.loading import OFFLINE, one_line, quiet_loading
from keyphrase_metrics.models.pieces import Cut, cut_for
from keyphrase_metrics.models.tokens import TokenReader, Tokens
from keyphrase_metrics.models.turns import Turns
from keyphrase_metrics.models.weights import (
    MINILM,
    find,
    folder_of,
    folder_state,
    is_missing_folder,
    settings_digest,
    signed_model,
)
from keyphrase_metrics.optional import needs
from keyphrase_metrics.text.arrays import Mask
from keyphrase_metrics.validation import short

DTYPES = ("float32", "bfloat16")
MAX_BYTES = 512 * 1024**2  # of embeddings kept for one model
MAX_MODELS = 2
_FEW = 1000  # characters of phrases that need no more than a piece of a long list
_READ_AT_ONCE = 2048  # phrases that are cut into tokens while others wait

_watcher: ContextVar[Callable[[int, int], None] | None] = ContextVar("watcher", default=None)
_session: ContextVar[dict[Any, Any] | None] = ContextVar("session", default=None)


def kept(key: Any, owner: object, make: Callable[[], Any]) -> Any:
    """Return the value that the session keeps under a key, made on first use; outside of one, made anew.

    Args:
        key: holds the ``id`` of the owner.
        owner: what must live as long as the session, since the key has its ``id``.
        make: returns the empty store.
    """
    held = _session.get()
    if held is None:
        return make()
    return held.setdefault(key, (owner, make()))[1]


class Encoder:
    """Turns phrases into unit vectors.

    Attributes:
        name: how signatures and tables call it.
        signed: what identifies it in a signature.
    """

    def __init__(
        self,
        name: str,
        signed: dict[str, str],
        vectors: Run,
        cache: MemoryCache,
        disk_key: str | None = None,
        reader: TokenReader | None = None,
        cut: Cut | None = None,
    ) -> None:
        self.name, self.signed = name, signed
        self._vectors, self._cache, self._disk_key, self._reader, self._cut = vectors, cache, disk_key, reader, cut
        self._turns = Turns()  # of the model and its tokenizer, which one thread at a time may use

    def encode(self, phrases: Sequence[str], *, batch_size: int = 64, cache_dir: str | None = None) -> Vectors:
        """Encode phrases, each distinct one that is not known yet through the model once.

        Of several threads the one with the fewest phrases left comes first, and a long list goes in pieces.

        Args:
            phrases: normalized strings.
            batch_size: phrases at once in a model; it changes speed and memory, no score.
            cache_dir: folder of a cache on disk, looked up first and added to.

        Returns:
            (n, d) float32, each row of length 1 (or 0 where the model gives a zero vector).

        Raises:
            InputError: where the model gives no vector of finite numbers for each phrase.
        """
        rows, known = self._cache.get(phrases)
        missing = list(dict.fromkeys(phrase for phrase, row in zip(phrases, rows.tolist(), strict=True) if row < 0))
        if not missing:
            return known[rows]
        new, unknown = self._encode_new(missing, batch_size, cache_dir)
        place = {phrase: row for row, phrase in enumerate(missing)}
        result = np.empty((len(phrases), new.shape[1]), np.float32)
        old = rows >= 0
        if old.any():
            result[old] = known[rows[old]]
        result[~old] = new[[place[phrases[i]] for i in np.flatnonzero(~old).tolist()]]
        self._cache.put(missing, new, unknown)
        return result

    def unknown(self, phrases: Sequence[str]) -> Mask | None:
        """Say which phrases look alike to the model, since at least half of their tokens are the unknown one.

        What was encoded before is not cut into tokens again.

        Returns:
            (n,) flags; ``None`` where the encoder's tokenizer is not known, or has no unknown token.
        """
        if self._reader is None or self._reader.unknown is None:
            return None
        flags = self._cache.unknown(phrases)
        missing = np.flatnonzero(flags < 0)
        if len(missing):  # vectors from the disk, or no longer kept
            texts = [phrases[i] for i in missing.tolist()]
            found = self._read(self._reader, texts).unknown
            assert found is not None
            flags[missing] = found
            self._cache.note(texts, flags[missing])
        return flags > 0

    def _encode_new(self, phrases: list[str], batch_size: int, cache_dir: str | None) -> tuple[Vectors, Flags]:
        """Return the vectors of phrases, and whether each is unknown to the tokenizer: 1, 0, or -1 if not asked."""
        if cache_dir is None or self._disk_key is None:  # vectors of unknown weights are not written down
            return self._checked(phrases, batch_size)
        with closing(DiskCache(cache_dir)) as disk:
            found = disk.get(self._disk_key, phrases)
            flags = np.full(len(phrases), -1, np.int8)
            missing = [phrase for phrase in phrases if phrase not in found]
            if missing:
                new, unknown = self._checked(missing, batch_size)
                flags[[row for row, phrase in enumerate(phrases) if phrase not in found]] = unknown
                found |= zip(missing, new, strict=True)
                try:
                    disk.put(self._disk_key, missing, new)
                except OSError as error:  # a full or locked disk costs time, no score
                    user_warnings.warn_user(f"cache_dir={cache_dir!r}: embeddings are not kept: {error}")
        return np.stack([found[phrase] for phrase in phrases]), flags

    def _read(self, reader: TokenReader, phrases: list[str]) -> Tokens:
        """Cut phrases into tokens, in turns with who else uses the tokenizer."""
        read = []
        for start in range(0, len(phrases), _READ_AT_ONCE):
            with self._turns.turn(len(phrases) - start):
                read.append(reader.read(phrases[start : start + _READ_AT_ONCE]))
        flags = [part.unknown for part in read if part.unknown is not None]
        ids = list(chain.from_iterable(part.ids for part in read))
        return Tokens(np.concatenate([part.lengths for part in read]), np.concatenate(flags) if flags else None, ids)

    def _checked(self, phrases: list[str], batch_size: int) -> tuple[Vectors, Flags]:
        """Return unit vectors and flags of phrases; few have one turn at the model for all that is done with them."""
        with self._turns.turn(len(phrases)) if sum(map(len, phrases)) <= _FEW else nullcontext():
            return self._in_pieces(phrases, batch_size)

    def _in_pieces(self, phrases: list[str], batch_size: int) -> tuple[Vectors, Flags]:
        tokens = None if self._reader is None else self._read(self._reader, phrases)
        flags = np.full(len(phrases), -1, np.int8)
        if tokens is not None and tokens.unknown is not None:
            flags[:] = tokens.unknown
        whole = [np.arange(len(phrases))]
        pieces = whole if self._cut is None or tokens is None else self._cut(tokens.lengths, batch_size)
        result, endless, done = None, [], 0
        for part in pieces:
            chosen = [phrases[i] for i in part.tolist()]
            ids = None if tokens is None else [tokens.ids[i] for i in part.tolist()]
            with self._turns.turn(len(phrases) - done):
                unit = self._unit(chosen, flags[part], batch_size, ids)
            if result is None:
                result = np.empty((len(phrases), unit.shape[1]), np.float32)
            result[part] = unit
            endless += part[np.isnan(unit).any(axis=1)].tolist()
            done += len(part)
            if pieces is not whole and (watcher := _watcher.get()) is not None:
                watcher(done, len(phrases))
        assert result is not None
        if endless:
            raise _wrong_vectors(
                f"encoder {self.name} gave a vector that is not finite for {short(phrases[min(endless)])}, "
                f"and for {len(endless)} of {len(phrases)} texts in all"
            )
        return result, flags

    def _unit(self, phrases: list[str], flags: Flags, batch_size: int, ids: Ids | None) -> Vectors:
        """Return unit vectors, NaN where they are not finite; what another thread has encoded by now is not again."""
        rows, known = self._cache.get(phrases)
        new = np.flatnonzero(rows < 0)
        if not len(new):
            return known[rows]
        chosen = [phrases[i] for i in new.tolist()]
        given = self._vectors(chosen, batch_size, None if ids is None else [ids[i] for i in new.tolist()])
        vectors = _numbers(given, chosen, self.name).astype(np.float32, copy=False)
        if len(known) and known.shape[1] != vectors.shape[1]:
            problem = f"encoder {self.name} gave vectors of {known.shape[1]}, then of {vectors.shape[1]} numbers"
            raise _wrong_vectors(problem)
        finite = np.isfinite(vectors).all(axis=1)
        squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)  # which float32 may not hold
        norms = np.sqrt(squares)
        unit: Vectors = np.zeros_like(vectors)
        np.divide(vectors, norms[:, None], out=unit, where=(finite & (norms > 0))[:, None])
        if finite.all():
            self._cache.put(chosen, unit, flags[new])
        else:
            unit[~finite] = np.nan
        if len(new) == len(phrases):
            return unit
        result = known[rows]
        result[new] = unit
        return result


def _numbers(given: Any, phrases: list[str], name: str) -> npt.NDArray[Any]:
    """Return the vectors that an encoder gave, checked: an array with a row of numbers for each phrase."""
    wanted = f"it must give numbers of shape ({len(phrases)}, d)"
    try:
        array = np.asarray(given)
    except Exception as error:  # rows of several lengths, tensors that are not plain memory
        raise _wrong_vectors(f"encoder {name} did not give an array: {one_line(error)}; {wanted}") from None
    if array.ndim != 2 or len(array) != len(phrases) or not array.shape[1] or array.dtype.kind not in "fiu":
        problem = f"encoder {name} gave {array.dtype} of shape {array.shape} for {len(phrases)} texts; {wanted}"
        raise _wrong_vectors(problem)
    return array


def _wrong_vectors(problem: str) -> InputError:
    return InputError(problem, code="wrong-return", argument="encoder", subject=False)


@contextmanager
def session(held: dict[Any, Any] | None = None) -> Iterator[None]:
    """Within the block keep what callables and in-memory models give; beyond it they may have changed.

    Args:
        held: a dict that keeps it over several blocks, for who does know.
    """
    if held is None and _session.get() is not None:
        yield
        return
    token = _session.set({} if held is None else held)
    try:
        yield
    finally:
        _session.reset(token)


@contextmanager
def watched(watcher: Callable[[int, int], None]) -> Iterator[None]:
    """Within the block call ``watcher(done, total)`` as phrases go through a model."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


_loaded: LRUCache[Any, Encoder] = LRUCache(MAX_MODELS)


def encoder_for(
    encoder: Any,
    *,
    revision: str | None = None,
    device: str | None = None,
    dtype: str = "float32",
) -> Encoder:
    """Return the encoder, loading a model at most once.

    Args:
        encoder: a Sentence Transformers model name or path, a loaded ``SentenceTransformer``, or a callable.
        revision: of a model on the Hub.
        device: where a model that is loaded here runs; ``None`` lets the library choose.
        dtype: ``"float32"`` or ``"bfloat16"``, for a model that is loaded here.

    Raises:
        ImportError: without the extra ``semantic``.
        InputError: for a model that cannot be loaded, naming it, the reason and the offline choice.
    """
    if not isinstance(encoder, str | Path):
        return _in_memory(encoder, revision=revision, dtype=dtype, device=device)
    name, local = str(encoder), Path(encoder).is_dir()
    if name == MINILM.partition("/")[2] and not local:
        name = MINILM
    state = folder_state(Path(name)) if local else ()  # a model saved anew in its folder is another one
    return _load(name, revision, device, dtype, state)


def _in_memory(encoder: Any, *, revision: str | None, dtype: str, device: str | None) -> Encoder:
    named = {"revision": revision, "device": device, "dtype": dtype if dtype != "float32" else None}
    for option, value in named.items():
        if value is not None:
            problem = " is for models that are loaded by name, not for a loaded model or callable"
            raise wrong_value("unused", option, value, problem)
    if not callable(encoder) and not hasattr(encoder, "encode"):
        raise not_allowed("encoder", encoder, "choose a model name or path, a model, or a callable")
    name = custom_name(encoder)
    cache = kept(("encoder", id(encoder)), encoder, lambda: MemoryCache(MAX_BYTES))
    if not hasattr(encoder, "encode"):
        return Encoder(name, {"encoder": name}, lambda phrases, *_: encoder(phrases), cache)
    reader = TokenReader.of(getattr(encoder, "tokenizer", None))
    return Encoder(name, {"encoder": name}, by_texts(encoder), cache, reader=reader, cut=cut_for(encoder, name))


@cached(_loaded, condition=Condition())
def _load(name: str, revision: str | None, device: str | None, dtype: str, state: object) -> Encoder:
    with needs("sentence_transformers", "semantic"):
        import torch
        from sentence_transformers import SentenceTransformer
    shown, source = find(name, revision)
    try:
        with quiet_loading():
            model = SentenceTransformer(source, revision=revision, device=device)
        model = model.to(getattr(torch, dtype)).eval()
    except Exception as error:  # the library and the network below it raise whatever they like
        reason = "there is no such folder" if is_missing_folder(name) else one_line(error)
        where: tuple[Part, ...] = () if device is None else (" on ", Arg("device"), f"={device!r}")
        raise wrong_value(
            "cannot-load",
            "encoder",
            name,
            " cannot be loaded",
            *where,
            f": {reason}",
            hints=[f"{OFFLINE}, or a callable"],
        ) from None
    folder = folder_of(source, revision)
    signed = {**signed_model("encoder", shown, folder), "dtype": dtype}
    if revision is not None:
        signed["revision"] = revision
    disk_key = "|".join([*signed.values(), settings_digest(folder)]) if folder and "weights" in signed else None
    reader = TokenReader.of(getattr(model, "tokenizer", None))
    run = by_tokens(model, reader)
    return Encoder(shown, signed, run, MemoryCache(MAX_BYTES), disk_key, reader, cut_for(model, shown))
