"""Hints for keys of other systems whose values have another form in a config."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipegen.config.schema.file import gitlab_reports
from pipegen.config.schema.foreign.model import Hint, Use, elsewhere, instead, rename_hint, texts
from pipegen.config.schema.violation import Path
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, as_items, child, entries_of, written_text
from pipegen.source.tree import Sequence as List

# A step of a Jenkinsfile in a text: `sh 'make'`.
_SHELL_STEP = re.compile(
    r"""(?:sh|bat|powershell)\s*\(?\s*(?P<quote>'''|\"{3}|["'])(?P<command>.*)(?P=quote)\s*\)?""", re.DOTALL
)
# Keys of a map with one shell command: steps of Jenkins, GitHub Actions and others.
_COMMANDS = ("sh", "run", "script", "bash", "command", "cmd")


def defaults(key: str) -> Hint:
    """Return a hint to move the value to *key* in the defaults of a pipeline."""
    return lambda use: _of_pipeline(use, {"defaults": {key: use.value}})


def settings(system: str, key: str) -> Hint:
    """Return a hint to move the value to the setting *key* of the target *system*."""
    return lambda use: elsewhere(use, (), {"targets": {system: {key: use.value}}})


def raw(system: str) -> Hint:
    """Return a hint to move the key to `raw` of *system*, which is copied unchanged."""
    return lambda use: instead({"raw": {system: {str(use.path[-1]): use.value}}})


def variables(use: Use) -> str:
    """Return the hint to write variables of a pipeline as `env` of its defaults; only their values are kept."""
    return _of_pipeline(use, {"defaults": {"env": _plain_variables(use.value)}})


def stage_variables(use: Use) -> str:
    """Return the hint to rename the key to `env`, with plain values."""
    if isinstance(use.value, Map) and any(not isinstance(entry.value, Scalar) for entry in use.value.entries):
        return instead({"env": _plain_variables(use.value)})
    return rename_hint("env")


def tags(use: Use) -> str | None:
    """Return the hint for the tags of runners; None next to `publish`, where they may be those of an image."""
    return None if "publish" in use.siblings else rename_hint("agent")


def environment(use: Use) -> str | None:
    """Return the hint for variables in `environment`; None if it names an environment."""
    keys = [entry.key.text for entry in use.value.entries] if isinstance(use.value, Map) else ["name"]
    is_variables = keys and not {"name", "url", "on_stop", "action", "auto_stop_in", "tier"} & set(keys)
    return rename_hint("env") if is_variables else None


def outer_environment(use: Use) -> str | None:
    """Return the hint for variables of all stages in `environment`; None if it names an environment."""
    return variables(use) if environment(use) is not None else None


def all_defaults(use: Use) -> str | None:
    """Return the hint for the keys of all jobs; None if the value is not a map."""
    return _of_pipeline(use, {"defaults": use.value}) if isinstance(use.value, Map) else None


def container(use: Use) -> str:
    """Return the hint for the container of a job: the name of its image, or a map with it."""
    image = child(use.value, "image")
    return instead({"image": image}) if image is not None else rename_hint("image")


def fail_fast(use: Use) -> str:
    """Return the hint to stop a pipeline after a failure."""
    return _of_pipeline(use, {"fail_fast": use.value})


def agent(use: Use) -> str | None:
    """Return the hint for Jenkins' maps of agents; None for text and lists, which are labels."""
    if not isinstance(use.value, Map) or not use.value.entries or use.value.get("kubernetes") is not None:
        return None
    inner = use.value.entries[0]
    match inner.key.text, inner.value:
        case (("label" | "labels" | "node"), value):
            return instead({"agent": _labels(value.text) if isinstance(value, Scalar) else value})
        case "docker", value:
            image = value.get("image") if isinstance(value, Map) else value
            label = child(value, "label")
            args = child(value, "args")
            options = {"name": image, "args": args.text.split()} if isinstance(args, Scalar) else image
            own = {} if "image" in use.siblings or image is None else {"image": options}
            return instead(
                {**own, **({"agent": _labels(label.text)} if isinstance(label, Scalar) else {})} or {"image": "…"}
            )
        case "dockerfile", value:
            return instead(_dockerfile(value))
        case (("any" | "none"), _):
            return "remove it: a stage without an agent runs on any"
    return 'write labels, as in "agent: linux", or a container image, as in "image: python:3.12"'


def _dockerfile(value: Node) -> dict[str, object]:
    """Return the image that is built from the Dockerfile of Jenkins' agent *value*."""
    file, folder, label = (child(value, key) for key in ("filename", "dir", "label"))
    name = value.text if isinstance(value, Scalar) and value.text != "true" else "Dockerfile"
    name = written_text(file, name)
    image: dict[str, object] = {"dockerfile": f"{folder.text}/{name}" if isinstance(folder, Scalar) else name}
    context = {"context": folder} if isinstance(folder, Scalar) else {}
    return {"image": {**image, **context}, **({"agent": _labels(label.text)} if isinstance(label, Scalar) else {})}


def _labels(text: str) -> object:
    names = [name.strip() for name in text.split("&&")]
    return names[0] if len(names) == 1 else names


def steps(use: Use) -> str | None:
    """Return the hint to write steps as lines of `script`; None for steps of plugins, which are by target."""
    if child(use.value, "jenkins") is not None:
        return None
    commands = [_command(item) for item in as_items(use.value)]
    if "script" in use.siblings and None in commands:
        return instead({"steps": {"jenkins": use.value, "elsewhere": "skip"}})
    lines = [command for command in commands if command is not None]
    if "script" in use.siblings or not lines or any("\n" in line for line in lines):
        return 'write the commands as lines of "script"'
    others = "" if len(lines) == len(commands) else '; "steps: {jenkins: […]}" has steps of plugins'
    return f"{instead({'script': lines})}{others}"


def _command(node: Node) -> str | None:
    """Return the shell command of a step; None if it is another step."""
    if isinstance(node, Scalar):
        match = _SHELL_STEP.fullmatch(node.text.strip())
        return match["command"] if match is not None else node.text
    if not isinstance(node, Map):
        return None
    if isinstance(text := node.get("echo"), Scalar):
        return f"echo '{text.text}'"
    return next((value.text for key in _COMMANDS if isinstance(value := node.get(key), Scalar)), None)


def post(use: Use) -> str:
    """Return the hint for Jenkins' `post`: `after` always runs."""
    always = child(use.value, "always") or child(use.value, "cleanup")
    lines = [command for item in as_items(always) if (command := _command(item)) is not None]
    if lines and len(use.path) > len(("pipelines", "*", "stages")) and "after" not in use.siblings:
        return instead({"after": lines})
    return 'in a stage, write commands that always run in "after"; for the pipeline, name stages in "finally"'


def parameters(use: Use) -> str:
    """Return the hint to define `inputs`; a list names inputs without defaults."""
    if isinstance(use.value, Map):
        return elsewhere(use, (), {"inputs": _inputs(use.value)})
    return 'remove it, and define parameters in "inputs" at the top level, as in "inputs: {LEVEL: {default: quick}}"'


def _inputs(parameters: Map) -> dict[str, object]:
    return {entry.key.text: entry.value for entry in parameters.entries}


def triggers(use: Use) -> str:
    """Return the hint to write a `schedule` for the pipeline, or `poll` for Jenkins."""
    poll = child(use.value, "pollSCM")
    if isinstance(poll, Scalar):
        return f'remove it, and write "targets: {{jenkins: {{poll: {poll.text}}}}}" at the top level'
    cron = use.value.get("cron") if isinstance(use.value, Map) else use.value
    if isinstance(cron, Scalar) and len(cron.text.split()) == _CRON_FIELDS:
        return _of_pipeline(use, {"schedule": cron.text})
    return 'remove it, and write the schedule in the pipeline, as in "schedule: 0 3 * * *"'


_CRON_FIELDS = 5


def event(use: Use) -> str:
    """Return the hint for `on` of GitHub Actions: a schedule, or the condition of the pipeline."""
    schedule = child(use.value, "schedule")
    first = schedule.items[0] if isinstance(schedule, List) and schedule.items else schedule
    cron = child(first, "cron")
    if isinstance(cron, Scalar):
        return _of_pipeline(use, {"schedule": cron.text})
    names = [entry.key.text for entry in use.value.entries] if isinstance(use.value, Map) else texts(use.value)
    events = [_EVENTS[name] for name in names if name in _EVENTS]
    condition = {"when": {"event": events[0] if len(events) == 1 else events or "push"}}
    return _of_pipeline(use, condition)


_EVENTS = {"push": "push", "pull_request": "merge_request", "schedule": "schedule", "workflow_dispatch": "manual"}


def stash(use: Use) -> str:
    """Return the hint to write `artifacts`, which later stages get."""
    includes = use.value.get("includes") if isinstance(use.value, Map) else use.value
    if "artifacts" in use.siblings:
        return 'remove it, and add the files to "artifacts"'
    return instead({"artifacts": [*texts(includes)] or ["…"]})


def mail(use: Use) -> str:
    """Return the hint to write a notification."""
    to = use.value.get("to") if isinstance(use.value, Map) else use.value
    return instead({"notify": {"email": {"to": [*texts(to)]}}})


def pages(use: Use) -> str:
    """Return the hint for the stage whose folder GitLab publishes as a website."""
    publish = child(use.value, "publish")
    folder = {"publish": publish} if publish is not None else {}
    return elsewhere(use, (), {"targets": {"gitlab": {"pages": {"stage": stage_name(use), **folder}}}})


_OF_RELEASES = {"tag_name": "tag"}
_RELEASE_KEYS = frozenset({"tag", "name", "description", "ref", "milestones"})


def release(use: Use) -> str:
    """Return the hint for the stage that creates a release."""
    own = {_OF_RELEASES.get(entry.key.text, entry.key.text): entry.value for entry in entries_of(use.value)}
    keys: dict[str, object] = {key: value for key, value in own.items() if key in _RELEASE_KEYS}
    if (links := child(own.get("assets"), "links")) is not None:
        keys["links"] = links
    return elsewhere(use, (), {"targets": {"gitlab": {"release": {"stage": stage_name(use), **keys}}}})


def coverage(use: Use) -> str | None:
    """Return the hint for GitLab's pattern that finds the percentage in the log; None for a path."""
    text = written_text(use.value)
    if not (text.startswith("/") and text.endswith("/") and len(text) > len("//")):
        return None
    return instead({"reports": {"coverage": {"percent": text[1:-1]}}})


def lock(use: Use) -> str | None:
    """Return the hint for Jenkins' map of a lock; None for text."""
    resource = (use.value.get("resource") or use.value.get("label")) if isinstance(use.value, Map) else None
    return instead({"lock": resource}) if isinstance(resource, Scalar) else None


def time_limit(use: Use) -> str | None:
    """Return the hint for Jenkins' map of a time limit; None for a duration."""
    time, unit = (child(use.value, key) for key in ("time", "unit"))
    if not isinstance(time, Scalar):
        return None
    words = unit.text.lower() if isinstance(unit, Scalar) else "minutes"
    return instead({"timeout": f"{time.text} {words.removesuffix('s') if time.text == '1' else words}"})


def minutes(use: Use) -> str:
    """Return the hint for a number of minutes."""
    return instead({"timeout": f"{''.join(texts(use.value))} minutes"})


def service_image(use: Use) -> str | None:
    """Return the hint for the name of a service; None if it has an image too."""
    return rename_hint("image") if "image" not in use.siblings else rename_hint("alias")


# GitLab's kinds of failures.
_FAILURES = {
    "script_failure": "script",
    "runner_system_failure": "system",
    "stuck_or_timeout_failure": "timeout",
    "job_execution_timeout": "timeout",
}


def retried_failures(use: Use) -> str:
    """Return the hint for the failures after which GitLab retries a job."""
    kinds = list(dict.fromkeys(_FAILURES.get(name, "system") for name in texts(use.value) if name != "always"))
    return instead({"on": kinds[0] if len(kinds) == 1 else kinds}) if kinds else "remove it: all failures are retried"


def only_reports(use: Use) -> str | None:
    """Return the hint for artifacts that are only reports; None for others."""
    is_only_reports = isinstance(use.value, Map) and use.value.get("paths") is None
    reports = use.value.get("reports") if isinstance(use.value, Map) and is_only_reports else None
    return instead(_reports(reports)) if isinstance(reports, Map) and "reports" not in use.siblings else None


def reports(use: Use) -> str | None:
    """Return the hint to move reports out of artifacts; None if the stage has other reports."""
    parent = use.path[:-2]
    has_reports = "reports" in use.tree_paths.keys(parent)
    return elsewhere(use, parent, _reports(use.value)) if isinstance(use.value, Map) and not has_reports else None


def _reports(reports: Map) -> Mapping[str, object]:
    """Return *reports* as keys of a stage; those that only GitLab has are merged into its job."""
    known: dict[str, object] = {}
    others: dict[str, object] = {}
    for entry in reports.entries:
        if entry.key.text == "coverage_report" and isinstance(entry.value, Map):
            known["coverage"] = entry.value.get("path") or "coverage.xml"
        elif entry.key.text in gitlab_reports():
            known[entry.key.text] = entry.value
        else:
            others[entry.key.text] = entry.value
    own = {"reports": known} if known else {}
    return {**own, **({"raw": {"gitlab": {"artifacts": {"reports": others}}}} if others else {})}


def included(use: Use) -> str | None:
    """Return the hint for GitLab's maps of included files; None for texts."""
    items = as_items(use.value)
    if not any(isinstance(item, Map) for item in items):
        return None
    local = [path for item in items if isinstance(item, Map) for path in texts(item.get("local"))]
    if len(local) == len(items):
        paths = [path.lstrip("/") for path in local]
        return instead({"include": paths[0] if len(paths) == 1 else paths})
    return elsewhere(use, (), {"targets": {"gitlab": {"include": list(items)}}})


def spec(use: Use) -> str | None:
    """Return the hint for the inputs of a GitLab file."""
    inputs = child(use.value, "inputs")
    return elsewhere(use, (), {"inputs": inputs}) if inputs is not None else None


def outer_agent(use: Use) -> str | None:
    """Return the hint for the agent of a whole Jenkinsfile; None for labels."""
    if "".join(texts(use.value)) in ("any", "none"):
        return "remove it: a stage without an agent runs on any"
    hint = agent(use)
    return hint if hint is None or not hint.startswith("write") else f'{hint}, in "defaults" of the pipeline'


def id_tokens(use: Use) -> str:
    """Return the hint to write tokens as secrets."""
    entries = entries_of(use.value)
    audiences = {entry.key.text: entry.value.get("aud") for entry in entries if isinstance(entry.value, Map)}
    if (
        "secrets" in use.siblings
        or not audiences
        or not all(isinstance(audience, Scalar) for audience in audiences.values())
    ):
        return 'write each token under "secrets", as in "VAULT: {id_token: https://vault.example.org}"'
    return instead({"secrets": {name: {"id_token": audience} for name, audience in audiences.items()}})


def _of_pipeline(use: Use, snippet: Mapping[str, object]) -> str:
    """Return the hint to add *snippet* to the pipeline with the key, else to the only pipeline of the config."""
    if use.pipeline is not None:
        if use.path[:-1] == use.pipeline and next(iter(snippet)) not in use.siblings:
            return instead(snippet)
        return elsewhere(use, use.pipeline, snippet)
    names = use.tree_paths.keys(("pipelines",)) if "pipelines" in use.tree_paths.keys(()) else ()
    parent: Path = ("pipelines", names[0]) if names else ()
    return elsewhere(use, parent, snippet if parent else {"pipelines": {"main": snippet}})


def _plain_variables(node: Node) -> object:
    """Return *node*, a map of variables, with the values of those that are maps."""
    if not isinstance(node, Map):
        return {}
    values = ((entry.key.text, entry.value) for entry in node.entries)
    return {name: (value.get("value") or "") if isinstance(value, Map) else value for name, value in values}


def stage_name(use: Use) -> str:
    """Return the name of the stage with the key, "" without one."""
    name = use.siblings.get("name")
    return written_text(name)


def input_(use: Use) -> str:
    """Return the hint to write an approval."""
    if not isinstance(use.value, Map):
        return rename_hint("approve")
    message, approvers = use.value.get("message"), _approvers(use.value.get("submitter"))
    if not approvers:
        return instead({"approve": message if message is not None else True})
    return instead({"approve": {"message": message if message is not None else "Continue?", "approvers": approvers}})


def submitter(use: Use) -> str:
    """Return the hint to list the approvers."""
    return instead({"approvers": _approvers(use.value)})


def _approvers(submitters: Node | None) -> list[str]:
    """Return the names that Jenkins separates by commas."""
    return [name.strip() for text in texts(submitters) for name in text.split(",")]
