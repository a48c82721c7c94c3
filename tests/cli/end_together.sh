#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Ranks that began together end together: a rank that has enough keeps measuring until all have. A rank that was killed delays
# nobody and is named. With --runtime no rank waits.
# Slow: ranks wait for each other, and for a timeout after which a silent rank counts as lost.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
unset CUPEL_RANK CUPEL_SIZE CUPEL_JOB CUPEL_HOSTS
base='run --ioengine null --null-script const:2ms --overhead 0 --realtime 0 --limit 90s --start-together meet'
session="$base --ci 90% --min-samples 3 --changepoint none"

# rank NUMBER SIZE ARGUMENT...: starts cupel as that rank. Its output goes to NUMBER.out, its status to NUMBER.status.
rank() {
    number=$1
    size=$2
    shift 2
    # shellcheck disable=SC2086 # several words
    (
        CUPEL_RANK=$number CUPEL_SIZE=$size timeout -s KILL 150 "$CUPEL" $session "$@" >"$number.out" 2>"$number.err" </dev/null
        echo $? >"$number.status"
    ) &
}

# setting FOLDER WORDS: prints the line of the report's method section that begins with WORDS, without these words.
setting() {
    sed -n "s/^  $2  *//p" "$1/report.txt" | head -n 1
}

# measured FOLDER: prints the measured time in seconds.
measured() {
    setting "$1" slices | awk '{ print $1 * $3 * ($4 ~ /^ms/ ? 0.001 : 1) }'
}

# has_ended NUMBER: checks that the rank ended by itself. Status 5 is permitted: on a busy machine a rank may not get precise.
has_ended() {
    case $(cat "$1.status") in
    0 | 5) ;;
    *) fault "rank $1: exit status $(cat "$1.status"): $(cat "$1.err")" ;;
    esac
}

# Two of three ranks have enough long before the third. A rank that starts too late does not take part, which happens on a
# busy machine: then the test tries again.
for _ in 1 2 3; do
    rm -rf kept meet
    rank 0 3 -o kept/%r
    rank 1 3 -o kept/%r --min-time 10s
    rank 2 3 -o kept/%r
    wait
    grep -qs '^  late  *yes' kept/*/report.txt || break
done
for i in 0 1 2; do
    has_ended $i
    [ "$(setting kept/$i 'measured on for other ranks')" ] || fault "rank $i does not say how long it waited"
    is_true "$(measured kept/$i) > 8"
    ! grep -q 'sign of life' kept/$i/report.txt || fault "rank $i names a lost rank"
done
[ "$(ls meet)" = start ] || fault "left in the folder: $(ls -A meet)"

# The second rank is killed once it measures: the first one ends all the same, and its report says so.
for _ in 1 2 3; do
    rm -rf second meet
    rank 0 2 -o second/%r
    # shellcheck disable=SC2086
    CUPEL_RANK=1 CUPEL_SIZE=2 timeout -s KILL 150 "$CUPEL" $session --min-time 80s -o second/%r >1.out 2>1.err </dev/null &
    killed=$!
    for _ in $(seq 600); do
        [ ! -e meet/enough-1 ] || break
        sleep .1
    done
    [ -e meet/enough-1 ] || fault "rank 1 does not say whether it has enough: $(ls meet)"
    pkill -KILL -P $killed
    wait
    grep -qs '^  late  *yes' second/0/report.txt || break
done
has_ended 0
holds second/0/report.txt 'ranks 1 gave no sign of life'

# With --runtime the length is the same for all ranks, and none waits.
rm -rf third meet
session="$base --runtime 1s"
rank 0 2 -o third/%r
rank 1 2 -o third/%r
wait
for i in 0 1; do
    [ "$(cat $i.status)" = 0 ] || fault "rank $i: exit status $(cat $i.status): $(cat $i.err)"
    [ -z "$(setting third/$i 'measured on for other ranks')" ] || fault "rank $i waited in spite of --runtime"
done
[ "$(ls meet)" = start ] || fault "left in the folder: $(ls -A meet)"
finish
