#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel exec: readings from columns and JSON, the files that a session keeps, every way in which a program can fail, signals,
# refusals.
# shellcheck disable=SC2016 # $ and $(...) are for the shells that are measured
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# column NAME COLUMN: prints the value in the metric's row of the CSV in out; the column of notes is the last one.
column() {
    metric_of "$1" "$2"
}

# A program that prints line $1 of the file "lines", or the last line when there are fewer.
cat >program <<'END'
#!/bin/sh
sed -n "$1p" lines >line
[ -s line ] || tail -n 1 lines >line
echo "a line before"
cat line
echo
END
chmod +x program

# ---- readings ----

# Without --pi the measured index is the duration, whose limits are known for a sleep.
status 0 exec --rounds 12 --format csv -- sleep 0.02
[ "$(head -n 1 out)" = metric,op,unit,value,ci_low,ci_high,confidence,n,effective_n,note,next_low,next_high,target,rw,bs,iodepth,numjobs,label,date ] ||
    fault "the header is $(head -n 1 out)"
is_true "$(column duration value) > 0.02"
[ "$(column duration n)" = 12 ] || fault "n is $(column duration n)"
[ "$(column rounds value)" = 12 ] || fault "rounds is $(column rounds value)"

# --ci with a unit applies to the index that has such a unit, whatever its scale. An index's name may contain blanks.
status 0 exec --ci 500ms --min-time 0s --limit 20s -o absolute --format csv -- sleep 0.02
status 0 report absolute --format csv
is_true "$(column duration ci_high) - $(column duration ci_low) <= 1"
status 5 exec --ci 1ns --min-time 0s --limit 1s -- sleep 0.02
printf '100 7\n101 7\n99 7\n' >lines
status 5 exec --pi 'write rate,MB/s,0' --ci 1KB/s --limit 1s -- ./program %ROUND%
status 0 exec --pi 'write rate,MB/s,0' --ci 5000kB/s --min-time 0s --limit 20s --format csv -- ./program %ROUND%
is_true "$(column 'write rate' ci_high) - $(column 'write rate' ci_low) < 5"
refused 2 'nothing here has this unit' exec --ci 2MB/s -- sleep 0.02
refused 2 'nothing here has this unit' exec --pi share,,0,proportion --ci 2MB/s -- ./program %ROUND%
refused 2 '--autocorr needs --interval pilot' exec --autocorr 0.1 -- sleep 0.02
status 0 exec --autocorr 0.9 --interval pilot --rounds 12 -- sleep 0.01

# The screen shows the range of single rounds and their processor time.
status 0 exec --rounds 12 -- sh -c 'i=0; while [ $i -lt 9999 ]; do i=$((i + 1)); done'
grep -Eq '^  duration from [0-9.]+ [num]?s to [0-9.]+ [num]?s, standard deviation [0-9.]+ [num]?s; ' out || fault "no spread: $(cat out)"
tr -s ' \n' ' ' <out | grep -Eq 'processor time of a round [0-9.]+ [num]?s user, [0-9.]+ [num]?s system\.' || fault "no processor time: $(cat out)"

# Columns separated by blanks, tabs and commas; arithmetic and harmonic means, proportions; a duration that the program
# reports.
printf '10, 0.5\t40 1\n20, 1.5\t60 0\n' >lines
status 0 exec --rounds 2 --format csv --pi a,u,0 --pi r,u,2,ratio --pi p,1,3,proportion --duration-col 1 -- \
    ./program %ROUND%
is_true "$(column a value) == 15 && $(column r value) > 47.99 && $(column r value) < 48.01"
is_true "$(column p value) == 0.5 && $(column p ci_low) > 0 && $(column p ci_high) < 1"
is_true "$(column duration value) == 1"

# JSON over many lines, or only in the last line; names with dots; strings that contain numbers.
cat >json <<'END'
{"version": "x\"}", "jobs": [ {"skip": [1, {}, "]"]},
  {"read": {"iops": 1234.5, "percentile": {"99.900000": 7}}, "text": "3.5"} ] }
END
status 0 exec --rounds 2 --format csv --pi iops,1/s,jobs.1.read.iops --pi p,ns,jobs.1.read.percentile.99.900000 \
    --pi t,s,jobs.1.text,duration -- cat json
is_true "$(column iops value) == 1234.5 && $(column p value) == 7 && $(column t value) == 3.5"
status 0 exec --rounds 2 --format csv --pi x,1,x -- printf 'words before\n{"x": 2}\n\n'
is_true "$(column x value) == 2"

# --parse with the name of a known benchmark, and numbers that follow certain words in the output.
status 0 exec --rounds 2 --format csv --parse pgbench --pi x,1,text:extra:,ordinary,,none -- \
    printf 'latency average = 0.5 ms\ntps = 2000.5 (without initial connection time)\nextra: 7\n'
is_true "$(column transactions value) == 2000.5 && $(column response_time value) == 500000 && $(column x value) == 7"

# Placeholders in a command, in a shell and without one; --env and --cwd.
# shellcheck disable=SC2016 # the inner shell expands
status 0 exec --rounds 3 --format csv -w 7 --pi w,1,0 --pi e,1,1 --pi r,1,2 --env 'EXTRA=5' --shell -- \
    'echo %WORK_AMOUNT% $EXTRA %ROUND%'
is_true "$(column w value) == 7 && $(column e value) == 5 && $(column r value) == 2"
mkdir inside && echo 9 >inside/nine
status 0 exec --rounds 1 --cwd inside --pi n,1,0 --format csv -- cat nine
is_true "$(column n value) == 9"

# One result per combination of parameters: all in one CSV, an array in JSON, a folder each.
status 0 exec --rounds 2 --parameter 'a=1,2' --parameter b=x/y -o many --format csv --pi v,1,0 -- echo '%a%' '%b%'
[ "$(head -n 1 out | cut -d, -f13-14)" = a,b ] || fault 'the parameters are no columns'
[ "$(awk -F, '$1 == "v" { printf "%s %s %s ", $4, $13, $14 }' out)" = '1 1 x/y 2 2 x/y ' ] || fault 'the values are wrong'
status 0 report many/a=2,b=x_y --format csv
[ "$(awk -F, '$1 == "v" { printf "%s %s %s", $4, $13, $14 }' out)" = '2 2 x/y' ] || fault 'the report lost the parameters'
status 0 exec --rounds 2 --parameter 'a=1,2' --format json -- true
[ "$(grep -c '"schema": 1' out)" -eq 2 ] || fault 'the JSON has not two results'
[ "$(sed -n 1p out)" = '[' ] || fault 'the JSON of two results is no array'
status 4 exec --rounds 3 --parameter 'a=0,1' -- sh -c 'exit %a%'
holds out 'a=0'

# --serve: one process for all rounds, which reads work amounts and is started again when it ended.
cat >served <<'END'
#!/bin/sh
echo started >>starts
while read -r amount; do
    echo "$((amount + 1)) $amount"
    [ ! -e stop-after-one ] || exit 0
done
END
chmod +x served
status 0 exec --serve --rounds 20 -w 6 --pi x,1,0 --pi y,1,1 --format csv -- ./served
is_true "$(column x value) == 7 && $(column y value) == 6 && $(column rounds value) == 20"
[ "$(grep -c . starts)" -eq 1 ] || fault "it was started $(grep -c . starts) times instead of once"
touch stop-after-one
status 0 exec --serve --rounds 3 --pi x,1,0 -- ./served
[ "$(grep -c . starts)" -eq 4 ] || fault 'a program that ended is not started again'

# With --serve, lines besides the answers would shift answers to the wrong requests. They are detected when they come at once,
# between rounds, or after the next request. Lines that the program prints at its start are harmless.
drifts() {
    status 4 exec --serve --rounds 50 --pi x,1,0 -- sh -c "$1"
    holds err 'beside its answers: --serve takes one line for each'
}
drifts 'while read -r w; do printf "1\n2\n"; done'
drifts 'while read -r w; do echo 1; sleep 0.02; echo 2; done'
drifts 'while read -r w; do sleep 0.01; echo 1; sleep 0.01; echo 2; sleep 0.01; done'
drifts 'while :; do echo 1; sleep 0.01; done'
status 0 exec --serve --rounds 5 --pi x,1,0 --prepare 'sleep 0.01' -- sh -c 'while read -r w; do echo 1; echo; done'

# Processes that the serving program leaves running are killed at the end and reported.
status 0 exec --serve --rounds 3 -o leaver -- sh -c 'sleep 78 >/dev/null 2>&1 & while read -r w; do echo 1; done'
holds out '1 process that the program started went on after its end'
status 0 report leaver
holds out '1 process that the program started went on after its end'
status 4 exec --serve -- sh -c 'setsid sleep 78 >/dev/null 2>&1 & read -r w; exit 3'
for process in /proc/[0-9]*; do
    [ "$(tr '\0' ' ' 2>/dev/null <"$process/cmdline")" != 'sleep 78 ' ] || fault 'what a server left lives on'
done

# --overhead: the cost of measuring, from pairs of rounds with and without it. On a busy machine some rounds may take so much
# longer that there is no interval, and the report says that.
status 0 exec --rounds 3 --overhead 5 -o cost --format csv --pi x,1,0 -- sh -c 'echo 1; sleep 0.3'
[ "$(column rounds value)" = 3 ] || fault 'rounds of the overhead count'
tr -s ' \n' ' ' <cost/report.txt >flat
if [ "$(column overhead n)" ]; then
    [ "$(column overhead n)" = 5 ] || fault "the overhead is of $(column overhead n) pairs"
    is_true "$(column overhead ci_low) < $(column overhead value)"
    holds flat 'measuring adds'
else
    holds flat 'what measuring adds to a round is not known: of the 5 pairs'
fi
cp out first
status 0 report cost --format csv
cmp -s first out || fault 'the report lost the overhead'
# Two pairs are too few for a cost.
status 0 exec --rounds 3 --overhead 2 -o costless --pi x,1,0 -- echo 1
tr -s ' \n' ' ' <out >flat
holds flat 'Warning: what measuring adds to a round is not known: of the 2 pairs'
status 0 report costless
tr -s ' \n' ' ' <out >flat
holds flat 'what measuring adds to a round is not known'

# The setup runs once, the preparation before each round, the cleanup at the end.
status 0 exec --rounds 3 --setup 'echo s >>order' --prepare 'echo p >>order' --cleanup 'echo c >>order' -- true
[ "$(tr -d '\n' <order)" = spppc ] || fault "the order is $(tr -d '\n' <order)"

# Hooks end at the limit, or at their own timeout, with the processes of their group. The cleanup still runs. Hooks here would
# last 76 s.
ends_soon() {
    begin=$(date +%s)
    status "$@"
    [ $(($(date +%s) - begin)) -le 30 ] || fault "cupel $*: it went on long after the limit"
}
rm -f cleaned
ends_soon 5 exec --limit 0.5s --prepare 'sleep 76 & sleep 76' --cleanup 'echo c >cleaned' -- true
holds err 'the session limit came first'
holds out 'Warning: --prepare "sleep 76 & sleep 76" was still running when'
holds out '--limit came, and was ended'
[ -s cleaned ] || fault 'the cleanup did not run after a preparation that took too long'
ends_soon 5 exec --limit 2s --prepare '[ %ROUND% -lt 3 ] || sleep 76' -o late -- true
holds out '2 rounds in'
status 5 report late
holds out '|| sleep 76" was still running when the'
ends_soon 5 exec --limit 0.5s --setup "trap '' TERM; sleep 76; sleep 76" --cleanup 'echo d >cleaned' -- true
holds err "--setup \"trap '' TERM; sleep 76; sleep 76\" was still running when the session's --limit came"
holds cleaned d
ends_soon 4 exec --hook-timeout 0.3s --prepare 'sleep 76' -- true
holds err '--prepare "sleep 76" took longer than 0.3 s (--hook-timeout) and was ended'
ends_soon 4 exec --hook-timeout 0.3s --rounds 2 --cleanup 'sleep 76' -- true
holds err '--cleanup "sleep 76" took longer than 0.3 s'
ends_soon 5 exec --limit 0.5s --cleanup 'echo e >cleaned' -- sleep 76
holds cleaned e
"$CUPEL" exec --cleanup 'echo f >cleaned' -- sh -c 'echo >started; sleep 76' >out 2>err </dev/null &
process=$!
while [ ! -e started ]; do sleep 0.05; done
kill -INT $process
wait $process
[ $? -eq 5 ] || fault 'an interrupted session does not end with 5'
holds cleaned f
for process in /proc/[0-9]*; do
    [ "$(tr '\0' ' ' 2>/dev/null <"$process/cmdline")" != 'sleep 76 ' ] || fault 'what a hook started lives on'
done

# When the limit leaves no time for 30 rounds as long as the first, fewer are enough, unless --min-samples asks for them.
# Later rounds are shorter, so that they fit even on a busy machine.
status 0 exec --min-time 0s --limit 12s --pi x,1,0 -o roomy -- sh -c '[ %ROUND% -gt 1 ] || sleep 0.9; sleep 0.1; echo 7'
grep -q -- '--min-samples 30' roomy/report.txt || fault "what few rounds miss: $(cat roomy/report.txt)"
"$CUPEL" report roomy >out || fault "the record's own rounds are not enough"
status 5 exec --min-time 0s --limit 3s --min-samples 30 --pi x,1,0 -- sh -c 'sleep 0.15; echo 7'
# The session stops when every index is precise, and not before --min-samples rounds.
status 0 exec --min-samples 20 --min-time 0s --format csv --pi x,1,0 --pi y,1,1 -- echo 5 6
is_true "$(column rounds value) >= 20 && $(column rounds value) <= 200"
# shellcheck disable=SC2016 # the inner shell expands
status 5 exec --limit 0.5s --min-time 0s --pi x,1,0,ordinary,higher,0.1% -- sh -c 'echo $((%ROUND% % 2))'
holds err 'limit came first'
holds out 'Not as precise as asked'

# The notes in CSV: too few rounds, and an interval without an upper end. Each note stays in its cell.
status 0 exec --rounds 5 --format csv --pi x,1,0 -- echo 5
[ "$(column x note)" = 'too few rounds to be called precise' ] || fault "equal rounds: $(column x note)"
status 0 exec --rounds 4 --format csv --pi x,1,0,ratio -- sh -c 'echo $((1 + 1000 * (%ROUND% % 2)))'
[ "$(column x note)" = 'unbounded: the rounds differ too much for an upper end' ] || fault "open: $(column x note)"
status 0 exec --rounds 5 --pi x,1,0 -- sh -c 'echo 1.%ROUND%2345678e50'
grep -q '^  x .*e+50 .*e+50 .*e+50 ' out || fault "cells run together: $(grep '^  x ' out)"

# The interval of a quantity that cannot be negative is cut at 0, with a note in every format. That of a difference is not
# cut.
status 0 exec --rounds 4 --format csv --pi x,1/s,0 --pi d,C,0 -- sh -c 'echo $((1 + 1000 * (%ROUND% % 2)))'
[ "$(column x ci_low)" = 0 ] || fault "the interval of a rate begins at $(column x ci_low)"
is_true "$(column x ci_high) > 1000 && $(column d ci_low) < 0"
holds out 'wider than --ci; lower end cut at 0'
status 0 exec --rounds 4 --pi x,1/s,0 -- sh -c 'echo $((1 + 1000 * (%ROUND% % 2)))'
grep -q '(+-[0-9]* %), cut at 0' out || fault "the cut end is not named: $(head -n 3 out)"
status 0 exec --rounds 4 --format json --pi x,1/s,0 -- sh -c 'echo $((1 + 1000 * (%ROUND% % 2)))'
holds out '"cut_at_0": true'
holds out '"ci_low": 0,'

# The verdict is the first line, and 24 lines contain the answer and the plot; two more on a busy machine.
status 0 exec --rounds 8 --pi x,MB/s,0 -- echo 3
sed -n 1p out | grep -qE '^MEASURED( ON A BUSY MACHINE)?: x 3' || fault "the first line is $(sed -n 1p out)"
plot_fits() {
    last=$(awk '/^Rounds: / { plot = 1 } plot && (/^$/ || /standard deviation/) { print NR - 1; exit }' out)
    room=24
    grep -q 'ON A BUSY MACHINE' out && room=26
    [ "${last:-99}" -le "$room" ] || fault "the plot ends in line $last: $(cat out)"
}
plot_fits

# A level that moves slowly is reported.
status 0 exec --rounds 200 --pi x,1,0 -- sh -c 'echo $((100000 - 100 * %ROUND% + 37 * %ROUND% * %ROUND% % 1009))'
holds out 'slow shift: x falls'

# A machine that other programs use is reported, also from the record. What the measured program uses does not count as load
# by others.
spinners=
for _ in $(seq "$(nproc)"); do
    sh -c 'while :; do :; done' &
    spinners="$spinners $!"
done
status 0 exec --rounds 10 -o beside --setup true -- sleep 0.1
# shellcheck disable=SC2086
kill $spinners
sed -n 1p out | grep -q '^MEASURED ON A BUSY MACHINE: ' || fault "beside spinning programs: $(sed -n 1p out)"
tr '\n' ' ' <out | grep -q 'Busy: other programs used' || fault 'the busy machine is not explained'
holds out 'what --setup or --prepare left running counts among the other programs'
plot_fits
status 0 report beside --format json
holds out '"busy_machine": true'
holds out '"words": "other programs used'
status 0 report beside
sed -n 1p out | grep -q '^MEASURED ON A BUSY MACHINE: ' || fault "the record says: $(sed -n 1p out)"

# ---- what is kept ----

status 0 exec --rounds 4 -o kept --warmup 1 --pi x,1,0 --format csv -- sh -c 'echo hi >%RESULT_DIR%/file; echo %ROUND%'
cp out first
for name in program.cupel output.txt report.txt summary.csv rounds.csv readings.csv rounds/round-000005/file; do
    [ -s "kept/$name" ] || fault "there is no kept/$name"
done
[ "$(grep -c . kept/rounds.csv)" -eq 6 ] || fault "rounds.csv has not 5 rounds"
is_true "$(column x value) == 3.5"
cmp -s kept/summary.csv first || fault "summary.csv differs from standard output"
status 0 report kept --format csv
cmp -s first out || fault "report gives other numbers than exec"
status 0 report kept/program.cupel -o again
cmp -s kept/report.txt again/report.txt || fault "report gives another text than exec"
sed '/^round\t3\t/s/\t3\t/\t9\t/' kept/program.cupel >damaged
cmp -s kept/program.cupel damaged && fault 'the record was not damaged'
status 5 report damaged
holds out 'damaged'
{ cat kept/program.cupel && printf '\0rest\n'; } >damaged
status 5 report damaged
holds out 'damaged'
head=$(grep -n -m1 "^round" kept/program.cupel | cut -d: -f1)
{ head -n "$head" kept/program.cupel && printf '\0' && tail -n +$((head + 1)) kept/program.cupel; } >damaged
status 5 report damaged
holds out 'damaged'
head -n "$head" kept/program.cupel >short
status 5 report short --format csv
holds err 'killed'
refused 2 '--sla judges records of cupel run' report kept --sla 'p99<1ms'
refused 2 'a result of cupel exec has no such form' report kept --format fio-json

# Without -o the folder %RESULT_DIR% is removed with its content.
mkdir temporary
TMPDIR=$PWD/temporary status 0 exec --rounds 2 -- sh -c 'mkdir %RESULT_DIR%/deep; echo x >%RESULT_DIR%/deep/file'
[ -z "$(ls temporary)" ] || fault "a result folder stays: $(ls temporary)"

# A mount that the program made below %RESULT_DIR% is kept with its content, and the report names it. It has the same st_dev
# as the folder, so st_dev does not reveal it.
if unshare -m true 2>/dev/null; then
    mkdir user
    echo kept >user/file
    CUPEL=$CUPEL TMPDIR=$PWD/temporary timeout 60 unshare -m sh -c '"$CUPEL" "$@"' sh exec --rounds 3 -- sh -c \
        'mkdir %RESULT_DIR%/deep %RESULT_DIR%/own && mount --bind user %RESULT_DIR%/deep && echo x >%RESULT_DIR%/own/file' \
        >out 2>err || fault "exec with a mount in its folder: exit status $?"
    [ "$(cat user/file)" = kept ] || fault 'what was mounted in %RESULT_DIR% is gone'
    tr -d ' \n' <out | grep -q '/deepstays:somethingelseismountedthere' || fault 'the mount is not named'
    { [ "$(ls temporary)" ] && [ -z "$(find temporary -name own)" ]; } || fault "left in the folders: $(find temporary)"
    rm -rf temporary/* user
fi

# ---- bad programs ----

# failed WORDS OPTION... -- COMMAND...: three rounds fail, exit status is 4, and WORDS appear with the round.
failed() {
    words=$1
    shift
    rm -rf bad
    status 4 exec -o bad "$@"
    holds bad/output.txt "---- round 3: $words"
    holds bad/program.cupel 'round'
    [ "$(grep -c . bad/rounds.csv)" -eq 4 ] || fault "not all failed rounds are in rounds.csv: $*"
    holds err "round 3: $words"
    holds err "round 1 failed: $words"
    holds out "round 1: "
}
failed 'it printed nothing' --pi x,1,0 -- printf '\n \n'
failed 'it printed nothing' --pi x,1,0 -- true
failed '"nan" in column 0 is no finite number' --pi x,1,0 -- echo nan
holds out '| nan'
failed 'its last line has 2 columns, and column 2 is wanted' --pi x,1,2 -- echo 1 2
failed 'its JSON has no "b"' --pi x,1,b -- echo '{"a": 1}'
failed 'its JSON ends early or is wrong' --pi x,1,b -- echo '{"a": 1,'
failed 'its JSON ends early or is wrong' --pi x,1,a.b -- printf '{"a":{"b":3'
failed 'its JSON ends early or is wrong' --pi x,1,a -- echo '{"a": 1} garbage'
failed 'the number after "total" is parted by commas' --pi x,1,text:total -- echo 'total 1,234,567 ops'
failed 'its last line is longer than what is kept' --pi x,1,1 -- sh -c 'head -c 3000000 /dev/zero | tr "\0" x; echo " 4 5"'
failed '"b" is a name in JSON' --pi x,1,b -- echo 1
failed 'x is 0: a ratio has to be above 0' --pi x,1,0,ratio -- echo 0
failed 'x is 1.5: a proportion goes from 0 to 1' --pi x,1,0,proportion -- echo 1.5
failed 'exit code 3' -- sh -c 'echo it broke >&2; exit 3'
holds out '| it broke'
failed 'it was killed by signal 11' -- sh -c 'kill -SEGV $$'
failed 'it took longer than 0.2 s' --timeout 0.2s -- sleep 100
failed 'it took longer than 0.2 s' --serve --timeout 0.2s -- sleep 100
failed 'exit code 1' --serve -- false
failed 'it ended instead of an answer' --serve -- true
status 5 exec --limit 0.5s -- sleep 100
holds out 'round 1 does not count: it was still running when the session'
failed 'it closed its output' --serve -- sh -c 'exec >&-; sleep 100'
failed 'it took longer than 0.2 s' --timeout 0.2s -- sh -c 'trap "" TERM; while :; do sleep 1; done'
failed 'it ended and left 1 process that went on, so that its time is not known' -- sh -c 'sleep 77 & echo done'
failed 'it ended and left 1 process that went on, so that its time is not known' -- sh -c 'setsid sleep 77 >/dev/null 2>&1 & echo done'
# left_behind: prints which of the processes that the programs started are alive.
left_behind() {
    for process in /proc/[0-9]*; do
        [ "$(tr '\0' ' ' 2>/dev/null <"$process/cmdline")" != 'sleep 77 ' ] || echo "$process"
    done
}
for _ in $(seq 50); do
    [ "$(left_behind)" ] || break
    sleep 0.1
done
[ -z "$(left_behind)" ] || fault 'a process that was left behind lives on'
status 0 exec --ok-exit 0,2-4 --rounds 2 -- sh -c 'exit 3'

# One bad round among good ones is kept, reported and does not count.
printf '1 2\n1 2\n1 2 3\nnan 2\n1 2\n1 2\n' >lines
status 0 exec --rounds 4 -o mixed --pi x,1,0 --format csv -- ./program %ROUND%
is_true "$(column rounds value) == 4 && $(column errors value) == 2"
holds err 'round 3 failed: its last line has 3 columns, and those before had 2'
holds err 'round 4 failed: "nan" in column 0'
holds mixed/rounds.csv 'those before had 2'
holds mixed/output.txt 'round 4: "nan"'
status 0 report mixed --format csv
[ "$(column errors value)" = 2 ] || fault 'the report lost the failed rounds'

# Bytes that control a terminal appear in no format and in none of the files of the result.
escape=$(printf '\033')
for format in text csv json; do
    status 0 exec --rounds 5 --format $format -o "hostile-$format" --pi "x,u${escape}[1m,0" \
        --parameter "a=${escape}[31mred" -- sh -c "echo 5; : '${escape}[2J %a%'; [ %ROUND% -gt 1 ] || printf '${escape}[35m'"
    ! grep -q "$escape" out || fault "$format has an escape sequence"
    ! grep -rlq --include='*.csv' --include='report.txt' "$escape" "hostile-$format" || fault "a file has an escape sequence"
done

# Programs that cannot be started, and hooks that fail.
refused 2 './no-such-program: cannot be started: No such file' exec -- ./no-such-program
refused 2 'cannot be started' exec --serve -- ./no-such-program
refused 2 'cannot be started: Permission denied' exec -- ./lines
refused 2 'cannot be started: Permission denied' exec -- ./temporary
refused 4 '--setup "exit 5" failed with exit code 5' exec --setup 'exit 5' -- true
refused 2 '--cwd ./nothere: No such file' exec --cwd ./nothere -- true
refused 2 '--cwd served: Not a directory' exec --cwd served -- true
refused 4 '--setup "echo word; false" failed with exit code 1: word' exec --setup 'echo word; false' -- true
# A program whose file disappears between rounds has failed; earlier rounds are reported.
printf '#!/bin/sh\n[ "$1" -lt 5 ] || rm vanishing\necho 1\n' >vanishing && chmod +x vanishing
status 4 exec --pi x,1,0 --rounds 20 -- ./vanishing %ROUND%
holds err './vanishing: cannot be started: No such file'
holds out 'FAILED: '
holds out '5 rounds in'
status 4 exec --setup false -- true
grep -q 'exit code 1$' err || fault "the message has an open end: $(cat err)"
refused 4 '--prepare "exit 6" failed' exec --prepare 'exit 6' -o none -- true
[ ! -e none ] || fault 'a folder of a session that could not begin stays'
status 4 exec --cleanup 'exit 7' --rounds 1 -- true
holds err '--cleanup "exit 7" failed'

# The relative width of an interval around 0 is undefined: the session cannot become precise, and says why.
status 5 exec --limit 1s --pi x,1,0 -- echo -0
holds err 'x is 0, beside which'
holds out 'none as its CI'

# Endless output is read in a fixed amount of memory, and the last line is still found.
status 0 exec --rounds 1 --pi x,1,0 --format csv -- sh -c 'head -c 3000000 /dev/zero | tr "\0" x; echo; echo 4'
is_true "$(column x value) == 4"

# A file system that fills up is reported, and so are the rounds before that (needs a mount of the test's own).
if unshare -m true 2>/dev/null; then
    mkdir full
    CUPEL=$CUPEL timeout 60 unshare -m sh -c 'mount -t tmpfs -o size=64k none full &&
        "$CUPEL" exec --cwd full -- dd if=/dev/zero of=file bs=1k count=1000 >out 2>err; echo $? >code
        "$CUPEL" exec --unit-readings full/%ROUND% -- sh -c "seq 30000 >full/%ROUND%" >out3 2>err3
        rm -f full/*; "$CUPEL" exec --rounds 5000 -o full/kept -- echo hello >out2 2>err2; echo $? >code2' </dev/null
    if [ -s code2 ]; then
        [ "$(cat code)" = 4 ] || fault "a full file system: exit status $(cat code) instead of 4"
        holds err 'the file system is full'
        holds out 'No space left'
        holds err3 'the file system is full'
        [ "$(cat code2)" = 4 ] || fault "a record without room: exit status $(cat code2) instead of 4"
        holds err2 'make room'
        holds out2 'Before: duration'
    fi
fi

# ---- signals ----

for signal in INT TERM; do
    "$CUPEL" exec --min-time 20s -o "after-$signal" --format csv -- sleep 0.0521 >out 2>err </dev/null &
    process=$!
    until grep -q '^round.3' "after-$signal/program.cupel" 2>/dev/null; do
        kill -0 $process 2>/dev/null || break
        sleep 0.05
    done
    kill -$signal $process
    wait $process
    got=$?
    [ $got -eq 5 ] || fault "SIG$signal: exit status $got instead of 5"
    holds err 'stopped by a signal'
    is_true "$(column rounds value) >= 3 && $(column errors value) == 0"
    cp out first
    status 5 report "after-$signal" --format csv
    cmp -s first out || fault "SIG$signal: report gives other numbers"
done

# ---- refusals ----

refused 2 'give a program after --' exec
refused 2 'the program stands after --' exec sleep 1
refused 2 'is no type' exec --pi a,b,0,mean -- true
refused 2 'two of that name' exec --pi a --pi a -- true
refused 2 'a name has letters' exec --pi 'a/b,c,0' -- true
refused 2 'more than six fields' exec --pi a,b,0,ratio,higher,5%,9 -- true
refused 2 'higher or lower is better' exec --pi a,b,0,ratio,best -- true
refused 2 'NAME=VALUE is needed' exec --env X -- true
refused 2 'NAME=VALUE,VALUE is needed' exec --parameter X -- true
refused 2 'a value has 1 to' exec --parameter X=1,,2 -- true
refused 2 '1 and 1 are the same' exec --parameter X=1,2,1 -- true
refused 2 'a/b and a_b are the same as names of folders' exec --parameter X=a/b,a_b -o never -- true
[ ! -e never ] || fault 'a folder stays of values that were refused'
refused 2 'are known' exec --parse dd -- true
refused 2 'exit codes from 0 to 255' exec --ok-exit 0,300 -- true
refused 2 '--discard-output' exec --discard-output --pi a -- true
refused 2 'rounds have no intervals of time' exec --interval 1s -- true
finish
