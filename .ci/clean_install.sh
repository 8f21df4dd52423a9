#!/usr/bin/env bash
# Test what is built, then the wheel, the source distribution and the editable install, one after the other, in one clean
# virtual environment that lies, like the working folder, outside the checkout; then each extra alone.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=${VENV:-$project/.venv}  # which has twine, and torch
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

export HF_HUB_OFFLINE=1 HF_EVALUATE_OFFLINE=1 HF_HOME="$scratch/huggingface" PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH PYTHONDONTWRITEBYTECODE

make --no-print-directory -C "$project" dist >"$scratch/dist.log" 2>&1 || { cat "$scratch/dist.log" >&2; exit 1; }
cp "$project"/dist/* "$scratch"
"$venv/bin/python" -m twine check --strict "$scratch"/*.whl "$scratch"/*.tar.gz
"${PYTHON:-python3}" -m venv "$scratch/venv"
cd "$scratch"
python=venv/bin/python
. "$project/.ci/environments.sh"

check() {  # check FOLDER: the installed package works, and comes from a folder of that name
    venv/bin/keyphrase-metrics --version
    "$python" -m pip check
    "$python" - "$1" <<'EOF'
import importlib.util
import sys
from pathlib import Path

import keyphrase_metrics

heavy = {"torch", "evaluate"} & set(sys.modules)
assert not heavy, f"importing keyphrase_metrics imports {heavy}"
assert importlib.util.find_spec("torch") is None, "torch is installed"

found = Path(keyphrase_metrics.__file__).resolve()
assert found.is_relative_to(Path(sys.argv[1]).resolve()), f"keyphrase_metrics comes from {found}"

metric = keyphrase_metrics.load("keyphrase_f1")
scores = metric.compute(predictions=[["solar farms"]], references=[["solar farm"]])
assert scores["f1@M"] == 1.0, scores
print("f1@M", scores["f1@M"], "from", found.parent)
EOF
}

install() {  # install WHAT PIP-ARGUMENTS FOLDER
    local what=$1 folder=${!#}
    echo "-- $what"
    pip_install "${@:2:$#-2}"
    check "$folder"
    "$python" -m pip uninstall --quiet --yes keyphrase-metrics
}

install wheel ./*.whl venv
install "source distribution" ./*.tar.gz venv
install editable -e "$project" "$project/src"

extra() {  # extra NAME COMMAND...: what the extra is for works with it alone
    echo "-- extra $1"
    remember
    pip_install "$(echo ./*.whl)[$1]"
    "$python" -m pip check
    "${@:2}" >extra.log 2>&1 || { cat extra.log >&2; exit 1; }
    forget
}

run=venv/bin/keyphrase-metrics examples=$project/examples
systems=("$examples/extractor.jsonl" "$examples/generator.jsonl" --references "$examples/references.jsonl")
extra compare $run analyze "$examples" --only factors --metrics keyphrase_f1 keyphrase_ndcg r_precision
extra figures $run agree "$examples/agreement/judged/lists.jsonl" "${systems[@]}" --metrics r_precision --figures figures
extra ray $run score "${systems[@]:1}" --metrics r_precision --engine ray --resume kept
extra demo "$python" -c 'from keyphrase_metrics.demo.app import build; build("keyphrase_f1")'
extra offline "$python" -c 'from keyphrase_metrics.models.weights import packaged_minilm; assert packaged_minilm()'
extra test "$python" -c 'import hypothesis, playwright, pytest, statsmodels'
borrow_torch
extra semantic $run score "${systems[@]}" --metrics keyphrase_rouge
extra fem "$python" - <<'EOF'
import numpy as np
from keyphrase_metrics import score

score(
    [["tidal power"]],
    sources=["Tidal power from the sea."],
    summaries=["The sea makes power."],
    corpus=["Wind power at sea."],
    encoder=lambda texts: np.ones((len(texts), 2)),
    metrics="fem_kp(generator=serialize,retriever=rank_bm25,unit=token)",
)
EOF
extra train "$python" -c 'from keyphrase_metrics.training import Seq2SeqKeyphraseMetrics, SignatureCallback'
