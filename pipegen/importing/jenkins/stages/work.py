"""The work of a stage's steps, in the terms of a config."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy

from pipegen.diagnostics.report import listed
from pipegen.emit.groovy import literal
from pipegen.emit.yaml import Value
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.syntax import GroovyCall
from pipegen.importing.jenkins.stages.shell import ScriptCommand
from pipegen.structs import MutableStruct, Struct, field

_WILDCARD = re.compile(r"[*?$\[{]")


class KeptFiles(Struct, kw_only=True):
    """Files that the step *call* keeps, for the result *when* of the stage; *name* is that of a stash."""

    call: GroovyCall
    paths: tuple[str, ...]
    exclude: tuple[str, ...]
    when: str = "success"
    name: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the files are the whole checkout."""
        return any(not path.strip("*/") for path in self.paths)

    def lacks(self, other: KeptFiles) -> tuple[str, ...]:
        """Return the excluded paths that may be among those that only *other* keeps: a stage has one list of them."""
        return tuple(
            excluded
            for excluded in self.exclude
            if excluded not in other.exclude and any(_may_meet(excluded, path) for path in other.paths)
        )


def _may_meet(path: str, other: str) -> bool:
    """Return whether two paths may match the same file: the text before a wildcard decides."""
    first, second = (_WILDCARD.split(text, maxsplit=1)[0] for text in (path, other))
    return first.startswith(second) or second.startswith(first)


class JenkinsPod(Struct, kw_only=True):
    """A pod: its *keys* in a config, and the *container* that steps run in, "" for that of the agent."""

    keys: Mapping[str, Value]
    container: str

    def agent(self, container: str) -> Value:
        """Return the value of `agent` for a stage whose script runs in *container*, "" if blocks name it."""
        name = container if "yaml" in self.keys else container or self.container
        return {"kubernetes": {**self.keys, **({"container": name} if name else {})}}


class JenkinsAgent(Struct, kw_only=True):
    """An agent: its *labels* and its *image*, or its *pod*; a stage that needs none has *is_none*.

    *is_own* is whether the agent is not that of the pipeline.
    """

    labels: tuple[str, ...] = ()
    image: Value = ""
    pod: JenkinsPod | None = None
    is_none: bool = False
    is_on_same_node: bool = False
    is_own: bool = False

    @property
    def container(self) -> str | None:
        """The container of its pod that steps run in, "" for that of the agent; None if it has no pod."""
        return self.pod.container if self.pod is not None else None

    def keys(self, container: str) -> dict[str, Value]:
        """Return the keys of a stage on this agent, whose script runs in *container* of its pod."""
        keys: dict[str, Value] = {}
        if self.pod is not None:
            keys["agent"] = self.pod.agent(container)
        if self.labels:
            keys["agent"] = list(self.labels) if len(self.labels) > 1 else self.labels[0]
        if self.image:
            keys["image"] = self.image
        return keys


class StageWork(MutableStruct):
    """The commands of a stage and its other keys, as they are found in its steps and in its `post`."""

    commands: list[ScriptCommand] = field(default_factory=list)
    after: list[ScriptCommand] = field(default_factory=list)
    steps_before: list[GroovyCall] = field(default_factory=list)
    steps_after: list[GroovyCall] = field(default_factory=list)
    # Steps of Jenkins after the others, in any case and after a failure.
    steps_always: list[GroovyCall] = field(default_factory=list)
    steps_failure: list[GroovyCall] = field(default_factory=list)
    wrap: list[str] = field(default_factory=list)
    # Items of `withEnv` around steps of Jenkins: variables that commands of the script set.
    settings: list[str] = field(default_factory=list)
    secrets: dict[str, Value] = field(default_factory=dict)
    # Variables of `withCredentials`, each with the part of a credential that it gets.
    bound: dict[str, str] = field(default_factory=dict)
    # Commands that set variables from secrets, or from other commands.
    exports: list[str] = field(default_factory=list)
    # The commands of "environment", each with what runs it in a script, and as an item of `withEnv`, if it is one.
    environment_commands: list[tuple[GroovyCall, str, str | None]] = field(default_factory=list)
    files: list[KeptFiles] = field(default_factory=list)
    # Whether a step checks the repository out.
    fetches: bool = False
    unstashed: list[str] = field(default_factory=list)
    # The paths that commands remove before the files of a stash come, by its name.
    removed_before: dict[str, list[str]] = field(default_factory=dict)
    junit: list[str] = field(default_factory=list)
    keys: dict[str, Value] = field(default_factory=dict)
    # Where the stage runs, and whether a step with a block says so.
    agent: JenkinsAgent = field(default_factory=JenkinsAgent)
    has_machine: bool = False
    # An image that a step downloads before the stage runs in it.
    pulled: str = ""
    # The container that its steps run in unless they name another one: "" for that of the agent, None without a pod.
    default_container: str | None = None
    # The container of its commands, None if they can run in any.
    container: str | None = None

    def copy(self) -> StageWork:
        """Return another work with the same contents."""
        return StageWork(**{name: copy(getattr(self, name)) for name in self.__struct_fields__})

    def restore(self, earlier: StageWork) -> None:
        """Go back to the contents of *earlier*, a copy."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(earlier, name))

    @property
    def is_idle(self) -> bool:
        """Whether the stage does nothing."""
        return not (self.commands or self.after or self.has_steps or self.files or self.keys)

    @property
    def only_prints(self) -> bool:
        """Whether the stage only writes to the log."""
        calls = (*self.steps_before, *self.steps_after, *self.steps_always, *self.steps_failure)
        prints = [command.is_message for command in (*self.commands, *self.after)]
        prints += [call.name == "echo" for call in calls]
        return all(prints) and not (self.files or self.junit or self.keys.keys() - {"env"})

    @property
    def script_container(self) -> str:
        """The container of its script, "" for that of the agent or of a block around the script."""
        container = (self.default_container if self.container is None else self.container) or ""
        return "" if self.blocks and self.blocks[-1] == in_container(container) else container

    @property
    def blocks(self) -> list[str]:
        """The blocks around its script and its steps of Jenkins, which run in the default container of its pod."""
        has_own = any(head.startswith("container(") for head in self.wrap)
        steps = (*self.steps_before, *self.steps_after, *self.steps_always, *self.steps_failure)
        if not self.default_container or has_own or all(step.name == "container" for step in steps):
            return self.wrap
        return [in_container(self.default_container), *self.wrap]

    @property
    def has_steps(self) -> bool:
        """Whether steps of Jenkins are part of it."""
        return bool(self.steps_before or self.steps_after or self.steps_always or self.steps_failure or self.wrap)


def in_container(name: str) -> str:
    """Return the head of the block whose steps run in the container *name* of a pod."""
    return f"container({literal(name)})"


def removed_stashes(works: Sequence[StageWork]) -> Iterator[str]:
    """Yield the names of stashes whose files a stage of *works* removes before it gets them.

    The script of a stage starts with these files.
    """
    kept_paths = [(file.name, path) for work in works for file in work.files for path in file.paths if file.name]
    for work in works:
        for name, paths in work.removed_before.items():
            if any(kept == name and _may_meet(path, other) for kept, other in kept_paths for path in paths):
                yield name


def unstashes_in_order(works: Sequence[StageWork]) -> bool:
    """Return whether each of *works* gets stashes in the order of the stages that keep them."""
    stages = {file.name: number for number, work in enumerate(works) for file in work.files if file.name is not None}
    orders = [[stages[name] for name in work.unstashed if name in stages] for work in works]
    return all(order == sorted(order) for order in orders)


def leave_out_checkouts(work: StageWork, marks: Marks, *, has_stashes: bool) -> None:
    """Remove files from *work* that are the whole checkout, which artifacts cannot be; *has_stashes* concerns stashes.

    Others of the stage stay its artifacts.
    """
    whole = [file for file in work.files if file.is_whole and (has_stashes or file.name is None)]
    for file in whole:
        hint = "name the files that users or later stages need; each stage has those of the repository"
        marks.left_out(file.call, "artifacts cannot be the whole checkout", hint=hint)
    work.files = [file for file in work.files if file not in whole]


def artifacts(files: Sequence[KeptFiles], marks: Marks) -> Value:
    """Return the value of `artifacts` for *files*, each with all that it needs; None without files."""
    if not files:
        return None
    paths = list(dict.fromkeys(path for file in files for path in file.paths))
    exclude = list(dict.fromkeys(path for file in files for path in _excluded(file, files, marks)))
    results = {file.when for file in files if file.name is None}
    when = "success" if not results else results.pop() if len(results) == 1 else "always"
    is_kept = any(file.name is None for file in files)
    value: dict[str, Value] = {"paths": list(paths)}
    if exclude:
        value["exclude"] = list(exclude)
    if when != "success":
        value["when"] = when
    if not is_kept:
        value["keep"] = False
    return value if len(value) > 1 else list(paths)


def _excluded(files: KeptFiles, others: Sequence[KeptFiles], marks: Marks) -> Sequence[str]:
    """Return the paths that *files* exclude without those that *others* may keep, which are reported."""
    kept_paths = {path for other in others for path in files.lacks(other)}
    argument = files.call.argument("excludes")
    if kept_paths and argument is not None:
        paths = listed([path for path in files.exclude if path in kept_paths])
        marks.reported(
            argument.span,
            f'"excludes" of "{files.call.name}" is left out for {paths}: another step of the stage keeps these files',
            "exclude them in all of these steps, or remove them by a command of the script",
        )
    return [path for path in files.exclude if path not in kept_paths]
