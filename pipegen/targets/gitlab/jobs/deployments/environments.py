"""The environments that jobs deploy to."""

from __future__ import annotations

import re

from pipegen.bindings.expression import Text
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.shell.quote import quote
from pipegen.structs import Struct, replace
from pipegen.targets.engine_names import allowed_text
from pipegen.targets.gitlab.jobs.durations import in_words
from pipegen.targets.gitlab.jobs.values.expanded_texts import can_expand, expanded
from pipegen.targets.gitlab.jobs.values.shell_variables import ADDRESS_CHARACTERS, address_variable
from pipegen.targets.gitlab.model import EnvironmentKeys, ScriptEntry

# https://docs.gitlab.com/ci/yaml/#environmentname, and the message of GitLab's own check: "can contain only letters,
# digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'".
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9 _./-]")


class JobEnvironment(Struct):
    """The environment of a job, the *job* with the text that its report needs, and the *script* that writes the report.

    *dotenv* is the path of the report, if there is one.
    """

    environment: EnvironmentKeys | None
    job: plan.Job
    script: tuple[ScriptEntry, ...] = ()
    dotenv: tuple[str, ...] = ()


def lower_environment(job: plan.Job, pipeline: plan.Plan, report: Report) -> JobEnvironment:
    """Return the environment of *job*."""
    planned = job.deployment.environment
    if planned is None:
        return JobEnvironment(None, job)
    environment = EnvironmentKeys(
        name=_name(planned.name, pipeline, report),
        on_stop=planned.on_stop or "",
        auto_stop_in=in_words(planned.auto_stop_in) if planned.auto_stop_in is not None else "",
        tier=planned.tier,
        action="stop" if planned.stops else planned.action,
        kubernetes_agent=planned.kubernetes.agent if planned.kubernetes else "",
        kubernetes_namespace=_namespace(planned.kubernetes, pipeline, report) if planned.kubernetes else "",
    )
    if planned.url is None:
        return JobEnvironment(environment, job)
    if can_expand(planned.url):
        # The server, which expands it, does not unescape `$$`.
        parts = tuple(part.replace("$", "%24") if isinstance(part, str) else part for part in planned.url.parts)
        url = expanded(replace(planned.url, parts=parts), "the address of an environment", pipeline, report)
        return JobEnvironment(replace(environment, url=url), job)
    variable = address_variable(job)
    file = f".pipegen/environment/{job.slug}"
    address = plan.EngineText(file=file, value=planned.url, span=planned.url.span)
    return JobEnvironment(
        replace(environment, url=f"${variable}"),
        replace(job, steps=(*job.steps, address)),
        (_dotenv(file, variable),),
        (f"{file}.env",),
    )


def _name(text: Text, pipeline: plan.Plan, report: Report) -> str:
    allowed = allowed_text(text, _NOT_ALLOWED, edges="/")
    return expanded(allowed, "the name of an environment", pipeline, report, is_slug=True)


def _namespace(kubernetes: plan.KubernetesCluster, pipeline: plan.Plan, report: Report) -> str:
    if kubernetes.namespace is None:
        return ""
    return expanded(kubernetes.namespace, "the namespace", pipeline, report, is_slug=True)


def _dotenv(file: str, variable: str) -> ScriptEntry:
    """Return the entry that writes the report, an empty one if the address has characters that GitLab cannot show."""
    written = rf"sed -n '1s|^[{ADDRESS_CHARACTERS}]*$|{variable}=&|p' {quote(file)} >{quote(f'{file}.env')}"
    return ScriptEntry(written, comment="the address of the environment, for GitLab")
