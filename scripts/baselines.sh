#!/usr/bin/env bash
# Evaluates the policies without a model over a suite's split, and writes a table of what they score.
#
#   scripts/baselines.sh SUITE.jsonl [SPLIT] [OUT_FOLDER]
#
# SUITE.jsonl is what `verulaw-rl build --suite dafnybench --root DIR --solver-s 15` wrote. Evaluations that are there
# already are continued, so a stopped run goes on with the same command. Nothing but Dafny is needed.
set -euo pipefail

suite=${1:?give the suite that \`verulaw-rl build\` wrote}
split=${2:-heldout}
out=${3:-runs/baselines}
command=${VERULAW_RL:-verulaw-rl}
mkdir -p "$out"
config=$out/one-submission.yaml
cat >"$config" <<'YAML'
episode: {environment: envs/annotation_repair.py, turns: 1}
verification: {solver_s: 15}
YAML

runs=()
for policy in reference null given insertions houdini; do
  folder=$out/$policy
  if [ -f "$folder/config.yaml" ]; then
    "$command" evaluate --out "$folder" --resume
  else
    "$command" evaluate --policy "scripted:$policy" --suite "$suite" --split "$split" --official --config "$config" --out "$folder"
  fi
  runs+=("$folder")
done
"$command" report "${runs[@]}" --out "$out/report.html"
"$command" export "${runs[@]}" --to markdown --out "$out/baselines.md"
echo "table: $out/baselines.md, page: $out/report.html"
