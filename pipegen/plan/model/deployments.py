"""What a job waits for beside its needs, and what it deploys to."""

from __future__ import annotations

from pipegen.bindings.expression import Text
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct


class Approval(SpannedStruct, kw_only=True):
    """A person says yes; *message* None is a message of ours, no *approvers* is whoever may run the job."""

    message: str | None
    approvers: tuple[str, ...] = ()
    span: Span


class Delay(SpannedStruct):
    """The job starts by itself after *seconds*."""

    seconds: int
    span: Span


class Lock(SpannedStruct):
    """A name that only one job at a time may hold, over all runs."""

    name: str
    span: Span


class Environment(SpannedStruct, kw_only=True):
    """What a job deploys to; *on_stop* is the stage that takes it down, *stops* says that this job does."""

    name: Text
    url: Text | None = None
    on_stop: str | None = None
    stops: bool = False
    span: Span


class Deployment(Struct, kw_only=True):
    """What a job waits for, and what it deploys to."""

    approval: Approval | None = None
    delay: Delay | None = None
    locks: tuple[Lock, ...] = ()
    environment: Environment | None = None
