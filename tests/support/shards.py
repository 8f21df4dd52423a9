"""Files that are scored in shards: made, scored, compared."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from support.command_line import lines
from support.strategies import WORDS


def written(path, rows):
    import csv
    import gzip

    import pyarrow.parquet

    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=5)
        return path
    with (gzip.open if path.suffix == ".gz" else open)(path, "wt", encoding="utf-8-sig", newline="") as file:
        if ".csv" in path.name:
            lines = csv.writer(file)
            lines.writerow(rows[0])
            lines.writerows([row["id"], row["text"], json.dumps(row["predictions"])] for row in rows)
            file.write("\n")
        else:
            file.write("\n \n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    return path


NUMBER = 40
SHARDS = ["--shard-size", "7"]
METRICS = ["--metrics", "r_precision", "keyphrase_f1(cutoffs=[2,M,O])", "keyphrase_f1(keyphrases=present_and_absent)"]


def made(number, seed=0):
    """References with texts, and predictions of two systems."""
    chosen = random.Random(seed)

    def phrases(most):
        return [" ".join(chosen.choices(WORDS, k=2)) for _ in range(chosen.randint(0, most))]

    references = [
        {"id": f"d{i}", "text": " ".join(chosen.choices(WORDS, k=9)), "references": phrases(4)} for i in range(number)
    ]
    predictions = [{"id": row["id"], "predictions": {"one": phrases(5), "two": phrases(3)}} for row in references]
    return predictions, references


def alone(rows, system="one"):
    return [{**row, "predictions": row["predictions"][system]} for row in rows]


@pytest.fixture
def files(tmp_path):
    predictions, references = made(NUMBER)
    return lines(tmp_path / "run.jsonl", alone(predictions)), lines(tmp_path / "gold.jsonl", references)


@pytest.fixture
def scored(cli, tmp_path):
    """Run ``score``; return what it prints as JSON, its per-document rows and what it says."""

    def run(*argv, suffix=".jsonl"):
        rows = tmp_path / f"rows{suffix}"
        status, out, err = cli("score", *argv, "--json", "--per-document", rows)
        assert status == 0, err
        return json.loads(out), read_rows(rows), err

    return run


def assert_alike(ours, theirs):
    """The same but for the last bits of numbers; what is said on standard error is the same but for notes."""
    (found, rows, said), (wanted, wanted_rows, wanted_said) = ours, theirs
    assert list(found["systems"]) == list(wanted["systems"])
    for system, metrics in wanted["systems"].items():
        for metric, result in metrics.items():
            got = found["systems"][system][metric]
            assert list(got) == list(result)
            for key, value in result.items():
                expected = pytest.approx(value, abs=1e-9) if isinstance(value, float) else value
                assert got[key] == expected, (metric, key)
    assert rows == wanted_rows
    assert [line for line in said.splitlines() if "on disk" not in line] == wanted_said.splitlines()


def with_line(path, number, text):
    content = Path(path).read_bytes().splitlines(keepends=True)
    content[number - 1] = text.encode("latin-1") + b"\n"
    Path(path).write_bytes(b"".join(content))


def shards_in(folder):
    return sorted(path for path in Path(folder).glob("*.json") if path.name != "run.json")


def read_rows(path):
    import pyarrow.parquet

    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pylist()
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
