#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel exec --wps: the speed of programs whose duration is setup + work / speed; the files that are kept, work amounts,
# refusals.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

column() {
    metric_of "$1" "$2"
}

# duration SETUP SPEED NOISE WORK ROUND: prints the duration in seconds without sleeping.
cat >duration <<'END'
#!/bin/sh
awk -v setup="$1" -v speed="$2" -v noise="$3" -v work="$4" -v seed="$5" 'BEGIN {
    srand(seed + 7)
    for (i = 0; i < 12; i++) sum += rand()
    print "result", setup + work / speed + noise * (sum - 6)
}'
END
chmod +x duration

# ---- the speed and its set-up ----

status 0 exec --wps -w 1,1g --duration-col 1 --min-time 0s --format csv -o kept -- \
    ./duration 2 1000 .2 %WORK_AMOUNT% %ROUND%
is_true "$(column wps_speed value) > 900 && $(column wps_speed value) < 1100"
is_true "$(column wps_speed ci_low) < 1000 && $(column wps_speed ci_high) > 1000"
is_true "$(column wps_speed ci_high) - $(column wps_speed ci_low) <= 0.1 * $(column wps_speed value)"
is_true "$(column wps_setup value) > 1.5 && $(column wps_setup value) < 2.5"
[ "$(column wps_speed n)" -ge 10 ] || fault "the speed rests on $(column wps_speed n) rounds"

# Work doubles in trial rounds. Amounts are whole numbers within the range. A setup of 2 s at 1,000 units/s raises the lower
# end.
[ "$(sed -n '2,6s/^\([^,]*,\)\{6\}\([0-9]*\),.*/\2/p' kept/rounds.csv | tr '\n' ' ')" = '1 2 4 8 16 ' ] ||
    fault "the first work amounts are $(cut -d, -f7 kept/rounds.csv | sed -n 2,6p | tr '\n' ' ')"
cut -d, -f7 kept/rounds.csv | sed 1d | grep -qvx '[0-9]*' && fault "a work amount is no whole number"
holds kept/report.txt 'rounds count for the speed'
grep -q '^PRECISE\( ON A BUSY MACHINE\)*: wps_speed' kept/report.txt || fault "the verdict is $(head -n 2 kept/report.txt)"

# The record gives the same numbers again.
cp out first
status 0 report kept --format csv
cmp -s out first || fault "the record gives $(cat out)"
status 0 report kept --format json
holds out '"name": "wps_speed"'

# Without noise the fitted line is exact.
status 0 exec --wps -w 100,10k --duration-col 1 --rounds 12 --format csv -- ./duration 1 50 0 %WORK_AMOUNT% %ROUND%
is_true "$(column wps_speed value) > 49.999 && $(column wps_speed value) < 50.001"
is_true "$(column wps_setup value) > 0.99 && $(column wps_setup value) < 1.01"

# A program that sleeps 0.05 s plus 1 s per 10,000 units; a busy machine adds time to every round.
# shellcheck disable=SC2016 # the program's shell expands
longer 0 exec --wps -w 500,4000 --shortest-round 0s --rounds 15 --format csv -- \
    sh -c 'sleep $(awk "BEGIN { print 0.05 + %WORK_AMOUNT% / 10000 }")'
is_true "$(column wps_speed value) > 5000 && $(column wps_speed value) < 20000"
is_true "$(column wps_setup value) > 0"

# ---- what cannot be known is said ----

# More work takes no longer: the interval has no upper end, and the precision is never reached.
status 0 exec --wps -w 1,1000 --duration-col 1 --rounds 30 --format csv -- ./duration 3 1e12 1 %WORK_AMOUNT% %ROUND%
column wps_speed note | grep -q '^unbounded' || fault "the note is $(column wps_speed note)"
# The same with noise: however many rounds there are, the slope is indistinguishable from zero.
status 5 exec --wps -w 1,1000 --duration-col 1 --limit 2s -- ./duration 3 1e12 1 %WORK_AMOUNT% 5%ROUND%
holds out 'unbounded'
holds out 'a larger MAX'

# More work takes less time: a negative speed is not reported.
# shellcheck disable=SC2016 # the program's shell expands
status 0 exec --wps -w 10,1000 --duration-col 0 --rounds 12 --shortest-round 0s -o shorter -- \
    sh -c 'echo "$((100000 - %WORK_AMOUNT% - %ROUND% % 3))"'
holds out 'wps_speed unbounded, 95 % interval from 0 1/s on'
grep -q '^wps_speed,all,1/s,inf,0,inf' shorter/summary.csv || fault "$(grep wps_speed shorter/summary.csv)"

# If all rounds are shorter than --shortest-round, they count, with a warning. A setup that takes longer than the work of any
# amount is reported.
status 0 exec --wps -w 10,1000 --duration-col 1 --rounds 20 -- ./duration .01 1e5 .0001 %WORK_AMOUNT% %ROUND%
holds out 'shortest-round'
status 0 exec --wps -w 10,1000 --duration-col 1 --rounds 20 -- ./duration 30 100 .01 %WORK_AMOUNT% %ROUND%
holds out 'set-up takes longer'

# A cache takes the first 4,000 units at ten times the speed. The reported speed is the one beyond the cache; the time that
# the cache saves appears as a setup of -2.6 s. Durations are predicted from the line within the cache and the line beyond it.
status 0 exec --wps -w 100,40k --duration-col 0 --rounds 80 --shortest-round 0s --duration-of 500,4000,20000,100000 -o cache -- \
    awk 'BEGIN { w = %WORK_AMOUNT%; c = w < 4000 ? w : 4000; print 1 + c / 10000 + (w - c) / 1000 + 0.01 * (w % 7 - 3) }'
holds out 'wps_setup is below 0'
status 0 report cache --format csv
is_true "$(column wps_speed value) > 980 && $(column wps_speed value) < 1020"
is_true "$(column wps_setup value) > -2.7 && $(column wps_setup value) < -2.5"
is_true "$(column wps_setup ci_low) < $(column wps_setup value) && $(column wps_setup ci_high) < 0"
within() { # AMOUNT SECONDS: predicted within 5 %
    is_true "$(column "duration_of_$1" value) > 0.95 * $2 && $(column "duration_of_$1" value) < 1.05 * $2"
}
within 500 1.05
within 4000 1.4
within 20000 17.4
within 100000 97.4
is_true "$(column duration_of_20000 ci_low) < 17.4 && $(column duration_of_20000 ci_high) > 17.4"
status 0 report cache --format json
holds out '"name": "duration_of_500"'
head -n 1 cache/rounds.csv | grep -q duration_of && fault "a prediction is no column of the rounds"

# ---- failures ----

# A failed round is repeated with the same work; too many failures end the session.
# shellcheck disable=SC2016
status 0 exec --wps -w 100,10k --duration-col 0 --rounds 12 --format csv -- \
    sh -c '[ %ROUND% = 5 ] && exit 3; echo $((1 + %WORK_AMOUNT% / 50))'
[ "$(column errors value)" = 1 ] || fault "errors is $(column errors value)"
status 4 exec --wps -w 1,100 --duration-col 0 -- sh -c 'echo nan; : %WORK_AMOUNT%'
holds err 'in a row failed'

# ---- refusals ----

status 2 exec --wps -- ./duration %WORK_AMOUNT%
holds err 'MIN,MAX'
status 2 exec --wps -w 5 -- ./duration %WORK_AMOUNT%
status 2 exec -w 1,5 -- ./duration %WORK_AMOUNT%
holds err 'needs --wps'
for range in 5,5 9,3 ,5 '5,' 1,x 0,0 0,1 1,99999999t 1,2,3; do
    status 2 exec --wps -w "$range" -- ./duration %WORK_AMOUNT%
done
status 2 exec -w 0 -- ./duration %WORK_AMOUNT%
status 2 exec --wps -w 1,5 -- ./duration
holds err 'does not have it'
status 2 exec --wps -w 1,5 --pi x,1,0 -- ./duration %WORK_AMOUNT%
status 2 exec --shortest-round 1s -- true
holds err 'needs --wps'

status 2 exec --duration-of 5 -- true
holds err 'needs --wps'
for amounts in 0 ',' 1,2,3,4,5,6,7,8,9 x '1,'; do
    status 2 exec --wps -w 1,5 --duration-of "$amounts" -- ./duration %WORK_AMOUNT%
done

# A record whose work range is empty is damaged.
sed 's/^set\twork_max\t[^\t]*/set\twork_max\t0.5/' kept/program.cupel >broken
status 2 report broken

finish
