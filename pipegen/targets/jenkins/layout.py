"""Which style a Jenkinsfile is written in, and where its stages stand in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.graph.blocks import Block, Wait, blocks, direct_waits, frames_as_blocks
from pipegen.graph.execution import ExecutionGraph
from pipegen.targets.jenkins import model
