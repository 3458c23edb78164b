"""A real browser, controlled over a pipe with the DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome")
# Each test has its own browser, which fetches nothing, stores nothing and asks nothing.
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--remote-debugging-pipe", "--window-size=1400,900", "about:blank"),
)
_SECONDS = 60.0

Message = dict[str, Any]


def available() -> str | None:
    """Return the reason why there is no browser, or None."""
    return None if _program() else f"none of {', '.join(_NAMES)} is installed: tests/engines/install does that"


def _program() -> str | None:
    return next((text for name in _NAMES if (text := shutil.which(name))), None)


@dataclass(slots=True)
class Page:
    """A page: commands to it, and the messages since it was opened."""

    commands: int
    answers: int
    session: str = ""
    events: list[Message] = field(default_factory=list)
    _number: int = 0
    _rest: bytes = b""

    def send(self, method: str, **params: object) -> Message:
        """Return the answer to *method*."""
        self._number += 1
        message: Message = {"id": self._number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        send: Message = answer["result"]
        return send

    def _next(self) -> Message:
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._rest:
            if not select.select([self.answers], [], [], max(end - time.monotonic(), 0))[0]:
                raise AssertionError("the browser does not answer")
            read = os.read(self.answers, 1 << 20)
            assert read, "the browser has ended"
            self._rest += read
        first, _, self._rest = self._rest.partition(b"\0")
        data: Message = json.loads(first)
        return data

    # Actions of a person

    def open(self, path: Path) -> None:
        """Open the file at *path*, and wait until it is loaded."""
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def look(self, script: str) -> Any:
        """Return the value of the JavaScript *script* in the page, after the next paint."""
        expression = f"new Promise(done => requestAnimationFrame(() => setTimeout(done))).then(() => ({script}))"
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def middle(self, selector: str) -> tuple[float, float]:
        """Return the centre of the first element of *selector*."""
        script = (
            f"(one => [one.x + one.width / 2, one.y + one.height / 2])({_element(selector)}.getBoundingClientRect())"
        )
        x, y = self.look(script)
        return x, y

    def hover(self, selector: str) -> None:
        """Move the pointer to the element of *selector*."""
        x, y = self.middle(selector)
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector: str) -> None:
        """Click on the element of *selector*."""
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the button at *start*, move to *end* and release it."""
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=end[0], y=end[1], button="left", buttons=1)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def wheel(self, selector: str, down: float) -> None:
        """Turn the mouse wheel over the element of *selector*."""
        x, y = self.middle(selector)
        self.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=down)

    def press(self, *keys: str) -> None:
        """Press *keys* in sequence: a character, or the name of a key."""
        for key in keys:
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            code = _CODES.get(key, 0)
            self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
            self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def prefer(self, **features: str) -> None:
        """Emulate the user's preferences: `color_scheme`, `reduced_motion`."""
        entries = [{"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]
        self.send("Emulation.setEmulatedMedia", features=entries)

    def screenshot(self) -> bytes:
        """Return the visible page as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot")["data"])

    def printed(self) -> bytes:
        """Return the printed page as PDF."""
        return base64.b64decode(self.send("Page.printToPDF", preferCSSPageSize=True)["data"])

    # Messages of the page

    def complaints(self) -> list[str]:
        """Return the errors and warnings of the page or the browser."""
        self.look("0")
        complaints: list[str] = []
        for event in self.events:
            params: Mapping[str, Any] = event.get("params", {})
            match event.get("method"):
                case "Runtime.exceptionThrown":
                    complaints.append(str(params["exceptionDetails"]))
                case "Runtime.consoleAPICalled" | "Log.entryAdded":
                    complaints.append(str(params.get("entry", params.get("args"))))
        return complaints

    def requests(self) -> list[str]:
        """Return the requested URLs."""
        self.look("0")
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == _REQUEST]


_REQUEST = "Network.requestWillBeSent"
_CODES = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


def _element(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)})"


@contextmanager
def browser(folder: Path) -> Iterator[Page]:
    """Return a page of a browser that stores its data in *folder*."""
    program = _program()
    assert program is not None
    (browser_input, commands), (answers, browser_output) = os.pipe(), os.pipe()
    # A shell moves the pipes to the file descriptors that the browser reads: bash, as dash supports none above 9.
    start = f'exec "$0" "$@" 3<&{browser_input} 4>&{browser_output}'
    with (folder / "browser.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", start, program, f"--user-data-dir={folder / 'profile'}", *_FLAGS],
            pass_fds=(browser_input, browser_output),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    os.close(browser_input)
    os.close(browser_output)
    try:
        yield _attached(Page(commands, answers))
    finally:
        os.close(commands)
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(answers)


def _attached(page: Page) -> Page:
    target = page.send("Target.createTarget", url="about:blank")["targetId"]
    page.session = page.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        page.send(f"{domain}.enable")
    return page
