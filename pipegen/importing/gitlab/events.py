"""The events under which an imported pipeline is compared with its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from pipegen.importing.gitlab.reading.expressions.formulas import (
    Changed,
    Comparison,
    Exist,
    Facts,
    Formula,
    HasValue,
    IsRef,
    LiteralText,
    VariableName,
    tests_in,
)
from pipegen.importing.gitlab.reading.expressions.paths import example
from pipegen.importing.gitlab.reading.jobs import SourcePipeline
from pipegen.importing.gitlab.reading.rules import formulas_of
from pipegen.plan.model import Event
from pipegen.plan.model.facts import StartEvent
from pipegen.structs import Struct, replace

_BRANCHES = ("feature/x", "release/1.0", "develop")
_TAG = "v1.0.0"
_PREDEFINED = ("CI_", "GITLAB_")
# Rules keep forks from running with them.
_OF_PROJECT = (
    "CI_PROJECT_PATH",
    "CI_PROJECT_NAMESPACE",
    "CI_PROJECT_ROOT_NAMESPACE",
    "CI_PROJECT_NAME",
    "CI_PROJECT_ID",
)
_MOST_VARIABLES = 8
_MOST_BRANCHES = 30
_MOST_PATHS = 8
# The values of `CI_PIPELINE_SOURCE`: https://docs.gitlab.com/ci/jobs/job_rules/#ci_pipeline_source-predefined-variable
_SOURCES = {
    Event.PUSH: "push",
    Event.MERGE_REQUEST: "merge_request_event",
    Event.TAG: "push",
    Event.SCHEDULE: "schedule",
    Event.MANUAL: "web",
    Event.API: "api",
}


class ComparedEvent(Struct):
    """An event, in a few words, and what rules are evaluated against in its run.

    It *is_duplicate* if it is a push to a branch with an open merge request, for which GitLab starts a pipeline, too.
    """

    title: str
    facts: Facts
    is_duplicate: bool = False


def events(source: SourcePipeline, others: Iterable[Formula], default_branch: str) -> tuple[ComparedEvent, ...]:
    """Return the usual events, and those that the rules of *source*, and *others*, distinguish."""
    parts = [test for formula in (*formulas_of(source), *others) for test in tests_in(formula)]
    branches = _branches(parts, default_branch)
    runs = [_branch(f"push to {branch}", "push", branch, default_branch) for branch in branches]
    duplicates = [
        *(replace(_with_merge_request(push), is_duplicate=True) for push in runs),
        _with_merge_request(_branch("web on feature/x", "web", "feature/x", default_branch)),
    ]
    runs += [_merge_request(default_branch), _tag(default_branch)]
    runs += [
        _branch(f"{source_} on {default_branch}", source_, default_branch, default_branch)
        for source_ in ("schedule", "web", "api", "trigger", "pipeline")
    ]
    runs += [*_with_changes(runs[:2], parts, default_branch), *_with_files(runs[:2], parts)]
    web, request = (
        _branch(f"web on {default_branch}", "web", default_branch, default_branch),
        _merge_request(default_branch),
    )
    for name, value in _variables(parts)[:_MOST_VARIABLES]:
        of_project = [runs[0], _tag(default_branch)] if name in _OF_PROJECT else []
        for run in (web, request, *of_project):
            variables = {**run.facts.variables, name: value}
            runs.append(ComparedEvent(f"{run.title} with {name}={value}", Facts(variables=variables)))
    for names in _pairs(parts, source)[:_MOST_VARIABLES]:
        runs += _equal_in(names, default_branch)
    return (*runs, *duplicates)


def start_events(source: SourcePipeline, default_branch: str) -> tuple[StartEvent, ...]:
    """Return the usual events, with the branches that the rules of *source* name."""
    parts = [test for formula in formulas_of(source) for test in tests_in(formula)]
    return (
        *(StartEvent(kind=Event.PUSH, branch=branch) for branch in _branches(parts, default_branch)),
        StartEvent(kind=Event.MERGE_REQUEST),
        StartEvent(kind=Event.TAG, tag=_TAG),
        *(StartEvent(kind=kind, branch=default_branch) for kind in (Event.SCHEDULE, Event.MANUAL, Event.API)),
    )


def facts_of(event: StartEvent, default_branch: str) -> Facts:
    """Return what rules are evaluated against in the run of *event*."""
    source = _SOURCES[event.kind]
    if event.kind is Event.MERGE_REQUEST:
        run = _merge_request(default_branch)
    elif event.tag:
        run = _tag(default_branch, event.tag, source)
    else:
        run = _branch("", source, event.branch, default_branch)
    return replace(run.facts, changed=event.changed)


def _branches(parts: Iterable[Formula], default_branch: str) -> list[str]:
    """Return the usual branches, and those that *parts* name, up to a number."""
    return list(dict.fromkeys((default_branch, *_BRANCHES, *_names(parts))))[:_MOST_BRANCHES]


def _with_changes(
    pushes: Sequence[ComparedEvent], parts: Sequence[Formula], default_branch: str
) -> Iterator[ComparedEvent]:
    """Yield *pushes* and a merge request without changes, and with those of one set of files that *parts* name each."""
    sets = [part.patterns for part in parts if isinstance(part, Changed)]
    if not sets:
        return
    request = _merge_request(default_branch)
    for run in (*pushes, request):
        yield ComparedEvent(f"{run.title} without changes", replace(run.facts, changed=()))
    for path in _examples(sets):
        for run in (pushes[0], request):
            yield ComparedEvent(f"{run.title} that changes {path}", replace(run.facts, changed=(path,)))


def _with_files(pushes: Sequence[ComparedEvent], parts: Sequence[Formula]) -> Iterator[ComparedEvent]:
    """Yield *pushes* without files, and with one of a set of files that *parts* name each."""
    sets = [part.patterns for part in parts if isinstance(part, Exist)]
    for run in pushes if sets else ():
        yield ComparedEvent(f"{run.title} without files", replace(run.facts, files=()))
    for path in _examples(sets):
        yield ComparedEvent(f"{pushes[0].title} with {path} only", replace(pushes[0].facts, files=(path,)))


def _examples(sets: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a path of each of *sets* of patterns, up to a number."""
    paths = dict.fromkeys(path for patterns in dict.fromkeys(sets) if (path := example(patterns)))
    yield from islice(paths, _MOST_PATHS)


def _with_merge_request(run: ComparedEvent) -> ComparedEvent:
    """Return *run* of a branch that has an open merge request."""
    variables = {**run.facts.variables, "CI_OPEN_MERGE_REQUESTS": "group/project!1"}
    return ComparedEvent(f"{run.title} with a merge request", Facts(variables=variables))


def _branch(title: str, source: str, branch: str, default_branch: str) -> ComparedEvent:
    variables = {**_usual(source, branch, default_branch), "CI_COMMIT_BRANCH": branch}
    return ComparedEvent(title, Facts(variables=variables))


def _tag(default_branch: str, tag: str = _TAG, source: str = "push") -> ComparedEvent:
    return ComparedEvent(f"tag {tag}", Facts(variables={**_usual(source, tag, default_branch), "CI_COMMIT_TAG": tag}))


def _merge_request(default_branch: str) -> ComparedEvent:
    variables = {
        **_usual("merge_request_event", "feature/x", default_branch),
        "CI_MERGE_REQUEST_ID": "10",
        "CI_MERGE_REQUEST_IID": "1",
        "CI_MERGE_REQUEST_EVENT_TYPE": "detached",
        "CI_MERGE_REQUEST_PROJECT_ID": "7",
        "CI_MERGE_REQUEST_PROJECT_PATH": "group/project",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "feature/x",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "group/project",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": default_branch,
        "CI_OPEN_MERGE_REQUESTS": "group/project!1",
    }
    return ComparedEvent("merge request", Facts(variables=variables))


def _usual(source: str, ref: str, default_branch: str) -> Mapping[str, str]:
    return {
        "CI": "true",
        "GITLAB_CI": "true",
        "CI_PIPELINE_SOURCE": source,
        "CI_COMMIT_REF_NAME": ref,
        "CI_COMMIT_REF_SLUG": ref.lower().replace("/", "-").replace(".", "-"),
        "CI_DEFAULT_BRANCH": default_branch,
        "CI_PROJECT_ID": "7",
        "CI_PROJECT_PATH": "group/project",
        "CI_PROJECT_NAMESPACE": "group",
        "CI_PROJECT_ROOT_NAMESPACE": "group",
        "CI_PROJECT_NAME": "project",
        "CI_SERVER_HOST": "gitlab.example.org",
        "CI_COMMIT_MESSAGE": "Change",
        "CI_COMMIT_TITLE": "Change",
        "CI_COMMIT_REF_PROTECTED": "true" if ref == default_branch else "false",
        "GITLAB_USER_LOGIN": "user",
    }


def _names(parts: Iterable[Formula]) -> Iterator[str]:
    """Yield the names of branches that are compared with."""
    for part in parts:
        if isinstance(part, IsRef) and part.text:
            yield part.text
        elif isinstance(part, Comparison) and isinstance(part.left, VariableName) and part.sign == "==":
            is_ref = part.left.name in ("CI_COMMIT_BRANCH", "CI_COMMIT_REF_NAME")
            if is_ref and isinstance(part.right, LiteralText) and part.right.text:
                yield part.right.text


def _pairs(parts: Iterable[Formula], source: SourcePipeline) -> tuple[tuple[str, str], ...]:
    """Return the variables that are compared with each other, where users set one; the file sets none of them."""
    of_files = {*source.variables, *(name for job in source.jobs.values() for name in job.variables)}
    pairs: dict[tuple[str, str], None] = {}
    for part in parts:
        match part:
            case Comparison(VariableName(left), "==", VariableName(right)) if of_files.isdisjoint((left, right)):
                pairs[left, right] = None
    return tuple(pair for pair in pairs if not all(name.startswith(_PREDEFINED) for name in pair))


def _equal_in(names: tuple[str, str], default_branch: str) -> Iterator[ComparedEvent]:
    """Yield runs in which two variables are equal, and in which only one of them is set."""
    own = [name for name in names if not name.startswith(_PREDEFINED)]
    web = _branch(f"web on {default_branch}", "web", default_branch, default_branch)
    for run in (web, _merge_request(default_branch), _tag(default_branch)):
        text = next((run.facts.variables[name] for name in names if name in run.facts.variables), "1")
        for chosen in (own, own[:1]) if own[1:] else (own,):
            values = dict.fromkeys(chosen, text)
            title = f"{run.title} with {', '.join(f'{name}={value}' for name, value in values.items())}"
            yield ComparedEvent(title, Facts(variables={**run.facts.variables, **values}))


def _variables(parts: Iterable[Formula]) -> tuple[tuple[str, str], ...]:
    """Return the tested variables of users and of the project, each with a value that makes a difference."""
    values: dict[tuple[str, str], None] = {}
    for part in parts:
        if isinstance(part, HasValue) and not part.name.startswith(_PREDEFINED):
            values[part.name, "1"] = None
        elif isinstance(part, Comparison) and isinstance(part.left, VariableName):
            is_own = not part.left.name.startswith(_PREDEFINED)
            if (is_own or part.left.name in _OF_PROJECT) and isinstance(part.right, LiteralText) and part.right.text:
                values[part.left.name, part.right.text] = None
    return tuple(values)
