"""Upload a Space to the Hub, after checks that leave the Hub as it is."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from keyphrase_metrics.errors import Arg, InputError, Part
from keyphrase_metrics.formatting import first_few
from keyphrase_metrics.publishing.space import CARD, MAX_NAMED, Repository, foreign
from keyphrase_metrics.publishing.wheel import DISTRIBUTION

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_NEW = {".gitattributes", CARD}  # what the Hub itself puts into a Space that it makes


def upload(name: str, repository: str, folder: Path, *, private: bool = False, api: HfApi | None = None) -> str:
    """Send a Space to the Hub, as a new repository or in the place of what was published there before.

    Args:
        name: the metric's.
        repository: ``ORG/NAME`` on the Hub.
        folder: what :func:`keyphrase_metrics.publishing.assemble` wrote.
        private: make a new Space private; otherwise the owner's settings hold, which are public by default.
        api: what speaks to the Hub; by default with the token of ``hf auth login`` or ``HF_TOKEN``.

    Returns:
        The address of the Space.

    Raises:
        InputError: before anything is changed: without a token, for an owner whom it does not allow to publish,
            for a Space there that was not published by this function; and where the Hub refuses or is out of reach.
    """
    from huggingface_hub import HfApi

    where = Repository.of(name, repository)
    api = api or HfApi(library_name=DISTRIBUTION)
    with hub_errors(str(where), ("write the Space into a folder with ", Arg("dry_run"), ", which needs none")):
        _check_owner(api, where)
        _check_former(api, where, private)
        api.create_repo(
            str(where), repo_type="space", space_sdk="gradio", private=True if private else None, exist_ok=True
        )
        api.upload_folder(
            repo_id=str(where),
            repo_type="space",
            folder_path=folder,
            commit_message=f"{name} of {DISTRIBUTION} {importlib.metadata.version(DISTRIBUTION)}",
            delete_patterns="*",  # what an earlier version left
        )
    return where.page


@contextmanager
def hub_errors(repository: str, without_token: Sequence[Part]) -> Iterator[None]:
    """Say in the block what the Hub refuses, that it is out of reach, or that a token is needed.

    Args:
        repository: ``OWNER/NAME``, which the block publishes.
        without_token: what can be done without one.
    """
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    unreachable: tuple[type[Exception], ...] = HfHubHTTPError.__bases__  # errors of whichever HTTP client it has

    try:
        yield
    except LocalTokenNotFoundError:
        raise InputError(
            f"publishing {repository} needs a token of the Hub that may write to {repository.partition('/')[0]}: "
            "run 'hf auth login' or set HF_TOKEN",
            code="no-token",
            hints=[without_token],
        ) from None
    except HfHubHTTPError as error:
        raise InputError(f"the Hub refuses {repository}: {error.server_message or error}", code="hub") from None
    except unreachable as error:
        raise InputError(
            f"{repository} cannot be published, for the Hub is out of reach: {error}", code="hub"
        ) from None


def _check_owner(api: HfApi, repository: Repository) -> None:
    account = api.whoami()
    writable = [one["name"] for one in account.get("orgs", []) if one.get("roleInOrg") != "read"]
    owners = [account["name"], *writable]
    if repository.owner not in owners:
        raise InputError(
            f"the token is that of {account['name']}, who cannot publish to {repository.owner}",
            code="no-token",
            argument="to",
            subject=False,
            hints=[(Arg("to"), f" can name {' or '.join(f'{owner}/{repository.name}' for owner in owners)}")],
        )


def _check_former(api: HfApi, repository: Repository, private: bool) -> None:
    if not api.repo_exists(str(repository), repo_type="space"):
        return
    paths = api.list_repo_files(str(repository), repo_type="space")
    if not _NEW.issuperset(paths) and (strange := foreign(paths, repository.name)):
        raise InputError(
            f"the Space {repository} is there and holds {first_few(strange, MAX_NAMED)}, which publishing would "
            "delete; delete the Space, or rename it",
            code="foreign-files",
        )
    if private and not api.space_info(str(repository)).private:
        raise InputError(
            f"the Space {repository} is there and public; make it private in its settings on the Hub", code="hub"
        )
