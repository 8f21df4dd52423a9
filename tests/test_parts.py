"""Many files as one input: folders, patterns, addresses; and a run's folder at an address."""

import json
import random
import warnings
from functools import partial
from pathlib import Path

import fsspec
import fsspec.implementations.local
import numpy as np
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from support.command_line import lines
from support.shards import alone, assert_alike, made, shards_in

import keyphrase_metrics
from keyphrase_metrics import io
from keyphrase_metrics.errors import InputError

score_files = keyphrase_metrics.score_files
pytestmark = pytest.mark.filterwarnings("ignore:.*documents have no")


def documents(number):
    predictions, references = made(number)
    return [{**gold, **row} for row, gold in zip(alone(predictions), references, strict=True)]


def parts(folder, rows, number):
    folder.mkdir()
    size = -(-len(rows) // number)
    for i in range(number):
        lines(folder / f"part-{i:03}.jsonl", rows[i * size : (i + 1) * size])
    return folder


def plain(found):
    (scores,) = found.values()
    return scores.to_dict()


def close(found, wanted):
    for metric, result in wanted.items():
        expected = {key: pytest.approx(value) if isinstance(value, float) else value for key, value in result.items()}
        assert found[metric] == expected


@pytest.mark.parametrize("where", ["{}/data", "{}/data/*.jsonl", "file://{}/data", "{}/da*/part-*"])
def test_a_folder_is_one_input(tmp_path, where):
    rows = documents(40)
    folder = parts(tmp_path / "data", rows, 3)
    for name in (".hidden.jsonl", "_SUCCESS.jsonl", "notes.txt"):
        (folder / name).write_text("nonsense")
    (folder / "part-0025.jsonl").write_text("\n")  # an empty one among them
    if "*" in where:
        (folder / ".hidden.jsonl").unlink()
        (folder / "_SUCCESS.jsonl").unlink()
    whole = score_files(lines(tmp_path / "run.jsonl", rows), "r_precision")
    found = score_files(where.format(tmp_path), "r_precision", shard_size=6)
    close(plain(found), plain(whole))


def test_the_command_reads_a_folder(tmp_path, scored):
    rows = documents(40)
    folder = parts(tmp_path / "run", rows, 3)
    assert_alike(scored(folder), scored(lines(tmp_path / "run.jsonl", rows)))


def test_parquet_and_lines_together(tmp_path):
    rows = documents(30)
    folder = parts(tmp_path / "data", rows[:20], 2)
    table = pyarrow.Table.from_pylist(rows[20:])
    pyarrow.parquet.write_table(table, folder / "part-2.parquet", row_group_size=3)
    whole = score_files(lines(tmp_path / "run.jsonl", rows), "r_precision")
    close(plain(score_files(folder, "r_precision")), plain(whole))


BAD = {
    '{"id": "bad", "references": [': "not valid JSON",
    '{"id": "bad", "references": []}': "has no field 'predictions'",
    '{"id": "bad", "references": [3], "predictions": []}': "field 'references' holds an item that is 3 (int)",
    '{"id": "bad", "references": ["\\ud800"], "predictions": []}': "holds '\\ud800', which is not valid Unicode",
    '{"id": null, "references": ["a"], "predictions": []}': "field 'id' is null; an id must be a string",
    "[]": "is [] (list); a line must be one JSON object",
}


def test_what_is_left_out_has_a_row_that_says_why(tmp_path):
    rows = documents(20)
    folder = parts(tmp_path / "data", rows, 2)
    part = folder / "part-001.jsonl"
    part.write_text(part.read_text() + "\n" + "\n".join(BAD))
    strings = [{**row, "predictions": "; ".join(row["predictions"])} for row in documents(3)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(strings), folder / "part-2.parquet")
    into = partial(score_files, folder, "r_precision", folder=tmp_path / "kept", shard_size=4, no_sources=True)
    with pytest.raises(InputError, match=r"part-001.jsonl, line 12: not valid JSON .Expecting value at column 30"):
        into()
    before = set(shards_in(tmp_path / "kept"))
    assert len(before) >= 4
    found = into(on_bad_line="skip")  # goes on with what is finished
    assert before < set(shards_in(tmp_path / "kept"))
    close(plain(found), plain(score_files(lines(tmp_path / "run.jsonl", rows), "r_precision", no_sources=True)))
    assert {Path(name).name: times for name, (times, _) in found.skipped.items()} == {
        "part-001.jsonl": 6,
        "part-2.parquet": 3,
    }
    assert "part-001.jsonl, line 12: not valid JSON" in found.skipped[str(part)][1][0]
    with pytest.raises(InputError, match=r"part-001.jsonl, line 12: not valid JSON"):
        into()
    table = pyarrow.dataset.dataset(tmp_path / "kept" / "documents").to_table()
    assert sorted(table["id"].drop_null().to_pylist()) == sorted(row["id"] for row in rows)
    wrong = [row for row in table.to_pylist() if row["error"] is not None]
    said = {(Path(row["file"]).name, row["number"]): row["error"] for row in wrong}
    for number, what in enumerate(BAD.values(), 12):
        assert said.pop(("part-001.jsonl", number)).startswith(what)
    assert set(said) == {("part-2.parquet", number) for number in (1, 2, 3)}
    assert all("field 'predictions' is " in what and "it must be a list" in what for what in said.values())


def test_ids_that_repeat_in_two_files(tmp_path):
    rows = documents(20)
    rows[17]["id"] = "d3"
    folder = parts(tmp_path / "data", rows, 2)
    with pytest.raises(InputError, match=r"repeats 1 id \('d3'\)"):
        score_files(folder, "r_precision", shard_size=4)
    found = score_files(folder, "r_precision", by_order=True)
    assert plain(found)["r_precision"]["n_documents"] == 20


def noting(path):
    def encoder(phrases):
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{phrase}\n" for phrase in phrases)
        return np.array([[len(phrase), 1.0] for phrase in phrases])

    return encoder


def test_of_files_that_have_changed_only_theirs_are_scored_again(tmp_path):
    rows = [{"id": f"d{i}", "predictions": [f"phrase {i}"], "references": [f"reference {i}"]} for i in range(30)]
    folder, noted = parts(tmp_path / "data", rows, 3), tmp_path / "noted"
    into = partial(score_files, folder, "sem_f1", folder=tmp_path / "kept", shard_size=5, encoder=noting(noted))
    into()
    noted.unlink()
    rows[13]["predictions"] = ["another phrase 13"]
    new = [{**rows[i], "id": f"e{i}", "predictions": [f"new phrase {i}"]} for i in range(5)]
    lines(folder / "part-001.jsonl", rows[10:20])
    (folder / "part-002.jsonl").unlink()
    lines(folder / "part-003.jsonl", new)
    found = into()
    again = [*rows[10:15], *new]
    assert set(noted.read_text().splitlines()) == {
        each for row in again for each in row["predictions"] + row["references"]
    }
    whole = lines(tmp_path / "run.jsonl", [*rows[:20], *new])
    close(plain(found), plain(score_files(whole, "sem_f1", encoder=noting(noted))))
    table = pyarrow.dataset.dataset(tmp_path / "kept" / "documents").to_table(columns=["id"])  # what changed is gone
    assert sorted(table["id"].to_pylist()) == sorted(row["id"] for row in [*rows[:20], *new])


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
def test_a_run_among_the_files(output, files, inside, tmp_path):
    parts(tmp_path / "data", documents(2), 1)
    (tmp_path / "link").symlink_to(tmp_path / "data")
    assert io.takes_in(f"{tmp_path}/{files}", tmp_path / output) is inside
    if files == "data" and inside:
        with pytest.raises(InputError, match=r"lies among the files of .*, which are scored"):
            score_files(tmp_path / files, folder=tmp_path / output)


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("nothing", {}, "there is no such file"),
        ("nothing*", {}, "there is no such file, and no folder of .jsonl or .parquet files"),
        ("*.txt", {}, "its suffix is not known; use .jsonl, .json"),
        ("texts", {}, "is not a file, nor a folder of .key files"),
        ("data", {"references": "run.jsonl"}, "consists of several files, which must have predictions and references"),
        ("data", {"sources": "run.jsonl"}, "consists of several files, whose documents must have their texts"),
        ("arrays", {}, "is neither JSON lines nor Parquet, which files of a folder must be"),
        ("unknown://bucket/data", {}, "Protocol not known|unknown"),
    ],
)
def test_what_is_no_folder_of_documents(tmp_path, monkeypatch, path, options, message):
    monkeypatch.chdir(tmp_path)
    rows = documents(4)
    lines(tmp_path / "run.jsonl", rows)
    parts(tmp_path / "data", rows, 2)
    for name, text in (("texts/a.md", ""), ("a.txt", "x"), ("arrays/a.json", json.dumps(rows))):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        score_files(path, "r_precision", **options)


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz", "run.parquet", "parts"])
def test_everything_at_an_address(tmp_path, name):
    """fsspec's memory stands for an object store: nothing of it is on disk, and nobody can lock it."""
    rows, store = documents(40), fsspec.filesystem("memory")
    store.store.clear()
    if name == "parts":
        store.put(str(parts(tmp_path / "parts", rows, 3)), "/data/parts", recursive=True)
    else:
        with store.open(f"/data/{name}", "wb", compression="infer") as file:
            if name.endswith("parquet"):
                pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), file)
            else:
                file.write("".join(json.dumps(row) + "\n" for row in rows).encode())
    into = partial(score_files, f"memory://data/{name}", "r_precision", shard_size=7)
    whole = plain(score_files(lines(tmp_path / "run.jsonl", rows), "r_precision"))
    close(plain(into(folder="memory://kept")), whole)
    before = {path: store.info(path) for path in store.find("/kept")}
    assert len([path for path in before if path.endswith(".parquet")]) >= 6
    close(plain(into(folder="memory://kept", per_document=tmp_path / "rows.csv")), whole)
    assert {path: store.info(path) for path in store.find("/kept")} == before
    damaged = sorted(path for path in before if path.endswith(".parquet"))[0]
    store.pipe(damaged, store.cat(damaged)[:-9])
    close(plain(into(folder="memory://kept")), whole)
    assert store.info(damaged)["size"] == before[damaged]["size"]
    with pytest.raises(InputError, match="belongs to a different run"):
        into(folder="memory://kept", stemmer=None)
    if name != "parts":
        gold = lines(tmp_path / "gold.jsonl", random.Random(1).sample(documents(40), 40))
        close(plain(into(references=gold, folder="memory://other")), whole)  # joined on disk
    store.store.clear()


def test_a_listing_is_looked_at_anew(tmp_path):
    class Listed(fsspec.implementations.local.LocalFileSystem):
        protocol = "listed"

        @classmethod
        def _strip_protocol(cls, path):  # the oldest fsspec allowed strips only file:// and local://
            return super()._strip_protocol(str(path).removeprefix("listed://"))

        def ls(self, path, detail=False, **kwargs):
            found = self.dircache[path] if path in self.dircache else super().ls(path, detail=True, **kwargs)
            self.dircache[path] = found
            return found if detail else [info["name"] for info in found]

    fsspec.register_implementation("listed", Listed, clobber=True)
    folder = parts(tmp_path / "data", documents(4), 2)
    assert len(io.open_files(f"listed://{folder}").parts) == 2
    (folder / "part-002.jsonl").symlink_to(lines(tmp_path / "one.jsonl", documents(1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(io.open_files(f"listed://{folder}").parts) == 3
