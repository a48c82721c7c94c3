#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes the readers with coverage (libFuzzer), two at a time; ./build.sh fuzz has built the harnesses.
#
#   tests/fuzz/run.sh [SECONDS]               every harness for that long (default 60): a line each, then
#                                             "N passed, N failed"; exit 1 when one found a fault
#   tests/fuzz/run.sh NAME [SECONDS [SEED]]   one harness
#   tests/fuzz/run.sh merge [NAME...]         reduce tests/fuzz/corpus to the fewest of all inputs found so far that
#                                             together reach the same code
#
# NAME is that of tests/fuzz/fuzz_NAME.c. New inputs go to build/fuzz/corpus/NAME. Faults go to build/fuzz/found, with the
# command that repeats them. A fault is fixed, and its input is kept in tests/fuzz/corpus/NAME, which the tests read.
#
#   CUPEL_FUZZ       the folder of the built harnesses
set -euo pipefail
cd "$(dirname "$0")/../.."

harnesses=${CUPEL_FUZZ:-$PWD/build/asan/fuzzer}
grown=build/fuzz/corpus
found=build/fuzz/found
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
# Readers must handle a failed allocation; an allocation of more than a GiB for a few bytes of input is a fault.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=0:quarantine_size_mb=16:malloc_context_size=8}

names() {
    local file
    for file in tests/fuzz/fuzz_*.c; do
        file=${file##*/fuzz_}
        echo "${file%.c}"
    done
}

# Prints the maximum size of a harness's input in bytes: seeds are below 4 KiB, and small inputs are fast.
longest_of() {
    case $1 in
    capture) echo 8192 ;;
    trace | record | lspci) echo 4096 ;;
    dhcp) echo 1472 ;;
    *) echo 1024 ;;
    esac
}

# fuzz_one NAME ARGUMENT...: prints one line of result; libFuzzer's output goes to a log.
fuzz_one() {
    local name=$1 log=build/log/fuzz-$1.log status=0 runs speed edges artifact
    shift
    mkdir -p "$grown/$name" "tests/fuzz/corpus/$name" "$found" build/log
    "$harnesses/fuzz_$name" -max_len="$(longest_of "$name")" -timeout=5 -rss_limit_mb=512 -print_final_stats=1 \
        -artifact_prefix="$found/$name-" "$@" "$grown/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    if [ $status -eq 0 ]; then
        printf 'pass  %-12s %10s runs  %7s/s  %6s edges\n' "$name" "$runs" "$speed" "$edges"
        return
    fi
    artifact=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    printf 'FAIL  %-12s %s\n' "$name" "$(grep -m 1 -E 'ERROR|runtime error|tests/fuzz/.*: ' "$log" || tail -n 1 "$log")"
    grep -v -E '^#[0-9]+[[:space:]]' "$log" | tail -n 40 | sed 's/^/      /'
    echo "      repeat it: $harnesses/fuzz_$name ${artifact:-(see $log)}"
    return 1
}

# merge NAME: keeps inputs that people named, and selects anew among those that libFuzzer named.
merge() {
    local name=$1 corpus=tests/fuzz/corpus/$1
    mkdir -p "$grown/$name" "$corpus" build/log
    find "$corpus" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -exec mv -t "$grown/$name" {} +
    "$harnesses/fuzz_$name" -merge=1 -use_counters=0 -max_len="$(longest_of "$name")" "$corpus" "$grown/$name" \
        >"build/log/fuzz-merge-$name.log" 2>&1
    find "$corpus" -type f -size +4095c -delete
    echo "$name: $(find "$corpus" -type f | wc -l) inputs, $(cat "$corpus"/* | wc -c) bytes"
}

if [ "${1:-}" = --one ]; then
    shift
    fuzz_one "$@" && exit 0
    touch "$CUPEL_FUZZ_FAILED/$1"
    exit 0
fi

if [ "${1:-}" = merge ]; then
    shift
    [ $# -gt 0 ] || mapfile -t all < <(names)
    for name in "${all[@]-}" "$@"; do
        [ -z "$name" ] || merge "$name"
    done
    exit 0
fi

selected=$(names)
if [[ "${1:-}" =~ ^[a-z] ]]; then
    if [ ! -e "tests/fuzz/fuzz_$1.c" ]; then
        echo "no harness is called $1; there are: $(names | tr '\n' ' ')" >&2
        exit 2
    fi
    selected=$1
    shift
fi
seconds=${1:-60} seed=${2:-0}
if [[ ! $seconds$seed =~ ^[0-9]+$ ]]; then
    echo "seconds and a seed are numbers: '$seconds', '$seed'; a harness is named before them" >&2
    exit 2
fi
CUPEL_FUZZ_FAILED=$(mktemp -d)
export CUPEL_FUZZ_FAILED
trap 'rm -rf "$CUPEL_FUZZ_FAILED"' EXIT
printf '%s\n' "$selected" |
    xargs -r -I NAME -P 2 "$0" --one NAME -max_total_time="$seconds" -seed="$seed"
total=$(wc -l <<<"$selected")
failed=$(find "$CUPEL_FUZZ_FAILED" -type f | wc -l)
echo "$((total - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
