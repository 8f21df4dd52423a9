"""Scores from Ray: those of one machine, whatever dies, repeats or is broken on the way. On a real cluster of two."""

import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fsspec
import numpy as np
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from strategies import WORDS

import keyphrase_metrics
from keyphrase_metrics import io
from keyphrase_metrics.index import Index
from keyphrase_metrics.io.inputs import Input
from keyphrase_metrics.scoring import configure

os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_DISABLE_IMPORT_WARNING="1", RAY_AUTH_MODE="disabled")
ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

from keyphrase_metrics.ray import score  # noqa: E402
from keyphrase_metrics.ray.actors import Scorer  # noqa: E402
from keyphrase_metrics.ray.reading import Files  # noqa: E402
from keyphrase_metrics.ray.running import Job  # noqa: E402
from keyphrase_metrics.ray.storage import File  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*documents have no"),
    pytest.mark.filterwarnings("ignore::ray.util.annotations.RayDeprecationWarning"),
]
NUMBER = 120
LEXICAL = [
    "keyphrase_f1(cutoffs=[2,M,O],oracle=True)",
    "keyphrase_f1(average=micro,cutoffs=[3,M],on_empty=skip)",
    "keyphrase_f1(preset=kpeval,keyphrases=present)",
    "keyphrase_ndcg",
    "r_precision(deduplicate=False)",
]
METRICS = ["r_precision", "keyphrase_f1(average=micro,cutoffs=[3],on_empty=skip)", "keyphrase_f1(oracle=True)"]


@pytest.fixture(scope="module")
def cluster():
    """A cluster on this machine, with little memory; its address."""
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.init(
        num_cpus=3,  # in shares; Ray's own reading and filtering take one each
        include_dashboard=False,
        object_store_memory=100 * 2**20,
        log_to_driver=False,
        logging_level="error",
        namespace="tests",
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield context.address_info["gcs_address"]
    ray.shutdown()


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


SOURCES = {
    "lines": lambda path, documents: parts(path, documents, 3),
    "groups of rows": lambda path, documents: parquet_parts(path, documents, 2),
}


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


@pytest.mark.parametrize(("source", "batch", "workers"), list(zip(SOURCES, (NUMBER, 11), (1, 2), strict=True)))
def test_scores_are_those_of_one_machine(tmp_path, source, batch, workers):
    documents = made()
    data = SOURCES[source](tmp_path / "data", documents)
    found = score(data, LEXICAL, output=tmp_path / "out", batch_size=batch, workers=workers)
    wanted = alone(documents, LEXICAL, per_document=True)
    assert_alike(found, wanted)

    table = rows(tmp_path / "out").sort_by("_hash")
    place = {f"d{i}": i for i in range(NUMBER)}
    order = [place[key] for key in table["id"].to_pylist()]
    assert sorted(order) == list(range(NUMBER))
    for name, result in wanted.items():
        for key, values in result.per_document.items():
            expected = [values[i] for i in order]
            assert table[f"{name}/{key}"].to_pylist() == [v if v is None else pytest.approx(v) for v in expected]


@pytest.fixture(scope="module")
def done(tmp_path_factory, cluster):
    """Documents, their file, the folder of a run that is done, and its scores."""
    folder = tmp_path_factory.mktemp("done")
    documents = made(40)
    path = json_lines(folder / "run.jsonl", documents)
    found = score(path, METRICS, output=folder / "out", batch_size=9, workers=1)
    return documents, path, folder / "out", found


def test_standard_errors(done):
    documents, *_, found = done
    mean, micro, oracle = (found[name].standard_errors for name in METRICS)
    values = alone(documents, "r_precision", per_document=True)["r_precision"].per_document["r_precision"]
    assert mean["r_precision"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(40))
    counted = [i for i in range(40) if documents[i]["references"]]  # the jackknife, one document at a time
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
    assert_alike(score(path, METRICS, output=out, batch_size=3), found)
    assert states(out) == unchanged


def test_rows_that_were_written_twice_count_once(done, tmp_path):
    _, path, out, found = done
    again = tmp_path / "out"
    shutil.copytree(out, again)
    (first,) = (again / "documents").iterdir()
    lingered = again / "documents" / "written-by-a-task-that-lingered.parquet"
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(first).slice(7, 11), lingered)
    assert_alike(score(path, METRICS, output=again), found)
    first.unlink()
    with pytest.raises(ValueError, match="40 documents were finished and 11 are there; files are missing"):
        score(path, METRICS, output=again)


def test_another_runs_folder_is_refused(done, tmp_path):
    _, path, out, _ = done
    other = [METRICS[0], METRICS[1], "keyphrase_f1(oracle=True,stemmer=None)"]
    for metrics, options, differs in (
        (other, {}, r"metrics.keyphrase_f1\(oracle=True\) .*, now None"),
        (METRICS, {"stemmer": None}, "metrics.r_precision.signature .*stemmer:porter.*, now .*stemmer:None"),
        (METRICS, {"sources_columns": None}, "columns.sources "),
        (METRICS, {"on_bad_row": "skip"}, "on_bad_row 'fail', now 'skip'"),
    ):
        with pytest.raises(ValueError, match=f"keeps another run: {differs}"):
            score(path, metrics, output=out, **options)
    longer = tmp_path / "run.jsonl"
    json_lines(longer, made(41))
    shutil.copytree(out, tmp_path / "out")
    with pytest.raises(ValueError, match=r"keeps another run: data.first .*data.bytes"):
        score(longer, METRICS, output=tmp_path / "out")
    with pytest.raises(ValueError, match="is a folder of something else"):
        score(path, METRICS, output=tmp_path)


def test_models_and_an_index(tmp_path, bert):
    documents = made(60)
    index = Index.build([document["text"] for document in documents])
    index.save(tmp_path / "index")
    metrics = ["sem_f1", "semr_p", "fem_kp(generator=serialize)"]
    ranked = partial(score, index=tmp_path / "index", workers=1, encoder=bert)
    found = ranked(parts(tmp_path / "data", documents, 3), metrics, output=tmp_path / "out", batch_size=20)
    summaries = [document["summary"] for document in documents]
    assert_alike(found, alone(documents, metrics, summaries=summaries, corpus=index, encoder=bert), 1e-5)

    path = json_lines(tmp_path / "other.jsonl", made(70, seed=0)[50:])
    with pytest.raises(
        ValueError, match=r"10 of 20 documents are not in the index, the first is .*other.jsonl, line 11"
    ):
        ranked(path, metrics[2], output=tmp_path / "other", batch_size=3)
    assert not (tmp_path / "other" / "documents").exists()  # before anything is scored
    with pytest.raises(ValueError, match="ranks all documents among one another, so that index must be given"):
        score(path, metrics[2], output=tmp_path / "other")


def deadly(word, mark=None):
    """An encoder that kills its process where it meets a word; once, where a file is to mark it."""

    def encoder(phrases):
        if any(word in phrase for phrase in phrases) and not (mark and mark.exists()):
            if mark:
                mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.eye(1, 4).repeat(len(phrases), axis=0)

    return encoder


def test_a_killed_worker_is_replaced_and_its_documents_count_once(tmp_path):
    documents = made(60)
    documents[31]["predictions"] = ["deadly word"]
    encoder = deadly("deadly", tmp_path / "killed")
    path = parts(tmp_path / "data", documents, 6)
    found = score(path, "sem_f1", output=tmp_path / "out", batch_size=10, encoder=encoder, workers=1)["sem_f1"]
    assert (tmp_path / "killed").exists()
    wanted = alone(documents, "sem_f1", encoder=encoder)["sem_f1"]
    assert (found.scores, found.data, found.counts) == (pytest.approx(wanted.scores), wanted.data, wanted.counts)
    assert rows(tmp_path / "out").num_rows == 60


def test_a_batch_that_ends_every_worker_is_named(tmp_path):
    documents = made(60)
    documents[31]["predictions"] = ["deadly word"]
    path = parts(tmp_path / "data", documents, 6)
    with pytest.raises(ValueError, match=r"10 documents from .*part-003.jsonl, line 1 on: .* ended 3 times"):
        score(path, "sem_f1", output=tmp_path / "out", batch_size=10, encoder=deadly("deadly"), workers=1)


INTERRUPTED = """
import sys, ray
from keyphrase_metrics.ray import score
if __name__ == "__main__":
    ray.init(address=sys.argv[1], log_to_driver=False, namespace="tests")
    score(sys.argv[2], ["r_precision", "keyphrase_ndcg"], output=sys.argv[3], batch_size=10, workers=1)
"""


def test_an_interrupted_run_goes_on(tmp_path, cluster):
    documents = made(600)
    path, out = parts(tmp_path / "data", documents, 60), tmp_path / "out"
    code = tmp_path / "interrupted.py"
    code.write_text(INTERRUPTED)
    run = subprocess.Popen([sys.executable, code, cluster, path, out], stderr=subprocess.PIPE)
    finished = out / "finished"
    until = time.monotonic() + 60
    while run.poll() is None and time.monotonic() < until:
        if finished.exists() and sum("pending" not in path.name for path in finished.iterdir()) >= 5:
            break
        time.sleep(0.005)
    run.kill()
    run.wait()
    assert run.returncode == -signal.SIGKILL, run.stderr.read().decode()
    time.sleep(0.5)  # for Ray to end the tasks of the dead job
    before = {path.name: path.stat().st_mtime_ns for path in finished.iterdir() if "pending" not in path.name}
    assert 5 <= len(before) < 60
    assert not (out / "complete.json").exists()

    metrics = ["r_precision", "keyphrase_ndcg"]
    found = score(path, metrics, output=out, batch_size=10, workers=1)
    assert_alike(found, alone(documents, metrics))
    assert sorted(rows(out)["id"].to_pylist()) == sorted(document["id"] for document in documents)  # each of them once
    after = {path.name: path.stat().st_mtime_ns for path in finished.iterdir()}
    assert after.items() >= before.items()
    again = sum(pyarrow.parquet.read_metadata(finished / name).num_rows for name in after.keys() - before.keys())
    kept = sum(pyarrow.parquet.read_metadata(finished / name).num_rows for name in before)
    assert kept + again == 600


BAD = {
    '{"id": "bad", "references": [': "is no JSON",
    '{"id": "bad", "references": []}': "has no field 'predictions'",
    '{"id": "bad", "references": [3], "predictions": []}': "field 'references' holds an item that is 3 (int)",
    '{"id": "bad", "references": ["\\ud800"], "predictions": []}': "holds '\\ud800', which is no valid Unicode",
    '{"id": null, "references": ["a"], "predictions": []}': "field 'id' is null; an id must be a string",
    "[]": "is [] (list); a line must be one JSON object",
}


def test_bad_rows_and_repeated_ids(tmp_path):
    documents = made(20)
    documents[17]["id"] = "d3"
    folder = parts(tmp_path / "data", documents, 2)
    part = folder / "part-001.jsonl"
    part.write_text(part.read_text() + "\n" + "\n".join(BAD))
    strings = [{**document, "predictions": "; ".join(document["predictions"])} for document in made(3, seed=3)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(strings), folder / "part-2.parquet")
    options = {"sources_columns": None, "batch_size": 4, "workers": 1}
    with pytest.raises(ValueError, match=r"data/part-001.jsonl, line 12: is no JSON .Expecting value at column 30"):
        score(folder, "r_precision", output=tmp_path / "out", **options)

    skipping = partial(score, folder, "r_precision", output=tmp_path / "skipped", on_bad_row="skip", **options)
    with pytest.raises(ValueError, match=r"repeat 1 id \('d3'\); unique_ids=False scores them all"):
        skipping()
    unchanged = states(tmp_path / "skipped")
    with pytest.warns(UserWarning, match=r"9 records were left out: .*part-001.jsonl, line 12: is no JSON .*; …"):
        found = skipping(unique_ids=False)
    assert states(tmp_path / "skipped") == unchanged  # they had all been scored
    columns = [[document[name] for document in documents] for name in ("predictions", "references")]
    assert_alike(found, keyphrase_metrics.score(*columns, metrics="r_precision"))
    wrong = [row for row in rows(tmp_path / "skipped").to_pylist() if row["error"] is not None]
    said = {(Path(row["file"]).name, row["number"]): row["error"] for row in wrong}
    for number, what in enumerate(BAD.values(), 12):
        assert said.pop(("part-001.jsonl", number)).startswith(what)
    assert set(said) == {("part-2.parquet", number) for number in (1, 2, 3)}
    assert all("field 'predictions' is " in what and "it must be a list" in what for what in said.values())


def test_a_data_set_goes_on_by_its_ids(tmp_path):
    documents = made(20)
    documents[17]["id"] = "d3"  # which is finished before Ray comes to it
    folder = parquet_parts(tmp_path / "data", documents, 2)
    into = partial(score, metrics="r_precision", output=tmp_path / "out", workers=1, batch_size=5)
    first = ray.data.read_parquet(str(folder / "part-0.parquet"))
    assert_alike(into(first), alone(documents[:10], "r_precision"))
    unchanged = states(tmp_path / "out")
    assert_alike(into(first), alone(documents[:10], "r_precision"))  # Ray reads, and leaves out what is finished
    assert states(tmp_path / "out") == unchanged
    with pytest.raises(ValueError, match=r"need 3.5 processors and Ray has 3"):  # Ray's own tasks read with a whole one
        into(first, workers=5)
    with pytest.raises(ValueError, match=r"has 20 rows and .* has 19: ids repeat"):
        into(ray.data.read_parquet(str(folder)))
    assert states(tmp_path / "out").items() >= unchanged.items()


def test_what_is_wrong_with_a_document_is_told_with_its_place(tmp_path):
    documents = [{**document, "references": document["references"] or ["x"]} for document in made(20)]
    documents[13]["references"] = []
    job = Job(tuple(configure("r_precision", on_empty="error")), io.Fields())
    head = Input("the data set", list(documents[0]), None, unit="row")
    with pytest.raises(io.InputError, match=r"the row with id 'd13', references: has no references; on_empty='error'"):
        Scorer(job.recipe(head, documents[0], None), None).made(pyarrow.Table.from_pylist(documents))

    path = json_lines(tmp_path / "run.jsonl", documents)
    files = Files(fsspec.filesystem("file"), [File(str(path), str(path), None, "")])
    lines = [line.encode() for line in path.read_text().splitlines()]
    batch = pyarrow.table({"_key": range(1, 21), "_record": lines})
    with pytest.raises(io.InputError, match=r"run.jsonl, line 14 \(id 'd13'\), references: has no references"):
        Scorer(job.recipe(*files.head(), files), None).made(batch)


def test_arguments(tmp_path):
    path = json_lines(tmp_path / "run.jsonl", made(3))
    into = partial(score, path, "r_precision", output=tmp_path / "out")
    for wrong, message in (
        ({"workers": 0}, "workers=0 is not allowed"),
        ({"workers": 19}, "19 workers with num_cpus=0.25 each, .* need 5.25 processors and Ray has 3"),
        ({"num_gpus": 1}, "1 workers with num_gpus=1 each need 1 GPUs and Ray has 0"),
        ({"on_bad_row": "ignore"}, "on_bad_row='ignore' is not allowed"),
        ({"id_column": "key"}, r"run.jsonl has no field 'key' \(id_column\)"),
        ({"index": tmp_path}, "index is given, but no metric ranks"),
    ):
        with pytest.raises(ValueError, match=message):
            into(**wrong)
    with pytest.raises(ValueError, match="no such file"):
        score(tmp_path / "nothing", output=tmp_path / "out")
    with pytest.raises(ValueError, match="suffix is not known"):
        score(Path(__file__), output=tmp_path / "out")
    with pytest.raises(TypeError, match="give a path or a Ray data set"):
        score([{"id": 1}], output=tmp_path / "out")
    with pytest.raises(ValueError, match="has no field 'id', by which Ray finds what is finished"):
        score(ray.data.from_items([{"predictions": ["a"], "references": ["a"]}]), output=tmp_path / "out")


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
        with pytest.raises(ValueError, match=r"several systems .'one', 'two'.; name one with system"):
            score(url, "r_precision", output=tmp_path / "out")
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

    wrong = run([*command, "run.jsonl", *options, "--resume", "kept", "--references", "run.jsonl"])
    assert wrong.returncode == 2
    for said in ("--references: --engine ray does not read", "--resume: --engine ray", "--engine ray needs --folder"):
        assert wrong.stderr.count(said) == 1
    assert run([*command, "run.jsonl", "--folder", "out"]).stderr.count("--folder is for --engine ray") == 1
