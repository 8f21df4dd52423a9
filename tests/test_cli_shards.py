"""``score`` in shards: the numbers of one run whatever is read, interrupted, killed or broken on the way."""

import random
import re
from pathlib import Path

import numpy as np
import pytest
from support.command_line import EXTRACTOR, GENERATOR, REFERENCES, lines, process
from support.shards import (
    METRICS,
    NUMBER,
    SHARDS,
    alone,
    assert_alike,
    made,
    shards_in,
    with_line,
    written,
)

pytestmark = pytest.mark.slow

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


# what is read


@pytest.mark.parametrize("name", ["run.csv.gz", "run.parquet", "run.jsonl.gz"])
def test_shards_of_every_format_are_known_again(tmp_path, scored, name):
    rows = [{"id": row["id"], "text": "", "predictions": row["predictions"]} for row in alone(made(NUMBER)[0])]
    run, gold = written(tmp_path / name, rows), lines(tmp_path / "gold.jsonl", shuffled(made(NUMBER)[1]))
    for references in (gold, lines(tmp_path / "same.jsonl", made(NUMBER)[1])):
        folder = tmp_path / Path(references).stem
        arguments = [run, "--references", references, *SHARDS, "--resume", folder]
        first, kept = scored(*arguments), {path: path.stat().st_mtime_ns for path in shards_in(folder)}
        assert scored(*arguments) == first
        assert {path: path.stat().st_mtime_ns for path in shards_in(folder)} == kept


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
@pytest.mark.parametrize("predicted", ["run.jsonl", "run.csv.gz", "run.parquet"])
@pytest.mark.parametrize("referenced", ["gold.jsonl.gz", "gold.parquet"])
def test_every_format_gives_what_one_pass_gives(tmp_path, scored, predicted, referenced, suffix):
    predictions, references = made(NUMBER)
    if predicted.endswith(".csv.gz"):
        rows = [{"id": row["id"], "text": "", "predictions": row["predictions"]} for row in alone(predictions)]
    else:
        rows = alone(predictions)
    run, gold = written(tmp_path / predicted, rows), written(tmp_path / referenced, references)
    arguments = [run, "--references", gold, *METRICS]
    assert_alike(scored(*arguments, *SHARDS, suffix=suffix), scored(*arguments, suffix=suffix))


def shuffled(rows):
    return random.Random(1).sample(rows, len(rows))


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (shuffled, []),
        (lambda rows: rows[:-2] + rows[:-3:-1], []),
        (lambda rows: shuffled(rows[::2]), ["--subset"]),
        (lambda rows: rows[3:30], ["--subset"]),
        (lambda rows: rows, ["--subset"]),
        (shuffled, ["--by-order"]),
        (lambda rows: [{"predictions": row["predictions"]} for row in rows], ["--by-order"]),
        (lambda rows: rows, ["--no-sources", "--metrics", "r_precision"]),
    ],
)
def test_documents_are_joined_as_in_one_pass(tmp_path, scored, change, options):
    predictions, references = made(NUMBER)
    run, gold = lines(tmp_path / "run.jsonl", change(predictions)), lines(tmp_path / "gold.jsonl", references)
    arguments = [run, "--references", gold, *(options or METRICS)]
    whole = scored(*arguments)
    assert_alike(scored(*arguments, *SHARDS), whole)
    assert_alike(scored(*arguments, "--system", "two", *SHARDS), scored(*arguments, "--system", "two"))


def test_one_file_of_several_systems_and_several_files(tmp_path, scored):
    predictions, references = made(NUMBER)
    both = [{**gold, **row} for row, gold in zip(predictions, references, strict=True)]
    one = lines(tmp_path / "both.jsonl", both)
    assert_alike(scored(one, *SHARDS), scored(one))
    files = [lines(tmp_path / f"{name}.jsonl", alone(predictions, name)) for name in ("one", "two")]
    arguments = [*files, "--references", lines(tmp_path / "gold.jsonl", references)]
    assert_alike(scored(*arguments, *SHARDS), scored(*arguments))
    without = lines(tmp_path / "without.jsonl", [{k: v for k, v in row.items() if k != "id"} for row in both])
    assert_alike(scored(without, *SHARDS), scored(without))


def test_references_from_a_data_set(tmp_path, scored):
    import datasets

    predictions, references = made(NUMBER)
    datasets.disable_progress_bars()
    datasets.Dataset.from_list(references).save_to_disk(tmp_path / "saved")
    arguments = [lines(tmp_path / "run.jsonl", alone(predictions)), "--dataset", tmp_path / "saved"]
    assert_alike(scored(*arguments, *SHARDS), scored(*arguments))
    arguments[0] = lines(tmp_path / "run.jsonl", shuffled(alone(predictions)))
    assert_alike(scored(*arguments, *SHARDS), scored(*arguments))


def test_what_language_models_wrote_is_counted_over_all_shards(tmp_path, scored):
    rows = [
        {
            "id": i,
            "predictions": "1. **solar power**\n2. fog" if i % 3 else "I'm sorry, but I can't.",
            "references": ["fog"],
        }
        for i in range(20)
    ]
    path = lines(tmp_path / "llm.jsonl", rows)
    whole = scored(path, "--parse")
    assert "7 of 20 outputs hold no phrases (7 refusal)" in whole[2]
    assert_alike(scored(path, "--parse", *SHARDS), whole)


def test_large_files_are_cut_without_being_asked(files, scored, monkeypatch):
    from keyphrase_metrics.cli import score, score_streams

    whole = scored(files[0], "--references", files[1])
    monkeypatch.setattr(score_streams, "SHARD_SIZE", 11)
    monkeypatch.setattr(score, "read_inputs", None)  # that way is not taken
    assert_alike(scored(files[0], "--references", files[1]), whole)


@pytest.mark.model
def test_semantic_metrics_in_processes(scored):
    arguments = [EXTRACTOR, GENERATOR, "--references", REFERENCES, "--encoder", MINILM]
    arguments += ["--metrics", "sem_f1", "semr_p", "r_precision"]
    (found, *_), (wanted, *_) = scored(*arguments, "--workers", "2", "--shard-size", "11"), scored(*arguments)
    for system, metrics in wanted["systems"].items():
        for metric, result in metrics.items():
            got = found["systems"][system][metric]
            assert got["signature"] == result["signature"]
            numbers = {key: value for key, value in result.items() if isinstance(value, float)}
            assert {key: got[key] for key in numbers} == pytest.approx(numbers, abs=1e-5)


@pytest.mark.model
def test_ranking_in_shards_needs_an_index(tmp_path, cli, error, scored):
    metric = ["--metrics", "fem_kp(generator=serialize)", "--encoder", MINILM]
    arguments = ["score", GENERATOR, "--references", REFERENCES, *metric]
    message = error(*arguments, "--workers", "2", "--resume", tmp_path / "kept")
    assert "so that --workers and --resume needs an --index of all their texts" in message
    assert not (tmp_path / "kept").exists()
    assert cli("index", REFERENCES, tmp_path / "idx")[0] == 0
    arguments = [*arguments[1:], "--index", tmp_path / "idx"]
    (found, rows, _), (wanted, wanted_rows, _) = scored(*arguments, *SHARDS), scored(*arguments)
    name = "fem_kp(generator=serialize)"
    ours, theirs = (each["systems"]["generator"][name] for each in (found, wanted))
    assert ours["data"] == theirs["data"]
    assert ours["fem_kp"] == pytest.approx(theirs["fem_kp"], abs=1e-5)
    assert [row[f"{name}/retrieval_rank"] for row in rows] == [row[f"{name}/retrieval_rank"] for row in wanted_rows]


# what is refused


@pytest.mark.parametrize(
    ("change", "change_references"),
    [
        (lambda rows: [*rows[:30], rows[2], *rows[31:]], None),
        (lambda rows: rows[:-1], None),
        (lambda rows: [*rows, {"id": "x", "predictions": []}], None),
        (lambda rows: [*rows[5:], {"id": "x", "predictions": []}], None),
        (lambda rows: [*rows, rows[0]], lambda rows: [*rows, rows[0]]),
        (lambda rows: [{"predictions": row["predictions"]} for row in rows], None),
    ],
)
def test_ids_that_do_not_fit_are_told_as_in_one_pass(tmp_path, error, change, change_references):
    predictions, references = made(NUMBER)
    run = lines(tmp_path / "run.jsonl", change(alone(predictions)))
    gold = lines(tmp_path / "gold.jsonl", (change_references or list)(references))
    whole = error("score", run, "--references", gold)
    found = error_after_notes("score", run, "--references", gold, *SHARDS)
    repeated = re.findall(r"\S+ repeats 1 id \('d\d+'\)", whole)  # one file's are told alone
    assert any(each in found for each in repeated) if repeated else found == whole


def error_after_notes(*argv):
    run = process(*map(str, argv))
    assert (run.returncode, run.stdout) == (2, "")
    *notes, last = run.stderr.splitlines(keepends=True)
    assert all(note.startswith("note: ") for note in notes)
    return last


def test_an_id_repeated_in_one_file_far_apart(tmp_path, error):
    rows = [{"id": i % 39, "predictions": [], "references": ["x"]} for i in range(NUMBER)]
    path = lines(tmp_path / "a.jsonl", rows)
    assert error("score", path, *SHARDS) == error("score", path)
    assert "repeats 1 id ('0')" in error("score", path, *SHARDS)


def test_files_of_unequal_length_joined_by_order(tmp_path, error):
    predictions, references = made(NUMBER)
    for rows in (predictions[:-9], predictions + predictions):
        run, gold = lines(tmp_path / "run.jsonl", alone(rows)), lines(tmp_path / "gold.jsonl", references)
        arguments = ["score", run, "--references", gold, "--by-order"]
        assert error(*arguments, *SHARDS) == error(*arguments)


def test_systems_on_different_documents_are_refused(tmp_path, error):
    rows = [{"id": i, "predictions": ["x"], "references": ["x"]} for i in range(NUMBER)]
    one, less = lines(tmp_path / "one.jsonl", rows), lines(tmp_path / "less.jsonl", rows[1:])
    other = lines(tmp_path / "other.jsonl", [*rows[1:], {**rows[0], "references": ["y"]}])
    assert f"40 documents of {one} and 39 of {less} were scored, so their scores" in error("score", one, less, *SHARDS)
    assert "have other references, texts or summaries" in error("score", one, other, *SHARDS)


@pytest.mark.parametrize("option", ["--workers", "--shard-size"])
@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5"])
def test_numbers_are_checked(files, error, option, value):
    assert f"argument {option}: {value!r} is not a whole number" in error("score", files[0], f"{option}={value}")


# lines that cannot be read

BROKEN = '{"id": "d17", "predictions": ["a"'
BAD = [
    (BROKEN, "not valid JSON"),
    ('{"id": "d17"}', "has no field 'predictions'"),
    ('{"id": "d17", "predictions": 5}', "field 'predictions' is 5 (int)"),
    ('{"id": "d17", "predictions": ["\\ud800"]}', "valid Unicode"),
    ("[]", "a line must be one JSON object"),
    ("\xff", "is not valid UTF-8"),
]


@pytest.mark.parametrize(("line", "message", "workers"), [*((*bad, []) for bad in BAD), (*BAD[0], ["--workers", "2"])])
def test_a_bad_line_is_named_and_finished_work_is_kept(
    tmp_path,
    files,
    error,
    scored,
    line,
    message,
    workers,
):
    run, gold = files
    whole = scored(run, "--references", gold)
    good = Path(run).read_bytes()
    with_line(run, 18, line)
    arguments = ["score", run, "--references", gold, *SHARDS, *workers, "--resume", tmp_path / "kept"]
    found = error(*arguments)
    assert f"{run}, line 18" in found
    assert message in found
    kept = shards_in(tmp_path / "kept")
    assert len(kept) >= 2
    Path(run).write_bytes(good)  # mended
    assert_alike(scored(*arguments[1:]), whole)
    assert set(kept) <= set(shards_in(tmp_path / "kept"))


@pytest.mark.parametrize(("line", "message"), BAD)
@pytest.mark.parametrize("order", [lambda rows: rows, shuffled])
def test_bad_lines_are_left_out_and_counted(tmp_path, files, scored, line, message, order):
    run, gold = files
    predictions = order(alone(made(NUMBER)[0]))
    place = next(i for i, row in enumerate(predictions) if row["id"] == "d17")
    lines(Path(run), predictions)
    with_line(run, place + 1, line)
    found, rows, said = scored(run, "--references", gold, *SHARDS, "--on-bad-line", "skip")
    (skipped,) = found["skipped"].values()
    assert skipped["lines"] == 1
    assert f"{run}, line {place + 1}" in skipped["first"][0]
    assert message in skipped["first"][0]
    assert f"note: {run}: 1 line was left out: {run}, line {place + 1}" in said
    part = lines(tmp_path / "run.jsonl", [row for row in predictions if row["id"] != "d17"])
    wanted, wanted_rows, _ = scored(part, "--references", gold, "--subset")
    del found["skipped"]
    assert_alike((found, rows, ""), (wanted, wanted_rows, ""))


def test_bad_references_and_cells_are_left_out_too(tmp_path, files, scored):
    run, gold = files
    with_line(gold, 20, '{"id": "d19", "references": "a string"}')
    with_line(gold, 1, "nonsense")
    found, rows, _ = scored(run, "--references", gold, *SHARDS, "--on-bad-line", "skip")
    assert found["skipped"] == {gold: {"lines": 2, "first": found["skipped"][gold]["first"]}}
    assert [row["id"] for row in rows] == [f"d{i}" for i in range(NUMBER) if i not in (0, 19)]
    path = tmp_path / "cells.csv"
    path.write_text('id,predictions,references\na,x,x\n"b"c,x,x\nd,x\ne,"x\n;y",x\n', encoding="utf-8")
    found, rows, said = scored(path, "--shard-size", "2", "--on-bad-line", "skip", "--metrics", "r_precision")
    assert [row["id"] for row in rows] == ["a", "e"]
    assert found["skipped"][str(path)]["lines"] == 2
    assert "line 3: is not CSV" in said
    assert "line 4: has 2 cells" in said


def test_a_missing_quotation_mark_says_how_much_it_costs(tmp_path, scored, error):
    path = tmp_path / "a.csv"
    path.write_text("id,predictions,references\na,x,x\nb,x,x\n" + 'c,"x,x\n' + "d,x,x\n" * 9, encoding="utf-8")
    place = f"{path}, line 4: is not CSV (unexpected end of data), up to line 13"
    assert place in error("score", path, "--shard-size", "2")
    assert place in scored(path, "--shard-size", "2", "--on-bad-line", "skip", "--metrics", "r_precision")[2]


def test_nothing_skipped_is_told_too(files, scored):
    found, _, said = scored(files[0], "--references", files[1], *SHARDS, "--on-bad-line", "skip")
    assert (found["skipped"], "left out" in said) == ({}, False)


def test_a_file_without_one_good_line(tmp_path, error):
    path = tmp_path / "a.jsonl"
    path.write_text("x\n" * 30)
    assert "line 1: not valid JSON" in error("score", path, *SHARDS, "--on-bad-line", "skip")
    path.write_text('{"id": 1, "predictions": 1}\n' * 30)
    message = error("score", path, "--references", REFERENCES, *SHARDS, "--on-bad-line", "skip")
    assert f"{path}: holds no documents that can be read" in message


@pytest.mark.parametrize("options", [[], SHARDS, ["--workers", "2", *SHARDS]])
def test_standard_errors_are_the_textbooks(files, scored, options):
    found, rows, _ = scored(files[0], "--references", files[1], "--metrics", *METRICS[1:], *options)
    for metric, key in (("r_precision", "r_precision"), ("keyphrase_f1(cutoffs=[2,M,O])", "f1@M")):
        values = [row[f"{metric}/{key}"] for row in rows if row[f"{metric}/{key}"] is not None]
        wanted = np.std(values, ddof=1) / np.sqrt(len(values))
        assert found["systems"]["run"][metric][f"{key}_se"] == pytest.approx(wanted)
