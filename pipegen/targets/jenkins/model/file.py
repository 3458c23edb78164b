"""A whole Jenkinsfile."""

from __future__ import annotations

from pipegen.structs import Struct
from pipegen.targets.jenkins.model.declarative import Declarative
from pipegen.targets.jenkins.model.expressions import EnvironmentVariable, Value
from pipegen.targets.jenkins.model.properties import Property, PropertyKind, step_name
from pipegen.targets.jenkins.model.scripted import ScriptedPipelines
from pipegen.targets.jenkins.model.stages import Look, Pin, StageBlock
from pipegen.targets.jenkins.model.steps import NoFork, Sh


class Parameter(Struct):
    """A parameter of the build, with the *symbol* of its type; *choices*, the default first, replace a default.

    If the user has written it in Groovy, that is its *text*.
    """

    name: str
    description: str
    symbol: str = "string"
    default: str = ""
    choices: tuple[str, ...] = ()
    text: str = ""


class SelectionParameter(Struct):
    """The pipelines of the file, and those that run only if the parameter names them."""

    pipelines: tuple[str, ...]
    on_demand: tuple[str, ...]
    # Pipelines with the Groovy condition on which they run unless named, grouped by function.
    conditions: tuple[tuple[tuple[str, str], ...], ...]

    @property
    def is_alone(self) -> bool:
        """Whether the file has one pipeline, whose condition decides."""
        return len(self.pipelines) == 1


class Prelude(Struct, kw_only=True):
    """A function that returns the start of several scripts."""

    function: str
    comment: str
    sh: Sh


class CheckoutFunction(Struct, kw_only=True):
    """The function that checks out the commit of the build.

    Attributes:
        extensions: git options of all calls in addition to the job's configuration, as calls in Groovy.
        takes_options: whether calls have a list of further options.
        truncates: whether a call fetches a part of the history.
        has_whole: whether a call needs the whole history where others, or the job, fetch a part of it.
        variables: the variables to set besides the commit, with their names in `checkout`.
    """

    extensions: tuple[str, ...]
    takes_options: bool
    truncates: bool
    has_whole: bool
    variables: tuple[tuple[str, str], ...]


class Recipients(Struct, kw_only=True):
    """A function that returns recipients that are known only at run time."""

    function: str
    items: tuple[Value | SplitLoop, ...]


class SplitLoop(Struct, kw_only=True):
    """*body* for each piece of *source* between *delimiters* ("" means that the whole source is one piece).

    *level* is 1 for the outermost loop; *words* is the number of space-separated words that a piece must have, 0 if it
    is used whole.
    """

    level: int
    source: Value
    delimiters: str
    words: int
    body: Value | SplitLoop


class Jenkinsfile(Struct, kw_only=True):
    """A whole file.

    *libraries* are loaded first; *definitions* are Groovy of the user; *properties* are those of the job besides its
    *parameters*; *guard* ends builds of changes from forks before anything else; *helpers* are the names of the
    constant functions that it calls, in the order of the file; *has_containers* is whether steps run in containers of
    docker, *has_stashes* whether stages stash files. *setters* and *parameter_lists* are the variables and the
    parameters by the function that contains them, () if they are in place.
    """

    notes: tuple[str, ...]
    libraries: tuple[str, ...]
    definitions: str
    properties: tuple[Property, ...]
    parameters: tuple[Parameter, ...]
    selection: SelectionParameter | None
    variables: tuple[EnvironmentVariable, ...]
    look: Look | None
    pin: Pin | None
    guard: tuple[NoFork, ...]
    body: Declarative | ScriptedPipelines
    stages: tuple[StageBlock, ...]
    preludes: tuple[Prelude, ...]
    recipients: tuple[Recipients, ...]
    checkout: CheckoutFunction | None
    helpers: tuple[str, ...]
    has_containers: bool
    has_stashes: bool
    setters: tuple[tuple[EnvironmentVariable, ...], ...]
    parameter_lists: tuple[tuple[Parameter, ...], ...]

    @property
    def can_restart(self) -> bool:
        """Whether users can restart a build from one of its stages."""
        return isinstance(self.body, Declarative)

    @property
    def options(self) -> tuple[str, ...]:
        """The calls under `options` of a declarative file; an option of the user replaces the default of that name."""
        names = {property_.name for property_ in self.properties}
        defaults = ("skipDefaultCheckout()", *(("preserveStashes()",) if self.has_stashes else ()))
        own = tuple(option for option in defaults if step_name(option) not in names)
        return (*own, *self.settings, *self.around)

    @property
    def settings(self) -> tuple[str, ...]:
        """The calls of properties that are settings of the job."""
        return self._texts(PropertyKind.SETTING)

    @property
    def triggers(self) -> tuple[str, ...]:
        """The calls of properties that start builds."""
        return self._texts(PropertyKind.TRIGGER)

    @property
    def is_repeated(self) -> bool:
        """Whether a block step around all stages may run them several times."""
        return any(step_name(head).rpartition(".")[2] == "retry" for head in self.around)

    @property
    def around(self) -> tuple[str, ...]:
        """The block steps around all stages, the outermost first."""
        return self._texts(PropertyKind.AROUND)

    def _texts(self, kind: PropertyKind) -> tuple[str, ...]:
        return tuple(property_.text for property_ in self.properties if property_.kind is kind)
