"""The import of a Declarative Jenkinsfile as a config that compiles."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterator, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.compilation import OVERLAP, CompiledConfig, ConfigError, compiled
from pipegen.importing.imported import Imported
from pipegen.importing.jenkins.comments import header_of, with_comments
from pipegen.importing.jenkins.document import JenkinsConfig, RefusedKey, all_constructs, jenkins_document
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.assignments import AssignedValue, assigned_values, with_readable_names
from pipegen.importing.jenkins.reading.checkout import report_conditions, report_set_variables
from pipegen.importing.jenkins.reading.constructs import constructs
from pipegen.importing.jenkins.reading.functions import is_generated
from pipegen.importing.jenkins.reading.source import JenkinsSource, read_source, sections
from pipegen.importing.jenkins.reading.syntax import GroovyAssignment, GroovyCall, all_calls, constant
from pipegen.importing.jenkins.results import (
    report_archives,
    report_branches,
    report_causes,
    report_changesets,
    report_commands_after,
    report_credentials,
    report_ends,
    report_names,
    report_parameters,
    report_repeated_commands,
    report_results,
)
from pipegen.importing.jenkins.stages.kept import GroovyInConfig, reads, unstashes
from pipegen.importing.jenkins.stages.work import removed_stashes, unstashes_in_order
from pipegen.importing.layout import block_style, written
from pipegen.readback.groovy import GroovyTokens
from pipegen.source.text import SourceFile, Span
from pipegen.structs import replace

_MOST_ROUNDS, _MOST_VALUE_ROUNDS = 6, 2
# The variable of generated files for jobs that are not multibranch jobs.
_BRANCH = re.compile(r'(?m)^ *BRANCH_NAME = "\$\{env\.BRANCH_NAME \?: .*"$')


class JenkinsImport(Imported, kw_only=True):
    """The import of a Jenkinsfile: its *source*, the config, and its generated file."""

    source: JenkinsSource
    config: JenkinsConfig
    compiled: CompiledConfig
    accounting: Accounting

    def is_translated(self, span: Span) -> bool:
        """Return whether the construct at *span* is translated."""
        return self.accounting.outcome(span) is KeyOutcome.TRANSLATED

    def is_kept(self, span: Span) -> bool:
        """Return whether the construct at *span* stays Groovy."""
        return self.accounting.outcome(span) is KeyOutcome.RAW

    def is_raw(self, call: GroovyCall) -> bool:
        """Return whether all of *call* stays Groovy, and not only the block step around others."""
        return all(self.is_kept(span) for _, span in constructs(call))


def import_jenkins(file: SourceFile, report: Report) -> JenkinsImport:
    """Return the config of the Jenkinsfile *file*; raise `Stopped` if it is not Declarative.

    Keys that a config refuses are left out: the config is compiled to find them.
    """
    # Groovy reads each line break as one character, also in texts.
    file = replace(file, text=re.sub(r"\r\n?", "\n", file.text))
    original = read_source(_without_own_parts(file), report)
    taken = _taken_names(original)
    source = with_readable_names(original, taken)
    values = assigned_values(source, taken)
    refused: dict[tuple[str, str], RefusedKey] = {}
    for number in range(_MOST_ROUNDS):
        config, accounting, own = _config(source, values, list(refused.values()))
        result = compiled(block_style(config.document), "jenkins", checks_scripts=True)
        usable = tuple(value for value in values if _is_usable(value, source, config.groovy))
        if usable == values:
            usable = tuple(value for value in values if not any(_concerns(error, value) for error in result.errors))
        if usable != values:
            # Without a value, more steps stay Groovy, which may read others.
            names = {value.name for value in usable} if number < _MOST_VALUE_ROUNDS else ()
            source, before = with_readable_names(original, taken, names), source
            values = tuple(value for value in assigned_values(source, taken) if value.name in names)
            refused = refused if source.stages == before.stages else {}
            continue
        new = {
            (error.stage, key): RefusedKey(error.stage, key, error.message)
            for error, key in _keys(result, refused, config)
        }
        if not new.keys() - refused.keys():
            break
        refused = {**new, **refused}
    report_names(original, source, own)
    report_commands_after(source, config.drafts, own)
    report_repeated_commands([(stage.keys, stage.work) for stage in (*config.drafts, *config.ends)], own)
    _report_steps(source, accounting, own)
    report_causes(source, config.all_drafts, own)
    text = written(with_comments(config, source), header_of(file))
    report_branches(source, text, own)
    report_parameters(source, text, taken, own)
    report.take(own, _is_first())
    return JenkinsImport(
        text=text,
        count=accounting.count(all_constructs(source)),
        generated=result.files,
        source=source,
        config=config,
        compiled=result,
        accounting=accounting,
    )


def _keys(
    result: CompiledConfig, refused: Container[tuple[str, str]], config: JenkinsConfig
) -> Iterator[tuple[ConfigError, str]]:
    """Yield the errors of *result*, each with its key.

    Files that several stages of *config* leave may overlap, unless an earlier attempt was refused, or a stage gets
    stashes in another order than that of the stages, in which it would get their files.
    """
    can_overlap = unstashes_in_order([draft.work for draft in config.drafts])
    for error in result.errors:
        is_conflict = can_overlap and error.code is codes.CONFLICTING_FILES and (error.stage, OVERLAP) not in refused
        yield error, OVERLAP if is_conflict else error.key


def _is_first() -> Callable[[Diagnostic], bool]:
    """Return a function that tells whether a diagnostic is the first: each use of a function has those of its steps."""
    seen: set[tuple[int, str]] = set()

    def is_first(diagnostic: Diagnostic) -> bool:
        key = diagnostic.primary.span.start if diagnostic.primary is not None else -1, diagnostic.message
        is_new = key not in seen
        seen.add(key)
        return is_new

    return is_first


def _config(
    source: JenkinsSource, values: Sequence[AssignedValue], refused: Collection[RefusedKey]
) -> tuple[JenkinsConfig, Accounting, Report]:
    """Return the config of *source*, the outcomes of its constructs, and a report.

    Stashes that Groovy of the config reads stay Groovy, too, and those whose files commands remove before they come.
    """
    stashes = frozenset[str]()
    while True:
        report, accounting = Report(), Accounting()
        config = jenkins_document(source, values, refused, stashes, Marks(accounting, report), report)
        texts = (groovy.text for groovy in config.groovy if "unstash" in groovy.text)
        read = stashes.union(name for text in texts for _, name in unstashes(GroovyTokens(text)))
        read = read.union(removed_stashes([draft.work for draft in config.drafts]))
        if read == stashes:
            return config, accounting, report
        stashes = read


def _report_steps(source: JenkinsSource, accounting: Accounting, report: Report) -> None:
    """Report what steps and conditions of *source* do, but the config does not."""
    report_conditions(source.pipeline, _set_variables(source), accounting, report)
    report_set_variables(source.code, source.pipeline, report)
    report_changesets(source.pipeline, accounting, report)
    report_credentials(source, report)
    report_results(source.pipeline, accounting, report)
    report_ends(source.pipeline, accounting, report)
    report_archives(source, accounting, report)


def _taken_names(source: JenkinsSource) -> frozenset[str]:
    """Return the names of parameters of *source*."""
    return frozenset(
        constant(argument.value) or ""
        for section in sections(source.pipeline, "parameters")
        for call in (section.block.statements if section.block is not None else ())
        if isinstance(call, GroovyCall) and (argument := call.argument("name")) is not None
    )


def _set_variables(source: JenkinsSource) -> frozenset[str]:
    """Return the names in `environment`, and those of variables of `env` that Groovy of *source* sets."""
    assigned = frozenset(
        statement.name
        for call in (source.pipeline, *all_calls(source.pipeline))
        for section in sections(call, "environment")
        for statement in (section.block.statements if section.block is not None else ())
        if isinstance(statement, GroovyAssignment)
    )
    return assigned.union(source.env_variables)


def _is_usable(value: AssignedValue, source: JenkinsSource, groovy: Collection[GroovyInConfig]) -> bool:
    """Return whether *value* can be an output: if *groovy* reads it, then in steps of later stages."""
    return all(value.stage in source.before.get(part.stage, ()) or not reads(part.text, value.name) for part in groovy)


def _concerns(error: ConfigError, value: AssignedValue) -> bool:
    """Return whether *error* may be one because *value* is an output."""
    is_own = error.stage in (value.stage, *value.readers) or error.key == f"env.{value.name}"
    # The defaults may have it.
    return is_own or value.path in error.message


def _without_own_parts(file: SourceFile) -> SourceFile:
    """Return *file*, or a generated one without what a config need not say, or refuses; locations stay the same.

    That is the default of `BRANCH_NAME`, and the folder for values, which gets a name that paths in a config may have.
    """
    if not is_generated(file):
        return file
    text = file.text.replace(".pipegen/", ".results/")
    return replace(file, text=_BRANCH.sub(lambda line: " " * len(line[0]), text))
