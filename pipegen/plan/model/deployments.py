"""Approvals, delays, locks and environments of a job."""

from __future__ import annotations

from pipegen.bindings.expression import Text
from pipegen.plan.model.conditions import Condition
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct


class Approval(SpannedStruct, kw_only=True):
    """A manual approval; *message* None is the default. Without *approvers*, everybody who may run the job can approve.

    The run goes on without a job whose approval *is_optional*. An engine whose run waits for the answer skips the job
    after *timeout* seconds. In runs for which its *condition* does not hold, the job starts by itself.
    """

    message: str | None
    approvers: tuple[str, ...] = ()
    is_optional: bool = False
    timeout: int | None = None
    condition: Condition | None = None
    span: Span


class Delay(SpannedStruct):
    """The job starts by itself after *seconds*."""

    seconds: int
    span: Span


class Lock(SpannedStruct):
    """A name that one job at a time may hold, across all runs."""

    name: str
    span: Span


class KubernetesCluster(Struct):
    """The cluster of an environment: the *agent* that is connected to it, "" for none, and the *namespace* in it."""

    agent: str
    namespace: Text | None


class Environment(SpannedStruct, kw_only=True):
    """A deployment target; *on_stop* is the stage that stops it, and *stops* is whether this job stops it.

    It stops by itself *auto_stop_in* seconds after the last deployment. *tier* and *action* are words of the schema; ""
    is what the engine concludes from the name, and a deployment.
    """

    name: Text
    url: Text | None = None
    on_stop: str | None = None
    stops: bool = False
    auto_stop_in: int | None = None
    tier: str = ""
    action: str = ""
    kubernetes: KubernetesCluster | None = None
    span: Span


class Deployment(Struct, kw_only=True):
    """The approval, locks and environment of a job."""

    approval: Approval | None = None
    delay: Delay | None = None
    locks: tuple[Lock, ...] = ()
    environment: Environment | None = None

    @property
    def stops_environment(self) -> bool:
        """Whether the job stops an environment: it runs only on request."""
        return self.environment is not None and self.environment.stops
