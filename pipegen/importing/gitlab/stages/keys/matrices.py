"""`parallel` as a matrix."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from math import prod

from pipegen.emit.yaml import Data, Value
from pipegen.importing.gitlab.reading.jobs import SourceJob
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.importing.gitlab.stages.keys.scripts import is_powershell
from pipegen.importing.gitlab.stages.texts import names_in, read_by_rules, rule_variables
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, child, entries_of, scalars, whole_number
from pipegen.structs import Struct
from pipegen.targets.gitlab.jobs.values.variables import is_free_name
from pipegen.targets.gitlab.runner_variables import is_for_runners

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_MOST_COMBINATIONS = 200
# Variables that GitLab sets in the jobs of `parallel`, whose script exports them in a config.
NUMBERS = ("CI_NODE_INDEX", "CI_NODE_TOTAL")
# The axis with the number of a part.
_PART = "part"
# Keys whose variables the shell reads, and keys that become keys of a stage, with defaults of axes.
_OF_SHELL = ("script", "before_script", "after_script", "parallel")
_TRANSLATED = frozenset(
    {"variables", "rules", "image", "services", "tags", "artifacts", "environment", "resource_group"}
)
# A value of an axis, and its default for combinations without the axis.
_REFERENCE = re.compile(r"\$\{matrix\.(\w+)(?:\|(.*))?\}")
_PLAIN_DEFAULT = re.compile(r"[^$}\n]*")


class Axes(Struct):
    """The key `matrix`, and the variables of each combination by name: references to its values."""

    matrix: Mapping[str, Data]
    env: Mapping[str, str]

    @property
    def values(self) -> dict[str, tuple[str, ...]]:
        """The values of each variable that differs between combinations, "" for none."""
        axes = {name: match for name, text in self.env.items() if (match := _REFERENCE.fullmatch(text))}
        combinations = self.combinations
        return {
            name: tuple(dict.fromkeys(values.get(axis[1], axis[2] or "") for values in combinations))
            for name, axis in axes.items()
        }

    @property
    def combinations(self) -> tuple[Mapping[str, str], ...]:
        """The values of each combination by axis."""
        return matrix_combinations(self.matrix)


def matrix_combinations(matrix: Mapping[str, Value]) -> tuple[Mapping[str, str], ...]:
    """Return the values of each combination of *matrix*, a key of a config, by axis."""
    lists = {
        axis: list(map(str, values))
        for axis, values in matrix.items()
        if axis != "include" and isinstance(values, list | tuple)
    }
    product_ = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())] if lists else []
    include = matrix.get("include")
    added = include if isinstance(include, list | tuple) else ()
    return (
        *product_,
        *({axis: str(value) for axis, value in item.items()} for item in added if isinstance(item, Mapping)),
    )


def axes_of(job: SourceJob) -> Axes | None:
    """Return the matrix of *job*, None without one; raise `UntranslatableError` if a config cannot express it."""
    node = job.get("parallel")
    if node is None:
        return None
    if replaced := next((name for name in rule_variables(job) if name in variables_of(job)), ""):
        raise UntranslatableError(f"rules replace its variable ${replaced}")
    axes = _axes_in(node, job)
    is_kept = "trigger" not in job.entries and (job.unknown or job.get("script") is None or is_powershell(job))
    exported = [name for name in axes.env if not is_free_name(name)] if is_kept else []
    if exported:
        raise UntranslatableError(f"the config does not contain the script, which reads {exported[0]}")
    return axes


def _axes_in(node: Node, job: SourceJob) -> Axes:
    """Return the matrix of *job* in the value *node* of `parallel`."""
    if isinstance(node, Scalar):
        number = whole_number(text_of(node)) or 0
        if not 1 <= number <= _MOST_COMBINATIONS:
            raise UntranslatableError(f"parallel: {text_of(node)}")
        parts = [str(part) for part in range(1, number + 1)]
        return Axes({_PART: list(parts)}, _numbers(number, job))
    tested = read_by_rules(job)
    maps = [_axes(item, tested) for item in flat_items(child(node, "matrix"))]
    axes = _of_maps(maps, job)
    return _numbered(axes, maps, job) if reads_number(job) else axes


def _numbered(axes: Axes, maps: Sequence[Mapping[str, Sequence[str]]], job: SourceJob) -> Axes:
    """Return *axes* of *maps* with the number of each combination as another axis: the order of GitLab decides it.

    https://gitlab.com/gitlab-org/gitlab/-/blob/master/lib/gitlab/ci/config/normalizer/matrix_strategy.rb
    """
    combinations = [dict(zip(values, chosen, strict=True)) for values in maps for chosen in product(*values.values())]
    if _PART in axes.env:
        raise UntranslatableError(f'the job reads the number of the combination, and "{_PART}" is a variable of these')
    if len(combinations) != len(axes.combinations):
        raise UntranslatableError("the job reads the number of the combination, and combinations are repeated")
    include: list[Data] = [{**values, _PART: str(part)} for part, values in enumerate(combinations, start=1)]
    return Axes({"include": include}, {**axes.env, **_numbers(len(combinations), job)})


def _numbers(total: int, job: SourceJob) -> dict[str, str]:
    """Return the variables with the number of a part of *job*, and with their *total*."""
    numbers = {"CI_NODE_INDEX": f"${{matrix.{_PART}}}", "CI_NODE_TOTAL": str(total)}
    return {name: text for name, text in numbers.items() if name not in job.variables}


def variables_of(job: SourceJob) -> tuple[str, ...]:
    """Return the names of the variables that `parallel` of *job* sets."""
    node = job.get("parallel")
    if isinstance(node, Scalar):
        return NUMBERS
    maps = flat_items(child(node, "matrix"))
    return tuple(dict.fromkeys(entry.key.text for item in maps for entry in entries_of(item)))


def read_by_values(job: SourceJob) -> Iterator[str]:
    """Yield the variables that values of the matrix of *job* read: GitLab expands them as those of variables."""
    node = job.get("parallel")
    maps = flat_items(child(node, "matrix"))
    values = (text for item in maps for entry in entries_of(item) for text in texts_of(entry.value))
    return (name for text in values for name in names_in(text))


def refusal(job: SourceJob) -> str:
    """Return why a config cannot express the matrix of *job*, "" if it can."""
    try:
        axes_of(job)
    except UntranslatableError as error:
        return str(error)
    return ""


def reads_number(job: SourceJob) -> bool:
    """Return whether *job* reads the number of a combination, which only GitLab sets."""
    return any(number in text and number not in job.variables for text in _texts(job) for number in NUMBERS)


def _texts(job: SourceJob) -> Iterator[str]:
    """Yield the texts of *job*, and of its variables."""
    yield from (variable.text for variable in job.variables.values())
    yield from (scalar.text for entry in job.entries.values() for scalar in scalars(entry.value))


def _axes(item: object, tested: Collection[str]) -> dict[str, tuple[str, ...]]:
    if not isinstance(item, TreeMapping):
        raise UntranslatableError("a matrix that is not a list of maps")
    axes = {entry.key.text: texts_of(entry.value) for entry in entries_of(item)}
    for name, values in axes.items():
        if name in tested and not is_free_name(name):
            raise UntranslatableError(f"${name} of a matrix, which rules read")
        if is_for_runners(name):
            raise UntranslatableError(f"${name} of a matrix, which the runner reads")
        if not _NAME.fullmatch(name):
            raise UntranslatableError(f'the variable "{name}" of a matrix')
        if not values or any("$" in value for value in values):
            raise UntranslatableError("a matrix with variables in its values")
    return axes


def _of_maps(maps: list[dict[str, tuple[str, ...]]], job: SourceJob) -> Axes:
    if not maps:
        raise UntranslatableError("a matrix without entries")
    names = tuple(dict.fromkeys(name for axes in maps for name in axes))
    partial = [name for name in names if any(name not in axes for axes in maps)]
    if any("" in axes.get(name, ()) for axes in maps for name in partial):
        raise UntranslatableError("the entries of the matrix have different variables, with empty values")
    if partial and (
        reader := next((key for key in ("variables", *job.entries) if _reads(key, names, partial, job)), "")
    ):
        raise UntranslatableError(f'the entries of the matrix have different variables, and "{reader}" reads one')
    env = {name: f"${{matrix.{name}{_default(name, job) if name in partial else ''}}}" for name in names}
    number = sum(prod(map(len, axes.values())) for axes in maps)
    if number > _MOST_COMBINATIONS:
        raise UntranslatableError(f"a matrix of {number} combinations")
    if len(maps) == 1:
        return Axes({name: list(values) for name, values in maps[0].items()}, env)
    combinations = [dict(zip(axes, values, strict=True)) for axes in maps for values in product(*axes.values())]
    unique = list({tuple(combination.items()): combination for combination in combinations}.values())
    different = [name for name in names if len({axes.get(name) for axes in maps}) > 1]
    if (
        not partial
        and len(different) == 1
        and len({value for axes in maps for value in axes[different[0]]})
        == sum(len(axes[different[0]]) for axes in maps)
    ):
        values = {name: list(maps[0][name]) for name in maps[0]}
        values[different[0]] = [value for axes in maps for value in axes[different[0]]]
        return Axes({name: list(axis) for name, axis in values.items()}, env)
    first: dict[str, Data] = {name: list(dict.fromkeys(values)) for name, values in maps[0].items()}
    if partial or any(len(values) == 1 for values in maps[0].values()):
        first = {}
    number = len(matrix_combinations(first))
    added: list[Data] = [dict(combination) for combination in unique[number:]]
    return Axes({**first, **({"include": added} if added else {})}, env)


def _reads(key: str, axes: Collection[str], partial: Collection[str], job: SourceJob) -> bool:
    """Return whether *key* of *job* reads an axis without a value in some combinations, or perhaps stays raw.

    Where an axis of *partial* has no value, GitLab's key has a variable of the project, or none.
    """
    if key in _OF_SHELL:
        return False
    if key == "variables":
        texts = [variable.text for variable in job.variables.values()]
    else:
        texts = [scalar.text for scalar in scalars(job.entries[key].value)]
    is_translated = key in _TRANSLATED
    read = [axis for axis in partial if axis not in job.variables] if is_translated else [*axes, "CI_JOB_NAME"]
    return not set(read).isdisjoint(name for text in texts for name in names_in(text))


def _default(name: str, job: SourceJob) -> str:
    """Return the default in references to the axis *name* that only some combinations of *job* have."""
    variable = job.variables.get(name)
    if variable is None:
        return ""
    if name not in job.own_variables or not _PLAIN_DEFAULT.fullmatch(variable.text):
        raise UntranslatableError(f"only some entries of the matrix have ${name}, which is also a variable of others")
    return f"|{variable.text}"


def axes_unless_raw(job: SourceJob, forced: Collection[str]) -> Axes | None:
    """Return the matrix of the stage of *job*, None if it has none or if `parallel` stays raw."""
    with suppress(UntranslatableError):
        return axes_of(job) if "matrix" not in forced else None
    return None
