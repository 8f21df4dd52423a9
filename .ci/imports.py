"""Check with deptry that setup.cfg declares what the package imports, and nothing else."""

import configparser
import subprocess
import sys
import tempfile
from pathlib import Path

setup = configparser.ConfigParser()
setup.read("setup.cfg", encoding="utf-8")
extras = dict(setup["options.extras_require"])
with tempfile.TemporaryDirectory() as folder:  # deptry reads no setup.cfg
    needed, development = Path(folder, "requirements.txt"), Path(folder, "dev.txt")
    development.write_text(extras.pop("dev") + extras.pop("docs"))
    del extras["test"]
    needed.write_text("\n".join([setup["options"]["install_requires"], *extras.values()]))
    deptry = [sys.executable, "-m", "deptry", "src", "--no-ansi", "--requirements-files", str(needed)]
    sys.exit(subprocess.run([*deptry, "--requirements-files-dev", str(development)]).returncode)
