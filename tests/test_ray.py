"""Scores from Ray: those of one machine, whatever dies, repeats or is broken on the way. With a real Ray."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from support.cluster import holding, score
from support.documents import ROOT, blocks, run_plain
from support.processes import run_program, wait_until
from support.shards import shards_in
from support.strategies import WORDS

import keyphrase_metrics
from keyphrase_metrics.retrieval.index import Index

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

from keyphrase_metrics.batch.engines.ray import RayWorkers  # noqa: E402
from keyphrase_metrics.batch.engines.tasks import Task, WorkerDiedError  # noqa: E402
from keyphrase_metrics.errors import InputError  # noqa: E402

pytestmark = [
    pytest.mark.ray,
    pytest.mark.filterwarnings("ignore:.*documents have no"),
    pytest.mark.filterwarnings("ignore::ray.util.annotations.RayDeprecationWarning"),
]
NUMBER = 60
METRICS = [
    "r_precision",
    "keyphrase_f1(average=micro,cutoffs=[3,M],on_empty=skip)",
    "keyphrase_f1(cutoffs=[2,M,O],oracle=True)",
    "keyphrase_f1(preset=kpeval,keyphrases=present)",
    "keyphrase_ndcg",
    "r_precision(deduplicate=False)",
]


@pytest.fixture(scope="module", autouse=True)
def _cluster(cluster):
    return cluster


def made(number=NUMBER, seed=0):
    chosen = random.Random(seed)

    def phrases(most):
        return [" ".join(chosen.choices(WORDS, k=2)) for _ in range(chosen.randint(0, most))]

    return [
        {
            "id": f"d{i}",
            "text": " ".join(chosen.choices(WORDS, k=9)) + f" {i}",
            "summary": " ".join(chosen.choices(WORDS, k=3)),
            "references": phrases(4),
            "predictions": phrases(5),
        }
        for i in range(number)
    ]


def json_lines(path, documents):
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    return path


def parts(folder, documents, number):
    """The documents in so many files of JSON lines."""
    folder.mkdir()
    size = -(-len(documents) // number)
    for i in range(number):
        json_lines(folder / f"part-{i:03}.jsonl", documents[i * size : (i + 1) * size])
    return folder


def parquet_parts(folder, documents, number):
    folder.mkdir()
    size = -(-len(documents) // number)
    for i in range(number):
        table = pyarrow.Table.from_pylist(documents[i * size : (i + 1) * size])
        pyarrow.parquet.write_table(table, folder / f"part-{i}.parquet", row_group_size=7)
    return folder


def alone(documents, metrics, **options):
    """What one machine makes of documents."""
    columns = {name: [document[name] for document in documents] for name in ("predictions", "references")}
    return keyphrase_metrics.score(
        **columns, sources=[document["text"] for document in documents], metrics=metrics, **options
    )


def assert_alike(ours, theirs, tolerance=1e-9):
    assert list(ours) == list(theirs)
    for name, result in theirs.items():
        got = ours[name]
        assert got.scores == pytest.approx(result.scores, abs=tolerance, nan_ok=False)
        assert (got.counts, got.data, got.signature) == (result.counts, result.data, result.signature)


def rows(folder):
    return pyarrow.dataset.dataset(folder / "documents").to_table()


def states(folder):
    """Every file of a folder, and when it was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def done(tmp_path_factory, cluster):
    """Documents, their file, the folder of a run that is done, and its scores."""
    folder = tmp_path_factory.mktemp("done")
    documents = made()
    path = json_lines(folder / "run.jsonl", documents)
    found = score(path, METRICS, output=folder / "out", workers=1)
    return documents, path, folder / "out", found


def test_scores_are_those_of_one_machine(done, tmp_path):
    documents, _, out, one_block = done
    wanted = alone(documents, METRICS, per_document=True)
    assert_alike(one_block, wanted)
    many = parquet_parts(tmp_path / "data", documents, 2)
    assert_alike(score(many, METRICS, output=tmp_path / "out", shard_size=11, workers=2), wanted)
    for folder in (out, tmp_path / "out"):
        table = rows(folder)
        order = [int(key.removeprefix("d")) for key in table["id"].to_pylist()]
        assert sorted(order) == list(range(NUMBER))
        for name, result in wanted.items():
            for key, values in result.per_document.items():
                expected = [values[i] for i in order]
                assert table[f"{name}/{key}"].to_pylist() == [v if v is None else pytest.approx(v) for v in expected]


def test_standard_errors(done):
    documents, *_, found = done
    mean, micro, oracle = (found[name].standard_errors for name in METRICS[:3])
    values = alone(documents, METRICS[0], per_document=True)[METRICS[0]].per_document["r_precision"]
    assert mean["r_precision"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(NUMBER))
    counted = [i for i in range(NUMBER) if documents[i]["references"]]  # the jackknife, one document at a time
    without = [alone([documents[j] for j in counted if j != i], METRICS[1])[METRICS[1]].scores["f1@3"] for i in counted]
    n = len(counted)
    assert micro["f1@3"] == pytest.approx(np.sqrt((n - 1) / n * np.sum((without - np.mean(without)) ** 2)))
    ranks = alone(documents, METRICS[2], per_document=True)[METRICS[2]].per_document["oracle_k"]
    ranks = [rank for rank in ranks if rank is not None]
    assert oracle["oracle_k"] == pytest.approx(np.std(ranks, ddof=1) / np.sqrt(len(ranks)))
    assert oracle["oracle_f1_fixed_k"] is None  # of a k for the whole corpus
    assert found["r_precision"].to_dict()["r_precision_se"] == mean["r_precision"]


def test_a_run_that_is_done_does_nothing(done):
    _, path, out, found = done
    unchanged = states(out)
    assert_alike(score(path, METRICS, output=out), found)
    (here,) = keyphrase_metrics.score_files(path, METRICS, folder=out).values()  # nor does another engine
    assert_alike(here, found)
    assert {**states(out), out / ".lock": 0} == {**unchanged, out / ".lock": 0}


def test_models_and_an_index(tmp_path, bert, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documents = made(40)
    index = Index.build([document["text"] for document in documents])
    index.save(tmp_path / "index")
    metrics = ["sem_f1", "semr_p", "fem_kp(generator=serialize)"]
    into = partial(score, index="index", workers=1, encoder=bert)
    found = into(parts(tmp_path / "data", documents, 3), metrics, output=tmp_path / "out", shard_size=20)
    summaries = [document["summary"] for document in documents]
    assert_alike(found, alone(documents, metrics, summaries=summaries, corpus=index, encoder=bert), 1e-5)

    path = json_lines(tmp_path / "other.jsonl", made(50)[30:])
    lacking = r"other.jsonl, line 11 \(id 'd40'\), sources: .* not in the index \(10 of 20 documents are not\)"
    with pytest.raises(ValueError, match=lacking):
        into(path, metrics[2], output=tmp_path / "other")
    with pytest.raises(ValueError, match="ranks all documents among one another, so that index must be given"):
        score(path, metrics[2], output=tmp_path / "other")


def has_shards(folder, number):
    return len(shards_in(folder)) >= number


def test_an_interrupted_run_goes_on(tmp_path, cluster):
    documents = made(200)
    path, out, mark = parts(tmp_path / "data", documents, 20), tmp_path / "out", tmp_path / "mark"
    code = Path(__file__).parent / "programs" / "score_with_ray.py"
    arguments = [cluster, path, out, mark]
    into = partial(score, path, ["sem_f1", "r_precision"], output=out, workers=1, shard_size=10)
    for number, status in ((signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)):
        with subprocess.Popen([sys.executable, code, *arguments], stderr=subprocess.PIPE, text=True) as run:
            # the encoder waits after a few documents, however slow this is, so that the run is not done before
            wait_until(partial(has_shards, out, len(shards_in(out)) + 3), process=run)
            if number == signal.SIGKILL:
                with pytest.raises(InputError, match="another run is at work in this folder"):
                    into(encoder=holding(0, mark))
            run.send_signal(number)
            said = run.stderr.read()
        assert run.returncode == status, said
        assert "Traceback" not in said
    finished = {path.stem for path in shards_in(out)}  # of the one in which the worker was killed, rows may be there
    kept = {path: state for path, state in states(out).items() if path.name.split(".")[0] in finished}
    assert 6 <= len(finished) < 20
    mark.touch()
    assert_alike(into(encoder=holding(0, mark)), alone(documents, ["sem_f1", "r_precision"], encoder=holding(0, mark)))
    assert states(out).items() >= kept.items()
    assert not list(out.rglob(".*.tmp"))
    assert sorted(rows(out)["id"].to_pylist()) == sorted(document["id"] for document in documents)


def test_a_shard_that_ends_every_worker_is_named():
    def always_end(_):  # in here, since workers cannot import this file
        os.kill(os.getpid(), signal.SIGKILL)

    with RayWorkers(1) as running:
        tasks = [Task(0, always_end, "run.jsonl, lines 1 to 7", (0,))]
        with pytest.raises(WorkerDiedError, match=r"run.jsonl, lines 1 to 7: the process .* ended \(.*\), 3 times; wh"):
            list(running.run(iter(tasks)))
        assert dict(running.run(iter([Task(i, abs, "", (-i,)) for i in range(5)]))) == {i: i for i in range(5)}


@pytest.mark.parametrize("read", ["json", "memory"])
def test_a_data_set_goes_on(tmp_path, read):
    documents = made(20)
    folder = parts(tmp_path / "data", documents, 2)
    into = partial(score, metrics="r_precision", output=tmp_path / "out", workers=1, shard_size=10)

    def some(number):
        if read == "memory":
            return ray.data.from_items(documents[:number])
        return ray.data.read_json([str(folder / f"part-{i:03}.jsonl") for i in range(number // 10)], lines=True)

    assert_alike(into(some(10)), alone(documents[:10], "r_precision"))
    before = states(tmp_path / "out")
    assert_alike(into(some(20)), alone(documents, "r_precision"))
    kept = {path: state for path, state in before.items() if path.name != ".lock"}
    assert states(tmp_path / "out").items() >= kept.items()
    with pytest.raises(ValueError, match=r"5 workers .*, and 1 for reading, need 2.25 processors|need 3.25 processors"):
        into(some(10), workers=5 if ray.cluster_resources()["CPU"] < 2 else 9)
    repeated = ray.data.from_items([*documents, documents[3]])
    with pytest.raises(ValueError, match=r"the data set repeats 1 id \('d3'\)"):
        into(repeated)


def test_a_data_sets_rows_are_told(tmp_path):
    documents = [{**document, "references": document["references"] or ["x"]} for document in made(20)]
    documents[13]["references"] = []
    given = ray.data.from_items([{key: value for key, value in row.items() if key != "id"} for row in documents])
    with pytest.raises(InputError, match=r"the data set, row 14, references: has no references; on_empty='error'"):
        score(given, "r_precision", output=tmp_path / "out", workers=1, on_empty="error")


def test_what_local_workers_do_ray_does(tmp_path):
    """References apart and in another order, several systems, one file of each document's scores."""
    from support.shards import made as apart

    predictions, references = apart(40)
    run, gold = json_lines(tmp_path / "run.jsonl", predictions[::-1]), json_lines(tmp_path / "gold.jsonl", references)
    how = {"metrics": METRICS[:3], "references": gold, "shard_size": 9}
    found = {}
    for engine, options in {"ray": {"engine": "ray", "workers": 2}, "local": {}}.items():
        written = tmp_path / f"{engine}.jsonl"
        scored = keyphrase_metrics.score_files(run, folder=tmp_path / engine, per_document=written, **how, **options)
        found[engine] = {name: scores.to_dict() for name, scores in scored.items()}, written.read_bytes()
    assert list(found["ray"][0]) == ["one", "two"]
    assert found["ray"] == found["local"]


def test_a_cluster_of_two_nodes(tmp_path):
    """Simulated on this machine: both are at work, on files that they read themselves."""
    data, marks = parts(tmp_path / "data", made(100), 20), tmp_path / "marks"
    marks.mkdir()
    run = run_program("score_on_nodes", data, tmp_path / "out", marks)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert len(found["nodes"]) == 2
    assert found["at_work"] == sorted(found["nodes"])
    assert found["read"] == ["part-000.jsonl"]  # by the driver, for the fields
    ours, theirs = found["scores"]
    assert list(ours) == list(theirs)
    for name, both in theirs.items():
        assert ours[name] == [pytest.approx(each, abs=1e-12) for each in both]


def test_values_are_understood_as_on_one_machine(tmp_path):
    chosen = random.Random(1)
    documents = [
        {
            **row,
            "text": row["text"] if place else None,
            "predictions": [[phrase, place] for place, phrase in enumerate(row["predictions"], 1)],
            "references": [[[phrase, f"{phrase} too"], chosen.randint(1, 9)] for phrase in row["references"]],
        }
        for place, row in enumerate(made())
    ]
    path = json_lines(tmp_path / "run.jsonl", documents)
    metrics = ["keyphrase_ndcg(weighted=True)", "keyphrase_f1(cutoffs=[2])", "keyphrase_diversity"]
    with pytest.raises(ValueError, match=r"ascending order in all \d+ lists with two .*; say with score_order which"):
        score(path, metrics, output=tmp_path / "out", shard_size=7)
    found = score(path, metrics, output=tmp_path / "ascending", shard_size=7, score_order="ascending").to_dict()
    wanted = keyphrase_metrics.score(
        [row["predictions"] for row in made()],
        [[variants for variants, _ in row["references"]] for row in documents],
        [row["text"] or "" for row in documents],
        reference_weights=[[weight for _, weight in row["references"]] for row in documents],
        metrics=metrics,
    ).to_dict()
    for metric, result in wanted.items():
        result["preparation"] |= {"absent_references": None, "absent_predictions": None}
        result["preparation"]["absent_references_share"] = None
        for key, value in result.items():
            assert found[metric][key] == (pytest.approx(value) if isinstance(value, float) else value), (metric, key)


def test_arguments(tmp_path):
    path = json_lines(tmp_path / "run.jsonl", made(3))
    into = partial(score, path, output=tmp_path / "out")
    for wrong, message in (
        ({"workers": 19}, "19 workers with num_cpus=0.25 each need 4.75 processors and Ray has 3"),
        ({"num_gpus": 1}, "1 workers with num_gpus=1 each need 1 GPUs and Ray has 0"),
    ):
        with pytest.raises(ValueError, match=message):
            into(**wrong)
    assert not list((tmp_path / "out").glob("*.json"))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


def test_command(tmp_path, cluster):
    documents = [{**row, "predictions": {"one": row["predictions"], "two": []}} for row in made(20)]
    json_lines(tmp_path / "run.jsonl", documents)
    run = partial(subprocess.run, cwd=tmp_path, capture_output=True, text=True)
    command = [sys.executable, "-m", "keyphrase_metrics", "score"]
    options = ["--json", "--metrics", "r_precision", "--engine", "ray"]
    handler = partial(Quiet, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/run.jsonl"
        into = ["--address", cluster, "--folder", f"file://{tmp_path}/out", "--system", "one", "--workers", "1"]
        printed = run([*command, url, *options, *into])
        server.shutdown()
    assert printed.returncode == 0, printed.stderr
    found = json.loads(printed.stdout)["systems"]["one"]["r_precision"]
    wanted = alone(made(20), "r_precision").to_dict()["r_precision"]
    errors = [found.pop(f"{key}_se") for key in list(found) if f"{key}_se" in found]
    assert len(errors) == 3
    assert all(error > 0 for error in errors)
    assert found == {key: pytest.approx(value) if isinstance(value, float) else value for key, value in wanted.items()}

    wrong = run([*command, "run.jsonl", *options])
    assert (wrong.returncode, wrong.stderr.count("--engine ray needs --resume")) == (2, 1)
    assert run([*command, "run.jsonl", "--num-cpus", "1"]).stderr.count("--num-cpus is for --engine ray") == 1


def test_what_libraries_print_does_not_mix_with_the_scores():
    run = run_program("print_around_noise")
    assert (run.stdout, run.stderr) == ("before\nafter\n", "noise")


def test_the_document_on_large_data(checkout, cluster):
    """docs/scale.md: its Python runs, and its commands, on the same cluster."""
    text = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    namespace = {"__name__": "__main__"}
    for number, code in enumerate(blocks(text, "python"), 1):
        run_plain(code, namespace, f"docs/scale.md, Python block {number}")
    command = f'set -eu; keyphrase-metrics() {{ "{sys.executable}" -m keyphrase_metrics "$@"; }}'
    for script in blocks(text, "bash"):
        environment = {**os.environ, "RAY_ADDRESS": cluster}
        done = subprocess.run(["bash", "-c", f"{command}\n{script}"], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "signatures" in done.stdout
