"""Encoders of tests: a tiny model, what goes through it, and one that counts what it was asked."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from keyphrase_metrics.models import encoders
from support.models import toy_encoder

PHRASES = ["wind farm", "solar power", "solar farms", "tidal power", "fog", "wind", "solar power farm", "zebra"]
PREDICTIONS = [["solar power", "wind farm", "fog"], ["tidal power", "solar power"], ["zebra"]]
REFERENCES = [["solar farm", "wind farm"], ["tidal power", "fog"], ["wind", "solar power"]]
EVERY_PHRASE = {phrase for side in (PREDICTIONS, REFERENCES) for document in side for phrase in document}
SEMANTIC = ["sem_f1", "semr_p", "semr_p(k=1)", "sem_f1(tokenizer=whitespace)", "keyphrase_ndcg(relevance=semantic)"]


@pytest.fixture(autouse=True)
def _nothing_loaded():
    encoders._loaded.clear()
    yield
    encoders._loaded.clear()


@pytest.fixture(scope="session")
def tiny(bert, tmp_path_factory):
    """The path of a saved SentenceTransformer with random weights that reads 32 tokens."""
    from sentence_transformers import SentenceTransformer

    folder = tmp_path_factory.mktemp("models") / "tiny"
    SentenceTransformer(bert, device="cpu").save(str(folder))
    return str(folder)


@pytest.fixture(scope="session")
def alone(tiny):
    """A phrase's vector from the model itself, given that phrase only."""
    from sentence_transformers import SentenceTransformer

    model, known = SentenceTransformer(tiny, device="cpu"), {}

    def vector(phrase):
        if phrase not in known:
            known[phrase] = model.encode([phrase], normalize_embeddings=True)[0]
        return known[phrase]

    return vector


@pytest.fixture
def encoded(monkeypatch):
    """What goes through models of sentence_transformers: all phrases, in order."""
    from sentence_transformers import SentenceTransformer

    seen, plain = [], SentenceTransformer.forward

    def forward(self, features, **kwargs):
        seen.extend(self.tokenizer.batch_decode(features["input_ids"], skip_special_tokens=True))
        return plain(self, features, **kwargs)

    monkeypatch.setattr(SentenceTransformer, "forward", forward)
    return seen


class Counting:
    """An encoder that knows what it was asked."""

    def __init__(self, vectors=toy_encoder):
        self.vectors, self.seen, self.calls = vectors, [], 0

    def __call__(self, given):
        self.calls += 1
        self.seen += given
        return self.vectors(given)


def linked(source, target, *, but=()):
    """Copy a folder, as links except for some files' names."""

    def copy(a, b):
        return shutil.copyfile(a, b) if Path(a).name in but else os.symlink(a, b)

    return Path(shutil.copytree(source, target, copy_function=copy))


def flip(path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 0x40
    path.write_bytes(content)


def finished(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def in_threads(work, threads=6):
    failures = []

    def guarded(number):
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    running = [threading.Thread(target=guarded, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(300)
    assert not failures
