"""Dominant resource fairness: the gang with the smallest dominant share comes first."""

from __future__ import annotations

from pipegen.run.scheduling.amounts import share
from pipegen.run.scheduling.session import Session
from pipegen.run.scheduling.votes import Votes


def drf(session: Session) -> Votes:
    """Return votes for the gang with the least dominant share of all machines."""
    return Votes(gang_key=lambda gang: share(gang.taken, session.machines.totals))
