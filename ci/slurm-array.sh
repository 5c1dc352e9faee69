#!/bin/bash
#SBATCH --cpus-per-task=4
# A part of a run as a task of a Slurm array; the arguments are those of deltanet-check. Part N writes part-N.json.
#   array=$(sbatch --parsable --array=1-8 slurm-array.sh --kernels my.co --bind my.bind.toml)
#   sbatch --dependency="afterany:$array" --wrap 'deltanet-check merge part-*.json -o report.json'
exec deltanet-check "$@" --jobs "$SLURM_CPUS_PER_TASK" --partition "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
    --report "part-$SLURM_ARRAY_TASK_ID.json"
