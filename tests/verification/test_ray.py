"""The pool over a Ray cluster of two nodes on this machine, one of which is killed in the middle of the work."""

import hashlib
import os
import sys
import threading
import time
from concurrent.futures import as_completed
from dataclasses import replace

import psutil
import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.verification.adapter import WorkerFault
from verulaw_rl.verification.cache import MemoryCache
from verulaw_rl.verification.dafny.find import find_dafny
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.registry import get_adapter
from verulaw_rl.verification.verdict import Limits, Status, Times, ToolIdentity, Verdict, VerifyRequest

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'verulaw_rl[ray]'")
from ray.cluster_utils import Cluster  # noqa: E402

from verulaw_rl.verification import ray_seats  # noqa: E402

pytestmark = [pytest.mark.tool, pytest.mark.timeout(300)]

MEMORY_BYTES = 2**30
TOOL = ToolIdentity("cheap", "1", "")


class CheapWorker:
    """Answers after a moment, with a verdict that depends on the program; ``crash`` breaks it, ``hang`` waits."""

    usable = True

    def __init__(self):
        self._ended = threading.Event()

    def verify(self, program, limits):
        if "crash" in program:
            raise WorkerFault("crashed")
        if self._ended.wait(60 if "hang" in program else 0.02):
            raise WorkerFault("ended")
        digest = hashlib.sha256(program.encode()).digest()
        status = Status.VERIFIED if not program or digest[0] % 2 else Status.FAILED
        return Verdict(status, (), True, TOOL, message=digest.hex())

    def end(self):
        self._ended.set()

    def close(self):
        pass


class CheapAdapter:
    language = "cheap"
    known_good = ""
    hostile = ()

    def identity(self):
        return TOOL

    def start_worker(self, sandbox, memory_bytes, cpus):
        return CheapWorker()


def find_cheap(language):
    if language != "cheap":
        raise UserError(f"no verifier for language {language!r}")
    return CheapAdapter()


@pytest.fixture
def cluster():
    """A head without a worker's room, and two nodes with room for one each."""
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    small = {"object_store_memory": 100 * 2**20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "memory": MEMORY_BYTES // 2, **small})
    cluster.nodes = [cluster.add_node(num_cpus=1, memory=MEMORY_BYTES, **small) for _ in range(2)]
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    ray.cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def settings(cluster, **more):
    return PoolSettings(backend="ray", ray_address=cluster.address, memory_bytes=MEMORY_BYTES, **more)


def plain(verdict: Verdict) -> Verdict:
    return replace(verdict, times=Times(), cached=False)


def ask_while_a_node_dies(pool: Pool, requests: list[VerifyRequest], cluster: Cluster, after: int) -> list[Verdict]:
    futures = [pool.submit(r) for r in requests]
    for done, _ in enumerate(as_completed(futures, timeout=200), start=1):
        if done == after:
            cluster.remove_node(cluster.nodes.pop(), allow_graceful=False)
    return [f.result() for f in futures]


def test_two_hundred_calls_survive_a_node(cluster, monkeypatch):
    requests = [VerifyRequest("cheap", f"p{n}" if n % 20 else f"crash{n}") for n in range(1, 201)]
    with Pool(PoolSettings(workers=2), cache=MemoryCache(0), find_adapter=find_cheap) as local:
        expected = [plain(local.verify(r)) for r in requests]
    assert {v.status for v in expected} == {Status.VERIFIED, Status.FAILED, Status.ERROR}
    with Pool(settings(cluster), cache=MemoryCache(0), find_adapter=find_cheap) as pool:
        assert pool.workers == 2
        verdicts = ask_while_a_node_dies(pool, requests, cluster, after=60)
        assert [plain(v) for v in verdicts] == expected
        assert all(v.times.queue_s >= 0 for v in verdicts)

        # A call that nobody waits for gives its place free, and errors keep their kind on the way back.
        hanging = pool.submit(VerifyRequest("cheap", "hang"))
        time.sleep(1)
        assert hanging.cancel()
        began = time.monotonic()
        assert pool.verify(VerifyRequest("cheap", "p1")).status in (Status.VERIFIED, Status.FAILED)
        assert time.monotonic() - began < 30
        with pytest.raises(UserError, match="cobol"):
            pool.identity("cobol")

        # With the last node every seat is gone: what waits is answered, as the machine's fault.
        monkeypatch.setattr(ray_seats, "PLACED_S", 3.0)
        cluster.remove_node(cluster.nodes.pop(), allow_graceful=False)
        # An actor outlives its node by a moment, in which it still answers.
        lost = pool.verify(VerifyRequest("cheap", "hang on the last seat"))
        assert (lost.status, lost.program_fault) == (Status.ERROR, False)


GOOD = "method Next(x: int) returns (y: int)\n  ensures y > x\n{\n  y := x + 1;\n}\n"


def test_dafny_over_a_cluster_says_what_it_says_here(cluster):
    try:
        find_dafny()
    except UserError as error:
        pytest.skip(str(error))
    texts = [GOOD, GOOD.replace("x + 1", "x - 1"), "method M( {", get_adapter("dafny").hostile[0]]
    requests = [VerifyRequest("dafny", f"{texts[n % 4]}\n// {n}", Limits(solver_s=2)) for n in range(12)]
    with Pool(PoolSettings(workers=2), cache=MemoryCache(0)) as local:
        expected = [plain(f.result()) for f in [local.submit(r) for r in requests]]
    before = {p.pid for p in psutil.process_iter() if _is_ours(p)}
    with Pool(settings(cluster), cache=MemoryCache(0)) as pool:
        verdicts = ask_while_a_node_dies(pool, requests, cluster, after=4)
    assert [plain(v) for v in verdicts] == expected
    assert not [p for p in psutil.process_iter() if _is_ours(p) and p.pid not in before]


def _is_ours(process: psutil.Process) -> bool:
    """A verifier whose Ray worker, or the pool, is gone."""
    try:
        return process.name() in ("bwrap", "z3", "cli") and process.ppid() in (1, os.getpid())
    except psutil.Error:
        return False


def test_no_cluster_is_one_line():
    with pytest.raises(UserError, match=r"ray_address.*ray start --head"):
        Pool(PoolSettings(backend="ray", ray_address="127.0.0.1:1"))
