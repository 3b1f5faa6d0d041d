import csv
import io
import json
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.chromium import headless
from verulaw_rl.cli.main import build_app
from verulaw_rl.episodes.record import EpisodeRecord
from verulaw_rl.evaluation.official import ACCEPTED, FILE, LABEL
from verulaw_rl.evidence.collect import candidate_hash
from verulaw_rl.suites.instance import Instance

pytestmark = pytest.mark.unit


@pytest.fixture
def folder(
    run_folder: Callable[..., Path], record: Callable[..., EpisodeRecord], instance: Callable[..., Instance]
) -> Path:
    records = [record("a_1", "failed", "verified"), record("b", "specification"), record("c", "error")]
    records.append(replace(record("a_1", "failed"), sampling={"sample": 1}))
    return run_folder({"evaluation": records}, instances=[instance("a_1", "sums", 2), instance("b")])


def export(folder: Path, to: str, out: Path) -> Result:
    return CliRunner().invoke(build_app("export"), ["export", str(folder), "--to", to, "--out", str(out)])


def test_csv_has_a_row_per_episode(folder: Path, tmp_path: Path) -> None:
    assert export(folder, "csv", tmp_path / "t.csv").exit_code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text())))
    assert [(r["instance"], r["sample"], r["verified"], r["submissions"]) for r in rows] == [
        ("a_1", "0", "True", "2"),
        ("b", "0", "False", "1"),
        ("c", "0", "False", "1"),
        ("a_1", "1", "False", "1"),
    ]
    assert (rows[0]["family"], rows[0]["difficulty"], rows[0]["discharged_postcondition"]) == ("sums", "2", "1.0")
    assert (rows[1]["findings"], rows[2]["scorable"], rows[2]["reward"]) == (
        "specification: clause_changed",
        "False",
        "",
    )


def test_parquet_is_the_same_table(folder: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: pip install -e .[train]")
    assert export(folder, "parquet", tmp_path / "t.parquet").exit_code == 0
    table = parquet.read_table(tmp_path / "t.parquet").to_pylist()
    assert [(r["instance"], r["verified"], r["reward"]) for r in table] == [
        ("a_1", True, 3.0),
        ("b", False, -1.0),
        ("c", False, None),
        ("a_1", False, 0.25),
    ]


def test_latex_table(folder: Path, tmp_path: Path) -> None:
    assert export(folder, "latex", tmp_path / "t.tex").exit_code == 0
    text = (tmp_path / "t.tex").read_text()
    assert text.startswith("\\begin{tabular}{lr}\n\\toprule")
    assert "\nverified & 33.3\\% (" in text  # 1 of 3 that could be scored
    assert "\ncould not be scored & 1 \\\\" in text
    assert text.endswith("% verifier: dafny 2.3.0 (z3 4.8.5)\n")


def test_markdown_is_the_same_table(folder: Path, tmp_path: Path) -> None:
    assert export(folder, "markdown", tmp_path / "t.md").exit_code == 0
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[:2] == ["|  | trial |", "|---|---|"]
    assert any(line.startswith("| verified | 33.3% (") for line in lines)
    assert "Verifier: dafny 2.3.0 (z3 4.8.5)." in lines[-1]


def test_the_published_rule_is_a_row_where_it_was_applied(
    folder: Path, record: Callable[..., EpisodeRecord], tmp_path: Path
) -> None:
    program = record("b", "specification").turns[0].program
    assert program is not None
    row = {"instance": "b", "candidate_hash": candidate_hash(program), "said": ACCEPTED}
    (folder / FILE).write_text(json.dumps(row) + "\n")
    assert export(folder, "markdown", tmp_path / "t.md").exit_code == 0
    (found,) = [line for line in (tmp_path / "t.md").read_text().splitlines() if line.startswith(f"| {LABEL} |")]
    assert "33.3%" in found  # 1 of 3 that could be scored


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_inspect_reads_its_log(folder: Path, tmp_path: Path, suffix: str) -> None:
    log_module = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed: pip install -e .[inspect]")
    out = tmp_path / f"log{suffix}"
    done = export(folder, "inspect", out)
    assert done.exit_code == 0, done.output
    log = log_module.read_eval_log(str(out))
    assert (log.status, log.eval.task, log.eval.dataset.samples) == ("success", "seed/annotation_repair", 3)
    first = next(s for s in log.samples if s.id == "a_1" and s.epoch == 1)
    assert first.scores["verulaw"].value["verified"] == 1.0
    assert [m.role for m in first.messages] == ["user", "assistant", "assistant"]
    assert first.metadata["end_reason"] == "verified"
    metrics = log.results.scores[0].metrics
    assert metrics["verified"].value == pytest.approx(1 / 3)
    if suffix == ".eval":  # the data frames read no plain .json of any name
        from inspect_ai.analysis import samples_df

        assert len(samples_df(str(out))) == 4


WAIT_S = 200.0
"""For the viewer to show its log, on however busy a machine."""

FRAME = """<!doctype html><title>frame</title><pre id="shown"></pre>
<iframe src="/index.html#/logs/log.eval" width="1200" height="900"></iframe><img src="/late" alt="">
<script>
setInterval(() => {
  shown.textContent = document.querySelector("iframe").contentDocument.body.innerText;
  if (shown.textContent.includes("a_1")) fetch("/seen");
}, 200);
</script>
"""


def test_inspects_viewer_shows_its_log(folder: Path, tmp_path: Path) -> None:
    log_module = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed: pip install -e .[inspect]")
    (tmp_path / "logs").mkdir()
    assert export(folder, "inspect", tmp_path / "logs" / "log.eval").exit_code == 0
    log_module.bundle_log_dir(str(tmp_path / "logs"), str(tmp_path / "site"))
    (tmp_path / "site" / "frame.html").write_text(FRAME)

    seen = threading.Event()

    class Site(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/late":  # the page counts as loaded when the viewer shows a sample
                seen.wait(WAIT_S)
            elif self.path == "/seen":
                seen.set()
            super().do_GET()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, directory=str(tmp_path / "site")))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        command = [*headless(tmp_path), "--dump-dom", f"http://127.0.0.1:{server.server_port}/frame.html"]
        shown = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    finally:
        server.shutdown()
        server.server_close()
    assert "seed/annotation_repair" in shown
    assert "a_1" in shown  # a sample
