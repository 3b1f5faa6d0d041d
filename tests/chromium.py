"""Pages in headless Chromium, for the tests of what we write in HTML."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest


def headless(tmp_path: Path) -> list[str]:
    """The command line of a headless Chromium, with a profile of its own; skips the test where there is none."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    return [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]


def in_chromium(page: Path, script: str, tmp_path: Path, fragment: str = "") -> Any:
    """What a script returns that runs in the page behind the page's own; ``fragment`` is of the page's address."""
    probed = tmp_path / "probed.html"
    called = (
        "<script>window.addEventListener('load', () => setTimeout(async () => {"
        f"let out; try {{ out = await (async () => {{ {script} }})(); }} catch (e) {{ out = {{error: String(e)}}; }}"
        "const pre = document.createElement('pre'); pre.id = 'probed'; pre.textContent = JSON.stringify(out);"
        "document.body.append(pre); }, 0));</script></body>"
    )
    probed.write_text(page.read_text(encoding="utf-8").replace("</body>", called), encoding="utf-8")
    command = [*headless(tmp_path), "--virtual-time-budget=20000", "--dump-dom", probed.as_uri() + fragment]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    got = re.search(r'<pre id="probed">(.*?)</pre>', done.stdout, re.DOTALL)
    assert got, done.stderr[-2000:]
    value = json.loads(html.unescape(got[1]))
    assert not (isinstance(value, dict) and "error" in value), value
    return value
