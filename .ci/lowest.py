"""Print the lower bounds of setup.cfg as constraints for pip: the oldest versions that the package says it works with.

What the tests alone need has the version of constraints.txt, and so has torch, whose older builds take gigabytes.
"""

import configparser
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = {"dev", "docs", "test"}

setup = configparser.ConfigParser()
setup.read(ROOT / "setup.cfg", encoding="utf-8")
extras = setup["options.extras_require"]
needed = [setup["options"]["install_requires"], *(text for name, text in extras.items() if name not in TOOLS)]
oldest = dict(re.findall(r"^([\w-]+)\S*>=([\w.]+)$", "\n".join(needed), re.MULTILINE))
del oldest["torch"]
tested = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE))
others = ["torch", *re.findall(r"^[\w-]+", extras["test"], re.MULTILINE)]
pins = {name: tested[name] for name in others if name not in oldest} | oldest
print("\n".join(f"{name}=={version}" for name, version in sorted(pins.items())))
