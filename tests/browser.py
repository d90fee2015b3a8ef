"""A real browser without a window, for tests of pages: what it shows, and what it asks the network for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--hide-scrollbars",
)
NOWHERE = 9
"""A port of this machine that nothing listens on: as a proxy, it keeps the browser's own requests in."""


class Browser:
    """Opens pages; `folder` is where it keeps its profile."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder = program, folder

    def dom(self, page: Path, *flags: str, proxy: int = NOWHERE) -> str:
        """The document as HTML once the page is loaded and its scripts, if any, have run.

        Whatever the browser asks the network for, it asks of the `proxy` at this port of 127.0.0.1.
        """
        flags = (f"--proxy-server=127.0.0.1:{proxy}", f"--user-data-dir={self.folder / 'profile'}", *flags)
        command = [self.program, *QUIET, *flags, "--dump-dom"]
        done = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
        return done.stdout

    def requested(self, page: Path, proxy: int) -> list[str]:
        """The addresses that the page asks for; those that the browser itself asks for are left out."""
        log = self.folder / "net.json"
        self.dom(page, f"--log-net-log={log}", proxy=proxy)
        events = json.loads(log.read_text(encoding="utf-8"))
        number = events["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
        asked = (event.get("params", {}) for event in events["events"] if event["type"] == number)
        return [params["url"] for params in asked if params.get("initiator", OF_THE_BROWSER) != OF_THE_BROWSER]

    def overflow(self, page: Path, width: int) -> int:
        """By how many pixels the page is wider than a screen of this width, with everything on it opened."""
        text = page.read_text(encoding="utf-8").replace("&", "&amp;").replace('"', "&quot;")
        frame = self.folder / "frame.html"
        frame.write_text(FRAME.format(width=width, text=text), encoding="utf-8")
        dom = self.dom(frame, "--window-size=1600,1000")
        return int(dom.split("<title>")[1].split("</title>")[0]) - width


OF_THE_BROWSER = "not an origin"

FRAME = """<!DOCTYPE html><meta charset="utf-8"><title>0</title>
<iframe style="width:{width}px;height:600px;border:0" srcdoc="{text}" onload="
    for (const closed of contentDocument.querySelectorAll('details')) closed.open = true;
    document.title = contentDocument.documentElement.scrollWidth;
"></iframe>"""


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """A Chromium or Chrome of this machine; without one, the test is left out unless CHATTYGEN_TEST_ALL is set."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        reason = f"no browser: none of {', '.join(NAMES)} is installed"
        if os.environ.get("CHATTYGEN_TEST_ALL"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return Browser(program, tmp_path_factory.mktemp("browser"))
