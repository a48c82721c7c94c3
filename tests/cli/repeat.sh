#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --repeat: several sessions over time with one interval over them. Every session is kept, and the folder gives the
# same result again. When it is ended at any moment, completed sessions are kept. Invalid combinations are refused in one
# line.
# Slow: sessions over time.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
null='--ioengine null --null-script const:1ms --min-time 0.5s --min-samples 2 --ci 90% --interval pilot --changepoint none --overhead 0 --monitor-cost 0'

# again FOLDER EXPECTED: cupel report prints the report in out and the kept tables again from the folder.
again() {
    status "$2" report "$1" --full
    cmp -s "$1/report.txt" out || fault "report gives something else than the run: $(diff "$1/report.txt" out | head -n 4)"
    rm -rf "$1.again"
    status "$2" report "$1" -o "$1.again"
    for file in report.txt summary.csv sessions.csv hardware.csv; do
        cmp -s "$1/$file" "$1.again/$file" || fault "report -o gives another $file"
    done
}

# On the null engine all sessions have the same level.
# shellcheck disable=SC2086 # several options
longer '0 5' run $null --repeat 3 --every 1s --limit 90s -o kept
decided=$got
[ "$decided" -eq 5 ] || grep -q '^PRECISE' out || fault "the verdict is $(head -n 1 out)"
[ "$decided" -eq 0 ] || grep -q '^NOT DECIDED' out || fault "exit status 5 and $(head -n 1 out)"
tr -s ' \n' ' ' <kept/report.txt >flat
holds flat 'of the mean over sessions like these 3, spread over '
holds flat 'between sessions'
again kept "$decided"
for session in 1 2 3; do
    for file in record.cupel report.txt summary.csv unit_readings.csv; do
        [ -s kept/session-$session/$file ] || fault "there is no kept/session-$session/$file"
    done
    limited report kept/session-$session --format csv >out 2>err
    cmp -s out kept/session-$session/summary.csv || fault "session $session by itself gives another result"
done
[ ! -e kept/rounds.csv ] || fault 'a table of one session stands beside those of all'
status "$decided" report kept --format csv
[ "$(head -n 1 out)" = metric,op,unit,value,ci_low,ci_high,confidence,n,effective_n,note,next_low,next_high,target,rw,bs,iodepth,numjobs,label,date ] || fault "$(head -n 1 out)"
is_true "$(metric_of iops n) == 3 && $(metric_of iops ci_low) <= $(metric_of iops value)"
is_true "$(metric_of sessions value) == 3 && $(metric_of session_sd value) >= 0"
# The result is the mean of the sessions' rows with Student's t for 2 degrees of freedom.
awk -F, '/^session_[0-9]/ { n++; s += $4; q += $4 * $4 } END { m = s / n; h = 4.302652730 * sqrt((q - n * m * m) / (n - 1) / n)
    printf "%.6g %.6g %.6g\n", m, m - h < 0 ? 0 : m - h, m + h }' out >expected
awk -F, '$1 == "iops" { printf "%.6g %.6g %.6g\n", $4, $5, $6 }' out >found
cmp -s expected found || fault "the sessions' rows give $(cat expected), the result says $(cat found)"
# Every session has its own request sequence, the same one for the same seed.
awk -F, 'NR > 1 { print $5 }' kept/sessions.csv | sort -u >seeds
[ "$(wc -l <seeds)" -eq 3 ] || fault "the seeds of 3 sessions: $(cat seeds)"
grep -qx 1 seeds || fault 'the first session has another seed than the plan'
status "$decided" report kept --format json
holds out '"sessions": ['
holds out '"counted": 3'

# An incomplete folder, or one mixed from two runs, is not accepted as complete.
cp -r kept other
rm -r other/session-2
status 5 report other
holds err '2 of 3 sessions are there whole'
cp -r kept/session-3 other/session-2
refused 2 'it is not session 2 of the same run' report other
rm -r other
cp -r kept other
sed 's/begun=3/begun=2/' kept/repeat.cupel >other/repeat.cupel
status 5 report other
holds out 'repeat.cupel is missing or damaged'
rm -r other

# A file target: made and filled once; every session has a record. Sessions right after each other get a warning that they
# share the conditions of the moment.
longer 5 run test.dat --size 4m --direct 0 --repeat 2 --limit 8s --min-time 0.5s --ci 0.01% --overhead 0 -o file
tr -s ' \n' ' ' <file/report.txt >flat
holds flat 'sessions close together share the weather'
holds flat 'did not reach a verdict of their own'
again file 5
[ -s test.dat ] || fault 'the file that was made is gone'

# wait_for FILE: waits up to half a minute until the file exists.
wait_for() {
    for _ in $(seq 300); do
        [ ! -s "$1" ] || return 0
        sleep 0.1
    done
    fault "$1 does not come"
}

# A signal between sessions ends it at once, with the completed sessions. After a kill, these can still be reported.
for signal in INT TERM KILL; do
    # shellcheck disable=SC2086 # several options
    "$CUPEL" run $null --repeat 3 --every 10m -o after-$signal >out 2>err </dev/null &
    process=$!
    wait_for after-$signal/session-1/summary.csv
    sleep 0.5
    kill -$signal $process
    wait $process 2>/dev/null
    got=$?
    if [ $signal = KILL ]; then
        status 5 report after-KILL
        holds err '1 of 3 sessions are there whole'
        continue
    fi
    [ $got -eq 5 ] || fault "SIG$signal while it waited: exit status $got instead of 5"
    holds err 'stopped by a signal after 1 of 3 sessions'
    again after-$signal 5
    holds out 'INTERRUPTED: '
done

# A signal within a session ends it, too; that session counts in no mean.
# shellcheck disable=SC2086 # several options
"$CUPEL" run $null --ci 0.01% --repeat 2 --min-time 1s -o within >out 2>err </dev/null &
process=$!
wait_for within/session-1/record.cupel
sleep 2
kill -INT $process
wait $process
[ $? -eq 5 ] || fault 'SIGINT within a session: another exit status than 5'
holds err 'after 0 of 2 sessions'
again within 5

# If another file has the target's name after a wait, it is not written to.
head -c 4m /dev/urandom >mine
# shellcheck disable=SC2086 # several options
timeout -s KILL 60 "$CUPEL" run mine --rw randwrite --overwrite --direct 0 --preset quick --min-time 0.5s --overhead 0 \
    --repeat 2 --every 12s --limit 20s -o replaced >out 2>err </dev/null &
process=$!
wait_for replaced/session-1/summary.csv
head -c 4m /dev/urandom >theirs
sum=$(sha256sum <theirs)
mv theirs mine
wait $process
[ $? -eq 3 ] || fault "a file that was replaced between sessions: another exit status than 3: $(cat err)"
holds err 'it is another file than in the session before'
[ "$(sha256sum <mine)" = "$sum" ] || fault 'a file that was never named was overwritten'
again replaced 3

# A session that fails ends the run.
refused 2 "--sla judges one session, kept holds several: cupel report kept/session-1 --sla 'p99<1s'" \
    report kept --sla 'p99<1s'

longer 4 run --ioengine null --null-script 'const:1ms+fail:1' --repeat 3 -o failed
holds err 'session 1 of 3: '
[ ! -e failed/session-2 ] || fault 'a session followed one that failed'
again failed 4

# A replay can be repeated as well; a single pass has no interval.
cat >trace.log <<'LOG'
fio version 2 iolog
/dev/sda add
/dev/sda open
/dev/sda read 0 4096
/dev/sda read 8192 4096
/dev/sda read 4096 4096
/dev/sda close
LOG
longer 0 replay trace.log --ioengine null --repeat 3 --monitor-cost 0 --format csv
is_true "$(metric_of response_time n) == 3"

# Invalid values and combinations.
for k in 0 1 1000000000 -1 1.5 x ''; do
    refused 2 repeat run --ioengine null --repeat "$k"
done
for every in -1s x 1e9h; do
    refused 2 every run --ioengine null --repeat 3 --every "$every"
done
refused 2 '--every needs --repeat' run --ioengine null --every 1s
refused 2 'the last of 5 begins after' run --ioengine null --repeat 5 --every 10m --limit 10m
refused 2 'for each of 5 sessions' run --ioengine null --repeat 5 --limit 10s
refused 2 'standard input comes once' replay - --ioengine null --repeat 3
refused 2 'no such file' run no-such-file --repeat 3 -o nothing
[ ! -e nothing ] || fault 'a refused run left its folder'
refused 2 no-such-folder report no-such-folder
mkdir empty
refused 2 empty report empty
finish
