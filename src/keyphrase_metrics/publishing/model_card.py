"""Evaluation results in the card of a model: its ``model-index``, written into a card's text and onto the Hub."""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keyphrase_metrics.errors import Arg, InputError
from keyphrase_metrics.publishing.hub import hub_errors
from keyphrase_metrics.publishing.repositories import owner_and_name
from keyphrase_metrics.publishing.space import CARD
from keyphrase_metrics.publishing.wheel import DISTRIBUTION

if TYPE_CHECKING:
    from huggingface_hub import EvalResult, HfApi

_INDEX = "model-index"


def update_model_card(model: str, results: Sequence[EvalResult], *, api: HfApi | None = None) -> str:
    """Write evaluation results into the card of a model on the Hub; a model without a card gets one.

    Args:
        model: ``ORG/NAME`` of the model's repository, which must be there.
        results: what :func:`keyphrase_metrics.publishing.eval_results` returned.
        api: what speaks to the Hub; by default with the token of ``hf auth login`` or ``HF_TOKEN``.

    Returns:
        The address of the commit.

    Raises:
        InputError: without a token, for a card that cannot be read or that the Hub finds invalid, and where the Hub
            refuses, is out of reach, or has another card by now.
    """
    from huggingface_hub import HfApi, ModelCard
    from huggingface_hub.errors import RemoteEntryNotFoundError

    owner_and_name(model)
    api = api or HfApi(library_name=DISTRIBUTION)
    with hub_errors(model, ("write the card into a file with ", Arg("dry_run"), ", which needs none")):
        api.whoami()
        revision = api.model_info(model).sha
        try:
            path = api.hf_hub_download(model, CARD, revision=revision)
            card = Path(path).read_bytes().decode("utf-8-sig")
        except RemoteEntryNotFoundError:  # and not one that is only missing on disk, where the Hub is out of reach
            card = ""
        except UnicodeDecodeError as error:
            raise InputError(
                f"is not in UTF-8 (byte {error.start})", code="not-utf8", place=f"{model}, {CARD}"
            ) from None
        try:
            text = with_results(card, model, results)
        except InputError as error:
            raise error.within_file(f"{model}, {CARD}") from None
        try:
            ModelCard(text).validate()
        except ValueError as error:
            raise InputError(f"the Hub finds the card of {model} invalid: {error}", code="hub") from None
        commit = api.upload_file(
            path_or_fileobj=text.encode(),
            path_in_repo=CARD,
            repo_id=model,
            commit_message=f"Evaluation results by {DISTRIBUTION} {importlib.metadata.version(DISTRIBUTION)}",
            parent_commit=revision,
        )
    return commit.commit_url


def with_results(card: str, model: str, results: Sequence[EvalResult]) -> str:
    r"""Return the text of a model card with evaluation results in its ``model-index``.

    A result that is there already, with the same data set, name, signature, data and system, is replaced; others are
    added. Nothing else changes: the text and all other metadata stay as they are written, to the byte. Within the
    ``model-index`` values stay as they are, but comments do not.

    Args:
        card: the text; an empty one is begun with the name of the model.
        model: ``ORG/NAME``.
        results: what :func:`keyphrase_metrics.publishing.eval_results` returned.

    Raises:
        InputError: for a name that is not ``ORG/NAME``, and a card whose metadata cannot be read or added to.

    >>> from huggingface_hub import EvalResult, ModelCard
    >>> result = EvalResult("keyphrase-extraction", "inspec", "Inspec", "keyphrase_f1", 0.25, metric_name="f1@5")
    >>> text = with_results("---\nlicense: mit  # for now\n---\nMine.\n", "acme/keys", [result])
    >>> text.splitlines()[:4]
    ['---', 'license: mit  # for now', 'model-index:', '- name: acme/keys']
    >>> ModelCard(text).data.eval_results == [result], text.endswith("\n---\nMine.\n")
    (True, True)
    """
    from huggingface_hub.repocard import REGEX_YAML_BLOCK

    owner_and_name(model)
    if not card.strip():
        card = f"# {model}\n"
    newline = "\r\n" if "\r\n" in card else "\n"
    front = REGEX_YAML_BLOCK.search(card)
    if front is None:
        return f"---{newline}{_with_index('', model, results, newline)}{newline}---{newline}{newline}{card}"
    return f"{front[1]}{_with_index(front[2], model, results, newline)}{front[3]}{card[front.end() :]}"


def _with_index(metadata: str, model: str, results: Sequence[EvalResult], newline: str) -> str:
    """Return the YAML of a card with the results in it."""
    import yaml  # type: ignore[import-untyped]

    try:
        before = yaml.safe_load(metadata) or {}
        root = yaml.compose(metadata, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"its metadata are not valid YAML ({_one_line(error)})", code="not-yaml") from None
    if not isinstance(before, dict) or (before and root.flow_style):
        raise InputError("its metadata must be a block of YAML, one 'key: value' a line", code="damaged-card")
    found = [pair for pair in (root.value if before else []) if pair[0].value == _INDEX]
    if len(found) > 1:
        raise InputError(f"its metadata have {_INDEX} twice", code="repeated-key")
    _read_index(before.get(_INDEX))
    start, stop = (found[0][0].start_mark.index, _end(found[0][1])) if found else (0, 0)
    index = _composed(model, results)
    if before.get(_INDEX):
        _merge(found[0][1], index, model)
        index = found[0][1]
    written = _serialized(index).replace("\n", newline)
    if found:
        changed = f"{metadata[:start]}{written}{metadata[len(metadata[:stop].rstrip()) :]}"
    elif repr(yaml.safe_load(f"{metadata}{newline}") or {}) == repr(before):
        changed = newline.join(filter(None, [metadata, written]))
    else:  # the last value is a text that a line behind it would lengthen
        changed = f"{written}{newline}{metadata}"
    _check_nothing_lost(before, changed, results)
    return changed


def _read_index(index: Any) -> list[EvalResult]:
    """Return the results as huggingface_hub reads them. Raises InputError where it cannot."""
    from huggingface_hub.repocard_data import model_index_to_eval_results

    try:
        return model_index_to_eval_results(index)[1] if index else []
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(
            f"its {_INDEX} cannot be read ({type(error).__name__}: {_one_line(error)}); mend it, or take it out",
            code="damaged-card",
        ) from None


def _composed(model: str, results: Sequence[EvalResult]) -> Any:
    """Return results as nodes of YAML."""
    import yaml
    from huggingface_hub.repocard_data import eval_results_to_model_index

    index = eval_results_to_model_index(model, [*results])
    return yaml.compose(yaml.safe_dump(index, sort_keys=False), Loader=yaml.SafeLoader)


def _merge(index: Any, new: Any, model: str) -> None:
    """Add the results of a new index to those of the model that an old one describes.

    Both are nodes and not values, for a node is written as it was read: a revision 0123456 is not taken for a number.
    """
    entries = {_value(_child(entry, "name")): entry for entry in index.value}
    results = _child(entries.get(model, index.value[-1]), "results")
    if not results.value:
        results.flow_style = False
    for group in _child(new.value[0], "results").value:
        of = _without_metrics(group)
        same = [result for result in results.value if _without_metrics(result) == of]
        if not same:
            results.value.append(group)
            continue
        lists = [_child(result, "metrics").value for result in same]
        there = [(_identity(metric), metrics, i) for metrics in lists for i, metric in enumerate(metrics)]
        for metric in _child(group, "metrics").value:
            identity = _identity(metric)
            metrics, i = next(((metrics, i) for old, metrics, i in there if old == identity), (lists[-1], None))
            if i is None:
                metrics.append(metric)
            else:
                metrics[i] = metric


def _child(node: Any, key: str) -> Any:
    for name, value in node.value:
        if name.value == key:
            return value
    raise InputError(f"its {_INDEX} must have every {key!r} written out, without '<<'", code="damaged-card")


def _value(node: Any) -> Any:
    import yaml

    return yaml.SafeLoader("").construct_document(node)


def _without_metrics(result: Any) -> dict[str, Any]:
    """Return what a result says beside its metrics: task, data set, and where it is from."""
    return {key: value for key, value in _value(result).items() if key != "metrics"}


def _identity(metric: Any) -> list[Any]:
    value = _value(metric)
    return _identified(value.get("type"), value.get("name"), value.get("args"))


def _identified(kind: Any, name: Any, arguments: Any) -> list[Any]:
    """Return what tells one metric from another: not its value, nor what else is known of it."""
    known = arguments if isinstance(arguments, dict) else {}
    return [kind, name, *(known.get(key) for key in ("signature", "data", "system"))]


def _serialized(index: Any) -> str:
    """Return the lines of an index; what could steer a terminal or garble a page is escaped."""
    import yaml

    key = yaml.ScalarNode("tag:yaml.org,2002:str", _INDEX)
    node = yaml.MappingNode("tag:yaml.org,2002:map", [(key, index)], flow_style=False)
    how = {"Dumper": yaml.SafeDumper, "width": math.inf}
    text: str = yaml.serialize(node, allow_unicode=True, **how)
    if not text.replace("\n", "").isprintable():
        text = yaml.serialize(node, allow_unicode=False, **how)
    return text.rstrip("\n")


def _end(node: Any) -> int:
    """Return where a node ends; the end mark of a block stands behind the comments that follow it."""
    if node.value and not isinstance(node.value, str) and not node.flow_style:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _check_nothing_lost(before: dict[str, Any], changed: str, results: Sequence[EvalResult]) -> None:
    """Read the new metadata back: the results are there, and the rest is what it was."""
    import yaml

    def identity(result: EvalResult) -> list[Any]:
        return _identified(result.metric_type, result.metric_name, result.metric_args)

    try:
        after = yaml.safe_load(changed)
        there = _read_index(after.pop(_INDEX))
    except (yaml.YAMLError, ValueError, AttributeError, KeyError) as error:
        problem = f"results cannot be written into its metadata ({_one_line(error)})"
        raise InputError(problem, code="damaged-card") from None
    replaced = [identity(result) for result in results]
    kept = [result for result in _read_index(before.get(_INDEX)) if identity(result) not in replaced]
    rest = {key: value for key, value in before.items() if key != _INDEX}
    if repr(rest) != repr(after) or any(result not in there for result in [*kept, *results]):
        raise InputError("results cannot be written into its metadata without changing the rest", code="damaged-card")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
