"""What a job deploys to, as GitLab knows it."""

from __future__ import annotations

import re

from pipegen.bindings.expression import Text
from pipegen.diagnostics.report import Report
from pipegen.plan import model as plan
from pipegen.shell.quote import quote
from pipegen.structs import Struct, replace
from pipegen.targets.fitted import fitted_text
from pipegen.targets.gitlab.jobs.expanded_texts import can_expand, expanded
from pipegen.targets.gitlab.jobs.shell_variables import address_variable
from pipegen.targets.gitlab.model import EnvironmentKeys, ScriptEntry

# https://docs.gitlab.com/ci/yaml/#environmentname
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9 _/-]")
# What a dotenv report hands on as it is, in a pattern of the shell.
_CARRIED = r"A-Za-z0-9._~:/?\&=%+,\;@#-"


class JobEnvironment(Struct):
    """The environment of a job; the *job* with what it must leave for that; and how a report is made of it.

    *dotenv* is the path of the report, if there is one.
    """

    environment: EnvironmentKeys | None
    job: plan.Job
    script: tuple[ScriptEntry, ...] = ()
    dotenv: tuple[str, ...] = ()


def lower_environment(job: plan.Job, of: plan.Plan, report: Report) -> JobEnvironment:
    """Return what GitLab is told of the environment of *job*."""
    found = job.deployment.environment
    if found is None:
        return JobEnvironment(None, job)
    environment = EnvironmentKeys(name=_name(found.name, of, report), on_stop=found.on_stop or "", stops=found.stops)
    if found.url is None:
        return JobEnvironment(environment, job)
    if can_expand(found.url):
        # The server, which expands it, keeps `$$` as it is.
        parts = tuple(part.replace("$", "%24") if isinstance(part, str) else part for part in found.url.parts)
        url = expanded(replace(found.url, parts=parts), "the address of an environment", of, report)
        return JobEnvironment(replace(environment, url=url), job)
    variable = address_variable(job)
    file = f".pipegen/environment/{job.slug}"
    told = plan.EngineText(file=file, value=found.url, span=found.url.span)
    return JobEnvironment(
        replace(environment, url=f"${variable}"),
        replace(job, steps=(*job.steps, told)),
        (_dotenv(job, file, variable),),
        (f"{file}.env",),
    )


def _name(text: Text, of: plan.Plan, report: Report) -> str:
    return expanded(fitted_text(text, _NOT_ALLOWED), "the name of an environment", of, report, is_slug=True)


def _dotenv(job: plan.Job, file: str, variable: str) -> ScriptEntry:
    """Return what makes the report, or says in the log that the address holds what none can carry."""
    message = quote(f"stage {job.stage}: the address of its environment holds what GitLab cannot show")
    lines = (
        "# the address of the environment, for GitLab",
        f"case $(cat {quote(file)}) in",
        f"  '' | *[!{_CARRIED}]*) echo {message} ;;",
        f"""  *) printf '{variable}=%s\\n' "$(cat {quote(file)})" >{quote(f"{file}.env")} ;;""",
        "esac",
    )
    return ScriptEntry("".join(f"{line}\n" for line in lines))
