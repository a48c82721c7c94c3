#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Ranks of exec begin their first round that counts together and end together: one that has enough measures on until all have;
# one that does not come, and one that is killed, hold nobody and are named; with --rounds nobody waits.
# Slow: ranks wait for each other, and until one is taken as lost.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
unset CUPEL_RANK CUPEL_SIZE CUPEL_JOB CUPEL_HOSTS
host=$(uname -n)
base='exec --monitor-cost 0 --limit 60s --start-together meet'
session="$base --ci 90% --min-samples 3 --changepoint none --min-time 0s"

# rank NUMBER SIZE ARGUMENT...: starts cupel as that rank; its output is in NUMBER.out, its status in NUMBER.status.
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

# setting FOLDER WORDS: a line of the report's section on the method, without its first words.
setting() {
    sed -n "s/^  $2  *//p" "$1/report.txt" | head -n 1
}

# kept_value FOLDER METRIC: its value in the summary.
kept_value() {
    cp "$1/summary.csv" out && metric_of "$2" value
}

has_ended() {
    [ "$(cat "$1.status")" = 0 ] || fault "rank $1: exit status $(cat "$1.status"): $(cat "$1.err")"
}

# Two of three have enough long before the third, and none ends long before another. One that is late does not take part: on a busy machine it is done again.
for _ in 1 2 3; do
    rm -rf kept meet
    for i in 0 1 2; do
        more=''
        [ $i -ne 1 ] || more='--min-time 6s'
        # shellcheck disable=SC2086
        rank $i 3 $more --warmup 1 --prepare true -o kept/%h-%r -- sleep 0.1
    done
    wait
    grep -qs '^  late  *yes' kept/*/report.txt || break
done
for i in 0 1 2; do
    folder=kept/$host-$i
    has_ended $i
    [ "$(wc -l <$i.out)" -eq 1 ] || fault "rank $i: not one line: $(cat $i.out)"
    holds $i.out "rank $i on $host: PRECISE"
    holds $i.out "kept in $folder"
    [ "$(setting "$folder" rank)" = $i ] || fault "rank $i: another rank in $folder: $(setting "$folder" rank)"
    [ "$(setting "$folder" ranks)" = 3 ] || fault "rank $i: another number of ranks"
    [ "$(setting "$folder" late)" = no ] || fault "rank $i is late: $(setting "$folder" late)"
    [ "$(setting "$folder" 'measured on for other ranks')" ] || fault "rank $i does not say how long it waited"
    is_true "$(kept_value "$folder" elapsed) > 5" || fault "rank $i ended before the others"
    ! grep -q 'sign of life' "$folder/report.txt" || fault "rank $i names a lost rank"
    # What waited is no round: the first two begin a moment apart in the session's time.
    is_true "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "begin_s") c = i } NR == 3 { print $c }' "$folder/rounds.csv") < 2"
    # The record alone says the same.
    limited report "$folder/program.cupel" >again 2>err || fault "rank $i: report: $(cat err)"
    grep -q '^  late  *no' again || fault "rank $i: the record does not say that it was in time"
    setting "$folder" 'common start'
done >starts
cat starts
[ "$(sort -u starts | wc -l)" -eq 1 ] || fault "the ranks began at several instants"
[ "$(ls meet)" = start ] || fault "left in the folder: $(ls -A meet)"

# One that cannot begin costs the others nothing but the timeout, and is named.
rm -rf meet
session="$base --rounds 3"
rank 0 3 --start-timeout 2s -o second/%r -- sleep 0.01
rank 2 3 --start-timeout 2s -o second/%r -- sleep 0.01
rank 1 3 --start-timeout 2s --setup false -o second/%r -- sleep 0.01
wait
[ "$(cat 1.status)" = 4 ] || fault "the failing rank: exit status $(cat 1.status)"
holds 1.err "rank 1 on $host: "
for i in 0 2; do
    has_ended $i
    [ "$(setting second/$i 'not waited for')" = 'ranks 1' ] || fault "rank $i does not name the missing one"
    holds second/$i/report.txt 'did not wait for all ranks: 1 of 3'
    # A number of rounds is the same for all: nobody waits at the end.
    [ -z "$(setting second/$i 'measured on for other ranks')" ] || fault "rank $i waited in spite of --rounds"
    [ "$(kept_value second/$i rounds)" = 3 ] || fault "rank $i did not measure 3 rounds"
done

# One is killed once it measures: the other ends all the same, and says so.
session="$base --ci 90% --min-samples 3 --changepoint none"
for _ in 1 2 3; do
    rm -rf third meet
    rank 0 2 -o third/%r -- sleep 0.1
    # shellcheck disable=SC2086
    CUPEL_RANK=1 CUPEL_SIZE=2 "$CUPEL" $session --min-time 50s -o third/%r -- sleep 0.1 >1.out 2>1.err </dev/null &
    killed=$!
    for _ in $(seq 600); do
        [ ! -e meet/enough-1 ] || break
        sleep .1
    done
    [ -e meet/enough-1 ] || fault "rank 1 does not say whether it has enough: $(ls meet)"
    kill -KILL $killed
    wait
    grep -qs '^  late  *yes' third/0/report.txt || break
done
has_ended 0
holds third/0/report.txt 'ranks 1 gave no sign of life'

# Ctrl-C while waiting: nothing was measured, and nothing of this rank is left in the folder.
CUPEL_JOB=j2 CUPEL_RANK=1 CUPEL_SIZE=2 "$CUPEL" exec --start-together meet -o waited/%r -- sleep 0.1 >out 2>err </dev/null &
process=$!
until [ -e meet/ready-j2-1 ] || ! kill -0 $process 2>/dev/null; do
    sleep 0.05
done
kill -INT $process
wait $process
got=$?
[ $got -eq 5 ] || fault "Ctrl-C while waiting: exit status $got: $(cat err)"
holds err 'rank 1 on'
[ ! -e meet/ready-j2-1 ] || fault "Ctrl-C while waiting: a file is left"

# Alone there is nobody to wait for; what is refused.
status 0 exec --rounds 2 --start-together meet --full -- true
holds err 'this is the only rank'
holds out 'together, and there is no other rank'
refused 2 '--start-together and --parameter exclude each other' exec --start-together meet --parameter n=1,2 -- echo %n%
refused 2 '--start-at and --start-together exclude each other' exec --start-at next:10s --start-together meet -- true
refused 2 '--start-timeout needs --start-together' exec --start-timeout 5s -- true
status 0 exec --rounds 2 --start-at next:1s --full -- true
holds out 'common start'
finish
