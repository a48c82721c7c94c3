#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs all benches and prints one figure a line; ./build.sh bench builds first and sets CUPEL and CUPEL_BENCH. A target that
# is missed is printed but does not count as a failure; the exit status is 1 only if something could not run. About 30
# minutes.
#
#   tests/bench/run.sh [PROGRAM...|papers|controllers]
#
# papers: the benches about figures of the five papers. controllers, only by name: virtual machines with each controller that
# QEMU has (controllers.sh).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

if [ -z "${CUPEL_CASES:-}" ] && [ -d ../shared/cases ]; then
    CUPEL_CASES=$(cd ../shared/cases && pwd)
    export CUPEL_CASES
fi
export CUPEL_NO_HISTORY=1
scratch=$(mktemp -d "$PWD/build/bench.XXXXXX")
memory=$(mktemp -d /dev/shm/cupel-bench.XXXXXX)
trap 'rm -rf "$scratch" "$memory"' EXIT
trap 'exit 1' INT TERM
failed=0
wanted=" $* "
# MOANA (2019), Table 2 and section 6: models and convergence; the ratio is to the paper's number. Pilot (2016): work_rate.
# Buttress (2004): issue_error and issue_devices. For percentiles and merge_cost the papers' numbers are not printed.
wanted=${wanted/ papers / work_rate models convergence issue_error issue_devices percentiles merge_cost }

# bench SECONDS PROGRAM ARGUMENTS...: runs it, and kills it with all its children after SECONDS.
bench() {
    local seconds=$1 program=$2
    shift 2
    [[ $wanted == '  ' || $wanted == *" ${program##*/} "* ]] || return 0
    timeout -s KILL "$seconds" "$CUPEL_BENCH/$program" "$@" </dev/null || {
        echo "$program $* could not run" >&2
        failed=1
    }
}

read -r load _ </proc/loadavg
echo "$(uname -sr), $(nproc) processors, load before $load; $(fio --version)"
echo "the ratio is ours / reference, the median of pairs taken in turn, with the quartiles of the pairs"
printf '%-28s %10s  %-24s %10s %-7s %6s %-13s %s\n' figure ours reference '' unit ratio quartiles 'target, reached'
bench 90 null_loop
bench 30 histogram_cost
bench 30 stamp_cost
bench 120 memory_stream
# A loop device in memory, where one can be made. Unlike a drive it uses the same processors as the bench.
truncate -s 1G "$memory/drive"
device=$(losetup -f --show "$memory/drive" 2>/dev/null) || device=
bench 400 precondition_cost "$CUPEL" "$scratch" ${device:+"$device"}
[ -z "$device" ] || losetup -d "$device"
rm "$memory/drive"
bench 200 file_loop disk "$scratch/file"
bench 120 file_loop tmpfs "$memory/file"
bench 120 file_loop cache "$scratch/file"
bench 60 analyze_cost "$CUPEL" "$scratch"
bench 60 process_cost "$CUPEL"
bench 120 probe_cost "$CUPEL" "$scratch"
bench 900 exec_cost "$CUPEL"
bench 300 monitor_cost "$CUPEL" "$scratch/measured"
bench 1800 merge_cost "$CUPEL" "$scratch"
bench 180 trace_parse "$scratch"
bench 60 record_scan "$scratch"
bench 400 issue_error "$CUPEL" "$CUPEL_BENCH/preload/stamp_issues.so" "$scratch"
bench 1200 issue_devices "$CUPEL" "$scratch"
bench 200 percentiles "$CUPEL" "$scratch/file"
bench 400 work_rate "$CUPEL" "$scratch/work"
bench 240 find_rate "$CUPEL" 150
bench 900 comparison_table
bench 900 clause_table
bench 900 limit_table
bench 60 steady_table
bench 300 method_times
bench 900 odd_ones "$(date +%s)"
# Pilot must be built by hand from its source; PILOT is the path of its program.
simulated=("$CUPEL_BENCH/simulated_program" "$CUPEL_BENCH/preload/simulated_clock.so" "$memory")
bench 1200 beside_pilot "${PILOT:-}" "${simulated[@]}"
bench 600 beside_hyperfine "${simulated[@]}"
bench 200 replay_cost "$CUPEL" "$scratch"
bench 120 model_mars_gp
bench 900 models
bench 120 convergence
# Unit tests with their full number of simulations; a figure below its limit is a failure.
export CUPEL_SIMULATIONS=whole
for name in test_coverage test_percentile_coverage test_percentile_memory test_exec_coverage test_repetition; do
    bench 300 "../unit/$name"
done
if [[ $wanted == *' controllers '* ]]; then
    timeout 2400 tests/bench/controllers.sh || failed=1
fi
exit $failed
