"""``keyphrase-metrics publish``: a module and its demo as one Space of the Hugging Face Hub."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from keyphrase_metrics.formatting import visible
from keyphrase_metrics.metrics.registry import measure_names

TEXTS = {
    "usage": "%(prog)s NAME --to ORG/NAME [options]",
    "description": "Publish a metric's evaluate module and its demo as one Space of the Hugging Face Hub.",
    "epilog": """\
The Space holds the module, so that evaluate.load("ORG/NAME") finds it, its demo and its card. The package
travels with it: unpacked for the demo, and as the wheel that evaluate tells its users to install. Once the package is
on a registry, --from-registry leaves both out.

Publishing needs a token that may write to ORG ("hf auth login", or HF_TOKEN). An earlier version is replaced.

examples:
  keyphrase-metrics publish semr_p --to ORG/semr_p --dry-run semr_p
  keyphrase-metrics publish semr_p --to ORG/semr_p""",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the sub-command."""
    parser.add_argument("metric", metavar="NAME", help=f"the metric: {', '.join(sorted(measure_names()))}")
    parser.add_argument(
        "--to", metavar="ORG/NAME", required=True, help="the repository, which must be named like the metric"
    )
    parser.add_argument(
        "--dry-run",
        metavar="DIR",
        type=Path,
        help="write the Space into this folder, upload nothing; it must be new, empty or an earlier dry run's",
    )
    parser.add_argument("--private", action="store_true", help="make the Space private")
    package = parser.add_mutually_exclusive_group()
    package.add_argument(
        "--wheel", metavar="FILE", type=Path, help="the package's wheel (default: built from the checkout)"
    )
    package.add_argument(
        "--from-registry", action="store_true", help="leave the package out: a registry has this version"
    )


def run(options: argparse.Namespace) -> int:
    """Assemble the Space, and write or upload it."""
    from keyphrase_metrics.publishing import assemble, build_wheel, upload
    from keyphrase_metrics.publishing.space import Repository, check_publishable

    name, repository = options.metric, options.to
    check_publishable(name)  # these two before the wheel is built
    Repository.of(name, repository)
    with tempfile.TemporaryDirectory() as scratch:
        wheel = None if options.from_registry else options.wheel or build_wheel(Path(scratch))
        folder = options.dry_run or Path(scratch) / name
        files = assemble(name, repository, folder, wheel=wheel)
        if options.dry_run is None:
            page = upload(name, repository, folder, private=options.private)
            sys.stdout.write(f'{page}\nmodule: evaluate.load("{repository}")\n')
            return 0
    shown = visible(str(folder))
    module = shown if folder.resolve().name == name else f"{shown}/{name}.py"  # evaluate wants the two named alike
    sys.stdout.write(
        f"{shown}: the Space {repository} in {len(files)} files; nothing was uploaded\n"
        f'module: evaluate.load("{module}")\n'
        f"demo: python app.py in that folder, with its requirements.txt installed\n"
    )
    return 0
