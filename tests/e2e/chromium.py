"""chromium.py - a page in headless Chromium, asked over its pipe: https://chromedevtools.github.io/devtools-protocol/

The window is exactly as large as the test says, light or dark; a browser's own window has at least 500 px.
"""
import base64
import json
import os
import shutil
import subprocess

from e2e import work


def starts(browser):
    """Ubuntu's package is a script that asks for a snap."""
    return shutil.which(browser) and not subprocess.run([browser, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


found = next((b for b in ("chromium", "chromium-browser", "google-chrome") if starts(b)), None)


class Browser:
    def __init__(self):
        to, self.write = os.pipe()
        self.read, back = os.pipe()
        ends = [to, back]

        def pipes():
            os.dup2(to, 3)
            os.dup2(back, 4)

        # 3 and 4 may be among the pipes: keep copies that are not.
        to, back = [os.dup(fd) for fd in (to, back)]
        for fd in to, back:
            os.set_inheritable(fd, True)
        self.process = subprocess.Popen(
            [found, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars", "--remote-debugging-pipe",
             "--user-data-dir=" + work + "/browser", "about:blank"], close_fds=False, preexec_fn=pipes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in ends + [to, back]:  # so that the end of Chromium is the end of its answers
            os.close(fd)
        self.n, self.rest, self.events = 0, b"", []
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.ask(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.read, 1 << 16)
            if not more:
                raise EOFError("Chromium has ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **params):
        self.n += 1
        asked = {"id": self.n, "method": method, "params": params}
        if getattr(self, "session", None):
            asked["sessionId"] = self.session
        os.write(self.write, json.dumps(asked).encode() + b"\0")
        while True:
            m = self.message()
            if m.get("id") == self.n:
                if "error" in m:
                    raise RuntimeError("%s: %s" % (method, m["error"]))
                return m["result"]
            self.events.append(m)

    def open(self, path, width, height, dark=False, view=""):
        """Show a page; its errors and what its policy refuses are in `errors`."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        for url in "about:blank", "file://%s%s" % (path, view):
            self.events = []
            self.ask("Page.navigate", url=url)
            while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
                self.events.append(self.message())

    @property
    def errors(self):
        self.ask("Runtime.evaluate", expression="0")
        return [json.dumps(e["params"])[:300] for e in self.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]

    def run(self, script):
        """What the body of an async function returns."""
        got = self.ask("Runtime.evaluate", expression="(async () => {%s})()" % script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(json.dumps(got["exceptionDetails"])[:600])
        return got["result"].get("value")

    def key(self, key):
        for kind in "keyDown", "keyUp":
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "Escape": 27}.get(key, 0))

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
