"""``score_files``: what the command line gives, from Python, whatever engine scores."""

import json
from pathlib import Path

import numpy as np
import pytest
from support.command_line import EXTRACTOR, GENERATOR, REFERENCES, lines
from support.shards import METRICS, alone, made

import keyphrase_metrics
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.stats.jackknife import with_standard_errors

score_files = keyphrase_metrics.score_files


def as_json(found):
    plain = {name: scores.to_dict() for name, scores in found.items()}
    for name, metrics in plain.items():
        for result in metrics.values():
            result["preparation"] |= found.reading[name]
    return json.loads(json.dumps(plain, allow_nan=False))


@pytest.mark.parametrize("options", [{}, {"workers": 2, "shard_size": 7}])
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
        ({"num_gpus": 1}, "num_gpus is for Ray"),
        ({"engine": "ray"}, "Ray needs a folder"),
        ({"engine": "ray", "folder": "x", "references": "y"}, "references is not for Ray"),
        ({"index": "x"}, "index is given, but no metric ranks"),
        ({"metrics": "fem_kp"}, "fem_kp ranks all documents among one another"),
        ({"metrics": "keyphrase_f1(keyphrases=absent)", "no_sources": True}, "but no_sources leaves them out"),
        ({"system": ["a", "b"]}, "system gives 2 names"),
        ({"cutofs": [3]}, "no metric has a parameter 'cutofs'"),
        ({"annotators": "all"}, "annotators='all' is not allowed"),
    ],
)
def test_what_is_wrong_is_said_in_pythons_names(tmp_path, options, message):
    run = lines(tmp_path / "run.jsonl", [{"id": 1, "predictions": ["a"], "references": ["a"]}])
    with pytest.raises(InputError, match=message):
        score_files(run, **options)


@pytest.mark.ray
def test_all_engines_give_the_same(tmp_path):
    ray = pytest.importorskip("ray")
    predictions, references = made(40)
    both = [{**gold, **row} for row, gold in zip(alone(predictions), references, strict=True)]
    run = lines(tmp_path / "run.jsonl", both)
    wanted = as_json(score_files(run, METRICS[1:]))
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="error", object_store_memory=10**8)
    try:
        by_ray = score_files(run, METRICS[1:], engine="ray", folder=tmp_path / "out", workers=1)
    finally:
        ray.shutdown()
    for found in (by_ray, score_files(run, METRICS[1:], workers=2, shard_size=7)):
        for metric, result in wanted["run"].items():
            got = as_json(found)["run"][metric]
            assert got == {k: pytest.approx(v, abs=1e-9) if isinstance(v, float) else v for k, v in result.items()}
