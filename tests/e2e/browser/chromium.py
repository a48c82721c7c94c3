# SPDX-License-Identifier: GPL-3.0-or-later
"""Chromium without a window, steered by its DevTools protocol over two pipes: its descriptors 3 and 4.

A message is JSON that ends with a zero byte. The standard library is enough.
"""

import base64
import fcntl
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

OPTIONS = [
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-gpu", "--hide-scrollbars",
    "--disable-dev-shm-usage", "--force-device-scale-factor=1", "--force-color-profile=srgb",
]
PATIENCE = 60  # seconds for one answer, on a machine that does much else


class Fault(Exception):
    """What a test found."""


class Chromium:
    def __init__(self):
        # Chromium's socket lies in TMPDIR, and may have a path of 107 bytes: that of the tests may be longer.
        self.home = tempfile.mkdtemp(prefix="chromium.", dir="/tmp")
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        # Out of the way of 3 and 4, which the child makes of them.
        there = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_browser, from_browser)]

        def pipes():
            os.dup2(there[0], 3)
            os.dup2(there[1], 4)

        command = ["chromium", *OPTIONS, "--user-data-dir=" + self.home]
        if os.getuid() == 0:
            command.append("--no-sandbox")
        with open(os.path.join(self.home, "log"), "wb") as log:
            self.process = subprocess.Popen(command + ["about:blank"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            preexec_fn=pipes, pass_fds=(3, 4), env=dict(os.environ, HOME=self.home, TMPDIR=self.home))
        for fd in (to_browser, from_browser, *there):
            os.close(fd)
        self.number = 0
        self.rest = b""
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (Fault, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        shutil.rmtree(self.home, ignore_errors=True)

    def receive(self, until):
        """The next message, or None when there is none until that time."""
        while b"\0" not in self.rest:
            ready = select.select([self.inp], [], [], max(0, until - time.monotonic()))[0]
            more = os.read(self.inp, 1 << 16) if ready else None
            if more is None:
                return None
            if not more:
                raise Fault("Chromium ended: " + open(os.path.join(self.home, "log"), errors="replace").read()[-2000:])
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        """The result of a method; what happens meanwhile is kept in events."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        until = time.monotonic() + PATIENCE
        while True:
            message = self.receive(until)
            if message is None:
                raise Fault(f"no answer to {method} within {PATIENCE} s")
            if message.get("id") == self.number:
                if "error" in message:
                    raise Fault(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, method, session):
        until = time.monotonic() + PATIENCE
        while True:
            for event in self.events:
                if event.get("method") == method and event.get("sessionId") == session:
                    self.events.remove(event)
                    return event["params"]
            message = self.receive(until)
            if message is None:
                raise Fault(f"no {method} within {PATIENCE} s")
            self.events.append(message)


class Page:
    """One file in a tab of its own. Whatever it says, throws or asks the network for is a fault."""

    def __init__(self, browser, path, width=1000, height=800, scripts=True, dark=False):
        self.browser = browser
        self.url = "file://" + os.path.abspath(path)
        self.faults = []
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(width, height)
        self.scheme(dark)
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Page.navigate", url=self.url)
        browser.wait_for("Page.loadEventFired", self.session)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if not kind:
            self.check_silent()
        self.browser.call("Target.closeTarget", targetId=self.target)

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, dark):
        self.dark = dark
        self.call("Emulation.setEmulatedMedia", media="screen",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def value(self, expression):
        """What an expression of JavaScript is; promises are waited for. Works where the page's own scripts are off."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Fault(f"{expression}: {answer['exceptionDetails'].get('exception', {}).get('description')}")
        return answer["result"].get("value")

    def key(self, key):
        """A key pressed and released, where the focus is."""
        code = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowRight": 39, " ": 32}.get(key, ord(key[0]))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        name = dict(key=key, windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **name)
        self.call("Input.dispatchKeyEvent", type="keyUp", **name)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1):
        for number in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.mouse(kind, x, y, button="left", clickCount=number)

    def drag(self, x, y, to):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for share in (.25, .5, .75, 1):
            self.mouse("mouseMoved", x + (to - x) * share, y, button="left", buttons=1)
        self.mouse("mouseReleased", to, y, button="left", clickCount=1)

    def screenshot(self, clip=None, whole=False):
        """PNG of what is seen, of a part of the page (x, y, width, height), or of all of it."""
        more = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = (0, 0, size["width"], size["height"])
        if clip:
            more = dict(clip=dict(zip(("x", "y", "width", "height"), clip), scale=1), captureBeyondViewport=True)
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"])

    def pdf(self, paper="A4"):
        """On paper; the style of the page has its margins."""
        width, height = {"A4": (8.27, 11.69), "Letter": (8.5, 11)}[paper]
        self.call("Emulation.setEmulatedMedia", media="print")
        data = self.call("Page.printToPDF", paperWidth=width, paperHeight=height, printBackground=False)["data"]
        self.scheme(self.dark)
        return base64.b64decode(data)

    def sheets(self, paper="A4"):
        return len(re.findall(rb"/Type\s*/Page\b", self.pdf(paper)))

    def check_silent(self):
        """Nothing on the console, no exception, no dialog, nothing asked for but the page itself."""
        self.value("0")
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, params = event["method"], event["params"]
            if method == "Runtime.consoleAPICalled":
                self.faults.append("console: " + str([a.get("value") for a in params["args"]]))
            elif method == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                self.faults.append("exception: " + details.get("exception", {}).get("description", details["text"]))
            elif method == "Log.entryAdded":
                self.faults.append(f"log: {params['entry']['text']}")
            elif method == "Page.javascriptDialogOpening":
                self.faults.append("dialog: " + params["message"])
            elif method == "Network.requestWillBeSent" and params["request"]["url"] != self.url:
                self.faults.append("request: " + params["request"]["url"])
        self.browser.events = [e for e in self.browser.events if e.get("sessionId") != self.session]
        if self.faults:
            raise Fault("\n".join(self.faults))


def check(ok, words):
    if not ok:
        raise Fault(words)


def main(test):
    """Runs test(browser, arguments of the command line). What it finds is the last line; the exit status is 1 then."""
    try:
        with Chromium() as browser:
            test(browser, *sys.argv[1:])
    except Fault as fault:
        print(fault, file=sys.stderr)
        sys.exit(1)
