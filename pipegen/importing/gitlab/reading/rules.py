"""The rules of a job: `rules`, `only` and `except`, or the condition that GitLab adds to a job without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain

from pipegen.emit.yaml import Data
from pipegen.importing.gitlab.reading.expressions.formulas import (
    TRUE,
    Changed,
    Comparison,
    Exist,
    Formula,
    HasValue,
    IsRef,
    LiteralText,
    Regex,
    VariableName,
    every,
    negated,
    some,
)
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError, parsed
from pipegen.importing.gitlab.reading.includes.rules import IncludeRule, is_one_included
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, child, entries_of, is_null
from pipegen.structs import Struct

ON_SUCCESS, ON_FAILURE, ALWAYS, MANUAL, NEVER = "on_success", "on_failure", "always", "manual", "never"
DELAYED = "delayed"
_IS_MERGE_REQUEST: Formula = Comparison(VariableName("CI_PIPELINE_SOURCE"), "==", LiteralText("merge_request_event"))
_IS_TAG: Formula = every(HasValue("CI_COMMIT_TAG"), negated(_IS_MERGE_REQUEST))
_IS_BRANCH: Formula = every(HasValue("CI_COMMIT_BRANCH"), negated(_IS_MERGE_REQUEST))
# https://docs.gitlab.com/ci/yaml/deprecated_keywords/#onlyrefs--exceptrefs
# GitLab compares the source without "_event", and its plural:
# https://gitlab.com/gitlab-org/gitlab/-/blob/master/lib/gitlab/ci/build/policy/refs.rb
_SOURCES = {
    spelling: source
    for source in (
        *("api", "chat", "external", "external_pull_request_event", "merge_request_event", "pipeline", "push"),
        *("schedule", "trigger", "web"),
    )
    for name in (source.removesuffix("_event"),)
    for spelling in (name, "pushes" if name == "push" else f"{name}s")
}
# The keys of a job that replace those of a job that it extends; `when` is only a default of rules.
_CONDITIONS = frozenset({"rules", "only", "except"})
# The keys of a rule that this module reads; others need GitLab itself.
PLAIN = frozenset({"if", "changes", "exists", "when", "allow_failure", "start_in"})


class Rule(Struct, kw_only=True):
    """A rule: when its *formula* holds, the job starts as *when* says.

    Its failure counts unless *allow_failure*, or with one of the *exit_codes*. *extra* are the keys that only GitLab
    reads.
    """

    formula: Formula
    when: str
    allow_failure: bool
    exit_codes: tuple[str, ...] = ()
    start_in: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    extra: tuple[str, ...] = ()


@lru_cache(maxsize=10_000)
def rules_of(job: SourceJob, source: SourcePipeline) -> tuple[Rule, ...]:
    """Return the rules of *job*: the first that holds decides; raise `ExpressionError` for an unknown form.

    It does not start in runs without the files that bring it.
    """
    if not job.included:
        return _own_rules(job, source)
    missing = (negated(is_one_included(includes)) for includes in job.included)
    excluding = (Rule(formula=formula, when=NEVER, allow_failure=False) for formula in missing)
    return (*excluding, *_own_rules(job, source))


def may_have_rules_elsewhere(job: SourceJob, source: SourcePipeline) -> bool:
    """Return whether *job* has no rules itself, and a part of it is in a file that only GitLab reads.

    That is its script, or a job that it extends, unless rules of an include bring the job.
    """
    has_parts = job.get("script") is None or (bool(job.unknown) and not job.included)
    return bool(source.unread) and has_parts and "trigger" not in job.entries and not has_conditions(job)


def has_conditions(job: SourceJob) -> bool:
    """Return whether *job* itself has conditions, not only the includes that bring it."""
    return not _CONDITIONS.isdisjoint(job.entries)


def with_include_rules(rules: Data, job: SourceJob) -> Data:
    """Return raw *rules* of *job* with those of the includes that bring it."""
    if not isinstance(rules, list):
        return rules
    for includes in job.included:
        # Rules that exclude files end the list.
        lists = sorted(includes, key=lambda own: any(rule.excludes for rule in own))
        rules = [combined for rule in chain.from_iterable(lists) for combined in _with_include_rule(rules, rule)]
    return rules


def _with_include_rule(rules: Sequence[Data], included: IncludeRule) -> Iterator[Data]:
    """Yield *rules* for the runs in which the rule *included* decides about the files of a job."""
    for rule in (rule for rule in rules if isinstance(rule, dict) and not included.excludes):
        own = rule.get("if")
        both = f"({included.condition}) && ({own})" if own and included.condition else own or included.condition
        yield {**({"if": both} if both else {}), **{key: value for key, value in rule.items() if key != "if"}}
    yield {**({"if": included.condition} if included.condition else {}), "when": NEVER}


def _own_rules(job: SourceJob, source: SourcePipeline) -> tuple[Rule, ...]:
    """Return the rules of *job* in its file."""
    when = text_of(job.get("when")) or ON_SUCCESS
    allowed = job.get("allow_failure")
    allow_failure = text_of(allowed) == "true" if isinstance(allowed, Scalar) else when == MANUAL and allowed is None
    exit_codes = texts_of(allowed.get("exit_codes")) if isinstance(allowed, TreeMapping) else ()
    start_in = text_of(job.get("start_in"))
    rules = job.get("rules")
    if rules is not None:
        return _rules_in(_SharedNode(rules), when, start_in, exit_codes, allow_failure)
    only, excluded = job.get("only"), job.get("except")
    if only is not None:
        formula = _policy(only, is_only=True)
    else:
        # Rules without a value let it run for any event.
        formula = _default(source) if "rules" not in job.entries else TRUE
    if excluded is not None:
        formula = every(formula, negated(_policy(excluded, is_only=False)))
    return (Rule(formula=formula, when=when, allow_failure=allow_failure, exit_codes=exit_codes, start_in=start_in),)


def workflow_rules(source: SourcePipeline) -> tuple[Rule, ...]:
    """Return the rules of `workflow`, () without any."""
    rules = source.workflow.value.get("rules") if source.workflow and source.has_workflow_rules else None  # type: ignore[union-attr]
    return tuple(rules_in(rules, "always", "", allow_failure=False)) if rules is not None else ()


def formulas_of(source: SourcePipeline) -> Iterator[Formula]:
    """Yield the conditions of all rules of *source* that can be read."""
    for job in source.jobs.values():
        with suppress(ExpressionError):
            yield from (rule.formula for rule in rules_of(job, source))
    with suppress(ExpressionError):
        yield from (rule.formula for rule in workflow_rules(source))


def rules_in(
    node: Node, when: str, start_in: str, exit_codes: tuple[str, ...] = (), *, allow_failure: bool
) -> Iterator[Rule]:
    """Yield the rules of the list *node*; the others are the values of the job, which rules can replace."""
    for item in flat_items(node):
        if not isinstance(item, TreeMapping):
            raise ExpressionError(text_of(item))
        allowed = item.get("allow_failure")
        yield Rule(
            formula=formula_of(item),
            when=text_of(item.get("when")) or when,
            allow_failure=text_of(allowed) == "true" if isinstance(allowed, Scalar) else allow_failure,
            exit_codes=() if isinstance(allowed, Scalar) else exit_codes,
            start_in=text_of(item.get("start_in")) or start_in,
            variables=tuple(
                (variable.key.text, text_of(variable.value)) for variable in entries_of(item.get("variables"))
            ),
            extra=tuple(
                entry.key.text for entry in item.entries if entry.key.text not in PLAIN and not is_null(entry.value)
            ),
        )


class _SharedNode:
    """A node that is equal only to itself: to compare its content takes as long as to read it."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SharedNode) and self.node is other.node

    def __hash__(self) -> int:
        return id(self.node)


# Jobs share rules by templates, and several steps read those of each job.
@lru_cache(maxsize=500)
def _rules_in(
    rules: _SharedNode,
    when: str,
    start_in: str,
    exit_codes: tuple[str, ...],
    allow_failure: bool,  # noqa: FBT001 - the cache distinguishes calls with names
) -> tuple[Rule, ...]:
    return tuple(rules_in(rules.node, when, start_in, exit_codes, allow_failure=allow_failure))


def formula_of(rule: TreeMapping) -> Formula:
    """Return the condition of *rule*; raise `ExpressionError` if it is of an unknown form."""
    return every(*_formulas(rule))


def _formulas(rule: TreeMapping) -> Iterator[Formula]:
    """Yield the conditions of *rule*, all of which must hold."""
    condition, changes, exists = rule.get("if"), rule.get("changes"), rule.get("exists")
    if condition is not None and not is_null(condition):
        yield parsed(" ".join(text_of(condition).split("\n")))
    if changes is not None and not is_null(changes):
        paths = changes.get("paths") if isinstance(changes, TreeMapping) else changes
        base = text_of(child(changes, "compare_to"))
        yield Changed(texts_of(paths), base.removeprefix("refs/heads/"))
    if exists is not None and not is_null(exists):
        if child(exists, "project") is not None:
            raise ExpressionError("exists:project")
        yield Exist(texts_of(exists.get("paths") if isinstance(exists, TreeMapping) else exists))


def _default(source: SourcePipeline) -> Formula:
    """Return the condition of a job without rules and `only`: with `workflow: rules` none, else branches and tags.

    `Processable#compose!` in `lib/gitlab/ci/config/entry/processable.rb` of GitLab.
    """
    return TRUE if source.has_workflow_rules else negated(_IS_MERGE_REQUEST)


def _policy(node: Node, *, is_only: bool) -> Formula:
    """Return the condition of `only` or `except`; the kinds of conditions are joined by "and" in `only`, else "or"."""
    if not isinstance(node, TreeMapping):
        return some(*map(_ref, texts_of(node)))
    parts: list[Formula] = []
    refs = node.get("refs")
    if refs is not None:
        parts.append(some(*map(_ref, texts_of(refs))))
    elif is_only:
        parts.append(negated(_IS_MERGE_REQUEST))
    if node.get("variables") is not None:
        parts.append(some(*map(parsed, texts_of(node.get("variables")))))
    if node.get("changes") is not None:
        parts.append(Changed(texts_of(node.get("changes"))))
    if node.get("kubernetes") is not None:
        raise ExpressionError("kubernetes")
    return every(*parts) if is_only else some(*parts)


def _ref(text: str) -> Formula:
    """Return the condition of one entry of `refs`."""
    if text == "branches":
        return _IS_BRANCH
    if text == "tags":
        return _IS_TAG
    if text in _SOURCES:
        return Comparison(VariableName("CI_PIPELINE_SOURCE"), "==", LiteralText(_SOURCES[text]))
    name, _, project = text.partition("@") if not text.startswith("/") else _split(text)
    formula: Formula
    if name in ("branches", "tags"):
        formula = _ref(name)
    elif name.startswith("/"):
        source, _, flags = name[1:].rpartition("/")
        formula = IsRef("", Regex(source, flags))
    else:
        formula = IsRef(name)
    return (
        every(formula, Comparison(VariableName("CI_PROJECT_PATH"), "==", LiteralText(project))) if project else formula
    )


def _split(text: str) -> tuple[str, str, str]:
    """Return the regular expression at the start of *text*, and the project after `@`."""
    end = text.rfind("/@")
    return (text[: end + 1], "@", text[end + 2 :]) if end > 0 else (text, "", "")
