"""Scores from Ray: those of one machine, whatever dies, repeats or is broken on the way. With a real Ray."""

import json
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

import fsspec.implementations.local
import numpy as np
import pyarrow
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet
import pytest
from support.cluster import holding, score
from support.documents import ROOT, blocks, run_plain
from support.strategies import WORDS

import keyphrase_metrics
from keyphrase_metrics import io
from keyphrase_metrics.io.blocks import Rows
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.scoring import configure

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

from keyphrase_metrics.batch.engines.ray import storage  # noqa: E402
from keyphrase_metrics.batch.engines.ray.actors import TRIES, Attempts, Scorer  # noqa: E402
from keyphrase_metrics.batch.engines.ray.jobs import Job  # noqa: E402
from keyphrase_metrics.batch.engines.ray.reading import Files, headed  # noqa: E402
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
    assert_alike(score(path, METRICS, output=out, shard_size=3), found)
    assert states(out) == unchanged


def doubled(folder, name, first=0, number=None):
    """Write rows of a folder again, into another file."""
    (path,) = folder.glob("*.parquet")
    pyarrow.parquet.write_table(pyarrow.parquet.read_table(path).slice(first, number), folder / name)


@pytest.mark.parametrize("unfinished", [False, True])
def test_rows_that_were_written_twice_are_removed(done, tmp_path, unfinished):
    _, path, out, found = done
    again = tmp_path / "out"
    shutil.copytree(out, again)
    doubled(again / "documents", "0.parquet")  # by two drivers at once
    doubled(again / "finished", "0.parquet")
    if unfinished:
        (again / "complete.json").unlink()
    else:
        (again / "complete.json").write_text('{"documents": 120}')
    into = partial(score, path, METRICS, output=again, workers=1)
    assert_alike(into(), found)
    assert sorted(rows(again)["_key"].to_pylist()) == sorted(rows(out)["_key"].to_pylist())
    assert len(keys(again / "finished", committed(again / "finished"))) == NUMBER
    before = states(again)
    assert_alike(into(), found)
    assert states(again) == before

    doubled(again / "documents", "00.parquet", 7, 11)  # by a task that lingered
    assert_alike(into(), found)
    assert len(rows(again)) == NUMBER
    (again / "documents" / "0.parquet").unlink()
    with pytest.raises(ValueError, match="60 documents were finished and 0 are there; files are missing"):
        into()


@pytest.mark.parametrize(
    ("place", "how"),
    [("documents", "bit"), *((place, how) for place in ("documents", "finished") for how in ("half", "empty"))],
)
def test_damaged_rows_are_refused_by_name(done, tmp_path, place, how):
    _, path, out, _ = done
    again = tmp_path / "out"
    shutil.copytree(out, again)
    (damaged, *_) = sorted((again / place).glob("*.parquet"))
    content = bytearray(damaged.read_bytes())
    first = pyarrow.parquet.ParquetFile(damaged).metadata.row_group(0)
    if how == "bit":  # in a page of one column
        chunks = [first.column(i) for i in range(first.num_columns)]
        kept = [chunk for chunk in chunks if not chunk.path_in_schema.startswith("_key")]
        middle = kept[len(kept) // 2]
        content[middle.data_page_offset + middle.total_compressed_size - 2] ^= 4
    damaged.write_bytes(content[: {"bit": None, "half": len(content) // 2, "empty": 0}[how]])
    with pytest.raises(InputError, match=r"cannot be read .*, so the folder is damaged; name a new one") as refused:
        score(path, METRICS, output=again, workers=1)
    assert refused.value.place.endswith(damaged.name)


def test_another_runs_folder_is_refused(done, tmp_path):
    _, path, out, _ = done
    for metrics, options, differs in (
        ([*METRICS[:-1], "keyphrase_diversity"], {}, r"metrics.r_precision\(deduplicate=False\) .*, now None"),
        (METRICS, {"stemmer": None}, "metrics.r_precision.signature .*stemmer:porter.*, now .*stemmer:None"),
        (METRICS, {"separator": ";"}, "separator None, now ';'"),
    ):
        with pytest.raises(ValueError, match=f"belongs to a different run: {differs}"):
            score(path, metrics, output=out, **options)
    longer = tmp_path / "run.jsonl"
    json_lines(longer, made(61))
    shutil.copytree(out, tmp_path / "out")
    with pytest.raises(ValueError, match=r"belongs to a different run: data '.*', now '.*"):
        score(longer, METRICS, output=tmp_path / "out")
    with pytest.raises(ValueError, match="is not a run folder"):
        score(path, METRICS, output=longer.parent / "out" / "documents")
    for output, said in (
        (longer, "run.jsonl: is not a folder"),
        (longer / "below", "below: .*Cannot create directory|below: Not a directory"),
        ("", "'': is not a folder"),
        ("what?", "what.: Ray cannot go on"),
    ):
        with pytest.raises(ValueError, match=said):
            score(path, METRICS, output=output)
    with pytest.raises(ValueError, match="Ray needs a folder"):
        score(path, METRICS, output=None)
    with pytest.raises(ValueError, match=r"lies among the files of .*, which are scored"):
        score(tmp_path, METRICS, output=tmp_path / "new")


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


def test_a_batch_that_ended_every_worker_is_named(tmp_path):
    documents = made(10)
    path = json_lines(tmp_path / "run.jsonl", documents)
    files = Files.of(path)
    recipe = Job(tuple(configure("r_precision")), io.Fields()).recipe(files)
    attempts = ray.remote(Attempts).remote()
    what = f"10 documents from {path}, line 1"
    for _ in range(TRIES):  # by processes that ended
        ray.get(attempts.begin.remote(what))
    with pytest.raises(InputError, match=r"10 documents from .*run.jsonl, line 1 on: .* ended 3 times before"):
        Scorer(recipe, attempts)(batch_of(path))
    ray.kill(attempts)


def batch_of(path):
    lines = path.read_bytes().splitlines()
    return pyarrow.table({"_key": range(1, len(lines) + 1), "_record": lines})


def test_an_interrupted_run_goes_on(tmp_path, cluster):
    documents = made(200)
    path, out, mark = parts(tmp_path / "data", documents, 20), tmp_path / "out", tmp_path / "mark"
    code = Path(__file__).parent / "programs" / "score_with_ray.py"
    arguments = [cluster, path, out, mark]
    run = subprocess.Popen([sys.executable, code, *arguments], stderr=subprocess.PIPE)
    finished = out / "finished"
    until = time.monotonic() + 300
    while run.poll() is None and len(committed(finished)) < 3 and time.monotonic() < until:
        time.sleep(0.02)  # the encoder waits too, however slow this is, so that the run is not done before
    with pytest.raises(InputError, match="another run is at work in this folder"):
        score(path, ["sem_f1", "r_precision"], output=out, workers=1, encoder=holding(0, mark))
    run.kill()
    assert run.wait() == -signal.SIGKILL, run.stderr.read().decode()
    before = {name: (finished / name).stat().st_mtime_ns for name in committed(finished)}
    first = keys(finished, before)
    assert 3 <= len(before) < 20
    assert not (out / "complete.json").exists()

    mark.touch()
    metrics, encoder = ["sem_f1", "r_precision"], holding(0, mark)
    found = score(path, metrics, output=out, shard_size=10, workers=1, encoder=encoder)
    assert_alike(found, alone(documents, metrics, encoder=encoder))
    after = {name: (finished / name).stat().st_mtime_ns for name in committed(finished)}
    assert after.items() >= before.items()
    again = keys(finished, after.keys() - before.keys())
    assert not first & again  # only what was missing
    assert len(first | again) == len(rows(out)["_key"].unique()) == 200


def committed(finished):
    """The files of Ray's that name finished documents."""
    return [path.name for path in finished.glob("*.parquet") if "pending" not in path.name]


def keys(finished, names):
    return {key for name in names for key in pyarrow.parquet.read_table(finished / name)["_key"].to_pylist()}


BAD = {
    '{"id": "bad", "references": [': "not valid JSON",
    '{"id": "bad", "references": []}': "has no field 'predictions'",
    '{"id": "bad", "references": [3], "predictions": []}': "field 'references' holds an item that is 3 (int)",
    '{"id": "bad", "references": ["\\ud800"], "predictions": []}': "holds '\\ud800', which is not valid Unicode",
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
    options = {"no_sources": True, "shard_size": 4, "workers": 1}
    said = r"data/part-001.jsonl, line 12: not valid JSON .Expecting value at column 30"
    with pytest.raises(ValueError, match=said) as error:
        score(folder, "r_precision", output=tmp_path / "out", **options)
    assert "attempts" not in str(error.value)  # of Ray

    skipping = partial(score, folder, "r_precision", output=tmp_path / "skipped", on_bad_line="skip", **options)
    with pytest.raises(ValueError, match=r"repeat 1 id \('d3'\), as in .*, line \d+; by_order scores them all"):
        skipping()
    unchanged = states(tmp_path / "skipped")
    told = (
        r"9 records were left out: .*part-001.jsonl, line 12: not valid JSON .*line 13: has no .*line 14: field .*; …"
    )
    with pytest.warns(UserWarning, match=told):
        found = skipping(by_order=True)
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
    folder = parts(tmp_path / "data", documents, 2)
    read = partial(ray.data.read_json, override_num_blocks=1)
    into = partial(score, metrics="r_precision", output=tmp_path / "out", workers=1)
    assert_alike(into(read(str(folder / "part-000.jsonl"))), alone(documents[:10], "r_precision"))
    unchanged = states(tmp_path / "out")
    assert_alike(into(read(str(folder))), alone(documents, "r_precision"))
    assert states(tmp_path / "out").items() >= unchanged.items()
    with pytest.raises(ValueError, match=r"need 3.5 processors and Ray has 3"):  # Ray's own tasks read with a whole one
        into(read(str(folder)), workers=5)
    json_lines(folder / "part-002.jsonl", documents[3:4])
    with pytest.raises(ValueError, match=r"has 21 rows and .* has 20: ids repeat"):
        into(read(str(folder)))


def test_a_data_set_of_lines_goes_on_and_one_from_memory_does_not(tmp_path):
    documents = made(20)
    folder = parts(tmp_path / "data", documents, 2)
    read = partial(ray.data.read_json, override_num_blocks=1, lines=True)
    into = partial(score, metrics="r_precision", output=tmp_path / "out", workers=1)
    into(read(str(folder / "part-000.jsonl")))
    assert_alike(into(read(str(folder))), alone(documents, "r_precision"))
    before = states(tmp_path / "out")
    with pytest.raises(ValueError, match="only of data that it reads from files"):
        into(ray.data.from_items(documents))
    assert states(tmp_path / "out") == before


def test_after_a_bad_line_what_is_finished_is_used_by_skipping_it(tmp_path):
    documents = made(20)
    folder = parts(tmp_path / "data", documents, 2)
    into = partial(score, folder, "r_precision", output=tmp_path / "out", workers=1)
    assert_alike(into(), alone(documents, "r_precision"))
    before = states(tmp_path / "out" / "documents")
    assert_alike(into(on_bad_line="skip"), alone(documents, "r_precision"))
    assert states(tmp_path / "out" / "documents") == before
    with pytest.raises(ValueError, match="on_bad_line 'skip', now 'fail'"):
        into()


def test_files_are_looked_at_anew(tmp_path):
    """Links, and file systems that keep their listings."""

    class Listed(fsspec.implementations.local.LocalFileSystem):
        protocol = "listed"

        def ls(self, path, detail=False, **kwargs):
            if path not in self.dircache:
                self.dircache[path] = super().ls(path, detail=True, **kwargs)
            return self.dircache[path] if detail else [info["name"] for info in self.dircache[path]]

        def invalidate_cache(self, path=None):
            self.dircache.clear()

    fsspec.register_implementation("listed", Listed, clobber=True)
    folder, document = parts(tmp_path / "data", made(4), 2), json_lines(tmp_path / "one.jsonl", made(1))
    assert len(Files.of(f"listed://{folder}").files) == 2
    (folder / "part-002.jsonl").symlink_to(document)
    assert len(Files.of(f"listed://{folder}").files) == 3
    (before,) = Files.of(folder / "part-002.jsonl").files.values()
    os.utime(document, (1, 1))
    (after,) = Files.of(folder / "part-002.jsonl").files.values()
    assert before.size == after.size == document.stat().st_size
    assert before != after

    one, other = (Files.of(path) for path in (f"file://{folder}", f"{folder}/../data"))  # whatever it is called
    assert (one.path, one.files) == (other.path, other.files)

    system = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(Listed()))
    assert len(storage.entries(system, str(folder))) == 3
    json_lines(folder / "part-003.jsonl", made(1))
    assert len(storage.entries(system, str(folder))) == 4


def test_memory_is_no_place_that_workers_reach(tmp_path):
    folder = parts(tmp_path / "data", made(4), 2)
    for data, output in ((folder, "memory://out"), ("memory://data", tmp_path / "out")):
        with pytest.raises(ValueError, match=r"memory://.* no worker of Ray reaches"):
            score(data, "r_precision", output=output)


@pytest.mark.parametrize(
    ("output", "files", "inside"),
    [
        ("data", "data", True),
        ("data/out", "data", True),
        ("link/out", "data", True),
        ("data/out", "data/**/*.parquet", True),
        ("data/out", "data/*/*.json*", True),
        ("data/out", "data/*.jsonl", False),
        ("data/out", "data/out/*.parquet", False),
        ("data-of-another/out", "data", False),
        ("out", "data", False),
    ],
)
def test_an_output_among_the_files(output, files, inside, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    assert storage.is_inside(tmp_path / output, f"{tmp_path}/{files}") is inside


def noting(path):
    """An encoder that writes down what it is given."""

    def encoder(phrases):
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{phrase}\n" for phrase in phrases)
        return np.array([[len(phrase), 1.0] for phrase in phrases])

    return encoder


def phrases_of(documents):
    return {phrase for document in documents for key in ("predictions", "references") for phrase in document[key]}


def test_of_files_that_have_changed_only_theirs_are_scored_again(tmp_path):
    documents = [
        {"id": f"d{i}", "text": "", "predictions": [f"phrase {i}"], "references": [f"reference {i}"]} for i in range(30)
    ]
    folder, out, noted = parts(tmp_path / "data", documents, 3), tmp_path / "out", tmp_path / "noted"
    into = partial(score, folder, "sem_f1", workers=1, shard_size=5, encoder=noting(noted))
    broken = folder / "part-001.jsonl"
    broken.write_text(broken.read_text().replace('["phrase 13"]', "[13]"))
    with pytest.raises(ValueError, match=r"part-001.jsonl, line 4: field 'predictions'"):
        into(output=out)
    documents[13]["predictions"] = ["mended phrase 13"]
    json_lines(broken, documents[10:20])
    with pytest.warns(UserWarning, match=r"1 of 3 files are new or changed, .* the rows of 1 that"):
        assert_alike(into(output=out), alone(documents, "sem_f1", encoder=noting(tmp_path / "alone")))
    shutil.copytree(out, tmp_path / "half")

    noted.unlink()
    documents[13]["predictions"] = ["another phrase 13"]
    documents[20:] = [{**documents[i], "id": f"e{i}", "predictions": [f"new phrase {i}"]} for i in range(5)]
    json_lines(broken, documents[10:20])
    (folder / "part-002.jsonl").unlink()
    json_lines(folder / "part-003.jsonl", documents[20:])
    with pytest.warns(UserWarning, match=r"2 of 3 files are new .* the rows of 2 that"):
        found = into(output=out)
    assert_alike(found, alone(documents, "sem_f1", encoder=noting(tmp_path / "alone")))
    assert set(noted.read_text().splitlines()) == phrases_of(documents[10:])
    assert sorted(rows(out)["id"].to_pylist()) == sorted(document["id"] for document in documents)
    before = states(out)
    assert_alike(into(output=out), found)
    assert states(out) == before

    half = tmp_path / "half"  # of a run that ended between the notes and the rows, and others while they wrote
    for path in [*(half / "finished").iterdir(), half / "complete.json"]:
        path.unlink()
    unfinished = [half / name for name in ("0.tmp", "finished/2-0.pending.parquet", "documents/2-0-0.parquet")]
    for path in unfinished:
        path.write_bytes(b"PAR1")
    with pytest.warns(UserWarning, match="2 of 3 files"):
        assert_alike(into(output=half), found)
    assert not any(path.exists() for path in unfinished)

    for known in ("", "{}", "[]", "[3]", '[{"name": [], "path": "x", "size": 1, "state": "x"}]'):
        (half / "files.json").write_text(known)
        with pytest.raises(ValueError, match=r"its files.json is missing or damaged, .*; name another folder"):
            into(output=half)


def test_what_is_wrong_with_a_document_is_told_with_its_place(tmp_path):
    documents = [{**document, "references": document["references"] or ["x"]} for document in made(20)]
    documents[13]["references"] = []
    job = Job(tuple(configure("r_precision", on_empty="error")), io.Fields())
    recipe = job.recipe_of([Rows(headed("the data set", "row", []), [1], documents[:1]).input()])
    with pytest.raises(InputError, match=r"the row with id 'd13', references: has no references; on_empty='error'"):
        Scorer(recipe, None).rows(pyarrow.Table.from_pylist(documents))

    path = json_lines(tmp_path / "run.jsonl", documents)
    with pytest.raises(InputError, match=r"run.jsonl, line 14 \(id 'd13'\), references: has no references"):
        Scorer(job.recipe(Files.of(path)), None).rows(batch_of(path))


def test_the_first_document_that_can_be_read_says_how(tmp_path):
    first, second = made(2, seed=5)
    path = json_lines(tmp_path / "run.jsonl", [{**first, "predictions": 3}, {**second, "predictions": {"one": ["a"]}}])
    with pytest.raises(InputError, match=r"run.jsonl, line 1: field 'predictions' is 3"):
        Job(tuple(configure("r_precision")), io.Fields()).recipe(Files.of(path))
    recipe = Job(tuple(configure("r_precision")), io.Fields(), on_bad_line="skip").recipe(Files.of(path))
    assert recipe.system == "one"


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
        ({"workers": 0}, "workers=0 is not allowed"),
        ({"workers": 19}, "19 workers with num_cpus=0.25 each, .* need 5.25 processors and Ray has 3"),
        ({"num_gpus": 1}, "1 workers with num_gpus=1 each need 1 GPUs and Ray has 0"),
        ({"on_bad_line": "ignore"}, "on_bad_line='ignore' is not allowed"),
        ({"id_field": "key"}, r"run.jsonl has no field 'key' \(id_field\)"),
        ({"index": tmp_path}, "index is given, but no metric ranks"),
        ({"metrics": "keyphrase_f1(keyphrases=absent)", "no_sources": True}, "but no_sources leaves"),
    ):
        with pytest.raises(ValueError, match=message):
            into(**wrong)
    with pytest.raises(ValueError, match="no such file"):
        score(tmp_path / "nothing", output=tmp_path / "out")
    with pytest.raises(ValueError, match="suffix is not known"):
        score(Path(__file__), output=tmp_path / "out")
    with pytest.raises(ValueError, match="give a path or a Ray data set"):
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


def test_what_libraries_print_does_not_mix_with_the_scores():
    code = """
import os
from keyphrase_metrics.cli.score_ray import output_kept_clean
print("before")
with output_kept_clean():
    os.write(1, b"noise")
print("after")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
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
