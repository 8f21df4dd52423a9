"""``score_files``: what the command line gives, from Python, whatever engine scores."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from support.cluster import Deadly
from support.command_line import EXTRACTOR, GENERATOR, REFERENCES, lines
from support.processes import run_program
from support.shards import METRICS, alone, made, shards_in

import keyphrase_metrics
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.stats.jackknife import with_standard_errors

score_files = keyphrase_metrics.score_files
pytestmark = pytest.mark.filterwarnings("ignore:.*documents have no")


def as_json(found):
    plain = {name: scores.to_dict() for name, scores in found.items()}
    for name, metrics in plain.items():
        for result in metrics.values():
            result["preparation"] |= found.reading[name]
    return json.loads(json.dumps(plain, allow_nan=False))


@pytest.mark.parametrize("options", [{}, pytest.param({"workers": 2, "shard_size": 7}, marks=pytest.mark.slow)])
def test_it_gives_what_the_command_gives(tmp_path, files, cli, options):
    run, gold = files
    command = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    rows = tmp_path / "rows.jsonl"
    status, out, said = cli(
        "score",
        run,
        "--references",
        gold,
        *METRICS,
        "--json",
        "--per-document",
        rows,
        *command,
        "--resume",
        tmp_path / "cli",
    )
    assert status == 0, said
    ours = tmp_path / "ours.jsonl"
    found = score_files(run, METRICS[1:], references=gold, folder=tmp_path / "k", per_document=ours, **options)
    assert as_json(found) == json.loads(out)["systems"]
    assert ours.read_bytes() == rows.read_bytes()
    assert as_json(score_files(run, METRICS[1:], references=gold, folder=tmp_path / "k", **options)) == as_json(found)


def test_several_files_systems_and_layouts(tmp_path):
    found = score_files([EXTRACTOR, GENERATOR], "r_precision", references=REFERENCES)
    assert list(found) == ["extractor", "generator"]
    predictions, references = made(20)
    both = lines(tmp_path / "both.jsonl", predictions)
    gold = lines(tmp_path / "gold.jsonl", references)
    assert list(score_files(both, "r_precision", references=gold, system="two")) == ["two"]
    kpeval = lines(tmp_path / "k.jsonl", [{"source": "fog .", "target": "fog;sun", "prediction": "fog"}])
    assert score_files(kpeval, "r_precision")["k"]["r_precision"].scores["r_precision"] == 0.5
    texts = lines(tmp_path / "texts.jsonl", [{"id": row["id"], "text": row["text"]} for row in references])
    bare = [{"id": row["id"], "references": row["references"]} for row in references]
    absent = "keyphrase_f1(keyphrases=absent)"
    (ours,) = score_files(
        both, absent, references=lines(tmp_path / "b.jsonl", bare), sources=texts, system="two"
    ).values()
    (theirs,) = score_files(both, absent, references=gold, system="two").values()
    assert ours.to_dict() == theirs.to_dict()


def test_lines_that_are_left_out_are_counted(tmp_path, files):
    run, gold = files
    Path(run).write_text(Path(run).read_text() + "nonsense\n")
    with pytest.raises(InputError, match=r"run.jsonl, line 41: not valid JSON"):
        score_files(run, "r_precision", references=gold)
    found = score_files(run, "r_precision", references=gold, on_bad_line="skip", shard_size=50)
    assert found.skipped[run][0] == 1


def test_standard_errors_are_those_without_each_document():
    chosen = np.random.default_rng(0)
    references = [["a", "b", "c"][: chosen.integers(0, 4)] for _ in range(12)]
    predictions = [["a", "x", "b", "y"][: chosen.integers(0, 5)] for _ in range(12)]
    micro = "keyphrase_f1(average=micro,cutoffs=[3])"

    def scores(left_out=None):
        kept = [i for i in range(12) if i != left_out]
        given = [predictions[i] for i in kept], [references[i] for i in kept]
        return keyphrase_metrics.score(*given, metrics=[micro, "r_precision"], per_document=True)

    errors = with_standard_errors(scores())
    for metric, key in ((micro, "f1@3"), ("r_precision", "r_precision")):
        without = [scores(i)[metric].scores[key] for i in range(12)]
        wanted = np.sqrt(11 / 12 * np.sum((without - np.mean(without)) ** 2))
        assert errors[metric].standard_errors[key] == pytest.approx(wanted)
    values = scores()["r_precision"].per_document["r_precision"]
    assert errors["r_precision"].standard_errors["r_precision"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(12))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 0}, "workers=0 is not allowed"),
        ({"engine": "spark"}, "engine='spark' is not allowed; choose 'local' or 'ray'"),
        ({"on_bad_line": "ignore"}, "on_bad_line='ignore' is not allowed"),
        ({"num_gpus": 1}, "^num_gpus is for Ray"),
        ({"folder": Path(__file__).parent}, "is not a run folder; name a new or an empty one with folder"),
        ({"engine": "ray"}, "Ray needs a folder"),
        ({"engine": "ray", "folder": "memory://x"}, "is in the memory of this process, which no worker reaches"),
        ({"folder": "memory://x", "workers": 2}, "is in the memory of this process, which no worker reaches"),
        ({"index": "x"}, "index is given, but no metric ranks"),
        ({"metrics": "fem_kp"}, "fem_kp ranks all documents among one another"),
        ({"metrics": "keyphrase_f1(keyphrases=absent)", "no_sources": True}, "but no_sources leaves them out"),
        ({"system": ["a", "b"]}, "system gives 2 names"),
        ({"cutofs": [3]}, "no metric has a parameter 'cutofs'"),
        ({"annotators": "all"}, "annotators='all' is not allowed"),
        ({"references": "x", "dataset": "y"}, "references and dataset both say where the references are"),
        ({"split": "test"}, "split is for dataset, which is not given"),
        ({"dataset_config": "x"}, "dataset_config is for dataset, which is not given"),
        ({"references_format": "openkp_jsonl"}, "references_format is for references, which is not given"),
        ({"references_id_field": "key"}, "references_id_field is for references or dataset, which is not given"),
    ],
)
def test_what_is_wrong_is_said_in_pythons_names(tmp_path, options, message):
    run = lines(tmp_path / "run.jsonl", [{"id": 1, "predictions": ["a"], "references": ["a"]}])
    with pytest.raises(InputError, match=message):
        score_files(run, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"paths": [{"id": 1}]}, r"paths is \[.*give a path or a Ray data set"),
        ({"paths": 3}, "paths is 3 .*give a path or a Ray data set"),
        ({"paths": []}, "paths is empty"),
        ({"paths": None}, "paths is None .*give a path or a Ray data set"),
        ({"paths": ""}, "paths is '' .*give a path or a Ray data set"),
        ({"references": ["a"]}, "references is .*give a path"),
        ({"folder": 3}, "folder is 3 .*give a path"),
        ({"folder": ""}, "folder is '' .*give a path"),
        ({"system": 3}, "system is 3 .*give a string"),
        ({"source_field": ["a", 3]}, "source_field is .*give a string"),
        ({"id_field": ["a"]}, "id_field is .*give a string"),
        ({"subset": "yes"}, "subset='yes' is not allowed; choose True or False"),
        ({"shard_size": "9"}, "shard_size='9' is not allowed"),
        ({"workers": True}, "workers=True is not allowed"),
        ({"num_cpus": -1}, "num_cpus=-1 is not allowed; give a number from 0 on"),
        ({"metrics": 3}, "metrics is 3"),
    ],
)
def test_wrong_types_are_told(tmp_path, options, message):
    run = lines(tmp_path / "run.jsonl", [{"id": 1, "predictions": ["a"], "references": ["a"]}])
    with pytest.raises(InputError, match=message) as error:
        score_files(**{"paths": run, **options})
    assert error.value.code in ("wrong-type", "not-allowed", "empty")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk_is_one_clear_line(tmp_path, whole, workers):
    run = run_program("score_onto_a_full_disk", whole, tmp_path / "kept", workers)
    assert re.fullmatch(rf"disk {tmp_path}/kept/\S+: cannot be written: File too large; what is .* kept\n", run.stdout)


@pytest.mark.parametrize("role", ["paths", "references", "sources"])
def test_what_is_read_is_not_overwritten(tmp_path, role):
    rows = [{"id": 1, "predictions": ["a"], "references": ["a"], "text": "a"}]
    given = {name: lines(tmp_path / f"{name}.jsonl", rows) for name in ("paths", "references", "sources")}
    before = Path(given[role]).read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(given[role])
    for output in (given[role], link):
        with pytest.raises(InputError, match="would be overwritten: it is both read and written"):
            score_files(**given, per_document=output)
    assert Path(given[role]).read_bytes() == before


# every engine


@pytest.fixture(
    params=["inline", pytest.param("processes", marks=pytest.mark.slow), pytest.param("ray", marks=pytest.mark.ray)]
)
def by(request, tmp_path):
    """Score with an engine, which keeps what is finished."""
    if request.param == "ray":
        request.getfixturevalue("cluster")
    how = {"inline": {}, "processes": {"workers": 2}, "ray": {"engine": "ray", "workers": 1}}[request.param]

    def run(path, metrics, *, folder=tmp_path / "kept", **options):
        return score_files(path, metrics, **{"shard_size": 7, **how, "folder": folder, **options})

    return run


@pytest.fixture
def whole(tmp_path):
    """A file with predictions and references in one record."""
    predictions, references = made(40)
    both = [{**gold, **row} for row, gold in zip(alone(predictions), references, strict=True)]
    return lines(tmp_path / "run.jsonl", both)


def assert_same(found, wanted):
    for metric, result in as_json(wanted)["run"].items():
        got = as_json(found)["run"][metric]
        assert got == {k: pytest.approx(v, abs=1e-9) if isinstance(v, float) else v for k, v in result.items()}


def test_all_engines_give_the_same(whole, by):
    wanted = score_files(whole, METRICS[1:])
    assert_same(by(whole, METRICS[1:]), wanted)
    assert_same(by(whole, METRICS[1:]), wanted)  # from what is kept


OF_WORKERS = pytest.mark.parametrize(
    "by", [pytest.param("processes", marks=pytest.mark.slow), pytest.param("ray", marks=pytest.mark.ray)], indirect=True
)


def files_below(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


@OF_WORKERS
def test_workers_read_many_files_as_one_process_does(tmp_path, whole, by, monkeypatch):
    """In the end the folders are the same, byte for byte; an empty file and a changed one make no difference."""
    rows = Path(whole).read_text().splitlines(keepends=True)
    (tmp_path / "run").mkdir()
    for number in range(20):  # with 9 and 10 documents, so two shards each, then with one, and with none
        cut = rows[9 * number : 9 * number + 9] if number < 2 else rows[16 + number : 17 + number] * (number != 7)
        (tmp_path / "run" / f"{number:02}.jsonl").write_text("\n".join(cut))
    monkeypatch.chdir(tmp_path)
    for turn in range(2):
        found = by("run", METRICS[1:], folder=Path("kept"))
        wanted = score_files("run", METRICS[1:], shard_size=7, folder=tmp_path / "wanted")
        assert as_json(found) == as_json(wanted)
        assert files_below(tmp_path / "kept") == files_below(tmp_path / "wanted")
        times = {path: path.stat().st_mtime_ns for path in shards_in("kept")}
        if turn == 0:
            changed = Path("run/01.jsonl").read_text().replace('"d16"', '"other"')
            assert changed != Path("run/01.jsonl").read_text()
            before = times
            Path("run/01.jsonl").write_text(changed)
    assert len(times.items() - before.items()) == 1
    Path("run/01.jsonl").write_text(f"{changed}\nnonsense")
    with pytest.raises(InputError, match=r"run/01.jsonl, line 19: not valid JSON"):
        by("run", METRICS[1:])
    found = by("run", METRICS[1:], on_bad_line="skip")
    assert found.skipped["run/01.jsonl"][0] == 1
    Path("run/19.jsonl").write_text(rows[3])
    with pytest.raises(InputError, match=r"run repeats 1 id \('d3'\)"):
        by("run", METRICS[1:], on_bad_line="skip")


@OF_WORKERS
def test_a_worker_that_ends_is_replaced(tmp_path, whole, by):
    rows = [json.loads(line) for line in Path(whole).read_text().splitlines()]
    rows[31]["predictions"] = ["deadly word"]
    path, mark = lines(tmp_path / "run.jsonl", rows), tmp_path / "ended"
    found = by(path, "sem_f1", encoder=Deadly("deadly", mark))
    assert mark.exists()
    assert_same(found, score_files(path, "sem_f1", encoder=Deadly("deadly", mark)))


def test_what_cannot_be_read_is_named_or_left_out(tmp_path, whole, by):
    wrong = tmp_path / "wrong" / "run.jsonl"
    wrong.parent.mkdir()
    good = Path(whole).read_text().splitlines()
    bad = ["nonsense", '{"id": "b", "references": [3], "predictions": []}', '{"id": "c", "references": []}', "[]"]
    wrong.write_text("\n".join([*good[:20], *bad, *good[20:]]))
    with pytest.raises(InputError, match=r"run.jsonl, line 21: not valid JSON"):
        by(wrong, "r_precision")
    before = shards_in(tmp_path / "kept")
    assert len(before) >= 2
    found = by(wrong, "r_precision", on_bad_line="skip")  # goes on in the same folder
    assert set(before) < set(shards_in(tmp_path / "kept"))
    assert_same(found, score_files(whole, "r_precision"))
    with pytest.raises(InputError, match=r"run.jsonl, line 21: not valid JSON"):
        by(wrong, "r_precision")
    ((times, first),) = found.skipped.values()
    assert times == 4
    assert [f"{wrong}, line {number}: " in said for number, said in zip((21, 22, 23), first, strict=True)] == [True] * 3


def test_ids_that_repeat_are_refused(tmp_path, whole, by):
    rows = [json.loads(line) for line in Path(whole).read_text().splitlines()]
    path = lines(tmp_path / "again.jsonl", [*rows, rows[3]])
    with pytest.raises(InputError, match=r"repeats? 1 id \('d3'\)"):
        by(path, "r_precision")


def test_what_is_damaged_is_scored_again(tmp_path, whole, by):
    wanted = by(whole, "r_precision")
    first, second, third, *_ = parts = sorted((tmp_path / "kept" / "documents").glob("*.parquet"))
    first.write_bytes(first.read_bytes()[:-9])
    content = bytearray(second.read_bytes())
    content[len(content) // 3] ^= 4
    second.write_bytes(content)
    third.unlink()
    stranger = first.with_name(f"{'0' * 32}.0.parquet")  # of a run that wrote there too
    stranger.write_bytes(parts[3].read_bytes())
    assert_same(by(whole, "r_precision"), wanted)
    assert sorted((tmp_path / "kept" / "documents").glob("*.parquet")) == parts


def test_a_folder_is_of_one_run_at_a_time(tmp_path, whole, by):
    by(whole, "r_precision")
    with pytest.raises(InputError, match=r"belongs to a different run: .*separator None, now ';'"):
        by(whole, "r_precision", separator=";")
    with pytest.raises(InputError, match=r"belongs to a different run: metrics.r_precision.signature .*stemmer:porter"):
        by(whole, "r_precision", stemmer=None)
    fcntl = pytest.importorskip("fcntl")
    with (tmp_path / "kept" / ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another run is at work in this folder") as error:
            by(whole, "r_precision")
    assert error.value.code == "folder-in-use"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match="is not a run folder") as error:
        by(whole, "r_precision", folder=tmp_path / "mine")
    assert error.value.code == "not-a-run-folder"
    with pytest.raises(InputError, match="is not a folder"):
        by(whole, "r_precision", folder=tmp_path / "mine" / "thesis.tex")
