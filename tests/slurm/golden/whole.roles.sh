#!/usr/bin/env bash
# dafnybench-code_generation-specialist-qwen3.6-35b-a3b: what one node does; job.sbatch starts it as `roles.sh ROLE` on each of the role's nodes.
# shellcheck disable=SC1090,SC1091  # what the config's setup lines read
set -euo pipefail

FOLDER='/shared/it'"'"'s a run'
export OMP_WAIT_POLICY=PASSIVE TOKENIZERS_PARALLELISM=false
source .venv/bin/activate

case $1 in
  trainer)
    export RAY_ADDRESS=$HEAD:$RAY_HEAD_PORT
    exec accelerate launch --config_file CONFIGS/accelerate/fsdp2.yaml \
      --num_machines 2 --machine_rank "$SLURM_PROCID" \
      --num_processes 16 --main_process_ip "$HEAD" --main_process_port "$TRAINER_PORT" \
      --module verulaw_rl.cli.main train --resume "$FOLDER"
    ;;
  ray-head)
    exec ray start --head --block --node-ip-address="$HEAD" --port="$RAY_HEAD_PORT" --num-cpus=32 \
      --num-gpus=0 --include-dashboard=false --disable-usage-stats
    ;;
  verifier)
    for _ in $(seq 60); do
      if (: </dev/tcp/"$HEAD"/"$RAY_HEAD_PORT") 2>/dev/null; then break; fi
      sleep 1
    done
    exec ray start --block --address="$HEAD:$RAY_HEAD_PORT" --num-cpus=64 --num-gpus=0 \
      --disable-usage-stats
    ;;
  vllm)
    export VLLM_SERVER_DEV_MODE=1
    exec vllm serve Qwen/Qwen3.6-35B-A3B --served-model-name policy --host 0.0.0.0 --port "$VLLM_PORT" \
      --tensor-parallel-size 2 --data-parallel-size 4 \
      --max-model-len 16384 --gpu-memory-utilization 0.9 \
      --logprobs-mode processed_logprobs --max-logprobs -1 \
      --weight-transfer-config '{"backend": "nccl"}'
    ;;
  specialist)
    exec verulaw-rl serve-specialist models/specialist --backend vllm --host 0.0.0.0 \
      --port "$SPECIALIST_PORT" --name specialist --context-tokens 16384 --gpus 8
    ;;
  *)
    echo "no role $1 in this run" >&2
    exit 2
    ;;
esac
