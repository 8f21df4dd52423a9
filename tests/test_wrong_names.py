"""Names that nothing has: the error asks for the one that was likely meant, and says each thing once."""

import pytest

import keyphrase_metrics
from keyphrase_metrics import score
from keyphrase_metrics.cli import main
from keyphrase_metrics.compare import study
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.scoring import configure

GIVEN = {"predictions": [["fog"]], "references": [["fog"]]}
MEANT = r"has no parameter 'cutofs' \(did you mean 'cutoffs'\?\)"


def test_a_shared_parameter():
    with pytest.raises(ValueError, match=r"^no metric has a parameter 'cutofs' \(did you mean 'cutoffs'\?\)$"):
        score(**GIVEN, cutofs=[5])
    with pytest.raises(ValueError, match=r"^no metric has a parameter 'source' \(did you mean 'sources'\?\)$"):
        score(**GIVEN, source=["a text"])
    with pytest.raises(ValueError, match=r"^none of these metrics has a parameter 'threshold'; sem_f1 has it$"):
        score(**GIVEN, metrics="r_precision", threshold=0.5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Metric.of("keyphrase_f1", cutofs=[5]),
        lambda: Metric.parse("keyphrase_f1(cutofs=[5])"),
        lambda: score(**GIVEN, metrics="keyphrase_f1(cutofs=[5])"),
        lambda: keyphrase_metrics.load("keyphrase_f1", cutofs=[5]),
        lambda: keyphrase_metrics.load("keyphrase_f1").compute(**GIVEN, cutofs=[5]),
    ],
)
def test_a_parameter_of_a_metric(call):
    with pytest.raises(ValueError, match=MEANT):
        call()


def test_by_the_command(one, capsys):
    assert main(["score", str(one), "--set", "cutofs=[5]"]) == 2
    assert capsys.readouterr().err.count("no metric has a parameter 'cutofs' (did you mean 'cutoffs'?)") == 1


def test_a_preset_a_metric_and_a_result():
    with pytest.raises(ValueError, match=r"preset='kpevl' is not allowed for keyphrase_f1 \(did you mean 'kpeval'\?\)"):
        Metric.of("keyphrase_f1", preset="kpevl")
    with pytest.raises(ValueError, match=r"metric 'f1' is not known \(did you mean 'keyphrase_f1'\?\); known: "):
        score(**GIVEN, metrics="f1")
    with pytest.raises(ValueError, match="several metrics are given as a list"):
        score(**GIVEN, metrics="keyphrase_f1,r_precision")
    with pytest.raises(KeyError, match=r"'r_precison' was not scored \(did you mean 'r_precision'\?\); scored: "):
        score(**GIVEN)["r_precison"]


def test_each_sentence_once():
    with pytest.raises(ValueError, match="are not known") as caught:
        configure(["f1", "ndgc", "f1"])
    assert str(caught.value).count("known: ") == 1
    assert str(caught.value).count("'f1'") == 1
    with pytest.raises(ValueError, match="stemmer='portr'") as caught:
        configure(["keyphrase_f1", "keyphrase_ndcg", "r_precision"], stemmer="portr")
    assert str(caught.value).count("portr") == 1
    with pytest.raises(ValueError, match="cutoffs='5'") as caught:
        configure(["keyphrase_f1", "keyphrase_ndcg", "keyphrase_f1(pad=True)"], cutoffs="5")
    assert str(caught.value) == (
        "keyphrase_f1: cutoffs='5' is not allowed; choose a list of integers ≥ 1, 'M', 'O'; "
        "keyphrase_ndcg: cutoffs='5' is not allowed; choose a list of integers ≥ 1"
    )


def test_a_module_names_what_is_for_add_alone():
    module = keyphrase_metrics.load("keyphrase_f1")
    with pytest.raises(
        ValueError, match="prediction is for add, which takes one document; give predictions to compute"
    ):
        module.compute(prediction=[["fog"]], references=[["fog"]])
    with pytest.raises(ValueError, match=r"reference is for add, .* give references to add_batch"):
        module.add_batch(predictions=[["fog"]], reference=[["fog"]])


def test_what_is_no_study():
    found = score(**GIVEN, per_document=True)
    with pytest.raises(ValueError, match=r"scores is \[Scores.* \(list\); give system -> what score returned for it"):
        study([found])
    with pytest.raises(ValueError, match=r"scores\['a'\] is \[\['fog'\]\] \(list\); give"):
        study({"a": GIVEN["predictions"]})
    with pytest.raises(ValueError, match=r"settings is \{'seed': 1\} \(dict\); give Settings"):
        study({"a": found}, settings={"seed": 1})


def test_several_metrics_need():
    with pytest.raises(ValueError, match="keyphrase_f1, keyphrase_ndcg, r_precision need the documents' reference"):
        score(GIVEN["predictions"])
