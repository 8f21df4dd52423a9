"""What a command costs before it does much: processor time, wall time and peak memory; nothing is asserted.

    python benchmarks/startup.py [--against CHECKOUT] [--runs 5]

Every figure is the best of some runs of a process of its own. With --against, the same commands run in another checkout
(with its own .venv) in turn with these, so that a busy machine slows both: the ratio tells more than the seconds.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = [f"{ROOT}/examples/extractor.jsonl", "--references", f"{ROOT}/examples/references.jsonl"]
COMMANDS = {
    "--version": ["--version"],
    "--help": ["--help"],
    "list": ["list"],
    "score, thirty documents, lexical metrics": [
        *["score", *FILES, "--metrics", "keyphrase_f1", "keyphrase_ndcg", "r_precision"]
    ],
}


def cost(python, arguments):
    """Processor seconds, wall seconds and megabytes of one run."""
    start = time.perf_counter()
    run = subprocess.Popen([python, "-m", "keyphrase_metrics", *arguments], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    assert run.returncode == 0
    return used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", metavar="CHECKOUT", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    pythons = {"here": sys.executable}
    if options.against:
        pythons["there"] = str(options.against / ".venv" / "bin" / "python")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; best of {options.runs}")
    for name, arguments in COMMANDS.items():
        runs = [{at: cost(python, arguments) for at, python in pythons.items()} for _ in range(options.runs)]
        best = {at: [min(each) for each in zip(*(run[at] for run in runs), strict=True)] for at in pythons}
        shown = [
            f"{at} {cpu:.2f} s of processor, {wall:.2f} s, {size:.0f} MB" for at, (cpu, wall, size) in best.items()
        ]
        if options.against:
            shown.append("there/here " + ", ".join(f"{b / a:.2f}" for a, b in zip(*best.values(), strict=True)))
        print(f"{name}: {'; '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
