"""What a job waits for beside its needs, and what it deploys to."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipegen.bindings.expression import Text
from pipegen.source.text import Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Approval:
    """A person says yes; *message* None is a message of ours, no *approvers* is whoever may run the job."""

    message: str | None
    approvers: tuple[str, ...] = ()
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Delay:
    """The job starts by itself after *seconds*."""

    seconds: int
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Lock:
    """A name that only one job at a time may hold, over all runs."""

    name: str
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """What a job deploys to; *on_stop* is the stage that takes it down, *stops* says that this job does."""

    name: Text
    url: Text | None = None
    on_stop: str | None = None
    stops: bool = False
    span: Span = field(compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Gate:
    """What a job waits for, and what it deploys to."""

    approval: Approval | None = None
    delay: Delay | None = None
    locks: tuple[Lock, ...] = ()
    environment: Environment | None = None
