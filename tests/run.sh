#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the tests that ./build.sh test has built: every program of tests/unit and every script of tests/cli and tests/e2e, or
# only the named ones. Prints one line per test, with its duration and the processor time of the test and its children, the
# output of tests that fail, and at the end "N passed, N failed, N skipped". Exit: 0 all passed, 1 any failed, 77 nothing
# could run.
#
#   tests/run.sh [NAME...]        NAME is the file's name without its ending: test_units, check_layers
#   tests/run.sh --quick          the quick tests of tests/unit and tests/cli: those without a line "Timed: ..." or
#                                 "Slow: ..." in the head comment
#
#   CUPEL             the binary under test (default build/cupel)
#   CUPEL_UNIT        the folder of the built unit tests (default build/tests/unit)
#   CUPEL_TEST_LIMIT  seconds that one test may take (default 300; more than that means that it hangs, even on a busy machine)
#   CUPEL_TIMED_JOBS  number of timed tests at a time (default 3, which use a quarter of two processors)
#   CUPEL_QEMU        no: without virtual machines
#   CUPEL_BESIDE      a process group that works beside the tests; it is stopped during timed tests and second tries
set -euo pipefail
cd "$(dirname "$0")/.."

export CUPEL=${CUPEL:-$PWD/build/cupel}
unit=${CUPEL_UNIT:-$PWD/build/tests/unit}
limit=${CUPEL_TEST_LIMIT:-300}
export CUPEL_UNIT=$unit CUPEL_TEST_LIMIT=$limit
export CUPEL_NO_HISTORY=1 # tests write nothing into the home of the user who runs them
if [ -z "${CUPEL_CASES:-}" ] && [ -d ../shared/cases ]; then
    CUPEL_CASES=$(cd ../shared/cases && pwd)
    export CUPEL_CASES
fi

# Prints the command that runs one test file: the program of a unit test, or the script itself.
command_of() {
    case $1 in
    *.c) echo "$unit/$(basename "$1" .c)" ;;
    *) echo "$1" ;;
    esac
}

# A test that fails runs once more, alone, when the processors are mostly idle. On a machine that others use, too, this shows
# whether the code or the load is at fault. The last lines count and name the tests that passed only at the second try. A line
# "Timed: ..." in a test's head says what in the test depends on the load of the machine. Such a test has few others beside it
# at its first try, too. Tests with virtual machines count as timed.
is_timed() {
    [[ $1 == */qemu_* ]] || sed 15q "$1" | grep -q '^[ /*#]*Timed: '
}

# A line "Slow: ..." in a test's head means that the test takes more than a few seconds, and says why.
is_slow() {
    sed 15q "$1" | grep -q '^[ /*#]*Slow: '
}

# idle_share SECONDS: prints how many percent of the processors' time were idle during the next SECONDS.
idle_share() {
    local before after
    before=$(busy_and_idle)
    sleep "$1"
    after=$(busy_and_idle)
    awk -v before="$before" -v after="$after" 'BEGIN { split(before, b); split(after, a)
        all = a[1] + a[2] - b[1] - b[2]; share = all > 0 ? 100 * (a[2] - b[2]) / all : 100; print int(share) }'
}

# Prints the time of all processors since boot: busy, and idle. Waiting for disks and niced programs count as idle.
busy_and_idle() {
    awk '/^cpu / { print $2 + $4 + $7 + $8 + $9, $3 + $5 + $6 }' /proc/stat
}

# beside SIGNAL: sends the signal to the group of CUPEL_BESIDE if it still exists.
beside() {
    [ -z "${CUPEL_BESIDE:-}" ] || kill "-$1" -- "-$CUPEL_BESIDE" 2>/dev/null || true
}

# wait_for_quiet: waits until half of the processors' time is idle, for at most a minute.
wait_for_quiet() {
    local end=$((SECONDS + 60))
    while [ $SECONDS -lt $end ] && [ "$(idle_share 1)" -lt 50 ]; do
        sleep 1
    done
}

# Under root every session gets real-time priority. Workers of several tests on the same processor would then keep each other
# and other programs from it for a long time. So tests run without the right to real-time priority, as a user's programs do.
# Only tests with a line "Real-time: ..." in the head, which test this priority, have the right.
is_realtime() {
    sed 15q "$1" | grep -q '^[ /*#]*Real-time: '
}
without_priority=(setpriv --bounding-set -sys_nice)
"${without_priority[@]}" true 2>/dev/null || without_priority=()

# Runs a test once, in a scratch folder of its own on this disk (not every /tmp supports O_DIRECT). The folder's name is short
# because a socket's path has at most 108 bytes.
attempt() {
    local file=$1 log=$2 scratch status=0 command=("${without_priority[@]}")
    ! is_realtime "$file" || command=()
    command+=(timeout -k 5 "$limit" "$(command_of "$file")")
    scratch=$(mktemp -d "$CUPEL_RESULTS/XXX")
    { TMPDIR=$scratch "${command[@]}" </dev/null >"$log" 2>&1; } 2>/dev/null || status=$?
    rm -rf "$scratch"
    # A misspelled assertion is an unknown command: the script continues without it. Such a test fails here.
    ! grep -q "^$file: [0-9]*: .*: not found$" "$log" || [ $status -ne 0 ] || status=1
    return $status
}

# kept FILE: prints the path below which a test's log and result are kept. It contains the folder, because tests/cli and
# tests/e2e have files of the same name.
kept() {
    local key=${1%.*}
    key=${key#tests/}
    echo "$CUPEL_RESULTS/${key//\//-}"
}

# Runs one test, prints its line and writes its result, one word, below $CUPEL_RESULTS.
run_one() {
    local file=$1 try=${2:-1} name kept log status=0 seconds used line begin=$EPOCHREALTIME
    name=$(basename "${file%.*}")
    kept=$(kept "$file")
    log=$kept.log
    attempt "$file" "$log" || status=$?
    seconds=$(((${EPOCHREALTIME/[.,]/} - ${begin/[.,]/}) / 10000))
    times >"$kept.used" # not in $(...): a subshell has times of its own
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

# selected all|timed|slow|quick FILE...: prints the files that were asked for and are of that kind. A timed test is not slow.
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

# Virtual machines mostly wait for each other's firmware: two at a time finish in two thirds of the time.
run_all() {
    xargs -0 -r -n 1 -P "$1" "$0" --one
}

# run_untimed: runs the tests that are not timed, several per processor: they mostly wait (for limits, rounds, programs that
# sleep) and use a processor for a fifth of their time. Tests of tests/e2e also share disks: at most three of them for two
# processors, beside other tests. Long ones begin first, so that none is left for the end: slow ones, scripts, unit tests.
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

# longest_first NAME... -- FILE...: prints the files, the named ones first.
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

# Prints the files of the tests whose result is "fail".
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
