# What the scripts that use clean environments share. They set $python to that of the environment, and $project, $venv.

pip_install() { "$python" -m pip install --quiet --no-compile -c "$project/constraints.txt" "$@"; }

borrow_torch() {  # its installation would take longer than all else here: 1 GB that the set-up has unpacked already
    local to
    to=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    "$venv/bin/python" - "$to" <<'EOF'
import importlib.metadata
import sys
from pathlib import Path

torch = importlib.metadata.distribution("torch")
for top in {path.parts[0] for path in torch.files} - {"..", "__pycache__"}:
    Path(sys.argv[1], top).symlink_to(torch.locate_file(top))
EOF
}

remember() { "$python" -m pip freeze >before.txt; }

forget() {  # uninstall what is there since remember
    "$python" -m pip freeze | { grep -vxFf before.txt || true; } >since.txt
    "$python" -m pip uninstall --quiet --yes -r since.txt
}
