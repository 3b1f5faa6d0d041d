"""``verulaw-rl serve-specialist``: a checkpoint as the proof specialist's endpoint."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from verulaw_rl.errors import UserError


def serve_specialist_command(
    checkpoint: Annotated[Path, typer.Argument(help="Model folder, such as policy/final of an annotation-repair run.")],
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, help="Port; 0 takes a free one.")] = 8100,
    name: Annotated[str, typer.Option(help="Name of the model at the endpoint.")] = "specialist",
    context_tokens: Annotated[int, typer.Option(min=1, help="Prompt and answer together.")] = 16384,
    backend: Annotated[
        Literal["transformers", "vllm"], typer.Option(help="transformers: small models; vllm: GPUs.")
    ] = "transformers",
    gpus: Annotated[int, typer.Option(min=1, help="GPUs to spread one model over, for vllm.")] = 1,
) -> None:
    """Serve a frozen specialist over the OpenAI chat interface, until Ctrl-C.

    A run asks it when its config says `specialist: {type: endpoint, endpoint: {base_url: http://HOST:PORT/v1}}`.
    """
    if not (checkpoint / "config.json").is_file():
        raise UserError(f"{checkpoint} is no model folder: it has no config.json")
    if backend == "vllm":
        from verulaw_rl.specialist.serve import vllm_command

        command = vllm_command(checkpoint, name, host, port, context_tokens, gpus)
        os.execv(command[0], command)
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from verulaw_rl.rollouts.load_policy import load_policy
    from verulaw_rl.specialist.serve import make_server

    policy = load_policy(str(checkpoint), name=name, version=str(checkpoint), context_tokens=context_tokens)
    server = make_server(policy, host, port)
    typer.echo(
        f"Serving {checkpoint} as {name} at http://{host}:{server.server_address[1]}/v1 (health: /health)", err=True
    )
    try:
        server.serve_forever()
    finally:
        server.server_close()
