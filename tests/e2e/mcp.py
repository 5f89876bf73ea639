"""mcp.py - a client of `quern --mcp`, as simple as possible."""
import json
import os
import select
import subprocess

from e2e import HUNG, PATIENCE, environ, quern


class Client:
    """Answers are read as they come; what is no answer to the last request stays in `heard`."""

    def __init__(self, *args):
        self.p = subprocess.Popen([quern, *PATIENCE, "--mcp", *args], env=environ, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.next, self.heard, self.rest = 0, [], b""

    def send(self, message):
        """A message, or bytes as they are."""
        if not isinstance(message, bytes):
            message = json.dumps(dict({"jsonrpc": "2.0"}, **message)).encode() + b"\n"
        self.p.stdin.write(message)
        self.p.stdin.flush()

    def receive(self):
        """The next message; None at the end, or if nothing comes."""
        while b"\n" not in self.rest:
            if not select.select([self.p.stdout], [], [], HUNG)[0]:
                return None
            got = os.read(self.p.stdout.fileno(), 1 << 20)
            if not got:
                return None
            self.rest += got
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def begin(self, method, params=None, token=None):
        """Send a request; its id."""
        self.next += 1
        params = dict(params or {})
        if token is not None:
            params["_meta"] = {"progressToken": token}
        self.send({"id": self.next, "method": method, "params": params})
        return self.next

    def request(self, method, params=None, token=None):
        """The answer to a request."""
        number, self.heard = self.begin(method, params, token), []
        while True:
            m = self.receive()
            if m is None or m.get("id", -1) in (number, None):
                return m
            self.heard.append(m)

    def tool(self, name, token=None, **arguments):
        """(texts, isError) of a call."""
        r = self.request("tools/call", {"name": name, "arguments": arguments}, token)["result"]
        return [c["text"] for c in r["content"] if c["type"] == "text"], r["isError"]

    def ask(self, query, **more):
        texts, failed = self.tool("query", query=query, **more)
        return "\n".join(texts)

    def rows(self, query):
        """The answer as a list of dicts."""
        texts, failed = self.tool("query", query=query, format="json")
        if failed:
            return "\n".join(texts)
        answer = json.loads(texts[0])
        return [dict(zip(answer["columns"], row)) for row in answer["rows"]]

    def close(self):
        """(exit status, stderr) after the end of its input."""
        self.p.stdin.close()
        self.p.stdin = None
        left, err = self.p.communicate(timeout=HUNG)
        self.rest += left
        return self.p.returncode, err.decode("utf-8", "replace")


def built():
    """Does this quern have a server?"""
    p = subprocess.run([quern, "--mcp", "nothing"], env=environ, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return b"without jansson" not in p.stderr
