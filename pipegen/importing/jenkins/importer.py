"""The import of a Declarative Jenkinsfile as a config that compiles."""

from __future__ import annotations

import re

from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.compilation import CompiledConfig, compiled
from pipegen.importing.imported import Imported
from pipegen.importing.jenkins.document import JenkinsConfig, RefusedKey, all_constructs, jenkins_document
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.constructs import constructs
from pipegen.importing.jenkins.reading.functions import is_generated
from pipegen.importing.jenkins.reading.source import JenkinsSource, read_source
from pipegen.importing.jenkins.reading.syntax import GroovyCall
from pipegen.importing.layout import block_style, written
from pipegen.source.text import SourceFile, Span

_MOST_ROUNDS = 4
# The variable of generated files for jobs that are no multibranch jobs.
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

    def is_raw(self, call: GroovyCall) -> bool:
        """Return whether all of *call* stays Groovy, and not only the block step around others."""
        return all(self.accounting.outcome(span) is KeyOutcome.RAW for _, span in constructs(call))


def import_jenkins(file: SourceFile, report: Report) -> JenkinsImport:
    """Return the config of the Jenkinsfile *file*; raise `Stopped` if it is not Declarative.

    Keys that a config refuses are left out: the config is compiled to find them.
    """
    source = read_source(_without_own_parts(file), report)
    refused: dict[tuple[str, str], RefusedKey] = {}
    for _ in range(_MOST_ROUNDS):
        own, accounting = Report(), Accounting()
        config = jenkins_document(source, list(refused.values()), Marks(accounting, own), own)
        result = compiled(block_style(config.document), "jenkins")
        new = {(one.stage, one.key): RefusedKey(one.stage, one.key, one.message) for one in result.errors}
        if not new.keys() - refused.keys():
            break
        refused = {**new, **refused}
    report.take(own)
    return JenkinsImport(
        text=written(config.document),
        count=accounting.count(all_constructs(source)),
        generated=result.files,
        source=source,
        config=config,
        compiled=result,
        accounting=accounting,
    )


def _without_own_parts(file: SourceFile) -> SourceFile:
    """Return *file*, or a generated one without what a config need not say, or refuses; locations stay the same.

    That is the default of `BRANCH_NAME`, and the folder for values, which gets a name that paths in a config may have.
    """
    if not is_generated(file):
        return file
    text = file.text.replace(".pipegen/", ".results/")
    return SourceFile(file.path, _BRANCH.sub(lambda line: " " * len(line[0]), text))
