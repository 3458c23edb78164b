"""GitLab's rules, read as GitLab reads them: its expressions, the first rule that holds, Ruby's `fnmatch`.

Held to the documentation, and to nothing of pipegen:

- https://docs.gitlab.com/ci/jobs/job_rules/#cicd-variable-expressions: a variable that is not set is null, and neither
  equal to "" nor different from null; `&&` binds before `||`; parentheses.
- https://docs.gitlab.com/ci/yaml/#inheritvariables: a job with `inherit: {variables: false}` has none of the file's
  variables. Its rules are evaluated with the variables of the job, so they do not have them either (measured with the
  pipeline seeding of GitLab 18.11).
- https://docs.gitlab.com/ci/variables/#cicd-variable-precedence: variables of a run go before those of a job, and these
  before the file's, and these before the predefined ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plan.simulated_runs import BASE, Run

_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>\(|\)|&&|\|\||==|!=|=~|!~)|\$(?P<variable>\w+)|"(?P<text>.*?)"|/(?P<regex>(?:[^/]|\\/)+[^\\])/|"""
    r"(?P<null>null))"
)
_SOURCES = {"push": "push", "tag": "push", "merge_request": "merge_request_event", "manual": "web"}
_MOST_TOKENS = 99


def is_in_pipeline(data: Mapping[str, Any], name: str, run: Run) -> bool:
    """Return whether the job *name* of the file with *data* is in the pipeline of *run*."""
    return "rules" not in data[name] or _start(_first(data[name]["rules"], run, _variables(data, name, run))) != "never"


def variables_of_rules(data: Mapping[str, Any], name: str, run: Run) -> Mapping[str, str]:
    """Return the variables of the rule by which the job *name* of the file with *data* runs."""
    variables: Mapping[str, str] = (deciding_rule(data, name, run) or {}).get("variables", {})
    return variables


def deciding_rule(data: Mapping[str, Any], name: str, run: Run) -> Mapping[str, Any] | None:
    """Return the rule by which the job *name* of the file with *data* runs; None if it does not."""
    rule = _first(data[name]["rules"], run, _variables(data, name, run))
    return rule if rule is not None and _start(rule) != "never" else None


def _variables(data: Mapping[str, Any], name: str, run: Run) -> dict[str, str]:
    job = data[name]
    return {**_predefined(run), **_of_file(data, job), **job.get("variables", {}), **run.variables}


def starts(data: Mapping[str, Any], run: Run) -> bool:
    """Return whether the file with *data* makes a pipeline in *run*."""
    rules = data.get("workflow", {}).get("rules", [{"when": "always"}])
    return _start(_first(rules, run, {**_predefined(run), **_of_file(data, {}), **run.variables})) != "never"


def _first(rules: Sequence[Mapping[str, Any]], run: Run, variables: Mapping[str, str]) -> Mapping[str, Any] | None:
    """Return the first of *rules* that matches; None if none does."""
    return next((rule for rule in rules if _holds(rule, run, variables)), None)


def _start(rule: Mapping[str, Any] | None) -> str:
    return "never" if rule is None else str(rule.get("when", "on_success"))


def _holds(rule: Mapping[str, Any], run: Run, variables: Mapping[str, str]) -> bool:
    assert set(rule) <= {"if", "changes", "exists", "when", "allow_failure", "variables"}, rule
    return (
        ("if" not in rule or evaluated(rule["if"], variables))
        and ("changes" not in rule or _has_changed(rule["changes"], run))
        and ("exists" not in rule or _any(rule["exists"], run.files))
    )


def _of_file(data: Mapping[str, Any], job: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables of the file with *data* that *job* has."""
    inherited = job.get("inherit", {}).get("variables", True)
    assert isinstance(inherited, bool)
    global_variables = data.get("variables", {}).items() if inherited else ()
    return {name: value["value"] if isinstance(value, dict) else value for name, value in global_variables}


def _predefined(run: Run) -> dict[str, str]:
    variables = {"CI_PIPELINE_SOURCE": _SOURCES.get(run.event, run.event)}
    if run.branch:
        variables["CI_COMMIT_BRANCH"] = run.branch
    if run.tag:
        variables["CI_COMMIT_TAG"] = run.tag
    return variables


def _has_changed(changes: Any, run: Run) -> bool:
    if isinstance(changes, dict):
        assert changes["compare_to"] == f"refs/heads/{BASE}"
        return _any(changes["paths"], run.since_base)
    if run.changed is None or run.event not in ("push", "merge_request"):
        return True
    return _any(changes, run.changed)


def _any(globs: Sequence[str], names: Sequence[str]) -> bool:
    assert 0 < len(globs) <= 50
    return any(fnmatch(glob, name) for glob in globs for name in names)


def evaluated(text: str, variables: Mapping[str, str]) -> bool:
    """Return the value of the expression *text*."""
    reader = _Reader(text, variables)
    value = reader.either()
    assert reader.at == len(text.rstrip()), text[reader.at :]
    assert reader.tokens <= _MOST_TOKENS
    return value not in (None, "", False)


@dataclass(slots=True)
class _Reader:
    """Parses and evaluates at the same time; an empty text is true next to others, as in Ruby."""

    text: str
    variables: Mapping[str, str]
    at: int = 0
    tokens: int = 0

    def either(self) -> Any:
        value = self._both()
        while self._take("||"):
            other = self._both()
            value = value if value not in (None, False) else other
        return value

    def _both(self) -> Any:
        value = self._comparison()
        while self._take("&&"):
            other = self._comparison()
            value = other if value not in (None, False) else value
        return value

    def _comparison(self) -> Any:
        if self._take("("):
            value = self.either()
            assert self._take(")"), self.text[self.at :]
            return value
        left = self._operand()
        for sign in ("==", "!=", "=~", "!~"):
            if self._take(sign):
                right = self._operand()
                if sign in ("==", "!="):
                    return (left == right) is (sign == "==")
                return (re.search(_python(right), left or "", re.ASCII) is not None) is (sign == "=~")
        return left

    def _operand(self) -> Any:
        token = self._next()
        if token["variable"]:
            return self.variables.get(token["variable"])
        if token["regex"]:
            return token["regex"]
        assert not token["sign"], self.text
        return None if token["null"] else token["text"]

    def _take(self, sign: str) -> bool:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match["sign"] != sign:
            return False
        self.at = match.end()
        self.tokens += 1
        return True

    def _next(self) -> re.Match[str]:
        match = _TOKEN.match(self.text, self.at)
        assert match is not None, self.text[self.at :]
        self.at = match.end()
        self.tokens += 1
        return match


def _python(regex: str) -> str:
    """Return a Python pattern equivalent to the RE2 pattern *regex*."""
    return re.sub(r"(\\.)|\$", lambda match: match[1] or r"\Z", regex.replace("\\/", "/"))


def fnmatch(glob: str, name: str) -> bool:
    """Return the result of `File.fnmatch?` with FNM_PATHNAME, FNM_DOTMATCH and FNM_EXTGLOB."""
    assert not re.search(r"[$%][A-Za-z_{]", glob), "it would be taken for a variable"
    return any(re.fullmatch(_segments(pattern), name, re.DOTALL) for pattern in _braces(glob))


def _braces(glob: str) -> list[str]:
    braces = re.search(r"(?<!\\)\{([^{}]*)\}", glob)
    if braces is None:
        return [glob]
    return [
        pattern
        for choice in braces[1].split(",")
        for pattern in _braces(glob[: braces.start()] + choice + glob[braces.end() :])
    ]


def _segments(glob: str) -> str:
    parts = glob.split("/")
    regex = ""
    for stage_job, part in enumerate(parts):
        is_last = stage_job == len(parts) - 1
        if part == "**" and not is_last:
            regex += "(?:[^/]+/)*"
        else:
            regex += _segment(part) + ("" if is_last else "/")
    return regex


def _segment(part: str) -> str:
    regex = ""
    for match in re.finditer(r"\\(.)|(\*+)|(\?)|\[([^]]+)\]|(.)", part, re.DOTALL):
        escaped, stars, mark, characters, plain = match.groups()
        if stars:
            regex += "[^/]*"
        elif mark:
            regex += "[^/]"
        elif characters:
            regex += f"[{re.escape(characters)}]"
        else:
            regex += re.escape(escaped or plain)
    return regex
