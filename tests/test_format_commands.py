"""Every layout through every command: the page's table is run as it stands, and the values are the right ones."""

import json
import re
import shlex
from pathlib import Path

import pytest

from keyphrase_metrics import cli, io
from keyphrase_metrics.demo import file_tab, messages
from keyphrase_metrics.demo.file_tab import Uploads
from keyphrase_metrics.demo.files import Upload
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.options import options_of

DOCS = Path(__file__).parent.parent / "docs" / "file-layouts.md"
COMMANDS = dict(re.findall(r"^\| `(\w+)` \|.*\| `keyphrase-metrics (.*)` \|$", DOCS.read_text("utf-8"), re.MULTILINE))

# Two documents: of the first, one of two references is found; of the second, the only one. R-precision 0.75.
RIGHT = 0.75
RUN = '{"id": "a", "predictions": ["wave", "fog"]}\n{"id": "b", "predictions": ["tide"]}\n'
REFERENCES = '{"id": "a", "references": ["wave", "sea wall"]}\n{"id": "b", "references": ["tide"]}\n'
NESTED = '{\n "a": [["waves", "swell"], ["sea wall"]],\n "b": [["tide"]]\n}'
SCORED = '{"a": [["fog", 0.2], ["wave", 0.7], ["rain", 0.1]], "b": [["tide", 0.5]]}'
BY_ORDER = RUN.replace('"id": "a", ', "").replace('"id": "b", ', "")
KP20K = (
    '{"title": "Waves", "abstract": "None", "keywords": "wave;;sea wall"}\n'
    '{"title": "Tides", "abstract": "None", "keywords": "tide"}\n'
)
TEXTS = {
    "predictions.txt": "wave;fog;<peos>\ntide\n",
    "test_trg.txt": "wave|swell;<peos>;sea wall\ntide\n",
    "test_src.txt": "waves <eos> a swell .\ntides <eos> none\n",
}
SAMPLES = {
    "ake_datasets_reference": {"run.jsonl": RUN, "test.combined.json": NESTED},
    "jcdl_candidates": {
        "Inspec.TfIdf.json": '{"a": [["swell"], ["fog"]], "b": [["tide"]]}',
        "test.author.json": NESTED,
    },
    "kenchan_text": TEXTS,
    "one2set_text": TEXTS,
    "opennmt_kpg_pred": {
        "kp20k.pred": '{"pred_sents": [["wave"], ["sea", "fog"]]}\n{"pred_sents": [["tide"]]}\n',
        "kp20k_test.json": KP20K,
    },
    "memray_json": {"run.jsonl": BY_ORDER, "kp20k_test.json": KP20K},
    "semeval_final": {
        "system.txt": "a : swell,fog\nb : tide\n",
        "test.combined.final": "a : wave+swell,sea wall\nb : tide\n",
    },
    "key_folder": {
        "run.json": '{"a": ["wave", "fog"], "b": ["tide"]}',
        "keys/a.key": "wave\r\n\r\nsea wall",
        "keys/b.key": "tide\n",
        "keys/README.md": "Keys",
        "docsutf8/a.txt": "Waves\nA wave.",
        "docsutf8/b.txt": "Tides",
    },
    "kpcrowd_counts": {
        "run.json": '{"a": ["wave", "fog"], "b": ["tide"]}',
        "test/a-CrowdCountskey": "wave\t7\nsea wall\t2\n",
        "test/b-CrowdCountskey": "tide\t3\n",
        "test/a.key": "wave",
        "test/a-justTitle.txt": "Waves",
    },
    "midas_hf": {
        "run.jsonl": RUN,
        "test.jsonl": '{"id": "a", "document": ["wave"], "doc_bio_tags": ["B"], "extractive_keyphrases": ["wave"], '
        '"abstractive_keyphrases": ["sea wall"]}\n{"id": "b", "document": ["tide"], "doc_bio_tags": ["B"], '
        '"extractive_keyphrases": ["tide"], "abstractive_keyphrases": []}\n',
    },
    "taln_ls2n_hf": {
        "run.jsonl": RUN,
        "test.jsonl": '{"id": "a", "title": "W", "abstract": "A wave.", "keyphrases": ["wave", "sea wall"], '
        '"prmu": ["P", "U"]}\n{"id": "b", "title": "T", "abstract": "", "keyphrases": ["tide"], "prmu": ["U"]}\n',
    },
    "kpeval_jsonl": {
        "kp20k_hypotheses_linked.json": '{"source": "On waves [sep] None", "target": ["wave", "sea wall"], '
        '"prediction": ["wave", "<peos>", "fog"]}\n{"source": "On tides", "target": "tide", "prediction": "ti ##de"}\n'
    },
    "openkp_jsonl": {
        "candidates.jsonl": '{"url": "a", "KeyPhrases": [["wave"], ["sea", "fog"]]}\n'
        '{"url": "b", "KeyPhrases": [["tide"]]}\n',
        "dev.jsonl": '{"url": "a", "KeyPhrases": [["wave"], ["sea", "wall"]]}\n'
        '{"url": "b", "KeyPhrases": [["tide"], [""]]}\n',
    },
    "kangnlp_result": {
        "Inspec_result.json": '{"final_pred_keyphrase": ["wave\\n", "fog"], "label": ["wave", "sea wall"]}\n'
        '{"final_pred_keyphrase": ["tide"], "label": ["tide"]}\n'
    },
    "keybert_json": {"output.json": SCORED, "references.jsonl": REFERENCES},
    "pke_json": {"output.json": SCORED, "references.jsonl": REFERENCES},
    "yake_json": {
        "output.json": '{"a": [["wave", 0.1], ["fog", 0.2], ["sea wall", 0.9]], "b": [["tide", 0.5]]}',
        "references.jsonl": REFERENCES,
    },
    "catseq_cell": {
        "predictions.csv": "id,prediction\na,wave;<peos>;fog;\nb,\"['tide', '<peos>']\"\n",
        "references.jsonl": REFERENCES,
    },
    "headerless_tsv": {"run.tsv": "a\twave;<peos>;fog\nb\ttide\n", "references.jsonl": REFERENCES},
    "json_array": {
        "run.json": '[{"id": "a", "predictions": ["wave", "fog"], "references": ["wave", "sea wall"]},\n'
        '{"id": "b", "predictions": ["tide"], "references": ["tide"]}]'
    },
}
SPELLED = "keyphrase_f1(cutoffs=[1,M])"


@pytest.fixture
def command(request, tmp_path, monkeypatch):
    """The arguments of a layout's command, whose files are there."""
    sample = SAMPLES[request.param]
    for name, content in sample.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode())
    monkeypatch.chdir(tmp_path)
    name, *arguments = shlex.split(COMMANDS[request.param])
    assert name == "score"
    assert {path.partition("/")[0] for path in sample} == {path.strip("/") for path in arguments if Path(path).exists()}
    return arguments


each_layout = pytest.mark.parametrize("command", io.FORMATS, indirect=True)
FOLDERS = {"key_folder", "kpcrowd_counts"}  # which cannot be uploaded to the demo


def ran(capsys, *arguments):
    assert cli.main([*arguments, "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


@each_layout
def test_score_gives_the_right_value(command, capsys):
    (system,) = ran(capsys, "score", *command, "--metrics", "r_precision")["systems"].values()
    assert system["r_precision"]["r_precision"] == RIGHT
    assert system["r_precision"]["n_documents"] == 2


@pytest.mark.parametrize(("command", "form"), [(form, form) for form in io.FORMATS], indirect=["command"])
def test_score_with_the_layout_named(command, form, capsys):
    option = "--references-format" if form == "key_folder" else "--format"
    (system,) = ran(capsys, "score", *command, option, form, "--metrics", "r_precision")["systems"].values()
    assert system["r_precision"]["r_precision"] == RIGHT


@each_layout
def test_explain_finds_the_phrases(command, capsys):
    for document in ("a", "0"):
        if cli.main(["explain", *command, "--document", document, "--metrics", "r_precision", "--json"]) == 0:
            break
    (system,) = json.loads(capsys.readouterr().out)["systems"].values()
    assert system["r_precision"]["r_precision"] == 0.5
    kinds = [row["kind"] for row in system["r_precision"]["explanation"]["predictions"]]
    assert kinds[0] == "exact"


def two_systems(command):
    """The command with a second system: a copy of the first, in a folder beside."""
    path, *rest = command
    copy = Path("second") / f"other_{Path(path).name}"
    copy.parent.mkdir()
    copy.write_bytes(Path(path).read_bytes())
    return [path, str(copy), *rest]


@each_layout
def test_compare_takes_two(command, capsys):
    found = ran(capsys, "compare", *two_systems(command), "--metrics", "r_precision", "--resamples", "100")
    assert [one["r_precision"]["r_precision"] for one in found["systems"].values()] == [RIGHT, RIGHT]


@each_layout
def test_analyse_takes_two(command, capsys):
    arguments = two_systems(command)
    if "--references" not in arguments:  # files with references of their own are the systems of their folder
        folder = Path(arguments[1]).parent
        Path(arguments[0]).rename(folder / Path(arguments[0]).name)
        arguments[:2] = [str(folder)]
    found = ran(capsys, "analyse", *arguments, "--metrics", "r_precision", SPELLED, "--only", "agreement")
    (dataset,) = found["datasets"].values()
    assert [one["r_precision"] for one in dataset["scores"].values()] == [RIGHT, RIGHT]


@pytest.mark.parametrize("command", sorted(set(io.FORMATS) - FOLDERS), indirect=True)
def test_the_demo_reads_it(command, tmp_path):
    paths = [Path(path) for path in command if Path(path).is_file()]
    assert not any(Path(path).is_dir() for path in command)
    uploads = Uploads(*(Upload(tmp_path / path, path.name) for path in paths[:2]))
    options = options_of("r_precision")
    settings = [control.default for control in options.controls]
    folder = tmp_path / "results"
    folder.mkdir()
    given = options, uploads, [None] * len(file_tab.roles_of(options)), settings, Limits(), folder
    if "--score-order" in command:  # for which the page has no box
        with pytest.raises(messages.UserError, match="as YAKE lists them"):
            file_tab.score(*given)
        return
    scored = file_tab.score(*given)
    assert f"<td>{RIGHT:.4f}</td>" in scored.markup


def test_the_demo_takes_counts_whose_names_have_no_suffix(tmp_path):
    import gradio

    from keyphrase_metrics.demo.layout import metric_page

    with gradio.Blocks() as page:
        metric_page("r_precision", Limits())
    boxes = [box for box in page.blocks.values() if isinstance(box, gradio.File)]
    assert [box.file_types for box in boxes] == [None, None]  # by suffix, the page would refuse them
    contents = {"run.json": '{"a": ["wave", "fog"]}', "a-CrowdCountskey": "wave\t7\nsea wall\t2\n"}
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    options = options_of("r_precision")
    uploads = Uploads(*(Upload(tmp_path / name, name) for name in contents))
    settings = [control.default for control in options.controls]
    scored = file_tab.score(options, uploads, [None] * len(file_tab.roles_of(options)), settings, Limits(), tmp_path)
    assert "<td>0.5000</td>" in scored.markup
