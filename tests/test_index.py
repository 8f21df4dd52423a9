"""The positional index: what it finds, what it refuses, and that a saved one is whole or nothing."""

import dataclasses
import hashlib
import json
import multiprocessing
import pickle
import signal
import subprocess
import tracemalloc
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.processes import program
from support.strategies import sources

from keyphrase_metrics.errors import InputError
from keyphrase_metrics.retrieval import index_storage as module
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.retrieval.index_storage import MANIFEST
from keyphrase_metrics.text.analyzer import Analyzer
from keyphrase_metrics.text.vocabulary import Vocabulary

TEXTS = ["Solar power and wind power", "tidal power, wind power", "", "wind", "wind", "太陽光 power café", "  "]
FILES = [*(f"{name}.npy" for name in module.ARRAYS), "stems.txt", MANIFEST]

tokens = st.lists(st.sampled_from("aab"), max_size=12)
CHUNK, CANDIDATES = (
    "keyphrase_metrics.text.analyzer._TEXT_CHUNK",
    "keyphrase_metrics.retrieval.occurrences._CANDIDATES_AT_ONCE",
)
pieces = st.sampled_from([{}, {CANDIDATES: 1}, {CANDIDATES: 3}, {CHUNK: 1}])


def counted(index, phrases):
    """{(phrase number, document number): count} for phrases as lists of stems."""
    flat = index.numbers([stem for phrase in phrases for stem in phrase])
    offsets = np.concatenate([[0], np.cumsum([len(phrase) for phrase in phrases], dtype=np.int64)]).astype(np.int64)
    found = index.occurrences(flat, offsets)
    assert (np.diff(found.starts) <= index.most_occurrences(flat, offsets)).all()
    phrase = np.repeat(np.arange(len(phrases)), np.diff(found.starts))
    assert (found.count(phrase, found.documents.astype(np.int64)) == found.counts).all()
    keys = list(zip(phrase.tolist(), found.documents.tolist(), strict=True))
    assert keys == sorted(set(keys))
    return dict(zip(keys, found.counts.tolist(), strict=True))


def slowly(documents, phrases):
    found = {}
    for p, phrase in enumerate(phrases):
        for d, document in enumerate(documents):
            starts = [i for i in range(len(document)) if phrase and document[i : i + len(phrase)] == phrase]
            if starts:
                found[p, d] = len(starts)
    return found


@given(st.lists(tokens, max_size=6), st.lists(st.lists(st.sampled_from("aabx"), max_size=6), max_size=8), pieces)
def test_occurrences_are_those_a_scan_finds(documents, phrases, sizes):
    with pytest.MonkeyPatch.context() as patch:
        for name, size in sizes.items():
            patch.setattr(name, size)
        index = Index.build(map(" ".join, documents), Analyzer(stemmer=None))
        kept = list(dict.fromkeys(tuple(document) for document in documents if document))
        assert counted(index, phrases) == slowly(list(map(list, kept)), phrases)
        assert index.lengths.tolist() == list(map(len, kept))
        assert len(index) == len(kept)


def test_occurrences_overlap_and_do_not_cross_documents():
    index = Index.build(["a a a", "b a", "b"], Analyzer(stemmer=None))
    assert counted(index, [["a", "a"], ["a", "b"], ["b"], [], ["a", "zebra"]]) == {(0, 0): 2, (2, 1): 1, (2, 2): 1}


def test_long_phrases():
    words = [f"w{i}" for i in range(200)]
    index = Index.build([" ".join(words), " ".join([*words[:150], *words[:150]])], Analyzer(stemmer=None))
    phrases = [words, words[:150], words[5:150], [*words[:100], "w0"], [*words[140:150], *words[:140]]]
    assert counted(index, phrases) == {(0, 0): 1, (1, 0): 1, (1, 1): 2, (2, 0): 1, (2, 1): 2, (4, 1): 1}


@given(st.lists(st.one_of(sources, st.sampled_from(TEXTS))), st.permutations(range(4)))
def test_documents_and_digest(texts, order):
    index = Index.build(texts)
    kept = list(dict.fromkeys(text for text in texts if text.strip()))
    assert index.locate(texts).tolist() == [kept.index(text) if text in kept else -1 for text in texts]
    digests = [int(hashlib.blake2b(text.encode(), digest_size=16).hexdigest(), 16) for text in kept]
    assert index.digest == sum(digests) % 2**128
    assert index.average_length == (sum(index.lengths.tolist()) / len(kept) if kept else 0.0)
    quarters = [texts[i::4] for i in order]
    assert Index.build(text for quarter in quarters for text in quarter).digest == index.digest


def test_only_identical_strings_merge():
    texts = ["solar power", "solar  power", "Solar power", "solar power"]
    index = Index.build(texts)
    assert len(index) == 3
    assert index.locate([*texts, "solar power "]).tolist() == [0, 1, 2, 0, -1]


def test_numbers_are_compact_in_a_vocabulary_that_knows_more():
    vocabulary = Vocabulary(Analyzer())
    vocabulary.phrases(["unrelated phrases", "wind"])
    index = Index.build(["wind power"], vocabulary=vocabulary)
    assert index.stems == ["wind", "power"]
    assert index.numbers(["power", "unrel", "wind"]).tolist() == [1, -1, 0]


def test_an_index_of_nothing():
    index = Index.build(["", " "])
    assert (len(index), index.digest, index.average_length) == (0, 0, 0.0)
    assert index.locate(["", "a"]).tolist() == [-1, -1]
    assert counted(index, [["a"], ["a", "b"]]) == {}


def test_texts_are_read_once_and_not_kept():
    text = "wind power " * 5_000
    Index.build([text])
    tracemalloc.start()
    index = Index.build(str(text) + " " * (number % 2) for number in range(2_000))  # 110 MB of strings
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(index) == 2
    assert peak < 10_000_000


@pytest.mark.parametrize(
    ("texts", "code", "message"),
    [
        (["a", 3], "not-a-string", "corpus[1] is 3 (int); it must be a string, a document's text"),
        (["a", None], "not-a-string", "corpus[1] is None (NoneType); it must be a string, a document's text"),
        (["a", "b \ud800"], "not-unicode", "corpus[1] holds 'b \\ud800', which is not valid Unicode"),
        ("a text", "wrong-type", "corpus is 'a text' (str); give an iterable of one string per text"),
        (b"a text", "wrong-type", "corpus is b'a text' (bytes); give an iterable"),
        ({"text": ["a"]}, "wrong-type", "corpus is {'text': ['a']} (dict); give an iterable"),
        (None, "wrong-type", "corpus is None (NoneType); give an iterable"),
    ],
)
def test_what_is_not_a_corpus(texts, code, message):
    with pytest.raises(InputError) as raised:
        Index.build(texts)
    assert (raised.value.code, raised.value.argument) == (code, "corpus")
    assert str(raised.value).startswith(message)


def test_the_number_of_a_bad_text_counts_over_pieces(monkeypatch):
    monkeypatch.setattr(CHUNK, 2)
    with pytest.raises(ValueError, match=r"^corpus\[3\] holds 'x\\ud800'"):
        Index.build(["aa", "aa", "b", "x\ud800"])
    with pytest.raises(InputError, match=r"^corpus\[3\] is 1"):
        Index.build(iter(["aa", "aa", "b", 1]))
    with pytest.raises(ValueError, match=r"^sources\[1\] holds '\\udfff'"):
        Index.build(["a"]).locate(["a", "\udfff"])


# saving and opening


def arrays(index):
    return {name: getattr(index, name) for name in module.ARRAYS}


def same(index, other):
    assert all(np.array_equal(array, arrays(other)[name]) for name, array in arrays(index).items())
    assert (index.stems, index.digest, index.analyzer) == (other.stems, other.digest, other.analyzer)


@pytest.fixture
def saved(tmp_path):
    Index.build(TEXTS).save(tmp_path / "saved")
    return tmp_path / "saved"


@pytest.mark.parametrize(
    "analyzer",
    [Analyzer(), Analyzer(False, "split", "whitespace", None), Analyzer(stemmer="snowball:french")],
)
@pytest.mark.parametrize("texts", [TEXTS, [], ["one"]])
def test_round_trip(tmp_path, texts, analyzer):
    index = Index.build(texts, analyzer)
    index.save(tmp_path / "new" / "folder")
    for verify in (True, False):
        opened = Index.open(tmp_path / "new" / "folder", verify=verify)
        same(index, opened)
        assert opened.locate(TEXTS).tolist() == index.locate(TEXTS).tolist()
        assert counted(opened, [["wind", "power"], ["power"]]) == counted(index, [["wind", "power"], ["power"]])
    opened.save(tmp_path / "copy")
    same(index, Index.open(tmp_path / "copy"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "new"]


def test_arrays_stay_on_disk(saved):
    opened = Index.open(saved)
    assert all(isinstance(array.base, np.memmap) or array.base.base is not None for array in arrays(opened).values())
    with pytest.raises(ValueError, match="read-only"):
        opened.tokens[0] = 1


def test_an_empty_folder_is_taken_and_another_is_not(tmp_path, saved):
    (tmp_path / "empty").mkdir()
    Index.build(TEXTS).save(str(tmp_path / "empty"))
    same(Index.open(tmp_path / "empty"), Index.open(saved))
    (tmp_path / "file").write_text("x")
    for taken in (saved, tmp_path / "file"):
        with pytest.raises(ValueError, match="exists and is not an empty folder; name another or remove it"):
            Index.build(["other"]).save(taken)
    same(Index.open(saved), Index.build(TEXTS))


@pytest.mark.parametrize("analyzer", [Analyzer(tokenizer=str.split), Analyzer(stemmer=str.upper)])
def test_callables_cannot_be_saved(tmp_path, analyzer):
    with pytest.raises(ValueError, match="whose tokenizer or stemmer is a callable cannot be saved"):
        Index.build(["wind power"], analyzer).save(tmp_path / "index")
    assert not list(tmp_path.iterdir())


def refused(folder, reason, **options):
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        Index.open(folder, **options)
    message = str(raised.value)
    assert message.startswith(f"{folder}: cannot be used as an index: "), message
    assert reason in message
    assert message.endswith("; build it again with keyphrase-metrics index CORPUS DIR")
    assert "\n" not in message


@pytest.mark.parametrize("name", FILES)
def test_damaged_files(saved, name):
    path = saved / name
    whole = path.read_bytes()
    for place in {0, len(whole) // 2, len(whole) - 1}:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        if name != MANIFEST or place < len(whole) - 1:  # the last byte of the manifest is white space
            refused(saved, name)
    path.write_bytes(whole[:-1] if name != MANIFEST else whole[:-3])
    for verify in (True, False):
        refused(saved, name, verify=verify)
    path.write_bytes(b"")
    refused(saved, name, verify=False)
    path.unlink()
    refused(saved, name, verify=False)
    path.mkdir()
    refused(saved, name)
    path.rmdir()
    path.write_bytes(whole)
    same(Index.open(saved), Index.build(TEXTS))


def test_a_damaged_header_without_checksums(saved):
    whole = (saved / "tokens.npy").read_bytes()
    (saved / "tokens.npy").write_bytes(b"x" * len(whole))
    refused(saved, "tokens.npy is not what was saved", verify=False)


def rewritten(folder, **changes):
    manifest = json.loads((folder / MANIFEST).read_text()) | changes
    manifest["checksum"] = module._json_checksum(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest))


def test_other_versions(saved):
    rewritten(saved, nltk="3.0")
    refused(saved, "it was made with NLTK 3.0, and ")
    rewritten(saved, format=1)
    refused(saved, "it has format 1, and this version reads format 2")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "null", '"format"', "{}", '{"format": 2}', "\xff", "[" * 100_000, '{"format": null}']
)
def test_a_manifest_that_is_none(saved, text):
    (saved / MANIFEST).write_text(text, encoding="latin-1")
    refused(saved, "format None" if "null}" in text else f"{MANIFEST} is not what was saved")


@pytest.mark.parametrize("key", ["format", "analyzer", "nltk", "documents", "tokens", "digest", "files", "checksum"])
def test_a_manifest_that_lacks_a_key(saved, key):
    manifest = json.loads((saved / MANIFEST).read_text())
    del manifest[key]
    (saved / MANIFEST).write_text(json.dumps(manifest))
    refused(saved, f"{MANIFEST} is not what was saved")
    if key not in ("format", "checksum"):  # even where somebody made the checksum fit
        (saved / MANIFEST).write_text(json.dumps(manifest | {"checksum": module._json_checksum(manifest)}))
        refused(saved, f"{MANIFEST} is not what was saved")


def test_files_of_two_indexes(saved, tmp_path):
    Index.build(["something else"]).save(tmp_path / "other")
    rewritten(saved, documents=1)
    refused(saved, "its files are not of one index")


def test_no_folder(tmp_path):
    refused(tmp_path / "none", "there is no such folder")
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file", "it is a file")
    refused(tmp_path, f"it has no {MANIFEST}")


def test_a_save_that_fails_leaves_nothing(tmp_path):
    broken = dataclasses.replace(Index.build(TEXTS), stems=["\ud800"])  # cannot be written
    with pytest.raises(UnicodeEncodeError):
        broken.save(tmp_path / "index")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_nothing_that_opens(tmp_path):
    folder = tmp_path / "index"
    with subprocess.Popen(program("save_half_an_index", folder), stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"half\n"
        process.send_signal(signal.SIGKILL)
    refused(folder, "there is no such folder")
    left = list(tmp_path.iterdir())
    assert left
    for partial in left:
        refused(partial, f"it has no {MANIFEST}")
    Index.build(TEXTS).save(folder)
    same(Index.open(folder), Index.build(TEXTS))


def found_by(index):
    return counted(index, [["wind", "power"], ["power"]]), index.locate(TEXTS).tolist()


@pytest.mark.slow
def test_threads_and_processes(saved):
    wanted = found_by(Index.build(TEXTS))
    spawned = multiprocessing.get_context("spawn")
    for index in (Index.open(saved), Index.build(TEXTS)):
        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(found_by, [index] * 8)) == [wanted] * 8
        with ProcessPoolExecutor(2, mp_context=spawned) as processes:
            assert list(processes.map(found_by, [index] * 4)) == [wanted] * 4


def test_pickles(saved, monkeypatch):
    monkeypatch.chdir(saved.parent)
    built, opened = Index.build(TEXTS * 10), Index.open("saved")
    same(pickle.loads(pickle.dumps(built)), built)
    sent = pickle.dumps(opened)
    assert len(sent) < 1_000
    monkeypatch.chdir("/")
    same(pickle.loads(sent), opened)
    for path in saved.iterdir():
        path.unlink()
    Index.build(["another corpus"]).save(saved)
    with pytest.raises(ValueError, match="no longer holds the index that was opened"):
        pickle.loads(sent)
    same(opened, Index.build(TEXTS))  # what is mapped stays what it was
