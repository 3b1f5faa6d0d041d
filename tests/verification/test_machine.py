"""How many workers a machine carries, by hand."""

import os

import pytest

from verulaw_rl.verification import machine
from verulaw_rl.verification.machine import cpu_window, usable_memory_bytes, workers_by_resources

pytestmark = pytest.mark.unit

GIB = 2**30


@pytest.mark.parametrize(
    ("cores", "total_gib", "each_gib", "workers"),
    [(2, 24, 4, 2), (64, 128, 4, 28), (64, 512, 4, 64), (8, 3, 4, 1)],  # 128 * 0.9 / 4 = 28.8
)
def test_by_cores_and_memory(cores, total_gib, each_gib, workers):
    assert workers_by_resources(each_gib * GIB, cores=cores, total_bytes=total_gib * GIB) == workers


def test_a_batch_jobs_share_of_the_memory_counts(tmp_path, monkeypatch):
    whole = usable_memory_bytes()
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(machine, "_CGROUP_MEMORY", (tmp_path / "none", limit))
    limit.write_text("max\n")
    assert usable_memory_bytes() >= whole
    limit.write_text(f"{GIB}\n")
    assert usable_memory_bytes() == GIB


def test_each_seat_has_processors_of_its_own(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    assert [cpu_window(n) for n in range(3)] == [(0, 1, 2), (3, 4, 5), (0, 6, 7)]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert cpu_window(0) == ()
