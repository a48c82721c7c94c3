#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Readings within rounds (cupel exec --unit-readings) from a pipe, a FIFO or a file: their steady part and interval, in every
# format and from the record; faulty readings are reported with their round.
# shellcheck disable=SC2016 # $ and $(...) are for the shells that are measured
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

column() {
    metric_of "$1" "$2"
}

# numbers COUNT LEVEL ROUND: prints COUNT lines at LEVEL with noise, after a warm-up of 60 lines at half of it. A second
# column counts the lines.
cat >numbers <<'END'
#!/bin/sh
awk -v n="$1" -v level="$2" -v seed="$3" 'BEGIN { srand(seed)
    for (i = 0; i < n; i++) printf "%.6f %d\n", (i < 60 ? level / 2 : level) + 2 * rand() - 1, i }'
END
chmod +x numbers

# ---- where they come from ----

# A pipe as descriptor 3, by number and by name; the warm-up of each round is left out.
status 0 exec --rounds 5 -o piped --unit-readings pipe --pi speed,MB/s,unit:0 --format csv -- \
    sh -c './numbers 400 100 %ROUND% >&3'
is_true "$(column speed value) > 99.8 && $(column speed value) < 100.2"
is_true "$(column speed ci_low) < 100 && $(column speed ci_high) > 100 && $(column speed ci_low) > 99"
[ "$(column speed n)" -eq 1700 ] || fault "$(column speed n) of 5 times 340 readings count"
[ "$(column rounds value)" = 5 ] || fault "there are $(column rounds value) rounds"
[ "$(grep -c . piped/unit_readings.csv)" -eq 2001 ] || fault "unit_readings.csv has not 2,000 readings"
[ "$(head -n 1 piped/unit_readings.csv)" = metric,op,unit,round,reading,merged,value,stable ] || fault 'another header'
[ "$(grep -c ',1$' piped/unit_readings.csv)" -eq 1700 ] || fault 'the steady part is another one'
head -n 1 piped/rounds.csv | grep -q speed && fault 'rounds.csv has a column for what has no value for each round'
cp out first
status 0 report piped --format csv
cmp -s first out || fault 'the report gives other numbers than exec'
status 0 report piped -o again
cmp -s piped/unit_readings.csv again/unit_readings.csv || fault 'the report gives other unit readings'
cmp -s piped/report.txt again/report.txt || fault 'the report gives another text'
holds piped/report.txt '1700 of 2000 unit readings count, of 5 rounds: the others'
holds piped/report.txt 'Unit readings, round after round: speed, MB/s'
status 0 report piped --format json
holds out '"of_units": true'
holds out '"stable_begin": 60'
status 0 exec --rounds 3 --unit-readings pipe --format csv -- sh -c './numbers 400 50 %ROUND% >%UNIT_READINGS%; sleep 0.01'
is_true "$(column unit_reading value) > 49.8 && $(column unit_reading value) < 50.2"
status 0 exec --rounds 3 --format csv -- true
[ "$(column duration n)" = 3 ] || fault 'rounds without unit readings changed'

status 0 exec --rounds 3 --unit-readings pipe -- sh -c 'printf "5\n6\n" >&3'
grep -q '6 of 6 unit readings count, of 3 rounds$' out || fault 'readings are said to be left out'

# Two columns, rates with their harmonic mean, comments and blank lines; a FIFO that several writers open in turn.
mkfifo fifo
status 0 exec --rounds 4 --unit-readings fifo --pi a,1/s,unit:1,ratio --pi b,s,unit:0,duration --format csv -- \
    sh -c 'i=0; while [ $i -lt 20 ]; do printf "# words\n\n2,40\r\n" >fifo; echo "4 60" >fifo; i=$((i + 1)); done'
is_true "$(column a value) > 47.99 && $(column a value) < 48.01 && $(column b value) == 3"
[ "$(column a n)" = 160 ] || fault "the FIFO gave $(column a n) of 160 readings"

# One file per round; a path relative to --cwd; together with a --pi that reads the output.
mkdir below
status 0 exec --rounds 3 --unit-readings 'units-%ROUND%' --cwd below --format csv --pi a,1,unit:0 --pi x,1,0 -- \
    sh -c 'printf "1\n2\n3\n" >%UNIT_READINGS%; echo 7'
is_true "$(column a value) == 2 && $(column a n) == 9 && $(column x value) == 7"
[ -s below/units-3 ] || fault 'the file of unit readings is gone'
status 0 exec --rounds 2 -o kept --unit-readings '%RESULT_DIR%/units' -- sh -c 'printf "1\n2\n3\n" >%UNIT_READINGS%'
[ -s kept/rounds/round-000002/units ] || fault 'the file in %RESULT_DIR% is gone'

# The session ends when the readings are precise, after as many rounds as any other session needs; on a busy machine, whose level
# moves, these are more.
status 0 exec --min-time 0s --min-samples 4 --unit-readings pipe --format csv -- sh -c './numbers 200 100 %ROUND% >&3'
is_true "$(column rounds value) >= 4"
status 5 exec --limit 1s --ci 0.01% --unit-readings pipe -- sh -c './numbers 200 100 %ROUND% >&3'
holds err 'the interval of unit_reading is'

# By default one round of enough readings suffices; the report says that they come from one run.
status 0 exec --min-time 0s --unit-readings pipe -o one -- sh -c './numbers 2000 100 %ROUND% >&3'
head -n 2 one/report.txt | tr '\n' ' ' | grep -q '^PRECISE.*in  *one run of the program' || fault "the verdict is $(head -n 2 one/report.txt)"
holds one/report.txt 'of 1 round:'
holds one/report.txt '--min-samples 5 has it in'
grep -q 'A repetition' one/report.txt && fault 'one round predicts the next'
# With a work range, the work doubles until a round has enough readings. With --wps, readings and speed are both precise, each
# by its own rule.
status 0 exec --min-time 0s --ci 0.1% -w 400,25600 --unit-readings pipe -o range -- sh -c './numbers %WORK_AMOUNT% 100 %ROUND% >&3'
[ "$(cut -d, -f7 range/rounds.csv | sed -n 2,3p | tr '\n' ' ')" = '400 800 ' ] ||
    fault "work amounts $(cut -d, -f7 range/rounds.csv | tr '\n' ' ')"
status 0 exec --wps --min-time 0s --limit 60s --shortest-round 0s --min-samples 20 --duration-col 0 -w 200,2000 \
    --unit-readings pipe --pi level,1,unit:0 --format csv -- \
    sh -c './numbers %WORK_AMOUNT% 100 %ROUND% >&3; awk "BEGIN { print %WORK_AMOUNT% / 100 + %ROUND% * 7 % 5 / 100 }"'
is_true "$(column level value) > 99.8 && $(column level value) < 100.2"
is_true "$(column wps_speed value) > 99 && $(column wps_speed value) < 101"

# A program whose level differs from start to start: the interval includes the variation between rounds.
status 0 exec --rounds 6 --unit-readings pipe --format csv -- sh -c './numbers 400 $((90 + 7 * %ROUND% % 5 * 5)) %ROUND% >&3'
is_true "$(column unit_reading ci_high) - $(column unit_reading ci_low) > 5"
is_true "$(column unit_reading effective_n) <= 6"

# Results are compared by their intervals.
status 0 exec --rounds 5 -o faster --unit-readings pipe --pi speed,MB/s,unit:0 -- sh -c './numbers 400 150 %ROUND% >&3'
longer '0 5' compare faster piped --metric speed --format csv
grep -q 'speed,1.[45]' out || fault "the ratio of unit readings is $(grep speed out)"

# ---- what is wrong with them, by round; the output stays ----

# wrong WORDS OPTION... -- COMMAND...: the round fails, WORDS are reported, and the program's output is kept.
wrong() {
    words=$1
    shift
    rm -rf bad
    status 4 exec -o bad --unit-readings pipe "$@"
    holds err "round 3: $words"
    holds err "round 1 failed: $words"
    holds bad/output.txt 'said'
}
wrong 'it wrote no unit readings' -- echo said
wrong 'line 2 of its unit readings has a number above 1e60, which is too large, in column 0: "1e80"' -- \
    sh -c 'echo said; printf "1\n1e80\n2\n" >&3'
wrong 'line 2 of its unit readings has no finite number in column 0: "nan"' -- sh -c 'echo said; printf "1\nnan\n2\n" >&3'
wrong 'line 2 of its unit readings is cut, it has no line end: "12"' -- sh -c 'echo said; printf "1\n12" >&3'
wrong 'line 3 of its unit readings has no column 1 (from 0): "5"' --pi a,1,unit:1 -- \
    sh -c 'echo said; printf "1 2\n3 4\n5\n" >&3'
wrong 'line 1 of its unit readings has no finite number in column 0: "?ELF' -- \
    sh -c 'echo said; printf "\177ELF\001\033\000\200\n1\n" >&3'
wrong 'line 1 of its unit readings has no end within 4,000 bytes' -- sh -c 'echo said; head -c 200000 /dev/zero >&3'
wrong 'line 2 of its unit readings: a is 0: a ratio has to be above 0' --pi a,1,unit:0,ratio -- sh -c 'echo said; printf "1\n0\n" >&3'
wrong 'exit code 3' -- sh -c 'echo said; printf "1\n2\n" >&3; exit 3'
wrong 'it took longer than 0.2 s' --timeout 0.2s -- sh -c 'echo said; while :; do echo 1; done >&3'
wrong 'it ended and left 1 process that went on' -- sh -c 'echo said; echo 1 >&3; sleep 75 &'
rm -rf bad
status 4 exec -o bad --unit-readings fifo -- echo said
holds err 'round 3: it wrote no unit readings'
rm -rf bad
status 4 exec -o bad --unit-readings nothing -- echo said
holds err 'round 3: it wrote no unit readings: nothing: No such file'
rm -rf bad
status 4 exec -o bad --unit-readings numbers -- echo said
holds err 'round 3: numbers is there before the round: let %ROUND% or %RESULT_DIR% be in the name'
status 0 exec --rounds 2 --prepare 'rm -f again.txt' --unit-readings again.txt -- sh -c 'echo 1 >again.txt; echo 2 >>again.txt'

# A million readings do not make the program wait and need no more memory than a few: they are merged.
status 0 exec --rounds 3 -o many --unit-readings pipe --format csv -- sh -c 'seq 1000000 | sed "s/.*/7/" >&3'
is_true "$(column unit_reading value) == 7"
holds many/report.txt 'means of up to 16 neighbours are'
[ "$(wc -c <many/program.cupel)" -lt 1000000 ] || fault 'the record of many readings is large'
rm -rf many

refused 2 '--unit-readings and --serve exclude each other' exec --unit-readings pipe --serve -- true
refused 2 'beside it a --pi reads --unit-readings' exec --unit-readings pipe --wps -w 1,9 --pi a,1,0 -- true %WORK_AMOUNT%
refused 2 'needs --wps or --unit-readings' exec -w 1,9 -- true %WORK_AMOUNT%
refused 2 'CMD does not have it' exec --unit-readings pipe -w 1,9 -- true
refused 2 '--unit-readings and --overhead exclude each other' exec --unit-readings pipe --overhead 3 -- true
refused 2 'unit:N is of --unit-readings' exec --pi a,1,unit:0 -- true
refused 2 'unit:N is a column, from 0' exec --unit-readings pipe --pi a,1,unit:x -- true
refused 2 'there are two of that name' exec --unit-readings pipe --pi a,1,unit:0 --pi a,1,unit:1 -- true

finish
