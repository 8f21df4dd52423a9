"""``keyphrase-metrics published``, and published rows in ``score`` and ``compare``."""

import json
import re
from functools import partial

import pytest
from support.command_line import EXTRACTOR, GENERATOR, REFERENCES, lines

from keyphrase_metrics import cli

F = "popova2025q10:F"
FAST = ["--resamples", "100", "--permutations", "100"]
EXAMPLES = [EXTRACTOR, GENERATOR, "--references", REFERENCES]


@pytest.fixture
def run(capsys):
    def run(*argv, status=0):
        assert cli.main([str(word) for word in argv]) == status, capsys.readouterr().err
        return capsys.readouterr().out if status == 0 else None

    return run


@pytest.fixture
def refused(capsys):
    def refused(*argv):
        assert cli.main([str(word) for word in argv]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        return line

    return refused


@pytest.fixture
def lab(tmp_path, monkeypatch, capsys):
    """A folder with the examples as a data set, a system, and one figure under F."""
    (tmp_path / "lab/sources").mkdir(parents=True)
    (tmp_path / "lab/results").mkdir()
    scores = tmp_path / "scores.json"
    assert cli.main(["score", *EXAMPLES, "--as", F, "--output", str(scores)]) == 0
    result = json.loads(scores.read_text())["systems"]["extractor"]["keyphrase_f1(preset=F)"]
    data = re.match(r"documents:\d+\|references:\w+", result["data"])[0]
    (tmp_path / "lab/datasets.toml").write_text(
        '[toy]\nname = "Toy"\ncitation = "x"\nlanguage = "en"\ntest_documents = 30\nvariants = "none"\n'
        'texts = { title_abstract = "short" }\n'
        f'[toy.references.reader]\nassigned_by = "readers"\nfingerprints = {{ plain = "{data}" }}\n'
    )
    (tmp_path / "lab/systems.toml").write_text('["<b>Ours & co"]\nkind = "generation"\n')
    answers = {
        "main": 'Q-1 = { gold_standard = "long" }\n'
        'Q-2 = { average = "macro", without_references = "kept", short_lists = "as_given" }\n'
        'Q-3 = { lowercased = true, stemmed = true, stemmer = "porter" }\nQ-7 = { test_set = "test" }\n',
        "short": 'Q-1 = { gold_standard = "short" }\n',
        "micro": 'Q-2 = { average = "micro" }\n',
        "silent": "",
    }
    inherits = {"short": "main", "micro": "main"}
    toml = ['title = "Lab"\ncitation = "@misc{lab2026, title = {Lab}}"\n']
    for name, given in answers.items():
        above = f'inherits = "{inherits[name]}"\n' if name in inherits else ""
        toml.append(f'[methods.{name}]\n{above}title = "{name}"\n[methods.{name}.answers]\n{given}')
    (tmp_path / "lab/sources/lab2026.toml").write_text("".join(toml))
    header = (
        "row,method,table,dataset,references,text,system,variant,metric,cutoff,scope,value,unit,quotes,original,doubt"
    )
    row = '{},{},T1,toy,reader,title_abstract,<b>Ours & co,,f1,5,{},{},fraction,,,"{}"'
    rows = [
        row.format(1, "main", "all", 0.41, "read it twice"),
        row.format(2, "short", "present", 0.52, ""),
        row.format(3, "micro", "all", 0.43, ""),
        row.format(4, "silent", "all", 0.44, ""),
    ]
    (tmp_path / "lab/results/lab2026.csv").write_text("\n".join([header, *rows]) + "\n")
    monkeypatch.setenv("KEYPHRASE_METRICS_PUBLISHED", str(tmp_path / "lab"))
    capsys.readouterr()
    return scores


def test_lists_data_sets_and_scores(run):
    shown = run("published")
    assert re.search(r"^inspec +Inspec \(Hulth 2003\) +uncontrolled, controlled +2150 +9$", shown, re.MULTILINE)
    assert "14,291 published scores of 10 sources" in shown
    assert re.search(r"^f1@10 +187 +5 ", run("published", "taln-ls2n/inspec"), re.MULTILINE)
    assert json.loads(run("published", "inspec", "--json"))["scores"]["f1@10"] == 187
    assert len(json.loads(run("published", "--json"))["datasets"]) == 27


def test_whom_may_i_cite_beside_it(run):
    shown = run("published", "inspec:uncontrolled", "--score", "f1@10", "--like", F)
    same, _, rest = shown.partition("\nunknown")
    assert same.count("popova2025q10 ") >= 10
    assert same.count("gallina2020jcdl ") >= 10
    assert "KeyBART" not in shown
    assert "different evaluation: Q-1.gold_standard long / short" in rest
    assert "differences in Q-1, Q-2 moved scores by 12 % here (popova2025q10)" in rest
    found = json.loads(run("published", "inspec:uncontrolled", "--score", "f1@10", "--like", F, "--json"))
    (listing,) = found["listings"]
    verdicts = [row["evaluation"]["verdict"] for row in listing["rows"]]
    assert verdicts == sorted(verdicts, key=("same", "unknown", "different").index)
    assert found["sources"].keys() == {row["source"] for row in listing["rows"]}
    assert all(citation.startswith("@") for citation in found["sources"].values())
    assert verdicts.count("same") == same.count("uncontrolled") - 1  # one in "from the data"


def test_why_not_keybart(run, refused):
    shown = run("published", "inspec:uncontrolled", "--like", F, "--system", "KeyBART")
    assert "different evaluation: Q-1.gold_standard long / short; not said: Q-2 (average" in shown
    assert shown.count("KeyBART (zero-shot)") == 2
    said = refused("published", "inspec:uncontrolled", "--like", F, "--system", "KeyBART", "--score", "f1@10")
    assert said.endswith("inspec has no published f1@10 of KeyBART; it has f1@5, f1@M")


def test_groups_and_quotations(run):
    shown = run("published", "inspec", "--score", "f1@10")
    assert "group 1: evaluations answered alike\n" in shown
    assert "quotes gallina2020jcdl" not in shown
    assert "quotes gallina2020jcdl" in run("published", "inspec", "--score", "f1@10", "--all")


def test_own_scores_are_recognized(run, lab):
    shown = run("published", "--like", lab, "--score", "f1@5")
    assert "yours: 38.1 (extractor)" in shown
    assert "which are known: Q-7.test_set test, Q-8.variant reader," in shown
    sections = re.findall(r"^(same|unknown|different)[^\n]*\n[^\n]*\n([\d.]+)", shown, re.MULTILINE)
    assert sections == [("same", "41.0"), ("unknown", "44.0"), ("different", "52.0"), ("different", "43.0")]
    assert "[1] lab2026: read it twice" in shown
    assert "they do not say Q-1 (gold_standard), Q-2 (average" in shown
    assert "Q-2.average: 'micro', 'macro' or 'macro_of_means'" in shown
    found = json.loads(run("published", "--like", lab, "--score", "f1@5", "--json"))
    assert found["own"]["values"]["extractor"]["f1@5"] == pytest.approx(38.104192104)


def test_the_metric_of_own_scores_is_found_by_the_name_of_a_score_in_any_case(run, lab, tmp_path):
    both = tmp_path / "both.json"
    run("score", *EXAMPLES, "--metrics", "r_precision", "keyphrase_f1(preset=F)", "--output", both)
    assert "yours: 38.1 (extractor)" in run("published", "--like", both, "--score", "F1@5")


def test_rows_below_the_systems(run, lab, tmp_path):
    output = tmp_path / "below.json"
    shown = run("score", *EXAMPLES, "--as", F, "--published", "--output", output)
    assert re.search(r"^<b>Ours & co ‡ +lab2026 +\[1\] +0\.4100$", shown, re.MULTILINE)
    assert "Not shown of these scores: 2 of a different evaluation, 1 of an evaluation that is not fully known" in shown
    (rows,) = json.loads(output.read_text())["published"].values()
    assert [row["values"] for row in rows["rows"]] == [{"f1@5": 0.41}]
    assert rows["citations"] == {"lab2026": "@misc{lab2026, title = {Lab}}"}
    assert "published" not in json.loads(run("score", *EXAMPLES, "--as", F, "--json"))


def test_rows_below_a_comparison(run, lab, tmp_path):
    page = tmp_path / "page.html"
    compare = partial(
        run, "compare", *EXAMPLES, "--metrics", "keyphrase_f1(preset=F,cutoffs=[5])", *FAST, "--published"
    )
    plain = run("compare", *EXAMPLES, "--metrics", "keyphrase_f1(preset=F,cutoffs=[5])", *FAST, "--json")
    latex = compare("--format", "latex")
    assert r"\textless{}b\textgreater{}Ours \& co$^{\ddagger}$ \citep{lab2026} & -- & -- & 0.4100 \\" in latex
    assert "% @misc{lab2026, title = {Lab}}" in latex
    markdown = compare("--format", "markdown")
    assert "| &lt;b&gt;Ours &amp; co‡ [lab2026] | – | – | 0.4100 |" in markdown
    assert "```bibtex\n@misc{lab2026" in markdown
    compare("--report", page)
    html = page.read_text()
    assert "<bdi>&lt;b&gt;Ours &amp; co</bdi>" in html
    assert '<section id="published"' in html
    assert "<b>Ours" not in html
    found = json.loads(compare("--json"))
    assert found["published"]["keyphrase_f1(preset=F,cutoffs=[5])"]["rows"][0]["values"] == {"f1@5": 0.41}
    assert found["comparison"] == json.loads(plain)["comparison"]


def test_table_5_on_the_command_line(run):
    for dataset, size in (("semeval2010:combined", "51 %"), ("pubmed", "47 %")):
        shown = run("published", dataset, "--score", "f1@10", "--like", F)
        own = shown.partition("\ndifferent")[0]
        assert len(re.findall(r"^\d[^\n]* popova2025q10 +F ", own, re.MULTILINE)) == 10
        heading = re.search(r"^different evaluation: [^\n]*Q-9.length[^\n]*moved scores by[^\n]*", shown, re.MULTILINE)
        assert f"moved scores by {size} here (popova2025q10)" in heading[0]


def test_only_the_same_with_citations(run):
    asked = ["published", "inspec:uncontrolled", "--score", "f1@10", "--like", F, "--same"]
    shown = run(*asked)
    assert "same evaluation" in shown
    assert "different evaluation" not in shown
    written = run(*asked, "--bibtex")
    assert re.findall(r"^@\w+\{(\w+),", written, re.MULTILINE) == [
        "boudin2022pkebench",
        "gallina2020jcdl",
        "popova2025q10",
    ]


def test_scores_of_present_and_absent_keyphrases(run, tmp_path):
    scores = tmp_path / "both.json"
    run("score", *EXAMPLES, "--as", "chan2019catseq2rf1", "--output", scores)
    shown = run("published", "inspec", "--like", scores)
    assert re.search(r"^present_f1@5 +324 ", shown, re.MULTILINE)
    assert re.search(r"^absent_f1@M +202 ", shown, re.MULTILINE)
    assert "Inspec, absent_f1@5, in percent" in run("published", "inspec", "--like", scores, "--score", "absent_f1@5")


def test_the_metric_that_has_the_score_is_taken(run, tmp_path):
    scores = tmp_path / "several.json"
    run("score", *EXAMPLES, "--metrics", "keyphrase_f1(preset=F)", "keyphrase_ndcg", "--output", scores)
    assert "compared with keyphrase_f1(preset=F)" in run("published", "inspec", "--like", scores, "--score", "f1@10")


@pytest.mark.parametrize(
    ("given", "spec"),
    [
        (F, "keyphrase_f1(preset=F)"),
        ("popova2025q10:F+", "keyphrase_f1(preset=F+)"),
        ("popova2025q10:S", "keyphrase_f1(preset=S)"),
        ("chan2019catseq2rf1", "keyphrase_f1(preset=catseq_table)"),
    ],
)
def test_scores_as_a_source(run, given, spec):
    found, expected = (
        json.loads(run("score", *EXAMPLES, *how, "--json")) for how in (("--as", given), ("--metrics", spec))
    )
    assert found == expected


def test_scores_as_a_record(run, tmp_path):
    record = tmp_path / "paper.toml"
    record.write_text('Q-1.gold_standard = "short"\n[Q-2]\naverage = "micro"\npredictions = "all"\n', encoding="utf-8")
    found = json.loads(run("score", *EXAMPLES, "--as", record, F, "--json"))["systems"]["extractor"]
    spec = "keyphrase_f1(average=micro,keyphrases=present,filter_predictions=False)"
    (other,) = json.loads(run("score", *EXAMPLES, "--metrics", spec, "--json"))["systems"]["extractor"].values()
    first, second = found.values()
    assert first == other
    assert second["f1@5"] == pytest.approx(0.38104192104)


def test_the_name_of_a_score_is_read_in_any_case(run):
    for name, meant in (("F1@10", "f1@10"), ("f1@m", "f1@M"), ("Present_F1@M", "present_f1@M")):
        assert run("published", "inspec", "--score", name) == run("published", "inspec", "--score", meant)
    one, other = (run("published", name, "--score", "f1@10") for name in ("Inspec:Uncontrolled", "inspec:uncontrolled"))
    assert one == other


def test_a_rule_that_is_not_followed_is_told(capsys):
    assert cli.main(["score", *EXAMPLES, "--as", "gallina2020jcdl:all"]) == 0
    assert "warning: gallina2020jcdl:all is followed but for a rule: equal references are not merged" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["published", "inspek"], "there is no data set 'inspek'; is it inspec?"),
        (["published", "inspec:authors"], "inspec has no references 'authors'; it has uncontrolled, controlled"),
        (["published", "inspec", "--score", "f1@99"], "inspec has no published f1@99; it has f1@5"),
        (["published", "--score", "f1@5"], "name the data set first"),
        (["published", "--like", F], "name the data set that is meant"),
        (["published", "inspec", "--like", "popova2025q10:G"], "has no method 'G'"),
        (["published", "inspec", "--like", "nothing.json"], "nothing.json: No such file"),
        (["published", "inspec", "--like", F, "--metric", "x"], "--metric is for --like SCORES.json"),
        (["published", "inspec", "--system", "SIFRank++"], "there is no system 'SIFRank++'"),
        (["published", "inspec", "--system", "keybert"], "there is no system 'keybert'; is it KeyBART"),
        (["published", "inspec", "--add", "nowhere"], "nowhere: No such file"),
        (["score", *EXAMPLES, "--as", "sun2020sifrank"], "cannot be computed here: a phrase matches by its stems or"),
        (["score", *EXAMPLES, "--as", "gallina2020jcdl:present"], "decided by characters"),
        (["score", *EXAMPLES, "--as", "nobody"], "there is no source 'nobody'"),
        (["score", *EXAMPLES, "--as", F, "--metrics", "r_precision"], "give it without --metrics"),
        (["score", *EXAMPLES, "--as", F, "--published"], "of no data set that is known here; name the data set"),
        (["compare", *EXAMPLES, "--published", "nowhere", *FAST], "there is no data set 'nowhere'"),
        (["score", *EXAMPLES, "--published", "inspec", "--add", "x"], "unrecognized arguments: --add x"),
        (["published", "inspec", "--same"], "--same is for --like"),
        (["published", "inspec", "--score", "present_f1@5", "--like", F], "gold standard of another kind (long)"),
    ],
)
def test_wrong_input_is_refused(refused, argv, said):
    assert said in refused(*argv)


def test_a_score_twice_is_refused(refused, lab):
    lab.write_text(lab.read_text().replace('"f1@5":', '"f1@5": 0.1, "f1@5":', 1))
    assert "has 'f1@5' twice in an object" in refused("published", "--like", lab)


def test_a_wrong_folder_is_refused_with_its_line(refused, lab):
    path = lab.parent / "lab/results/lab2026.csv"
    path.write_text(path.read_text().replace("0.43", "43"))
    said = refused("published", "toy")
    assert f"{path}, line 4: value is 43 (fraction), not from 0 to 100 %" in said


def test_own_answers_complete_the_scores(run, tmp_path):
    rows = [{"id": str(i), "predictions": ["a"], "references": ["a"]} for i in range(100)]
    scores, answers = tmp_path / "scores.json", tmp_path / "ours.yaml"
    run("score", lines(tmp_path / "run.jsonl", rows), "--as", F, "--output", scores)
    answers.write_text("Q-9: {length: short_from_long}\n", encoding="utf-8")
    ask = partial(run, "published", "semeval2010:combined", "--score", "f1@10", "--like", scores, "--json")

    def verdicts(text):
        (listing,) = json.loads(text)["listings"]
        return {row["method"]: row["evaluation"]["verdict"] for row in listing["rows"]}

    without, told = verdicts(ask()), verdicts(ask("--answers", answers))
    assert (without[F], told[F]) == ("unknown", "same")
    assert told["gallina2020jcdl:all"] == "different"
