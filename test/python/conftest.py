"""A real server for the client tests: bin/ebira serve on a free port and a temporary directory."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = ROOT / "bin" / "ebira"


def shared_dir():
    """The folder with the shared test data, or None if it is not here."""
    path = pathlib.Path(os.environ.get("EBIRA_SHARED", ROOT.parent / "shared"))
    return path.resolve() if (path / "data").is_dir() else None


@pytest.fixture(scope="session")
def shared():
    path = shared_dir()
    if path is None:
        pytest.skip("the shared test data is not here (set EBIRA_SHARED)")
    return path


class Server:
    """A running server; url is what ADBC connects to."""

    def __init__(self, folder, *flags):
        self.files = folder / "files"
        self.files.mkdir(parents=True, exist_ok=True)
        self.data = folder / "data"
        allowed = [str(self.files)]
        if shared_dir():
            allowed.append(str(shared_dir()))
        self.process = subprocess.Popen(
            [BINARY, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--allowed-dirs", ",".join(allowed), *flags],
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        match = re.search(r'connect\("([^"]+)"\)', line)
        assert match, f"no ready line: {line!r}"
        self.url = match.group(1)

    def stop(self):
        """SIGTERM ends the server cleanly."""
        self.process.terminate()
        assert self.process.wait(timeout=30) == 0


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    s = Server(tmp_path_factory.mktemp("server"))
    yield s
    s.stop()
