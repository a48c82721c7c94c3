#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One command line in many processes (ranks): templates in names, one line per rank, a common start by the clock or by a
# folder, also when one rank fails or comes late; refusals.
# Slow: ranks wait for each other.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
unset CUPEL_RANK CUPEL_SIZE CUPEL_JOB CUPEL_HOSTS
host=$(uname -n)

# rank NUMBER SIZE ARGUMENT...: starts cupel as that rank. Its output goes to NUMBER.out, its status to NUMBER.status.
rank() {
    number=$1
    size=$2
    shift 2
    (
        CUPEL_RANK=$number CUPEL_SIZE=$size timeout -s KILL 60 "$CUPEL" "$@" >"$number.out" 2>"$number.err" </dev/null
        echo $? >"$number.status"
    ) &
}

# setting FOLDER WORDS: prints the line of the report's method section that begins with WORDS, without these words.
setting() {
    sed -n "s/^  $2  *//p" "$1/report.txt" | head -n 1
}

session='run --ioengine null --null-script uniform:100us,300us --runtime 1s --overhead 0 --realtime 0'

# Three ranks start together; each prints a line and keeps a folder of its own. On a busy machine one may report that it is
# late: then the test tries again.
for _ in 1 2 3 4; do
    rm -rf kept meet
    for i in 0 1 2; do
        # shellcheck disable=SC2086
        rank $i 3 $session --start-together meet -o kept/%h-%r-of-%n
    done
    wait
    grep -qs '^  late  *yes' kept/*/report.txt || break
done
for i in 0 1 2; do
    folder=kept/$host-$i-of-3
    [ "$(cat $i.status)" = 0 ] || fault "rank $i: exit status $(cat $i.status): $(cat $i.err)"
    [ "$(wc -l <$i.out)" -eq 1 ] || fault "rank $i: not one line: $(cat $i.out)"
    holds $i.out "rank $i on $host: "
    holds $i.out "cupel merge kept"
    [ "$(setting "$folder" rank)" = $i ] || fault "rank $i: another rank in $folder"
    [ "$(setting "$folder" ranks)" = 3 ] || fault "rank $i: another number of ranks in $folder"
    [ "$(setting "$folder" late)" = no ] || fault "rank $i is late: $(setting "$folder" late)"
    setting "$folder" 'common start'
done >starts
cat starts
[ "$(sort -u starts | wc -l)" -eq 1 ] || fault "the ranks began at several instants"
[ "$(ls meet)" = start ] || fault "left in the folder: $(ls -A meet)"

# A rank that cannot begin delays the others only by the timeout, and they name it. A rank that comes after that says that it
# is late.
for i in 0 2; do
    # shellcheck disable=SC2086
    rank $i 3 $session --start-together meet --start-timeout 2s -o second/%r
done
rank 1 3 run missing/file --start-together meet --start-timeout 2s -o second/%r
wait
[ "$(cat 1.status)" = 2 ] || fault "the failing rank: exit status $(cat 1.status)"
holds 1.err "rank 1 on $host: "
for i in 0 2; do
    [ "$(cat $i.status)" = 0 ] || fault "rank $i: exit status $(cat $i.status): $(cat $i.err)"
    [ "$(setting second/$i 'not waited for')" = 'ranks 1' ] || fault "rank $i does not name the missing one"
    holds second/$i/report.txt 'did not wait for all ranks: 1 of 3'
done
# With the same job it is late; without a job it would be the first rank of a new run.
for try in 1 2 3 4; do
    rm -rf third
    for i in 0 1; do
        # shellcheck disable=SC2086
        CUPEL_JOB=j1$try rank $i 3 $session --start-together meet --start-timeout 1s -o third/%r
    done
    until [ -e meet/start-j1$try ] || ! kill -0 $! 2>/dev/null; do
        sleep 0.1
    done
    sleep 4
    # shellcheck disable=SC2086
    CUPEL_JOB=j1$try rank 2 3 $session --start-together meet --start-timeout 1s -o third/%r
    wait
    [ "$(setting third/0 late)" != no ] || break
done
[ "$(setting third/2 late)" = yes ] || fault "the rank that came later does not say so: $(cat 2.err)"
[ "$(cat 2.status)" = 0 ] || fault "the late rank: exit status $(cat 2.status): $(cat 2.err)"
holds third/2/report.txt 'this rank is late'
[ "$(setting third/0 late)" = no ] || fault "rank 0 is late"

# A start by the clock alone; --full gives one rank of many the whole report.
for _ in 1 2 3 4; do
    rm -rf clock
    # shellcheck disable=SC2086
    {
        rank 0 2 $session --start-at next:2s -o clock/%r --format csv
        rank 1 2 $session --start-at next:2s -o clock/%r
    }
    wait
    grep -qs '^  late  *yes' clock/*/report.txt || break
done
holds 0.out 'metric,op,unit'
[ "$(wc -l <1.out)" -eq 1 ] || fault "not one line: $(cat 1.out)"
for i in 0 1; do
    [ "$(setting clock/$i late)" = no ] || fault "rank $i is late: $(cat $i.err)"
    setting clock/$i 'common start' | grep -q '[02468]\.000000 UTC' || fault "no multiple of 2 s: $(setting clock/$i 'common start')"
done

# A single rank waits for nobody and has the whole report.
# shellcheck disable=SC2086
status 0 $session --full --start-together meet -o alone-%r
holds err 'this is the only rank'
holds out 'together, and there is no other rank'
[ -d alone-0 ] || fault "%r is not 0 alone"

# Ctrl-C while the rank waits: nothing was measured, and the rank leaves no file in the common folder.
CUPEL_JOB=j2 CUPEL_RANK=1 CUPEL_SIZE=2 "$CUPEL" run --ioengine null --overhead 0 --start-together meet -o waited/%r \
    >out 2>err </dev/null &
process=$!
until [ -e meet/ready-j2-1 ] || ! kill -0 $process 2>/dev/null; do
    sleep 0.05
done
kill -INT $process
wait $process
got=$?
[ $got -eq 5 ] || fault "Ctrl-C while waiting: exit status $got: $(cat err)"
holds err 'rank 1 on'
[ -s waited/1/record.cupel ] || fault "Ctrl-C while waiting: no record"
[ ! -e meet/ready-j2-1 ] || fault "Ctrl-C while waiting: a file is left"

# Refusals.
null='run --ioengine null'
# shellcheck disable=SC2086
{
    refused 2 'next:10s' $null --start-at +10s
    refused 2 'has passed' $null --start-at @1
    refused 2 'time zones' $null --start-at 2099-01-01T00:00:00
    refused 2 '--start-at and --start-together exclude each other' $null --start-at next:10s --start-together meet
    refused 2 '--start-together and --repeat exclude each other' $null --repeat 2 --start-together meet
    refused 2 '--start-at and --find-rate exclude each other' $null --find-rate 'p99<1ms' --start-at next:10s
    refused 2 '--start-timeout needs --start-together' $null --start-timeout 5s
    refused 2 'after % one of' $null -o a%x
}
touch file
export CUPEL_RANK=1 CUPEL_SIZE=2
refused 2 'all ranks would write to this one folder' run --ioengine null -o same
refused 2 'no files can be made' run --ioengine null --start-together file
CUPEL_RANK=2
refused 2 'CUPEL_RANK=2 and CUPEL_SIZE=2' run --ioengine null
CUPEL_RANK=x
refused 2 'CUPEL_RANK=x' run --ioengine null
CUPEL_RANK=1

# A target's name may be a template where no data can be lost.
status 0 run data-%r --size 1m --runtime 1s --overhead 0 --realtime 0 --ioengine sync
[ -f data-1 ] || fault "the target data-%r did not become data-1"

# Other commands accept templates as well.
limited exec --rounds 3 --limit 5s -o programs/%h-%r -- sleep 0.01 >out 2>err
[ -s "programs/$host-1/report.txt" ] || fault "exec kept nothing in programs/$host-1"
refused 2 'all ranks would write to this one folder' exec -o same -- true
refused 2 'all ranks would write to this one folder' qualify -o same no-such-disk
refused 2 'all ranks would write to this one folder' record -o same -- true
[ ! -e same ] || fault "something was made before the refusal"
for permission in --destroy --overwrite '--destroy-serial X'; do
    # shellcheck disable=SC2086
    refused 3 'another target on each host' run data-%r --rw write $permission
done
finish
