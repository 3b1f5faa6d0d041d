#!/usr/bin/env bash
# Stands for srun and scontrol on one machine: a step's tasks are local processes; `requeue` only leaves a note.
set -uo pipefail
if [ "$(basename "$0")" = scontrol ]; then
  case $1 in
    show) tr ',' '\n' <<<"$3" ;;
    requeue) echo "$2" >>"$FAKE_REQUEUED" ;;
  esac
  exit
fi
hosts=localhost output=/dev/stdout
while [ $# -gt 0 ]; do
  case $1 in
    --nodelist=*) hosts=${1#*=} ;;
    --output=*) output=${1#*=} ;;
    --*) ;;
    *) break ;;
  esac
  shift
done
number=0 pids=()
IFS=, read -ra each <<<"$hosts"
for _ in "${each[@]}"; do
  SLURM_NODEID=$number SLURM_PROCID=$number setsid "$@" >"${output//%n/$number}" 2>&1 &
  pids+=($!)
  number=$((number + 1))
done
trap 'for p in "${pids[@]}"; do kill -TERM -- "-$p" 2>/dev/null; done' TERM
status=0
for p in "${pids[@]}"; do
  while :; do
    wait "$p"
    code=$?
    kill -0 "$p" 2>/dev/null || break
  done
  [ "$code" -eq 0 ] || status=$code
done
exit "$status"
