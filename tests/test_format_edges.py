"""What real files hold beside the plain case: each is read rightly, or refused in one line that says why."""

import json

import pytest

from keyphrase_metrics import cli, io

REFERENCES = '{"id": "1", "references": ["wave", "sea wall"]}\n{"id": "2", "references": ["fog"]}\n'
BY_ORDER = '{"references": ["wave", "sea wall"]}\n{"references": ["fog"]}\n'
F1 = "keyphrase_f1(cutoffs=[M])"
RIGHT = [  # name, content, options; all of which find every reference and nothing else
    ("a.csv", "id,prediction\n1,wave;<peos>;sea wall;\n2, fog ;<PEOS>\n", []),
    ("a.csv", 'id,prediction\n1,"[\'wave\', \'<peos>\', \'sea wall\']"\n2,"[""fog"", ""<peos>""]"\n', []),
    ("a.csv", "id,prediction\n1,wave|<sep>|sea wall\n2,fog\n", ["--separator", "|"]),
    ("a.tsv", "1\twave|<sep>|sea wall\n2\tfog\n", ["--separator", "|"]),
    ("a.txt", "wave|<sep>|sea wall\nfog\n", ["--separator", "|"]),
    *(
        (f"bom.{suffix}", "\ufeff" + content, [])
        for suffix, content in [
            ("jsonl", '{"id": "1", "predictions": ["wave", "sea wall"]}\n{"id": "2", "predictions": ["fog"]}\n'),
            ("json", '{"1": ["wave", "sea wall"],\n "2": ["fog"]}'),
            ("csv", "id,prediction\n1,wave;sea wall\n2,fog\n"),
            ("tsv", "1\twave;sea wall\n2\tfog\n"),
            ("txt", "wave;sea wall\nfog\n"),
            ("final", "1 : wave,sea wall\n2 : fog\n"),
        ]
    ),
    ("crlf.txt", "wave;sea wall\r\nfog\r\n", []),
    ("crlf.final", "1 : wave,sea wall\r\n2 : fog\r\n\r\n", []),
    ("crlf.tsv", "1\twave;sea wall\r\n2\tfog\r\n\r\n", []),
    ("crlf.csv", "id,prediction\r\n1,wave;sea wall\r\n2,fog\r\n\r\n", []),
    ("numbers.jsonl", '{"id": 1, "predictions": ["wave", "sea wall"]}\n{"id": 2, "predictions": ["fog"]}\n\n', []),
    ("lines.json", '{"id": 1, "predictions": ["wave", "sea wall"]}\n{"id": 2, "predictions": ["fog"]}\n', []),
    ("array.jsonl", '[{"id": 1, "predictions": ["wave", "sea wall"]},\n{"id": 2, "predictions": ["fog"]}]\n', []),
    ("object.jsonl", '{\n"1": ["wave", "sea wall"],\n"2": ["fog"]}\n', []),
]
WRONG = [
    ("a.txt", "wave\nfog\n\n", "a.txt has 3 documents and refs.jsonl has 2"),
    ("a.txt", "wave\rfog\r", "a.txt has 1 documents and refs.jsonl has 2"),
    *((f"empty.{suffix}", "", "holds no documents") for suffix in ("txt", "json", "jsonl", "csv", "tsv", "final")),
    ("a.csv", "id,prediction\n", "holds no documents"),
    ("a.jsonl", '{"id": "1", "predictions": []}\n{"id": 1, "predictions": []}\n', "repeats 1 id ('1')"),
    ("a.json", '{"1": ["wave"], "1": ["fog"], "2": ["fog"]}', "a.json repeats 1 id ('1')"),
    ("a.json", '{\n"1": ["wave"],\n"2": ["fog"],\n"2": ["fog"]}', "a.json repeats 1 id ('2')"),
    ("a.json", "{}", "it has no fields"),
    ("a.jsonl", '{"id": 1.0, "predictions": []}\n', "'id' is 1.0 (float); an id must be a string or a whole number"),
    ("a.jsonl", '{"id": 1, "predictions": []},\n{"id": 2, "predictions": []}\n', "line 1: not valid JSON (Extra data"),
]


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Write a file into the working folder, and return its name."""
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


def scored(capsys, *arguments, metrics=(F1,)):
    assert cli.main(["score", *arguments, "--metrics", *metrics, "--json"]) == 0, capsys.readouterr().err
    out, said = capsys.readouterr()
    (system,) = json.loads(out)["systems"].values()
    return system, said


def references_for(put, name):
    return put("refs.jsonl", BY_ORDER if name.endswith("txt") else REFERENCES)


@pytest.mark.parametrize(("name", "content", "options"), RIGHT)
def test_read_rightly(put, capsys, name, content, options):
    found, _ = scored(capsys, put(name, content), "--references", references_for(put, name), *options)
    assert found[F1]["f1@M"] == 1.0
    assert found[F1]["precision@M"] == 1.0


@pytest.mark.parametrize(("name", "content", "message"), WRONG)
def test_refused_in_words(put, name, content, message, error):
    said = error("score", put(name, content), "--references", references_for(put, name))
    assert message in said


def test_a_cell_that_is_only_a_marker_holds_no_phrase(put, capsys):
    row = "id,prediction,references\n1,<peos>,wave\n2,fog,fog\n"
    found, said = scored(capsys, put("a.csv", row), metrics=["keyphrase_f1(cutoffs=[M],average=micro)"])
    (score,) = found.values()
    assert score["precision@M"] == 1.0
    assert "1 times a marker" in said


def test_kpeval_lines_with_another_separator(put, capsys):
    row = {"source": "on waves", "target": "wave|sea wall", "prediction": "wave|<peos>|sea ##side"}
    found, _ = scored(capsys, put("a.jsonl", json.dumps(row)), "--separator", "|")
    assert found[F1]["f1@M"] == 0.5
    found, said = scored(capsys, "a.jsonl")
    assert found[F1]["f1@M"] == 0.0
    assert "hold '|' and none holds ';'" in said


def test_a_folder_with_other_files_in_it(put, capsys, error):
    for name, content in [
        ("1.key", "wave\n"),
        ("2.key", "fog"),
        ("README.md", "?"),
        (".DS_Store", "?"),
        ("x/3.key", "?"),
    ]:
        put(f"keys/{name}", content)
    run = put("run.json", '{"1": ["wave"], "2": ["fog"]}')
    assert scored(capsys, run, "--references", "keys")[0][F1]["f1@M"] == 1.0
    put("other/README.md", "?")
    assert "is not a file, nor a folder of .key files" in error("score", run, "--references", "other")


@pytest.mark.parametrize("command", ["score", "compare", "analyse", "explain"])
@pytest.mark.parametrize("option", ["--format", "--references-format"])
@pytest.mark.parametrize(("name", "meant"), [("semeval", "semeval_final"), ("KenchanText", "kenchan_text")])
def test_a_layout_that_nobody_knows(put, command, option, name, meant, error):
    refs, run = put("refs.jsonl", REFERENCES), put("run.json", '{"1": ["wave"], "2": ["fog"]}')
    document = ["--document", "1"] if command == "explain" else []
    said = error(command, run, "--references", refs, option, name, *document)
    assert f"{option} {name!r} is not known (did you mean {meant!r}?)" in said
    assert said.count("\n") == 1
    with pytest.raises(ValueError, match=f"did you mean '{meant}'"):
        io.open_file(run, io.OpenOptions(name))


class TestFoldersOfSystems:
    """Line-aligned texts and folders of ``.key`` files, as the systems of a folder."""

    @pytest.mark.parametrize("command", ["compare", "analyse"])
    def test_texts(self, put, capsys, command):
        put("runs/good.txt", "wave\nfog\n")
        put("runs/poor.txt", "wave;rain\nrain\n")
        put("runs/test_trg.txt", "wave\nfog\n")
        put("runs/.notes.txt", "x")
        found = self.systems(capsys, command, "runs", "--references", "runs/test_trg.txt")
        assert found == {"good": 1.0, "poor": 0.5}

    @pytest.mark.parametrize("command", ["compare", "analyse"])
    def test_key_folders(self, put, capsys, command):
        for system, phrase in (("good", "fog"), ("poor", "rain")):
            put(f"runs/{system}/1.key", "wave\n")
            put(f"runs/{system}/2.key", phrase)
        refs = put("refs.json", '{"1": ["wave"], "2": ["fog"]}')
        wanted = {"good": 1.0, "poor": 0.5}
        assert self.systems(capsys, command, "runs", "--references", refs) == wanted
        assert self.systems(capsys, command, "runs/good", "runs/poor", "--references", refs) == wanted

    def test_a_data_set_of_texts(self, put, capsys):
        put("day/references.txt", "wave\nfog\n")
        put("day/good.txt", "wave\nfog\n")
        put("day/poor.txt", "wave;rain\nrain\n")
        assert self.systems(capsys, "analyse", "day") == {"good": 1.0, "poor": 0.5}

    def test_files_with_references_apart_are_one_data_set(self, put, capsys):
        put("one/run.jsonl", '{"id": 1, "predictions": ["wave"]}\n{"id": 2, "predictions": ["fog"]}\n')
        put("two/run.jsonl", '{"id": 1, "predictions": ["wave"]}\n{"id": 2, "predictions": ["rain"]}\n')
        refs = put("refs.jsonl", REFERENCES.replace(', "sea wall"', ""))
        found = self.systems(capsys, "analyse", "one/run.jsonl", "two/run.jsonl", "--references", refs)
        assert found == {"one/run": 1.0, "two/run": 0.5}

    def systems(self, capsys, command, *arguments):
        more = ["--resamples", "100"] if command == "compare" else ["--only", "agreement"]
        status = cli.main([command, *arguments, "--metrics", "r_precision", *more, "--json"])
        out, err = capsys.readouterr()
        assert status == 0, err
        found = json.loads(out)
        if command == "compare":
            return {name: one["r_precision"]["r_precision"] for name, one in found["systems"].items()}
        (dataset,) = found["datasets"].values()
        return {name: scores["r_precision"] for name, scores in dataset["scores"].items()}


SOURCE = "tide gauges on piers <eos> we read tide gauges and mend sea walls ."
TARGET = "tide gauges;sea walls;flood alarms"
PREDICTION = "tide gauge;<unk> walls;sea wall , too;tide gauges;pier;flood alarm"
# What catSeq's evaluator does, by its rules: <unk> and the lone comma drop two predictions, "tide gauges" is a repeat;
# a hit and "pier" are present, a hit is absent; of the targets, two are present and one is absent.
CATSEQ = {
    "present_precision@5": 1 / 5,
    "present_recall@5": 1 / 2,
    "present_f1@5": 2 / 7,
    "present_precision@M": 1 / 2,
    "present_f1@M": 1 / 2,
    "absent_precision@5": 1 / 5,
    "absent_recall@5": 1.0,
    "absent_f1@5": 1 / 3,
    "absent_f1@M": 1.0,
}
TABLE = "keyphrase_f1(preset=catseq_table)"


@pytest.mark.parametrize(
    "prediction",
    [
        PREDICTION,
        PREDICTION.replace(";flood", ";<peos>;flood"),
        f"<peos>;{PREDICTION};<peos> tide;<peos>",  # what begins with the marker is dropped whole
    ],
)
def test_catseq_files_score_as_its_evaluator_does(put, capsys, prediction):
    files = [put(f"{name}.txt", f"{line}\n") for name, line in (("p", prediction), ("t", TARGET), ("s", SOURCE))]
    found, said = scored(capsys, files[0], "--references", files[1], "--sources", files[2], metrics=[TABLE])
    assert {key: found[TABLE][key] for key in CATSEQ} == pytest.approx(CATSEQ)
    assert ("began with <peos>" in said) == ("<peos> tide" in prediction)


@pytest.mark.parametrize(("prediction", "target"), [("", TARGET), (PREDICTION, ""), ("", "")])
def test_a_line_without_phrases_is_a_document(put, capsys, prediction, target):
    files = [put(f"{name}.txt", f"{line}\n") for name, line in (("p", prediction), ("t", target), ("s", SOURCE))]
    found, _ = scored(capsys, files[0], "--references", files[1], "--sources", files[2], metrics=[TABLE])
    assert found[TABLE]["n_documents"] == 1
    assert found[TABLE]["present_f1@M"] == found[TABLE]["absent_f1@M"] == 0.0


STEMS = "A-1 : diseas respons+respons to diseas,claus\nB-2 : databas,discoveri\n"
WORDS = '{"id": "A-1", "predictions": ["disease responses", "clauses"]}\n{"id": "B-2", "predictions": ["databases"]}\n'
TEXTS = '{"id": "A-1", "text": "Disease response and clauses"}\n{"id": "B-2", "text": "Databases, a discovery"}\n'


def test_references_of_stems(put, capsys):
    files = put("run.jsonl", WORDS), "--references", put("test.stem.final", STEMS), "--sources", put("t.jsonl", TEXTS)
    found, said = scored(capsys, *files, "--stemmed", "references")
    assert found[F1]["f1@M"] == pytest.approx((1 + 2 / 3) / 2)
    assert "look stemmed" not in said
    found, said = scored(capsys, *files)
    assert found[F1]["f1@M"] < 0.5
    assert "the references look stemmed already" in said
    assert "say stemmed=references" in said


def test_predictions_of_stems(put, capsys):
    run = put("output_stemmed.json", '{"A-1": [["diseas respons", 0.9], ["claus", 0.4]], "B-2": [["databas", 0.3]]}')
    words = WORDS.replace("predictions", "references")
    files = run, "--references", put("refs.jsonl", words), "--sources", put("t.jsonl", TEXTS)
    found, said = scored(capsys, *files, "--stemmed", "predictions")
    assert found[F1]["f1@M"] == 1.0
    assert "look stemmed" not in said
    found, said = scored(capsys, *files)
    assert found[F1]["f1@M"] == 0.0
    assert "say stemmed=predictions" in said


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.txt", "1. wave, sea wall\n- fog\n"),
        ("p.csv", 'prediction\n"1. wave\n2. sea wall"\nKeyphrases: fog\n'),
        ("p.pred", '{"pred_sents": ["1. wave", "2. sea wall."]}\n{"pred_sents": ["fog"]}\n'),
        ("p.json", '[{"prediction": "[\\"wave\\", \\"sea wall\\"]"},\n{"prediction": "Keyphrases: fog"}]'),
        ("p.json", '[[["wave", 0.5], ["sea wall", 0.3]], [["fog", 0.1]]]'),
    ],
)
def test_layouts_hold_what_models_write(put, capsys, name, content):
    found, _ = scored(capsys, put(name, content), "--references", put("refs.jsonl", BY_ORDER), "--parse")
    assert found[F1]["f1@M"] == 1.0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.csv", "id,references\n1,swell/wave;sea wall\n2,fog\n"),
        ("r.tsv", "1\tswell/wave;sea wall\n2\tfog\n"),
        ("r.final", "1 : swell/wave+waves,sea wall\n2 : fog\n"),
        ("r.json", '{"1": [["swell/wave"], ["sea wall"]], "2": [["fog"]]}'),
        (
            "r.jsonl",
            '{"url": "1", "KeyPhrases": [["swell/wave"], ["sea", "wall"]]}\n{"url": "2", "KeyPhrases": [["fog"]]}\n',
        ),
        ("keys/1.key", "swell/wave\nsea wall\n"),
    ],
)
def test_variants_in_layouts(put, capsys, name, content):
    run = put("run.json", '{"1": ["wave", "sea wall"], "2": ["fog"]}')
    put("keys/2.key", "fog\n")
    path = put(name, content).replace("/1.key", "")
    assert scored(capsys, run, "--references", path, "--variants", "/")[0][F1]["f1@M"] == 1.0
