"""The page of a picture in a real browser: display, clicks, keys and printing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from engines.browser import Page, available, browser
from engines.requirement import require
from engines.screenshots import analysed
from pictures.sample_pictures import HOSTILE, picture
from run.chart.shown import service

from pipegen.cli.pictures.drawing import of_config
from pipegen.cli.pictures.simulation_page import page as simulation_page
from pipegen.cli.session import Format
from pipegen.diagnostics.report import Report
from pipegen.fleet.answers.chart import page as fleet_page
from pipegen.fleet.answers.results import results
from pipegen.fleet.reading.read import read_fleet
from pipegen.fleet.simulation import FleetSimulation
from pipegen.pictures.page import render_page
from pipegen.run.chart.times import SECONDS
from pipegen.structs import replace

SCRIPT = "echo 'one  two'\n\tmake  \"${build.version}\" && echo </script> <!-- \\n $HOME &amp; ünïcödé 😀\n"
CONFIG = f"""\
pipelines:
  service:
    stages:
      - name: build
        description: Makes what the others check.
        image: python:3.12
        script: [make dist]
        outputs: {{ version: {{ command: cat VERSION }} }}
        artifacts: [dist/]
      - name: lint
        script: [ruff check .]
      - name: unit
        script: {json.dumps(SCRIPT)}
      - name: release
        when: {{ branch: main }}
        approve: Ready?
        script: ['./release "${{build.version}}"']
      - name: clean-up
        script: [./clean]
    execution: [[build, unit, release], [lint, release]]
    finally: [clean-up]
  nightly:
    stages: [{{ name: soak, script: [./soak] }}]
"""
BUILD, LINT, UNIT, RELEASE = range(4)
HEADING = "document.querySelector('#panel h2').textContent"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Return a browser, shared by all tests."""
    require(available())
    with browser(tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.fixture
def page(opened: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    """Return the page of CONFIG."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "page.html").write_text(of_config(None, analysed, (), Format.TEXT, is_page=True), encoding="utf-8")
    opened.prefer(color_scheme="light", reduced_motion="reduce")
    opened.open(tmp_path / "page.html")
    return opened


def stage(number: int) -> str:
    """Return the selector of a stage's box."""
    return f'#pipeline-0 [data-stage="{number}"]'


def focused(page: Page) -> str:
    """Return the name of the focused stage."""
    text: str = page.look("document.activeElement.querySelector?.('.name')?.textContent")
    return text


def unfaded(page: Page) -> list[str]:
    """Return the stages that are not faded."""
    texts: list[str] = page.look(
        "[...document.querySelectorAll('#pipeline-0 .stage.near .name')].map(o => o.textContent)"
    )
    return texts


def test_the_page_loads_without_errors_or_requests(page: Page) -> None:
    """The only request is for the page itself."""
    assert page.complaints() == []
    assert [address.rpartition("/")[2] for address in page.requests()] == ["page.html"]


def test_the_browser_enforces_the_content_security_policy(page: Page) -> None:
    """It blocks network access and other scripts."""
    script = """fetch('https://example.org/').then(() => 'sent', () => 'refused').then(told => {
        const other = document.createElement('script'); other.textContent = 'window.broken = 1';
        document.body.append(other); return [told, window.broken ?? null]; })"""

    assert page.look(script) == ["refused", None]


def test_a_click_opens_the_panel_with_the_unchanged_script(page: Page) -> None:
    """It also has the code that each target generates."""
    page.click(stage(UNIT))

    assert page.look(HEADING) == "unit"
    assert page.look("document.querySelector('#panel .script').textContent") == SCRIPT
    assert page.look("[...document.querySelectorAll('#panel .targets button')].map(o => o.textContent)") == [
        *("gitlab", "jenkins")
    ]
    assert page.look("document.querySelector('#panel .generated').textContent").startswith('"service: unit":\n')
    page.click("#panel .targets button:last-child")
    assert "'service: unit'" in page.look("document.querySelector('#panel .generated').textContent")
    assert page.complaints() == []


def test_a_click_on_the_background_shows_no_focus_outline(page: Page) -> None:
    """Only keyboard focus has one."""
    x, y, _, height = page.look(
        "(box => [box.x, box.y, box.width, box.height])(document.querySelector('.graph').getBoundingClientRect())"
    )
    page.drag((x + 30, y + height - 30), (x + 30, y + height - 30))

    assert page.look("document.activeElement === document.querySelector('.graph')")
    assert page.look("getComputedStyle(document.activeElement).outlineStyle") == "none"


def test_the_panel_links_to_the_readers_of_an_output(page: Page) -> None:
    """A click on a reader opens its panel."""
    page.click(stage(BUILD))
    data = page.look("document.querySelector('#panel table').textContent")
    page.click("#panel table li:last-child button")

    assert data == "versionunitrelease"
    assert page.look(HEADING) == "release"
    assert "branch main" in page.look("document.querySelector('#panel dl').textContent")


def test_hovering_over_a_stage_highlights_its_relatives(page: Page) -> None:
    """All ancestors and descendants; values from non-adjacent stages are drawn."""
    page.hover(stage(UNIT))
    assert unfaded(page) == ["build", "unit", "release"]
    page.hover(stage(RELEASE))
    assert unfaded(page) == ["build", "lint", "unit", "release"]
    assert page.look("document.querySelectorAll('#pipeline-0 .far').length") == 1
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=700, y=20)
    assert page.look("document.querySelector('#pipeline-0 .graph').classList.contains('tracing')") is False


def test_hovering_over_an_arc_shows_its_values_and_files(page: Page) -> None:
    """In a tooltip at the pointer."""
    x, y = page.look(
        """(path => { const p = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
        return [p.x, p.y]; })(document.querySelector('[data-from="0"][data-to="2"] .line'))"""
    )
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    assert page.look("document.querySelector('#tip').textContent") == "build → unit: values: version; files: dist"
    assert page.look("document.querySelector('#tip').hidden") is False


def test_stages_are_found_by_their_content(page: Page) -> None:
    """`/` starts a search, Enter goes to the result, Escape ends the search and then closes the panel."""
    page.press("/", *"ruff")
    assert page.look("document.querySelector('#matches').textContent") == "1 stage"
    assert page.look("document.querySelectorAll('.stage.hit').length") == 1
    page.press("Enter")
    assert page.look(HEADING) == "lint"
    page.press("Escape")
    assert page.look("document.querySelectorAll('.stage.hit').length") == 0
    page.press("Escape")
    assert page.look("document.querySelector('#panel').hidden") is True


def test_arrow_keys_follow_the_arcs(page: Page) -> None:
    """Left and right, up and down in a column; Enter opens the panel, Escape closes it and keeps the focus."""
    page.press("ArrowRight")
    assert focused(page) == "build"
    page.press("ArrowRight")
    assert focused(page) == "unit"
    page.press("ArrowRight", "ArrowLeft")
    assert focused(page) == "unit"
    page.press("ArrowLeft", "ArrowDown")
    beside = focused(page)
    page.press("ArrowUp", "ArrowUp")
    assert "lint" in {beside, focused(page)}
    page.press("Enter")
    assert page.look("document.querySelector('#panel').hidden") is False
    here = focused(page)
    page.press("Escape")
    assert (focused(page), page.look("document.querySelector('#panel').hidden")) == (here, True)


def test_only_one_stage_is_a_tab_stop(page: Page) -> None:
    """Arrow keys reach the others."""
    assert page.look("document.querySelectorAll('#pipeline-0 .stage[tabindex=\"0\"]').length") == 1
    assert page.look("[...document.querySelectorAll('.stage')].every(o => o.getAttribute('aria-label'))") is True


def test_the_view_can_be_zoomed_and_moved(page: Page) -> None:
    """By keys, buttons, the wheel and dragging."""
    width = "document.querySelector('#pipeline-0 [data-stage=\"0\"]').getBoundingClientRect().width"
    first = page.look(width)
    page.press("+")
    assert page.look(width) > first
    page.click("#smaller")
    assert page.look(width) == pytest.approx(first)
    page.wheel(stage(UNIT), -200)
    assert page.look(width) > first
    page.press("0")
    assert page.look(width) == pytest.approx(first)
    x, y = page.middle(stage(UNIT))
    page.drag((x, y + 120), (x + 50, y + 90))
    moved = page.middle(stage(UNIT))
    assert moved == pytest.approx((x + 50, y - 30), abs=1)
    assert page.look("document.querySelector('#panel').hidden") is True


def test_the_page_follows_the_colour_scheme_until_it_is_changed(page: Page) -> None:
    """A button overrides the system's preference."""
    ground = "getComputedStyle(document.body).backgroundColor"
    box = "getComputedStyle(document.querySelector('.box')).fill"
    light = (page.look(ground), page.look(box))
    page.prefer(color_scheme="dark")
    dark = (page.look(ground), page.look(box))
    page.click("#dress")
    chosen = (page.look(ground), page.look(box))
    page.click("#dress")

    back = (page.look(ground), page.look(box))

    assert light == chosen == ("rgb(255, 255, 255)", "rgb(246, 248, 250)")
    assert dark == back == ("rgb(13, 17, 23)", "rgb(22, 27, 34)")
    page.click("#dress")
    page.prefer(color_scheme="light")


def test_each_pipeline_has_a_tab(page: Page) -> None:
    """One is displayed at a time."""
    shown = "[...document.querySelectorAll('.pipeline')].map(o => !o.hidden)"
    assert page.look(shown) == [True, False]
    page.click("#tab-1")
    assert page.look(shown) == [False, True]
    page.click('#pipeline-1 [data-stage="0"]')
    assert page.look(HEADING) == "soak"


def test_the_whole_graph_is_printed(page: Page) -> None:
    """In light colours, regardless of zoom, without controls."""
    page.press("+", "+", "+")
    page.send("Emulation.setEmulatedMedia", media="print")
    area = page.look(
        "(({ width, height }) => [width, height])(document.querySelector('.graph').getBoundingClientRect())"
    )
    boxes = page.look("[...document.querySelectorAll('#pipeline-0 .stage')].map(o => o.getBoundingClientRect().right)")
    tools = page.look("getComputedStyle(document.querySelector('header .tools')).display")
    page.send("Emulation.setEmulatedMedia", media="")

    assert max(boxes) <= area[0] + 10
    assert tools == "none"
    assert page.printed().startswith(b"%PDF")


def test_reduced_motion_disables_transitions(page: Page) -> None:
    """The system setting `prefers-reduced-motion` applies."""
    still = page.look("getComputedStyle(document.querySelector('.stage')).transitionDuration")
    page.prefer(reduced_motion="no-preference")

    assert still == "0s"
    assert page.look("getComputedStyle(document.querySelector('.stage')).transitionDuration") != "0s"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_displayed_and_not_executed(name: str, opened: Page, tmp_path: Path) -> None:
    """In names of a pipeline and a stage, in a script and in generated code."""
    detail: dict[str, object] = {
        "script": name,
        "description": name,
        "facts": [[name, name]],
        "generated": [[name, name, ""]],
    }
    detail |= {"reads": [["build", name]], "outputs": [[name, ["release"]]], "leaves": [name], "config": name}
    (tmp_path / "page.html").write_text(render_page(name, [picture(name, name, detail)]), encoding="utf-8")
    opened.open(tmp_path / "page.html")
    opened.click(stage(1))

    assert opened.complaints() == []
    assert opened.look("window.broken ?? null") is None
    assert opened.look("document.querySelectorAll('script').length") == 2
    shown = opened.look("document.querySelector('#panel .script').textContent")
    # Half of a surrogate pair is not a character: the browser may not return it.
    assert shown == name or "\ud83d" in name
    assert opened.look("document.querySelectorAll('#panel img, #panel svg, #panel script').length") == 0


@pytest.mark.parametrize("stages", [3, 30, 300])
def test_graphs_of_all_sizes_fit_the_window(stages: int, opened: Page, tmp_path: Path) -> None:
    """Initially, every box is inside the window, and no boxes overlap."""
    lines = [f"      - {{ name: stage-{number:03d}, script: [make] }}" for number in range(stages)]
    arcs = [f"      - [stage-{max(0, number - 1 - number % 7):03d}, stage-{number:03d}]" for number in range(1, stages)]
    config = "\n".join(["pipelines:", "  all:", "    stages:", *lines, "    execution:", *arcs, ""])
    (tmp_path / "pipegen.yaml").write_text(config, encoding="utf-8")
    text = of_config(tmp_path / "pipegen.yaml", analysed, ["gitlab"], Format.TEXT, is_page=True)
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    opened.open(tmp_path / "page.html")
    places = "[...document.querySelectorAll('.graph, .stage .box')].map(o => o.getBoundingClientRect())"
    area, *boxes = opened.look(f"{places}.map(o => [o.x, o.y, o.right, o.bottom])")

    assert len(boxes) == stages
    assert all(box[0] >= area[0] and box[1] >= area[1] and box[2] <= area[2] and box[3] <= area[3] for box in boxes)
    assert not any(
        data[0] < two[2] and two[0] < data[2] and data[1] < two[3] and two[1] < data[3]
        for place, data in enumerate(boxes)
        for two in boxes[:place]
    )


def test_names_fit_their_boxes(page: Page) -> None:
    """Also in the wide fonts of this computer."""
    script = """[...document.querySelectorAll('.pipeline:not([hidden]) .stage')].every(group => {
        const box = group.querySelector('.box').getBoundingClientRect();
        return [...group.querySelectorAll('text')].every(text =>
            text.getBoundingClientRect().right <= box.right && text.getBoundingClientRect().left >= box.left); })"""

    assert page.look(script) is True


def test_the_page_of_a_fleet_loads_without_errors_or_requests(opened: Page, tmp_path: Path) -> None:
    """No text of its charts covers another, and none is cut at its edge."""
    fleet = read_fleet(Path(__file__).parents[2] / "examples" / "fleet" / "fleet.yaml", {}, Report())
    shown = results(fleet, FleetSimulation(replace(fleet, duration=100_000.0)).run())
    (tmp_path / "page.html").write_text(fleet_page(shown, "fleet.yaml", []), encoding="utf-8")
    opened.open(tmp_path / "page.html")
    boxes = opened.look(
        "[...document.querySelectorAll('svg text')].map(text => text.getBoundingClientRect())"
        ".map(box => [box.left, box.top + 3, box.right, box.bottom - 3])"
    )
    edge = opened.look("document.querySelector('svg').getBoundingClientRect().right")

    assert len(boxes) > 50
    assert max(box[2] for box in boxes) < edge
    for number, (left, top, right, bottom) in enumerate(boxes):
        others = boxes[number + 1 :]
        assert not [box for box in others if box[0] < right and left < box[2] and box[1] < bottom and top < box[3]]
    assert opened.complaints() == []
    assert len(opened.requests()) == 1


def test_the_page_of_a_simulation_loads_without_errors_or_requests(opened: Page, tmp_path: Path) -> None:
    """It has a light and a dark theme."""
    (tmp_path / "page.html").write_text(simulation_page(service(), SECONDS, "on 2 executors"), encoding="utf-8")
    opened.prefer(color_scheme="dark")
    opened.open(tmp_path / "page.html")
    dark = opened.look("getComputedStyle(document.querySelector('rect.ground')).fill")
    opened.prefer(color_scheme="light")

    assert (dark, opened.look("getComputedStyle(document.querySelector('rect.ground')).fill")) == (
        *("rgb(13, 17, 23)", "rgb(255, 255, 255)"),
    )
    assert opened.look("document.querySelectorAll('tbody tr').length") == 7
    assert opened.complaints() == []
    assert len(opened.requests()) == 1
