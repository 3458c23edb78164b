"""GitLab CI/CD: a `.gitlab-ci.yml` with a job for each stage and real needs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from shlex import quote

from pipegen.diagnostics.report import Report
from pipegen.emit.header import options_note
from pipegen.plan.model import Plan
from pipegen.targets.base import Capability, GeneratedFile, Pair, Request
from pipegen.targets.gitlab.capabilities import TABLE
from pipegen.targets.gitlab.checks import check_size
from pipegen.targets.gitlab.children import with_children
from pipegen.targets.gitlab.lower import ChildFile, lower
from pipegen.targets.gitlab.pairs import PAIRS
from pipegen.targets.gitlab.publications import check_publications
from pipegen.targets.gitlab.render import render
from pipegen.targets.gitlab.settings import SCHEMA, read

NAME = "gitlab"
FILE = ".gitlab-ci.yml"
# Of the files of child pipelines, beside that.
FOLDER = ".gitlab-ci"
_LONGEST, _DIGITS = 40, 10
CAPABILITIES: tuple[Capability, ...] = TABLE
INCOMPATIBLE: tuple[Pair, ...] = PAIRS
SETTINGS: Mapping[str, object] = SCHEMA
OPTIONS: Mapping[str, tuple[str, ...]] = {"split": ()}


def generate(plans: Sequence[Plan], request: Request, report: Report) -> Sequence[GeneratedFile]:
    """Return the file of *plans*, after those of its child pipelines; what GitLab cannot say is reported."""
    settings, chosen = read(request.settings), bool(request.chosen)
    check_publications(plans, request.settings, chosen=chosen, report=report)
    groups = tuple(tuple(group.split(",")) for group in request.options.get("split", "").splitlines())
    lowered = lower(plans, settings, chosen=chosen, report=report, groups=groups)
    given = options_note(request.chosen, request.given, [",".join(group) for group in groups])
    children = {child.bridge: _child(child, request, given) for child in lowered.children}
    document = with_children(lowered.document, children, request.options.get("folder", ""))
    files = (*children.values(), GeneratedFile(FILE, render(document, request.source, (*given, *lowered.notes))))
    documents = (*(child.document for child in lowered.children), document)
    for file, one in zip(files, documents, strict=True):
        check_size(file.name, one, settings.max_yaml_size_bytes, plans[0].span, report)
    return files


def _child(child: ChildFile, request: Request, given: Sequence[str]) -> GeneratedFile:
    """Return the file of *child*, named by what it says."""
    note = f"A child pipeline: the job {quote(child.bridge)} of {FILE} starts it."
    text = render(child.document, request.source, (*given, note))
    words = re.sub(r"[^a-z0-9]+", "-", child.title.lower()).strip("-")[:_LONGEST].strip("-") or "child"
    return GeneratedFile(f"{FOLDER}/{words}-{sha256(text.encode()).hexdigest()[:_DIGITS]}.yml", text)
