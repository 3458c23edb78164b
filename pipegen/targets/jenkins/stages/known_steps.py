"""Steps of Jenkins 2.479.3 and of common plugins, as the server lists them: where they run, and their parameters."""

from __future__ import annotations

from functools import cache

from pipegen.structs import Struct

# The name of a step; `agent` if it needs one, `block` if it has steps inside; its parameters, `*` before required ones.
_TABLE = """
archiveArtifacts: agent *artifacts allowEmptyArchive caseSensitive defaultExcludes excludes fingerprint followSymlinks
  onlyIfSuccessful
bat: agent *script encoding label returnStatus returnStdout
build: anywhere *job parameters propagate quietPeriod wait waitForStart
catchError: block buildResult catchInterruptions message stageResult
checkout: agent *scm changelog poll
cleanWs: agent cleanWhenAborted cleanWhenFailure cleanWhenNotBuilt cleanWhenSuccess cleanWhenUnstable
  cleanupMatrixParent deleteDirs disableDeferredWipeout externalDelete notFailBuild patterns skipWhenFailed
deleteDir: agent
dir: block *path
dockerNode: block *image connector credentialsId dockerHost remoteFs
echo: anywhere *message
emailext: anywhere *body *subject attachLog attachmentsPattern compressLog from mimeType postsendScript presendScript
  recipientProviders replyTo saveOutput to
emailextrecipients: agent *recipientProviders
error: anywhere *message
fileExists: agent *file
findBuildScans: anywhere
fingerprint: agent *targets caseSensitive defaultExcludes excludes
git: agent *url branch changelog credentialsId poll
input: anywhere *message id ok parameters submitter submitterParameter
isUnix: agent
junit: agent *testResults allowEmptyResults checksName healthScaleFactor keepLongStdio keepProperties keepTestNames
  skipMarkingBuildUnstable skipOldReports skipPublishingChecks stdioRetention testDataPublishers
libraryResource: anywhere *resource encoding
load: agent *path
lock: block *resource extra inversePrecedence label priority quantity resourceSelectStrategy skipIfLocked variable
mail: anywhere *body *subject bcc cc charset from mimeType replyTo to
milestone: anywhere *ordinal label unsafe
node: block *label
powershell: agent *script encoding label returnStatus returnStdout
publishChecks: anywhere actions annotations conclusion detailsURL name status summary text title
pwd: agent tmp
pwsh: agent *script encoding label returnStatus returnStdout
readFile: agent *file encoding
readTrusted: anywhere *path
resolveScm: anywhere *source *targets ignoreErrors
retry: block *count conditions
script: block
sh: agent *script encoding label returnStatus returnStdout
sleep: anywhere *time unit
stash: agent *name allowEmpty excludes includes useDefaultExcludes
step: agent *delegate
timeout: block *time activity unit
timestamps: block
tm: agent *stringWithMacro
tool: agent *name type
unstable: anywhere *message
unstash: agent *name
validateDeclarativePipeline: agent *path
waitForBuild: anywhere *runId propagate propagateAbort
waitUntil: block initialRecurrencePeriod quiet
warnError: block *message catchInterruptions
withAnt: block installation jdk
withChecks: block *name includeStage
withCredentials: block *bindings
withEnv: block *overrides
withGradle: block
wrap: block *delegate
writeFile: agent *file *text encoding
ws: block *dir
"""
_CONTINUED = "\n  "
# Steps of further plugins that need a workspace, by `getRequiredContext` or `SimpleBuildStep` of their sources. Their
# parameters depend on the version.
_IN_WORKSPACE = frozenset(
    (  # noqa: SIM905
        "allure archive copyArtifacts findFiles jacoco publishHTML readMavenPom recordCoverage recordIssues "
        "scanForIssues tar touch unarchive untar unzip writeCSV writeMavenPom xunit zip"
    ).split()
)


# Steps that run programs.
_PROGRAMS = frozenset({"bat", "powershell", "pwsh", "sh"})


class KnownStep(Struct, kw_only=True):
    """A step, whether it needs an agent, or has steps inside, and its parameters."""

    needs_agent: bool
    is_block: bool
    required: tuple[str, ...]
    parameters: tuple[str, ...]


def is_on_agent(name: str) -> bool:
    """Return whether the step *name* certainly needs an agent."""
    step = known_steps().get(name)
    return name in _IN_WORKSPACE or (step is not None and step.needs_agent)


def runs_program(name: str, *, may_be_function: bool) -> bool:
    """Return whether the step *name* may run programs: a function of the file or of a library may."""
    return name in _PROGRAMS or (may_be_function and name not in known_steps() and name not in _IN_WORKSPACE)


@cache
def known_steps() -> dict[str, KnownStep]:
    """Return the known steps by name."""
    return dict(map(_step, _TABLE.strip().replace(_CONTINUED, " ").splitlines()))


def _step(row: str) -> tuple[str, KnownStep]:
    name, _, rest = row.partition(": ")
    where, *parameters = rest.split()
    return name, KnownStep(
        needs_agent=where == "agent",
        is_block=where == "block",
        required=tuple(parameter[1:] for parameter in parameters if parameter.startswith("*")),
        parameters=tuple(parameter.removeprefix("*") for parameter in parameters),
    )
