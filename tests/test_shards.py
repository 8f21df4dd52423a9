"""Shards of documents add up to the whole: scores as plain JSON, how files are cut, and processes that die."""

import json
import os
import signal
import threading
import time
from functools import partial, reduce
from itertools import pairwise
from operator import add
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.models import toy_encoder
from support.shards import written
from support.strategies import documents

from keyphrase_metrics import io
from keyphrase_metrics.batch import from_plain, to_plain
from keyphrase_metrics.batch.engines.processes import Workers
from keyphrase_metrics.batch.engines.tasks import InlineRunner, Task, WorkerDiedError
from keyphrase_metrics.batch.ids import Ids
from keyphrase_metrics.batch.scoring import hashes_of
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.inputs import Data
from keyphrase_metrics.io.inputs import Problems
from keyphrase_metrics.io.readers import read_blocks
from keyphrase_metrics.metrics.registry import measure_names
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.scoring import configure, score_shard

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*documents have no")]
LEXICAL = ("keyphrase_f1", "keyphrase_ndcg", "r_precision")
MORE = [
    "keyphrase_f1(average=micro,cutoffs=[3,M,O])",
    "keyphrase_f1(keyphrases=present_and_absent,on_empty=skip)",
    "keyphrase_f1(preset=kpeval)",
    "keyphrase_ndcg(relevance=semantic)",
    "r_precision(on_empty=skip)",
]


def options_of(name, bert):
    if name.startswith("keyphrase_bertscore"):
        return {"model": bert, "num_layers": 1}
    if name.startswith("fem_kp"):
        return {"generator": "serialize", "encoder": toy_encoder}
    return {"encoder": toy_encoder} if name.startswith("sem") or "semantic" in name else {}


def through_json(scores, metrics):
    return from_plain(json.loads(json.dumps(to_plain(scores), allow_nan=False)), metrics)


@pytest.mark.parametrize("name", [*measure_names(), *MORE])
@settings(max_examples=10)
@given(docs=documents().flatmap(lambda first: documents().map(lambda second: first + second)), cuts=st.data())
def test_shards_add_up_to_the_whole(name, bert, docs, cuts):
    metrics = configure([name], **options_of(name, bert))
    index = Index.build([source for *_, source in docs]) if name.startswith("fem_kp") else None

    def scored(part):
        predictions, references, sources = ([document[i] for document in part] for i in range(3))
        summaries = [" ".join(phrases) for phrases in references] if index is not None else None
        return score_shard(Data(predictions, references, sources, summaries, index), metrics)

    bounds = sorted({0, len(docs), *cuts.draw(st.lists(st.integers(1, len(docs)), max_size=4))})
    parts = [docs[first:last] for first, last in pairwise(bounds)]
    (whole,) = scored(docs).values()
    (added,) = reduce(add, (through_json(scored(part), metrics) for part in parts)).values()
    tolerance = 1e-9 if name.startswith(LEXICAL) and "semantic" not in name else 1e-5
    assert added.scores == pytest.approx(whole.scores, abs=tolerance)
    assert (added.counts, added.data, added.n_documents) == (whole.counts, whole.data, len(docs))
    (once,) = through_json(scored(docs), metrics).values()
    assert (once.scores, once.order, once.signature) == (whole.scores, whole.order, whole.signature)


def test_scores_of_other_metrics_are_refused():
    metrics = configure(["r_precision"])
    plain = to_plain(score_shard(Data([["a"]], [["a"]]), metrics))
    with pytest.raises(ValueError, match=r"scores of \['r_precision'\], not of \['keyphrase_ndcg'\]"):
        from_plain(plain, configure(["keyphrase_ndcg"]))


# how files are cut

ROWS = [{"id": f"d{i}", "text": "ä\nb " * (i % 5), "predictions": [f"p{i}", "q, r"]} for i in range(23)]


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv", "a.csv.gz", "a.parquet"])
@given(size=st.integers(1, 30))
@settings(max_examples=10)
def test_blocks_are_the_rows_of_the_whole(tmp_path_factory, name, size):
    path = written(tmp_path_factory.mktemp("blocks") / name, ROWS)
    data, problems = io.open_file(path), Problems("", "")
    columns = ["id", "text", "predictions"]
    with read_blocks(data, columns) as reader:
        blocks = []
        while (block := reader.read(size)) is not None:
            blocks.append(block)
        assert reader.share() == 1
    assert [len(block) for block in blocks[:-1]] == [size] * (len(blocks) - 1)
    assert [row for block in blocks for row in block.input().rows(columns, problems)] == list(
        data.rows(columns, problems)
    )
    assert len({block.digest() for block in blocks}) == len(blocks)
    assert not problems.first


def test_a_block_is_full_when_it_is_large(tmp_path):
    for name in ("a.jsonl", "a.parquet"):
        rows = [row for row in ROWS for _ in range(100)]
        with read_blocks(io.open_file(written(tmp_path / name, rows)), ["id", "text"]) as reader:
            assert len(reader.read(len(rows), largest=9_000)) <= 1000


def test_a_digest_is_of_the_records_not_of_their_place(tmp_path):
    digests = []
    for rows in (ROWS[5:], ROWS[4:]):
        with read_blocks(io.open_file(written(tmp_path / "a.jsonl", rows)), []) as reader:
            reader.read(len(rows) - 10)
            digests.append(reader.read(10).digest())
    assert digests[0] == digests[1]


# ids


def test_repeated_hashes_are_found_however_far_apart():
    ids = Ids()
    for first in range(0, 5000, 7):
        ids.add(hashes_of([str(i) for i in range(first, first + 7)]))
        assert not len(ids.repeated())
    ids.add(hashes_of(["3", "new", "4900", "3"]))
    assert sorted(ids.repeated(last=True).tolist()) == sorted(hashes_of(["3", "4900"]).tolist())
    ids.add(hashes_of(["3", "new"]))
    assert ids.repeated(last=True).tolist() == hashes_of(["new"]).tolist()  # each is told once


def test_repeated_hashes_are_found_among_so_many_that_they_are_on_disk():
    ids, some = Ids(), np.random.default_rng(0).integers(0, 2**64, 3_000_000, np.uint64)
    for part in np.split(some, 30):
        ids.add(part)
        assert not len(ids.repeated())
    again = np.sort(some[[0, 7, 1_234_567, 2_999_999]])
    ids.add(again)
    assert ids.repeated(last=True).tolist() == again.tolist()


def test_repeated_hashes_are_found_before_the_end():
    ids = Ids()
    ids.add(hashes_of(["a", "b", "a"]))
    assert ids.repeated().tolist() == hashes_of(["a"]).tolist()
    ids.add(hashes_of(["b"]))
    assert not len(ids.repeated())
    ids.add(hashes_of(["c", "d"]))
    assert ids.repeated().tolist() == hashes_of(["b"]).tolist()


# processes


def square(number):
    return number * number


def fail(number):
    raise ValueError(f"{number} is wrong")


def die(marker):
    """End this process as the kernel would, if it is the first that comes here."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return os.getpid()
    return os.kill(os.getpid(), signal.SIGKILL)


def always_die(_):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def workers():
    with Workers(2) as running:
        yield running


def test_results_come_with_their_numbers(workers):
    tasks = [Task(i, partial(square, i), "") for i in range(20)]
    assert dict(workers.run(iter(tasks))) == dict(InlineRunner().run(iter(tasks))) == {i: i * i for i in range(20)}


def test_the_first_error_is_raised_and_what_runs_is_finished(workers):
    begun = []

    def tasks():
        for i in range(20):
            begun.append(i)
            yield Task(i, partial(fail if i in (3, 4) else square, i), "")

    done = []
    with pytest.raises(ValueError, match="3 is wrong"):
        done += workers.run(tasks())
    assert len(begun) < 20
    assert dict(workers.run(iter([Task(1, partial(square, 3), "")]))) == {1: 9}


def test_an_error_of_the_tasks_themselves_comes_after_the_work(workers):
    def tasks():
        yield Task(0, partial(square, 2), "")
        raise InputError("line 7")

    done = []
    with pytest.raises(InputError, match="line 7"):
        for result in workers.run(tasks()):
            done.append(result)
    assert done == [(0, 4)]


def test_a_task_whose_process_dies_is_tried_once_more(workers, tmp_path):
    tasks = [Task(0, partial(die, str(tmp_path / "mark")), ""), *(Task(i, partial(square, i), "") for i in (1, 2, 3))]
    found = dict(workers.run(iter(tasks)))
    assert sorted(found) == [0, 1, 2, 3]
    assert found[0] not in (None, os.getpid())


def test_a_task_that_kills_its_process_again_is_an_error(workers):
    with pytest.raises(
        WorkerDiedError, match=r"lines 1 to 7: the process that scored it was ended by SIGKILL, 2 times"
    ):
        list(workers.run(iter([Task(0, partial(always_die, 0), "a.jsonl, lines 1 to 7")])))
    assert dict(workers.run(iter([Task(1, partial(square, 3), "")]))) == {1: 9}


def test_a_process_that_ends_while_it_is_given_a_task_is_replaced():
    with Workers(2) as running:
        pids = set(dict(running.run(iter([Task(i, os.getpid, "") for i in range(4)]))).values())
        tasks = [Task(i, partial(len, bytes(400 * 2**20 if i == 0 else 1)), "") for i in range(5)]
        killer = threading.Thread(target=kill_the_first_that_grows, args=(pids, 100 * 2**20))
        killer.start()
        assert dict(running.run(iter(tasks))) == {0: 400 * 2**20, 1: 1, 2: 1, 3: 1, 4: 1}
        killer.join()


def kill_the_first_that_grows(pids, size):
    page = os.sysconf("SC_PAGE_SIZE")
    for _ in range(100_000):
        for pid in pids:
            if int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page > size + 150 * 2**20:
                return os.kill(pid, signal.SIGKILL)
        time.sleep(0.0005)
    raise AssertionError("none grew")


def test_no_process_is_left():
    with Workers(2) as running:
        pids = set(dict(running.run(iter([Task(i, os.getpid, "") for i in range(4)]))).values())
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
