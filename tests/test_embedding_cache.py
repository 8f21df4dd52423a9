"""Embeddings that are kept in memory, and on disk where processes share them."""

import json
import random
import resource
import sqlite3
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.encoding import (
    EVERY_PHRASE,
    PHRASES,
    PREDICTIONS,
    REFERENCES,
    SEMANTIC,
    Counting,
    _nothing_loaded,  # noqa: F401  a fixture
    finished,
    flip,
    in_threads,
    linked,
)
from support.models import toy_encoder
from support.processes import program, run_program

pytest.importorskip("sentence_transformers")

from sentence_transformers import SentenceTransformer

from keyphrase_metrics import score
from keyphrase_metrics.models import encoders
from keyphrase_metrics.models.embedding_cache import DiskCache, MemoryCache
from keyphrase_metrics.models.encoders import Encoder, encoder_for

pytestmark = pytest.mark.model

# In memory

ROOM, WIDTH = 5, 3


def vector_of(phrase):
    return np.random.default_rng(list(phrase.encode())).standard_normal(WIDTH).astype(np.float32)


def vectors_of(given):
    return np.stack([vector_of(phrase) for phrase in given]) if given else np.zeros((0, WIDTH), np.float32)


LETTERS = "abcdefghijkl"
letters = st.lists(st.sampled_from(LETTERS), max_size=8)


@given(steps=st.lists(st.tuples(st.sampled_from(["get", "put"]), letters), max_size=25))
def test_memory_holds_right_rows_and_drops_the_least_recently_used(steps):
    cache = MemoryCache(ROOM * WIDTH * 4)
    held, used, handed_out = set(), {}, []
    for clock, (step, chosen) in enumerate(steps):
        if step == "get":
            rows, vectors = cache.get(chosen)
            assert [row >= 0 for row in rows.tolist()] == [phrase in held for phrase in chosen]
            known = [phrase for phrase in chosen if phrase in held]
            used.update(dict.fromkeys(known, clock))
            handed_out.append((known, rows[rows >= 0], vectors))
        else:
            cache.put(chosen, vectors_of(chosen))
            used.update((phrase, clock) for phrase in chosen if phrase not in held)
            before, held = held | set(chosen), {phrase for phrase in LETTERS if phrase in cache._row}
            gone = before - held
            assert held <= before and len(held) == min(ROOM, len(before))
            assert not gone or max(used[phrase] for phrase in gone) <= min(used[phrase] for phrase in held)
        assert len(cache) == len(held) and cache.nbytes <= cache.most_bytes
        for known, rows, vectors in handed_out:  # what was given out stays right
            if known:
                np.testing.assert_array_equal(vectors[rows], vectors_of(known))
    rows, vectors = cache.get(sorted(held))
    for phrase, row in zip(sorted(held), rows.tolist(), strict=True):
        np.testing.assert_array_equal(vectors[row], vector_of(phrase))


def test_memory_too_small_for_one_vector_keeps_none():
    cache = MemoryCache(WIDTH * 4 - 1)
    cache.put(["a"], vectors_of(["a"]))
    assert len(cache) == 0 and cache.get(["a"])[0].tolist() == [-1]


def test_memory_under_concurrent_threads():
    cache, everything = MemoryCache(40 * WIDTH * 4), [f"{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]

    def work(seed):
        chosen = random.Random(seed)
        for _ in range(200):
            given = chosen.sample(everything, 12)
            cache.put(given, vectors_of(given))
            rows, vectors = cache.get(given)
            for phrase, row in zip(given, rows.tolist(), strict=True):
                if row >= 0:
                    np.testing.assert_array_equal(vectors[row], vector_of(phrase))
        assert len(cache) <= 40 and cache.nbytes <= cache.most_bytes

    in_threads(work)


def test_an_encoder_whose_memory_is_too_small_is_still_right():
    counting = Counting()
    encoder = Encoder("small", {}, lambda given, *_: counting(given), MemoryCache(4 * 8 * 4))
    for start in range(0, 12, 2):
        given = [f"phrase {i}" for i in range(start, start + 7)]
        np.testing.assert_array_equal(encoder.encode(given), encoder_for(toy_encoder).encode(given))
    assert len(encoder._cache) == 4


# On disk


def on_disk(counting, key="model"):
    """An encoder as a process that starts anew has it, with nothing in memory."""
    return Encoder("toy", {}, lambda given, *_: counting(given), MemoryCache(1 << 20), disk_key=key)


EXPECTED = encoder_for(toy_encoder).encode(PHRASES)


@pytest.fixture
def filled(tmp_path):
    """A folder whose cache holds the phrases, and the file."""
    on_disk(toy_encoder).encode(PHRASES, cache_dir=str(tmp_path))
    return tmp_path, tmp_path / "embeddings.sqlite"


def assert_right(folder, *, new):
    """Encode with the cache, twice, as new processes; ``new`` phrases go through the model at first, none then."""
    for expected in (new, 0):
        counting = Counting()
        np.testing.assert_array_equal(on_disk(counting).encode(PHRASES, cache_dir=str(folder)), EXPECTED)
        assert len(counting.seen) == expected, counting.seen


def test_a_new_process_finds_the_vectors_and_runs_no_model(tiny, tmp_path):
    cache = tmp_path / "made" / "here"
    first = encoder_for(tiny).encode(PHRASES, cache_dir=str(cache))
    vectors, ran = run_program("encode_from_cache", tiny, cache, json.dumps(PHRASES), check=True).stdout.splitlines()
    np.testing.assert_array_equal(np.array(json.loads(vectors), np.float32), first[::-1])
    assert ran == "ran"


def test_the_cache_is_used_by_scores_and_told_apart_by_model(tiny, tmp_path, encoded):
    folder = str(tmp_path / "cache")
    plain = score(PREDICTIONS, REFERENCES, metrics=SEMANTIC, encoder=tiny)
    for expected in (len(EVERY_PHRASE), 0):
        encoders._loaded.clear()
        encoded.clear()
        cached = score(PREDICTIONS, REFERENCES, metrics=SEMANTIC, encoder=tiny, cache_dir=folder)
        assert len(encoded) == expected
        for metric in SEMANTIC:
            assert cached[metric].scores == plain[metric].scores
            assert cached[metric].signature == plain[metric].signature
    encoder_for(tiny, dtype="bfloat16").encode(["wind"], cache_dir=folder)
    assert encoded == ["wind"]
    other = linked(tiny, tmp_path / "other" / "tiny", but=["config.json"])  # same name and weights, other pooling
    pooling = other / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({**json.loads(pooling.read_text()), "pooling_mode": "cls"}))
    assert encoder_for(str(other)).signed == encoder_for(tiny).signed
    vectors = encoder_for(str(other)).encode(PHRASES, cache_dir=folder)
    assert np.abs(vectors - encoder_for(tiny).encode(PHRASES, cache_dir=folder)).max() > 0.01


def test_vectors_of_unknown_weights_are_not_written_down(tmp_path, tiny):
    for encoder in (toy_encoder, SentenceTransformer(tiny, device="cpu")):
        score(PREDICTIONS, REFERENCES, metrics="sem_f1", encoder=encoder, cache_dir=str(tmp_path / "cache"))
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("damaged", [False, True])
def test_processes_make_and_write_caches_at_once(tmp_path, damaged):
    folders = [tmp_path / str(step) for step in range(20)]
    for folder in folders if damaged else []:
        folder.mkdir()
        (folder / "embeddings.sqlite").write_bytes(b"damaged" * 1000)
    command = program("write_embeddings", tmp_path)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = [subprocess.Popen([*command, str(number)], **pipes) for number in range(3)]
    for process in running:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        finished(process)
    names = [f"p{i}" for i in range(30)]
    for folder in folders:
        cache = DiskCache(folder)
        assert sorted(cache.get("m", names)) == ([] if damaged else sorted(names))
        cache.close()
        assert not damaged or (folder / "embeddings.sqlite").read_bytes() == b"damaged" * 1000


def test_a_file_of_anything_else_costs_no_score_is_named_and_stays(filled):
    folder, file = filled
    whole = file.read_bytes()

    def database(*statements):
        file.unlink()
        other = sqlite3.connect(file)
        for statement in statements:
            other.execute(statement)
        other.commit()
        other.close()

    for damage in (
        lambda: file.write_bytes(b"not a database at all" * 500),
        lambda: file.write_bytes(whole[:50]),
        lambda: file.write_bytes(whole[: len(whole) // 2]),
        lambda: file.write_bytes(whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2)),
        lambda: database("CREATE TABLE embeddings (a)", "INSERT INTO embeddings VALUES (1)"),
    ):
        damage()
        content = file.read_bytes()
        for _ in range(2):
            counting = Counting()
            with pytest.warns(UserWarning, match="embeddings are not kept: .*embeddings.sqlite.*may be deleted"):
                vectors = on_disk(counting).encode(PHRASES, cache_dir=str(folder))
            np.testing.assert_array_equal(vectors, EXPECTED)
            assert (len(counting.seen), file.read_bytes() == content) == (len(PHRASES), True)


def test_a_file_without_the_table_gets_it(filled):
    folder, file = filled

    def other():
        database = sqlite3.connect(file)
        database.execute("CREATE TABLE t (a)")
        database.commit()
        database.close()

    for empty in (file.unlink, lambda: file.write_bytes(b""), lambda: (file.unlink(), other())):
        empty()
        assert_right(folder, new=len(PHRASES))


def test_a_vector_with_a_changed_byte_is_encoded_again(filled):
    folder, file = filled

    def flipped(blob):
        return blob[:5] + bytes([blob[5] ^ 1]) + blob[6:]

    for change in (flipped, lambda blob: blob[:-4], lambda _: b"", str, lambda _: None):
        database = sqlite3.connect(file)
        key, blob = database.execute("SELECT key, vector FROM embeddings").fetchone()
        database.execute("UPDATE embeddings SET vector = ? WHERE key = ?", (change(blob), key))
        database.commit()
        database.close()
        assert_right(folder, new=1)


def test_vectors_that_changed_places_are_encoded_again(filled):
    folder, file = filled
    database = sqlite3.connect(file)
    (one, first), (two, second) = database.execute("SELECT key, vector FROM embeddings").fetchmany(2)
    database.executemany("UPDATE embeddings SET vector = ? WHERE key = ?", [(first, two), (second, one)])
    database.commit()
    database.close()
    assert_right(folder, new=2)


@pytest.mark.filterwarnings("ignore:.*embeddings are not kept")
def test_one_changed_byte_anywhere_never_changes_a_vector(filled):
    folder, file = filled
    whole, chosen = file.read_bytes(), random.Random(0)
    used = [position for position, byte in enumerate(whole) if byte]  # the rest of the pages is empty
    for position in [*range(100), *chosen.sample(used, 150)]:
        file.write_bytes(whole)
        flip(file, position)
        vectors = on_disk(toy_encoder).encode(PHRASES, cache_dir=str(folder))
        np.testing.assert_array_equal(vectors, EXPECTED, err_msg=f"byte {position}")


def test_a_folder_that_cannot_be_made_is_named(tmp_path, tiny):
    (tmp_path / "file").write_text("")
    (tmp_path / "taken" / "embeddings.sqlite").mkdir(parents=True)
    for folder in (tmp_path / "file" / "cache", tmp_path / "file", tmp_path / "taken"):
        with pytest.raises(ValueError, match="cannot be used") as error:
            score(PREDICTIONS, REFERENCES, metrics="sem_f1", encoder=tiny, cache_dir=str(folder))
        assert f"cache_dir={str(folder)!r} cannot be used: " in str(error.value)


def test_a_full_disk_costs_no_score_and_is_warned_of(tmp_path):
    given = [f"phrase {i}" for i in range(2000)]
    encoder, small = on_disk(toy_encoder), on_disk(toy_encoder)
    DiskCache(tmp_path).close()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, limits[1]))  # longer files cannot be written
    try:
        with pytest.warns(UserWarning, match=f"cache_dir={str(tmp_path)!r}: embeddings are not kept: "):
            vectors = encoder.encode(given, cache_dir=str(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    np.testing.assert_array_equal(vectors, small.encode(given))
    assert_right(tmp_path, new=len(PHRASES))


def test_a_locked_file_costs_no_score_and_is_warned_of(filled, monkeypatch):
    folder, file = filled
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **kwargs: connect(*args, **{**kwargs, "timeout": 0.1}))
    other = connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    encoder = on_disk(toy_encoder)
    with pytest.warns(UserWarning, match="embeddings are not kept: .*locked"):
        vectors = encoder.encode([*PHRASES, "peat"], cache_dir=str(folder))
    np.testing.assert_array_equal(vectors, encoder_for(toy_encoder).encode([*PHRASES, "peat"]))
    other.execute("ROLLBACK")
    other.close()
    assert_right(folder, new=0)
