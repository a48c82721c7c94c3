#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the tests that ./build.sh test has built: every program of tests/unit and every script of tests/cli and of
# tests/e2e, or only those named. One line per test, with its seconds and those of a processor that it and its children used,
# the output of those that fail, then "N passed, N failed, N skipped".
# Exit: 0 all passed, 1 any failed, 77 nothing could run.
#
#   tests/run.sh [NAME...]        NAME is the file's name without its ending: test_units, check_layers
#   tests/run.sh --quick          those of tests/unit and tests/cli that take no time: none that is timed or has a line
#                                 "Slow: ..." in its head
#
# CUPEL             the binary under test (default build/cupel)
# CUPEL_UNIT        the folder of the built unit tests (default build/tests/unit)
# CUPEL_TEST_LIMIT  seconds one test may take (default 300: one that hangs, on a busy machine too)
# CUPEL_TIMED_JOBS  timed tests at once (default 3, which take a quarter of two processors)
# CUPEL_QEMU        no: without virtual machines
# CUPEL_BESIDE      a process group that works beside the tests: it is stopped while timed tests run, and those that run again
set -euo pipefail
cd "$(dirname "$0")/.."

export CUPEL=${CUPEL:-$PWD/build/cupel}
unit=${CUPEL_UNIT:-$PWD/build/tests/unit}
limit=${CUPEL_TEST_LIMIT:-300}
export CUPEL_UNIT=$unit CUPEL_TEST_LIMIT=$limit
export CUPEL_NO_HISTORY=1 # tests leave nothing in the home of whoever runs them
if [ -z "${CUPEL_CASES:-}" ] && [ -d ../shared/cases ]; then
    CUPEL_CASES=$(cd ../shared/cases && pwd)
    export CUPEL_CASES
fi

# The command that runs one test file: a unit test's program, or the script itself.
command_of() {
    case $1 in
    *.c) echo "$unit/$(basename "$1" .c)" ;;
    *) echo "$1" ;;
    esac
}

# A test that fails runs once more, alone, when the processors have little else to do: on a machine that others use, too, it is
# seen then whether the code or the test is at fault. The last lines count and name those that passed only then. A test whose head has a line "Timed: ..." says there what of it depends on what else this machine does: it has little
# beside it at its first try, too. All virtual machines are waited for, and count as timed.
is_timed() {
    [[ $1 == */qemu_* ]] || sed 15q "$1" | grep -q '^[ /*#]*Timed: '
}

# A test whose head has a line "Slow: ..." takes more than some seconds, and says there why.
is_slow() {
    sed 15q "$1" | grep -q '^[ /*#]*Slow: '
}

# idle_share SECONDS: how many percent of the processors' time were idle in the next seconds.
idle_share() {
    local before after
    before=$(busy_and_idle)
    sleep "$1"
    after=$(busy_and_idle)
    awk -v before="$before" -v after="$after" 'BEGIN { split(before, b); split(after, a)
        all = a[1] + a[2] - b[1] - b[2]; share = all > 0 ? 100 * (a[2] - b[2]) / all : 100; print int(share) }'
}

# Of all processors since they started: in use, and idle, waiting for disks or with what gives way to anybody else.
busy_and_idle() {
    awk '/^cpu / { print $2 + $4 + $7 + $8 + $9, $3 + $5 + $6 }' /proc/stat
}

# beside SIGNAL: to all that works beside the tests, as long as it does.
beside() {
    [ -z "${CUPEL_BESIDE:-}" ] || kill "-$1" -- "-$CUPEL_BESIDE" 2>/dev/null || true
}

# wait_for_quiet: until half of the processors' time is idle, for a minute at most.
wait_for_quiet() {
    local end=$((SECONDS + 60))
    while [ $SECONDS -lt $end ] && [ "$(idle_share 1)" -lt 50 ]; do
        sleep 1
    done
}

# As root every session has real-time priority: those of several tests, each with a worker on the same processor, keep each
# other and the programs of other tests from it for as long as they like. So tests run without that right, as a user's do;
# a test whose head has a line "Real-time: ..." is about it, and has it.
is_realtime() {
    sed 15q "$1" | grep -q '^[ /*#]*Real-time: '
}
without_priority=(setpriv --bounding-set -sys_nice)
"${without_priority[@]}" true 2>/dev/null || without_priority=()

# Runs a test once in a scratch folder of its own (on this disk: O_DIRECT does not work on every /tmp). Its name is short:
# names of sockets have 108 bytes.
attempt() {
    local file=$1 log=$2 scratch status=0 command=("${without_priority[@]}")
    ! is_realtime "$file" || command=()
    command+=(timeout -k 5 "$limit" "$(command_of "$file")")
    scratch=$(mktemp -d "$CUPEL_RESULTS/XXX")
    { TMPDIR=$scratch "${command[@]}" </dev/null >"$log" 2>&1; } 2>/dev/null || status=$?
    rm -rf "$scratch"
    # A word that the shell does not know asserts nothing, and the script goes on.
    ! grep -q "^$file: [0-9]*: .*: not found$" "$log" || [ $status -ne 0 ] || status=1
    return $status
}

# kept FILE: where a test leaves what it leaves. tests/cli and tests/e2e have files of the same name.
kept() {
    local key=${1%.*}
    key=${key#tests/}
    echo "$CUPEL_RESULTS/${key//\//-}"
}

# Runs one test, prints its line and leaves one word in $CUPEL_RESULTS.
run_one() {
    local file=$1 try=${2:-1} name kept log status=0 seconds used line begin=$EPOCHREALTIME
    name=$(basename "${file%.*}")
    kept=$(kept "$file")
    log=$kept.log
    attempt "$file" "$log" || status=$?
    seconds=$(((${EPOCHREALTIME/[.,]/} - ${begin/[.,]/}) / 10000))
    times >"$kept.used" # of a shell that is a child it would be nothing
    used=$(awk '{ for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } }
        END { printf "%.1f", sum }' "$kept.used")
    line=$(printf '%-32s %3d.%02d s, processor %5s s' "$name" $((seconds / 100)) $((seconds % 100)) "$used")
    [ "$try" -eq 1 ] || line+="  at try $try"
    case $status in
    0)
        echo pass >"$kept.result"
        echo "pass  $line"
        [ "$try" -eq 1 ] || tail -n 5 "$kept.try1" | sed 's/^/      before: /'
        ;;
    77)
        echo skip >"$kept.result"
        echo "skip  $line  $(tail -n 1 "$log")"
        ;;
    *)
        echo fail >"$kept.result"
        cp "$log" "$kept.try$try"
        [ $((seconds / 100)) -lt "$limit" ] || line="$line  over the limit of $limit s"
        printf 'FAIL  %s  (exit %d)\n%s\n' "$line" $status "$(tail -n 60 "$log" | sed 's/^/      /')"
        ;;
    esac
}

if [ "${1:-}" = --one ]; then
    run_one "${@:2}"
    exit 0
fi

# selected all|timed|slow|quick FILE...: those that are asked for, and of that kind. What is timed is not slow.
selected() {
    local kind=$1 file name
    shift
    for file in "$@"; do
        name=$(basename "${file%.*}")
        [ -e "$file" ] || continue
        [ -z "$names" ] || [[ " $names " == *" $name "* ]] || continue
        case $kind in
        timed) is_timed "$file" || continue ;;
        slow)
            is_slow "$file" || continue
            ! is_timed "$file" || continue
            ;;
        quick) ! { is_timed "$file" || is_slow "$file"; } || continue ;;
        esac
        printf '%s\0' "$file"
    done
}

names="$*"
if [ "${1:-}" = --quick ]; then
    [ $# -eq 1 ] || {
        echo "--quick takes no names: those that are named run, quick or not" >&2
        exit 2
    }
    names=
fi
mkdir -p build
CUPEL_RESULTS=$(mktemp -d "$PWD/build/test-results.XXXXXX")
export CUPEL_RESULTS
trap 'beside CONT; rm -rf "$CUPEL_RESULTS"' EXIT
trap 'exit 130' INT TERM

# Virtual machines mostly wait for each other's firmware: two at a time take two thirds of the time.
run_all() {
    xargs -0 -r -n 1 -P "$1" "$0" --one
}

# run_untimed: they share the processors, and mostly wait (for limits, rounds, programs that sleep): a processor is busy for a fifth
# of a test's time. Those of e2e share disks, too: three for two processors, and what they leave is for all others. The long ones
# come first, so that none of them is left for the end: slow ones, scripts, programs of units.
run_untimed() {
    local at_once=$(($(nproc) * 3)) of_disks=$((($(nproc) * 3 + 1) / 2)) e2e others process
    local -A running=() on_disks=()
    local start=(env "--default-signal=INT,QUIT" "$0" --one) # which a shell's background ignores
    mapfile -d '' e2e < <(selected slow tests/e2e/*.sh && selected quick tests/e2e/*.sh)
    mapfile -d '' others < <(selected slow tests/unit/test_*.c tests/cli/*.sh && selected quick tests/cli/*.sh tests/unit/test_*.c)
    while :; do
        if [ ${#running[@]} -lt $at_once ] && [ ${#e2e[@]} -gt 0 ] && [ ${#on_disks[@]} -lt $of_disks ]; then
            "${start[@]}" "${e2e[0]}" &
            e2e=("${e2e[@]:1}") running[$!]=1 on_disks[$!]=1
        elif [ ${#running[@]} -lt $at_once ] && [ ${#others[@]} -gt 0 ]; then
            "${start[@]}" "${others[0]}" &
            others=("${others[@]:1}") running[$!]=1
        elif [ ${#running[@]} -gt 0 ]; then
            wait -n -p process "${!running[@]}" || true
            unset "running[$process]" "on_disks[$process]"
        else
            return 0
        fi
    done
}

# longest_first NAME... -- FILE...: the files, those of these names first.
longest_first() {
    local name names=()
    while [ "$1" != -- ]; do
        names+=("$1")
        shift
    done
    shift
    { for name in "${names[@]}"; do printf '%s\n' "$@" | grep "/$name\.[a-z]*$"; done; printf '%s\n' "$@"; } | awk '!seen[$0]++'
}
if [ "${1:-}" = --quick ]; then
    selected quick tests/cli/*.sh tests/unit/test_*.c | run_all $(($(nproc) * 3))
else
    run_untimed
    beside STOP
    mapfile -t files < <(longest_first suspended odd_one_out correlate_sets probe_many test_qualify -- tests/e2e/[!q]*.sh tests/cli/*.sh tests/unit/test_*.c)
    selected timed "${files[@]}" | run_all "${CUPEL_TIMED_JOBS:-3}"
    beside CONT
    mapfile -t files < <(longest_first qemu_{together,faults,zones,destroy,accept,stick_trouble,trims,foreign_stick,pxe_secure} \
        qemu_{boot_secure,menu,boot_uefi,boot_bios,verify,screen_uefi,pxe,collector,numa,nvme_uring} -- tests/e2e/qemu_*.sh)
    [ "${CUPEL_QEMU:-yes}" = no ] || selected all "${files[@]}" | run_all 2
fi

# Files of the tests whose result is "fail".
failed_ones() {
    local file
    for file in tests/unit/test_*.c tests/cli/*.sh tests/e2e/*.sh; do
        ! grep -qs '^fail$' "$(kept "$file").result" || printf '%s\0' "$file"
    done
}
beside STOP
second_try=()
mapfile -d '' failures < <(failed_ones)
for file in "${failures[@]}"; do
    wait_for_quiet
    "$0" --one "$file" 2
    grep -qs '^fail$' "$(kept "$file").result" || second_try+=("$(basename "${file%.*}")")
done
beside CONT

count() {
    cat "$CUPEL_RESULTS"/*.result 2>/dev/null | grep -c "^$1\$" || true
}
passed=$(count pass)
failed=$(count fail)
skipped=$(count skip)
if [ $((passed + failed + skipped)) -eq 0 ]; then
    echo "no test is called ${names:-anything}: tests/unit/test_*.c, tests/cli/*.sh and tests/e2e/*.sh have the names" >&2
    exit 1
fi
[ ${#second_try[@]} -eq 0 ] || echo "${#second_try[@]} of them passed at the second try, alone, and are to be mended: ${second_try[*]}"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 77
