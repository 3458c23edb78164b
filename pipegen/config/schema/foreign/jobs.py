"""Jobs of other systems at the top level of a config."""

from __future__ import annotations

from collections.abc import Sequence as Names

from pipegen.config.schema.foreign.model import Use, elsewhere, texts
from pipegen.config.schema.tree_paths import TreePaths
from pipegen.config.schema.violation import Path
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Sequence

_JOB_KEYS = frozenset({"script", "stage", "trigger", "runs-on", "steps"})
# A hint shows at most this many jobs.
_MOST_JOBS = 8


def is_job(node: Node) -> bool:
    """Return whether *node* has keys of a job."""
    return isinstance(node, Map) and any(entry.key.text in _JOB_KEYS for entry in node.entries)


def jobs_of_workflow(use: Use) -> str | None:
    """Return the hint for the jobs of GitHub Actions; None if the value has none."""
    names = [entry.key.text for entry in use.value.entries] if isinstance(use.value, Map) else []
    return job_hint(names, use.tree_paths, use.path) if names else None


_EXECUTORS = {"docker", "machine", "macos", "executor"}


def jobs_of_circleci(use: Use) -> str | None:
    """Return the hint for the jobs of CircleCI, which have an executor and no `runs-on`; None for others."""
    jobs = [entry.value for entry in use.value.entries] if isinstance(use.value, Map) else []
    keys = {entry.key.text for job in jobs if isinstance(job, Map) for entry in job.entries}
    return jobs_of_workflow(use) if "runs-on" not in keys and keys & _EXECUTORS else None


def job_hint(names: Names[str], tree_paths: TreePaths, above: Path = ()) -> str:
    """Return the hint to write the jobs *names* as stages of the first pipeline, or of a new one."""
    stages = [{"name": name, "script": _script(tree_paths.node((*above, name)))} for name in names[:_MOST_JOBS]]
    pipelines = tree_paths.keys(("pipelines",)) if "pipelines" in tree_paths.keys(()) else ()
    parent: Path = ("pipelines", pipelines[0]) if pipelines else ()
    snippet = {"stages": stages} if parent else {"pipelines": {"main": {"stages": stages}}}
    rest = f" (and {len(names) - _MOST_JOBS} more)" if len(names) > _MOST_JOBS else ""
    return elsewhere(Use((names[0],), tree_paths), parent, snippet).replace("remove it", f"remove the jobs{rest}", 1)


def _script(job: Node) -> list[str]:
    """Return the commands of *job*: GitLab's `script`, or the steps of GitHub Actions or CircleCI."""
    if not isinstance(job, Map):
        return ["…"]
    steps = job.get("steps")
    runs = [step.get("run") for step in steps.items if isinstance(step, Map)] if isinstance(steps, Sequence) else []
    commands = [run.get("command") if isinstance(run, Map) else run for run in runs]
    lines = [*texts(job.get("script")), *(text for command in commands for text in texts(command))]
    return lines or ["…"]
