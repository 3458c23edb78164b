"""`pipegen simulate`: simulates a run."""

import json
import re
import shutil
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

import click

from pipegen.cli.events import EventOptions, event_options, narrowed_to_event
from pipegen.cli.exits import WrongUsage
from pipegen.cli.files.output import write
from pipegen.cli.files.overwriting import HTML, SVG, check_picture
from pipegen.cli.parameters import EXISTING_FILE, PATH, EnumChoice, FleetForm
from pipegen.cli.session import (
    Format,
    attempt,
    config_path,
    diagnostics_option,
    first_option,
    fixed_inputs,
    pipeline_option,
    reported,
    set_option,
    wrong_option,
)
from pipegen.cli.terminal.colours import CHART
from pipegen.cli.terminal.streams import show_data, show_file, show_text
from pipegen.cli.timing.orders import EngineOrder
from pipegen.cli.timing.scenario import Scenario, scenario_of, without_demands
from pipegen.compiler import Analysed, analyse
from pipegen.diagnostics.report import Report
from pipegen.fleet.reading.cluster import read_cluster
from pipegen.run.chart.data import as_data, sweep_data
from pipegen.run.chart.svg import render_svg
from pipegen.run.chart.sweep import render_sweep
from pipegen.run.chart.text import Glyphs, render_text
from pipegen.run.model import RunMachine
from pipegen.run.scheduling.fitting import check
from pipegen.run.scheduling.scheduler import CRITICAL_PATH, ORDERS
from pipegen.run.simulation import Simulation
from pipegen.run.sweep import Sweep
from pipegen.structs import Struct

_RANGE = re.compile(r"([0-9]{1,6})\.\.([0-9]{1,6})")
# The arguments that a fleet and recordings take.
_OF_FLEETS = ("fleet", "condition", "form", "html", "diagnostics")
_OF_RECORDINGS = ("record", "diagnostics")
# Longer sweeps are probably typos.
_MOST_STEPS = 1_000
_WIDTH = 100


class _Result(Struct, kw_only=True):
    """The result to show."""

    scenario: Scenario
    simulation: Simulation
    sweep: Sweep | None
    target: EngineOrder | None


@click.command("simulate")
@click.argument(
    "configs", nargs=-1, type=PATH, metavar="[CONFIG]...", help="Configs whose pipelines run at the same time."
)
@click.option(
    "--executors",
    type=click.IntRange(min=1, max=100_000),
    metavar="N",
    help="The number of executors; each can run any stage.",
)
@click.option(
    "--cluster", type=EXISTING_FILE, metavar="FILE", help="A file with the executors and their labels, cpu and memory."
)
@click.option(
    "--durations",
    metavar="FILE|journal",
    help="The duration of each stage: a file with names, or the durations of earlier local runs.",
)
@click.option(
    "--order", default=CRITICAL_PATH, metavar="ORDER", help=f"Which ready stage starts first: {', '.join(ORDERS)}."
)
@first_option
@click.option("--sweep", metavar="1..N", help="Simulate each number of executors and report which is enough.")
@click.option(
    "--fleet",
    type=EXISTING_FILE,
    metavar="FILE",
    help="Simulate a fleet: a file with machines, queues and load, for days or weeks.",
)
@click.option(
    "--find",
    "condition",
    metavar="CONDITION",
    help='Find the smallest number of machines of the first group with which a condition holds: "p95(wait) < 60s".',
)
@click.option(
    "--record",
    multiple=True,
    type=EXISTING_FILE,
    metavar="FILE",
    help="Print the load of a fleet from runs that were recorded: a saved answer of GitLab's or Jenkins' API.",
)
@pipeline_option
@click.option("--target", "-t", type=EnumChoice(EngineOrder), help="Use the order that this engine enforces.")
@set_option
@event_options
@click.option(
    "--format",
    "form",
    type=EnumChoice(FleetForm),
    default=FleetForm.TEXT.value,
    help="The format of the result; csv only with --fleet.",
)
@click.option("--svg", type=PATH, metavar="FILE", help="Also write the chart to this file.")
@click.option("--html", type=PATH, metavar="FILE", help="Also write a page with the chart to this file.")
@diagnostics_option
@click.pass_context
def simulate(
    context: click.Context,
    configs: tuple[Path, ...],
    executors: int | None,
    cluster: Path | None,
    durations: str | None,
    order: str,
    first: tuple[str, ...],
    sweep: str | None,
    fleet: Path | None,
    condition: str | None,
    record: tuple[Path, ...],
    pipeline: tuple[str, ...],
    target: EngineOrder | None,
    inputs: tuple[str, ...],
    event: EventOptions,
    form: FleetForm,
    svg: Path | None,
    html: Path | None,
    diagnostics: Format,
) -> None:
    """Simulate a run: its duration, and which stage waits for what.

    Without --executors and --cluster, each stage gets an executor at once.
    """
    if record:
        from pipegen.fleet.recordings import read_recordings  # noqa: PLC0415 - only for recordings, with the code of fleets

        _refuse_others(context, _OF_RECORDINGS, "the files have the load")
        return show_file(reported(lambda report: read_recordings(record, report), Report(), diagnostics))
    if fleet is not None:
        from pipegen.cli.timing.fleets import show_fleet  # noqa: PLC0415 - only for fleets: 5 % of 10 stages

        _refuse_others(context, _OF_FLEETS, "the file of the fleet has the load and the machines")
        return show_fleet(fleet, form, condition, html, diagnostics)
    _check_options(form, condition, cluster, executors or sweep, order)
    counts = _counts(sweep)
    check_picture(svg, SVG)
    check_picture(html, HTML)

    def read(report: Report) -> tuple[Scenario, tuple[RunMachine, ...]]:
        analysed = _analysed(configs, pipeline, inputs, event, report)
        scenario = scenario_of(analysed, durations, target, order, first, report)
        return scenario, _machines(cluster, executors, scenario, report)

    scenario, machines = reported(read, Report(), diagnostics)
    result = _result(scenario if cluster is not None else without_demands(scenario), machines, counts, target)
    return _show(result, form, svg, html)


# Arguments


def _check_options(
    form: FleetForm, condition: str | None, cluster: Path | None, executors: int | str | None, order: str
) -> None:
    """Refuse options without an effect, and unknown orders."""
    if condition is not None:
        raise WrongUsage("--find is for --fleet; --sweep searches the number of executors of a single run")
    if form is FleetForm.CSV:
        raise WrongUsage("--format csv is for --fleet")
    if cluster is not None and executors is not None:
        raise WrongUsage("--cluster defines the executors: omit --executors and --sweep")
    if order not in ORDERS:
        raise wrong_option("--order", order, ORDERS)


def _refuse_others(context: click.Context, used: Collection[str], reason: str) -> None:
    """Refuse the options of *context* that are not *used*, with a *reason*."""
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and name not in used and context.params[name]:
            shown = parameter.opts[0] if parameter.param_type_name == "option" else "the config"
            raise WrongUsage(f"{reason}: omit {shown}")


def _analysed(
    configs: Sequence[Path],
    pipelines: Sequence[str],
    inputs: Sequence[str],
    event: EventOptions,
    report: Report,
) -> tuple[Analysed, ...]:
    """Return the analyses of *configs*, or of the default config; raise `Stopped` if there are errors."""
    paths = [config_path(path) for path in configs or (None,)]
    if pipelines and len(paths) > 1:
        raise WrongUsage("--pipeline selects from one config: name one config, or omit --pipeline")
    fixed = fixed_inputs(inputs)
    analyses = [attempt(path, report, lambda file: analyse(file, pipelines, report, fixed)) for path in paths]
    report.stop_if_errors()
    return tuple(narrowed_to_event(analysis, event) for analysis in analyses if analysis is not None)


def _machines(
    cluster: Path | None, executors: int | None, scenario: Scenario, report: Report
) -> tuple[RunMachine, ...]:
    """Return the machines; raise `Stopped` if a stage fits on none."""
    if cluster is None:
        return alike(executors)
    machines = read_cluster(cluster, report)
    check([task for run in scenario.runs for task in run.tasks], machines, report)
    report.stop_if_errors()
    return machines


def alike(executors: int | None) -> tuple[RunMachine, ...]:
    """Return one machine with a slot for each of *executors*, unlimited for None."""
    return (RunMachine(name="executor", slots=executors),)


def _counts(text: str | None) -> range | None:
    if text is None:
        return None
    match = _RANGE.fullmatch(text)
    first, last = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= first <= last or last - first >= _MOST_STEPS:
        raise WrongUsage(f'--sweep takes numbers of executors such as 1..32, not "{text}"')
    return range(first, last + 1)


# Results


def _show(result: _Result, form: FleetForm, svg: Path | None, html: Path | None) -> None:
    """Write the pictures, and show *result*."""
    if svg is not None:
        write(svg, render_svg(result.simulation, result.scenario.unit))
    if html is not None:
        write(html, _page(result))
    if form is FleetForm.JSON:
        show_data(json.dumps(_data(result), indent=2))
    elif result.scenario.runs:
        show_text(_text(result), colours=CHART)


def _result(
    scenario: Scenario, machines: tuple[RunMachine, ...], counts: range | None, target: EngineOrder | None
) -> _Result:
    swept = Sweep.over(counts, lambda count: scenario.on(alike(count))) if counts is not None else None
    if swept is not None and machines == alike(None):
        # By default, use as many executors as help.
        simulation = dict(swept.simulations)[swept.enough]
    else:
        simulation = scenario.on(machines)
    return _Result(scenario=scenario, simulation=simulation, sweep=swept, target=target)


def _data(result: _Result) -> dict[str, object]:
    document = {
        "order": result.scenario.order,
        "target": result.target,
        **as_data(result.simulation, result.scenario.unit),
    }
    return document if result.sweep is None else {**document, "sweep": sweep_data(result.sweep)}


def _text(result: _Result) -> str:
    width = shutil.get_terminal_size((_WIDTH, 24)).columns
    glyphs, unit = Glyphs.of(sys.stdout.encoding), result.scenario.unit
    parts = [_head(result)]
    if result.sweep is not None:
        parts.append(render_sweep(result.sweep, unit, width, glyphs))
    return "\n\n".join([*parts, render_text(result.simulation, unit, width, glyphs)])


def _page(result: _Result) -> str:
    from pipegen.cli.pictures.simulation_page import page  # noqa: PLC0415 - only for pages: a tenth of 10 stages

    return page(result.simulation, result.scenario.unit, _head(result))


def _head(result: _Result) -> str:
    """Return the description of the simulation."""
    simulation = result.simulation
    first = f", first {', '.join(result.scenario.first)}" if result.scenario.first else ""
    lines = [f"{simulation.title}, order {result.scenario.order}{first}"]
    if result.target is not None:
        lines.append(f"in the order that {result.target} enforces")
    if not result.scenario.unit.is_seconds:
        lines.append("without durations, each stage takes 1 and delays take 0")
    return "\n".join(lines)
