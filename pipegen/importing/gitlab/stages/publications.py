"""Websites and releases that jobs publish, as settings of GitLab."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data, Value
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.sites import published
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.importing.gitlab.reading.variables import Variable
from pipegen.importing.gitlab.stages.keys.base import present, raw_data
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.importing.gitlab.stages.texts import rule_variables, with_values
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.tree import Entry, Node
from pipegen.structs import Struct

# GitLab calls glab with the texts of a release between double quotes.
_SHOWN = re.compile(r"(?![\s\S]*\$[($])[^\"`\\]+")
_KEYS = {"tag_name": "tag", "name": "name", "description": "description", "ref": "ref"}
_LINK_KEYS = {"name": "name", "url": "url", "filepath": "filepath", "link_type": "type"}
_LINK_TYPES = ("other", "runbook", "image", "package")


def add_pages(drafts: Sequence[Draft], targets: dict[str, Value], accounting: Accounting, report: Report) -> None:
    """Add the stage of *drafts* that publishes the website to the settings *targets*; those of others stay raw."""
    for draft in drafts:
        entries = [draft.job.entries[key] for key in ("pages", "publish") if draft.job.get(key) is not None]
        folder = published(draft.name, draft.job.entries)
        pages = draft.job.get("pages")
        reason = _raw_pages(draft, folder, present(pages), targets) if folder else ""
        for entry in entries:
            accounting.mark(entry, KeyOutcome.RAW if reason else KeyOutcome.TRANSLATED)
        if reason:
            options = raw_data(pages) if pages is not None else None
            is_whole = options is not None and draft.job.get("publish") is None
            own = options if isinstance(options, dict) else {}
            draft.raw["pages"] = options if is_whole else {**own, "publish": folder}
            report.add(
                codes.KEPT_RAW,
                f'the website of job "{draft.name}" stays a key of GitLab: {reason}',
                at=entries[0].key.span if entries else draft.job.span,
                hint="publish it in the script for other engines",
            )
        elif folder:
            targets["pages"] = {"stage": draft.name, **({"publish": folder} if folder != "public" else {})}


def _raw_pages(draft: Draft, folder: str, options: Collection[str], targets: Mapping[str, Value]) -> str:
    """Return why the website in *folder* with *options* is not a setting, "" if it is one."""
    if "pages" in targets:
        return "another job publishes one, too"
    if others := [key for key in options if key != "publish"]:
        return f'the key "{others[0]}"'
    if "$" in folder:
        return "its folder contains a variable"
    return "the artifacts of the job stay raw" if "artifacts" in draft.raw else ""


def add_releases(
    drafts: Sequence[Draft],
    inputs: Collection[str],
    targets: dict[str, Value],
    accounting: Accounting,
    report: Report,
) -> None:
    """Add the releases that stages of *drafts* create to the settings *targets*; others stay raw.

    Variables that are *inputs* stay variables.
    """
    releases: list[Value] = []
    for draft in drafts:
        entry = draft.job.entries.get("release")
        if entry is None:
            continue
        try:
            releases.append({"stage": draft.name, **_release(draft, entry, inputs)})
        except UntranslatableError as error:
            draft.raw["release"] = raw_data(entry.value)
            accounting.mark(entry, KeyOutcome.RAW)
            report.add(
                codes.KEPT_RAW,
                f'"release" of job "{draft.name}" stays a key of GitLab: {error}',
                at=entry.key.span,
                hint="create the release in the script for other engines",
            )
        else:
            accounting.mark(entry, KeyOutcome.TRANSLATED)
    if releases:
        targets["release"] = releases[0] if len(releases) == 1 else releases


def _release(draft: Draft, entry: Entry, inputs: Collection[str]) -> Mapping[str, Value]:
    """Return the settings of the release in *entry*; raise `UntranslatableError` if there are none."""
    keys = present(entry.value)
    if not {"tag_name", "description"} <= set(keys):
        raise UntranslatableError("it has no tag or no description")
    if "image" not in draft.keys and "image" not in draft.raw:
        raise UntranslatableError("the job has no image")
    if "matrix" in draft.keys or "parallel" in draft.raw:
        raise UntranslatableError("several jobs create it")
    fixed = set(draft.job.variables) - {*inputs, *rule_variables(draft.job)}
    texts = _Texts({name: draft.job.variables[name] for name in fixed})
    release: dict[str, Value] = {}
    for key, setting in keys.items():
        if key in _KEYS:
            release[_KEYS[key]] = texts.shown(text_of(setting.value))
        elif key == "milestones":
            release[key] = [texts.shown(text) for text in texts_of(setting.value)]
        elif key == "assets" and set(present(setting.value)) == {"links"}:
            release["links"] = [_link(link, texts) for link in flat_items(present(setting.value)["links"].value)]
        else:
            raise UntranslatableError(f'the key "{key}"')
    return release


def _link(node: Node, texts: _Texts) -> dict[str, Data]:
    keys = present(node)
    unknown = next((key for key in keys if key not in _LINK_KEYS), "")
    if unknown or not {"name", "url"} <= set(keys):
        raise UntranslatableError(f'the key "{unknown or "assets"}"')
    if "link_type" in keys and text_of(keys["link_type"].value) not in _LINK_TYPES:
        raise UntranslatableError('the key "link_type"')
    return {_LINK_KEYS[key]: texts.shown(text_of(entry.value)) for key, entry in keys.items()}


class _Texts(Struct):
    """Texts of a release with the values of *variables*, which the generated job may only have in its script."""

    variables: Mapping[str, Variable]

    def shown(self, text: str) -> str:
        shown = with_values(text, self.variables)
        if not _SHOWN.fullmatch(shown):
            raise UntranslatableError(f'the text "{text}"')
        return shown
