#!/usr/bin/env bash
# quickstart: what one node does; job.sbatch starts it as `roles.sh ROLE` on each of the role's nodes.
# shellcheck disable=SC1090,SC1091  # what the config's setup lines read
set -euo pipefail

FOLDER='/shared/it'"'"'s a run'
export OMP_WAIT_POLICY=PASSIVE TOKENIZERS_PARALLELISM=false
source .venv/bin/activate

case $1 in
  trainer)
    exec verulaw-rl train --resume "$FOLDER"
    ;;
  *)
    echo "no role $1 in this run" >&2
    exit 2
    ;;
esac
