#!/usr/bin/env bash
# Test the wheel, the source distribution and the editable install, one after the other, in one clean
# virtual environment that lies, like the working folder, outside the checkout.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

export HF_HUB_OFFLINE=1 HF_EVALUATE_OFFLINE=1 HF_HOME="$scratch/huggingface" PIP_DISABLE_PIP_VERSION_CHECK=1
unset PYTHONPATH PYTHONDONTWRITEBYTECODE

make --no-print-directory -C "$project" dist >"$scratch/dist.log" 2>&1 || { cat "$scratch/dist.log" >&2; exit 1; }
cp "$project"/dist/* "$scratch"
"${PYTHON:-python3}" -m venv "$scratch/venv"
cd "$scratch"
python=venv/bin/python

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
    "$python" -m pip install --quiet --no-compile -c "$project/constraints.txt" "${@:2:$#-2}"
    check "$folder"
    "$python" -m pip uninstall --quiet --yes keyphrase-metrics
}

install wheel ./*.whl venv
install "source distribution" ./*.tar.gz venv
install editable -e "$project" "$project/src"
