"""Names of repositories on the Hub, checked."""

from __future__ import annotations

from keyphrase_metrics.errors import InputError


def owner_and_name(repository: str, argument: str | None = None, name: str = "NAME") -> tuple[str, str]:
    """Return the two parts of ``ORG/NAME``.

    Args:
        repository: what was given.
        argument: which argument gave it, for the error.
        name: what stands for the second part in the error.

    Raises:
        InputError: for what no repository of an organisation or user can be called.

    >>> owner_and_name("acme/keyphrases")
    ('acme', 'keyphrases')
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    owner, slash, rest = repository.partition("/")
    problem = None
    if not slash or not owner:
        problem = f"is not ORG/{name}, ORG being an organisation or user of the Hub"
    else:
        try:
            validate_repo_id(repository)
        except HFValidationError as error:
            problem = f"is not the name of a repository ({error})"
    if problem is not None:
        raise InputError(f"{repository!r} {problem}", code="repository-name", argument=argument, value=repository)
    return owner, rest
