"""How the command line words what is wrong: it knows arguments as options, but parameters of metrics by their names."""

from __future__ import annotations

from keyphrase_metrics.errors import Wording

_OF_FILES = (
    "annotators by by_order corpus dataset dataset_config format id_field index no_sources on_bad_line parse "
    "predictions_field references references_field references_format references_id_field score_order separator "
    "source_field sources split subset summary_field system variants"
)
_OF_RUNS = "address engine num_cpus num_gpus output per_document report resume shard_size workers"
_OF_PUBLISHING = "dry_run from_registry to wheel"
_OF_COMPARISONS = "answers baseline confidence document keys ks method most only permutations resamples rescore seed"
_OF_AGREEMENT = "figures good judgement_field level unlisted"
_OPTIONS = frozenset(f"{_OF_FILES} {_OF_RUNS} {_OF_COMPARISONS} {_OF_AGREEMENT} {_OF_PUBLISHING}".split())
_DATA = frozenset({"predictions", "references", "sources", "summaries", "reference_weights", "corpus"})


def option(name: str) -> str:
    """Return the option that gives an argument; a metric's parameter keeps its name, as it is written in a SPEC.

    >>> option("by_order"), option("on_empty")
    ('--by-order', 'on_empty')
    """
    if name == "parse_keyphrases":  # the function, of which an option makes use
        return "--parse"
    if name == "folder":
        return "--resume"
    return f"--{name.replace('_', '-')}" if name in _OPTIONS else name


def subject(name: str) -> str:
    """Return what a sentence about an argument begins with: data are not known by the option that names their file."""
    return name if name in _DATA else option(name)


CLI = Wording(option, subject=subject)
