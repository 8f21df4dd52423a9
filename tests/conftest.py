import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_EVALUATE_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # small models only wait for more, and tests run side by side

import pytest
from hypothesis import HealthCheck, settings

CI = bool(os.environ.get("CI"))  # there the same examples every time
settings.register_profile(
    "suite", deadline=None, max_examples=50, derandomize=CI, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")


@pytest.fixture(autouse=True)
def _own_evaluate_cache(tmp_path, monkeypatch):
    """Keep what evaluate writes out of the user's cache, and one test's out of another's."""
    import evaluate.config

    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", str(tmp_path / "evaluate"))


@pytest.fixture(scope="session")
def bert(tmp_path_factory):
    """The path of a tiny BERT with random weights."""
    from models import tiny_bert

    return tiny_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="session")
def bart(tmp_path_factory):
    """The path of a tiny BART with random weights."""
    from models import tiny_bart

    return tiny_bart(tmp_path_factory.mktemp("models") / "bart")
