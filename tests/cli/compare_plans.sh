#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel compare of plans: rounds alternate until every pair is decided; plans that run programs or cupel's sessions; plans
# that fail, that are never decided, or that are invalid.
# Slow: rounds in blocks.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# A program with known results: mean $1, uniform noise of +-2 that depends on the round and the seed $2.
cat >program <<'END'
#!/bin/sh
awk -v mean="$1" -v seed="$2" -v round="$3" 'BEGIN { srand(seed * 1000 + round); rand(); print mean + 4 * rand() - 2 }'
END
chmod +x program
plan() {
    echo "exec --pi speed,1/s,0 -- ./program $1 $2 %ROUND%"
}

longer 0 compare "$(plan 100 1)" "$(plan 120 2)" --format csv -o kept
[ "$(awk -F, 'NR == 2 { print $(NF - 3) }' out)" = slower ] || fault "100 against 120: $(cat out)"
head -n 1 kept/rounds.csv | grep -qx block,alternative,metric,value || fault "rounds.csv: $(head -n 1 kept/rounds.csv)"
blocks=$(grep -c ',A,speed,' kept/rounds.csv)
{ [ "$blocks" -ge 3 ] && [ "$blocks" -le 30 ]; } || fault "100 against 120 took $blocks blocks"
[ "$(grep -c ',B,speed,' kept/rounds.csv)" -eq "$blocks" ] || fault "blocks have a round of each"
grep -qE '^SLOWER( ON A BUSY MACHINE)?: speed: ' kept/comparison.txt || fault "the first line is $(head -n 1 kept/comparison.txt)"
holds kept/comparison.txt "$blocks blocks of rounds that took turns, in random order (seed 1)"
holds kept/comparison.json '"order": "random"'
holds kept/comparison.json '"seed": 1'

# The kept readings, compared as stored readings, give the same verdict.
awk -F, '$2 == "A" { print $4 }' kept/rounds.csv >a
awk -F, '$2 == "B" { print $4 }' kept/rounds.csv >b
status 0 compare a b --paired --format csv
[ "$(awk -F, 'NR == 2 { print $(NF - 3) }' out)" = slower ] || fault "kept rounds: $(cat out)"

# Equal alternatives stay undecided until the limit; with a margin larger than their noise they are the same. Three plans are
# compared in a fixed order.
longer 5 compare "$(plan 100 1)" "$(plan 100 2)" --limit 2s --same 0.01%
holds err 'the limit came first'
longer 0 compare "$(plan 100 1)" "$(plan 100 2)" --same 10% --format csv
[ "$(awk -F, 'NR == 2 { print $(NF - 3) }' out)" = same ] || fault "equals: $(cat out)"
longer 0 compare "$(plan 100 1)" "$(plan 130 2)" "$(plan 160 3)" --order fixed --format csv
[ "$(grep -c ',faster,[a-z]*,[^,]*,[^,]*$' out)" -eq 2 ] || fault "three: $(cat out)"
longer '0 1' compare "$(plan 100 1)" "$(plan 120 2)" --expect 'A not slower than B by 5%'
# shellcheck disable=SC2154 # got comes from longer
[ "$got" -eq 1 ] || fault "a regression is exit status 1, not $got"

# A plan compared with stored readings; a program without --pi, whose duration is compared; sessions of cupel run.
longer 0 compare mean=200,sd=1,n=50 "$(plan 100 1)" --metric speed --format csv
[ "$(awk -F, 'NR == 2 { print $(NF - 3) }' out)" = faster ] || fault "a baseline and a plan: $(cat out)"
null='--ioengine null --monitor-cost 0'
longer '0 5' compare "run $null --null-script const:1ms" "run $null --null-script const:20ms" --round 0.2s --limit 60s \
    --metric iops --format csv
[ "$got" -eq 5 ] || [ "$(awk -F, 'NR == 2 { print $(NF - 3) }' out)" = faster ] || fault "sessions: $(cat out)"

# Replays: every round replays the whole trace, and the time for it is compared. A trace from a pipe is refused, as it can be
# read only once.
awk 'BEGIN { for (i = 0; i < 60; i++) printf "128166%012d,hm,1,%s,%d,4096,10\n", 2000 * i, i % 3 ? "Read" : "Write",
    4096 * (i * 1237 % 256) }' >trace
longer '0 5' compare "replay trace $null --closed --null-script const:1ms" "replay trace $null --closed --null-script const:9ms" \
    --limit 60s --format csv -o replayed
[ "$got" -eq 5 ] || [ "$(awk -F, 'NR == 2 { print $2 "," $(NF - 3) }' out)" = elapsed,faster ] || fault "replays: $(cat out)"
grep -q '^1,A,elapsed,' replayed/rounds.csv || fault "rounds of replays: $(cat replayed/rounds.csv)"
longer '0 5' compare "replay trace $null --null-script const:1ms" "run $null --null-script const:20ms" 'exec -- sleep 0.1' \
    --round 0.3s --limit 60s --format csv 2>&1
[ "$(awk -F, 'NR == 2 { print $2 }' out)" = response_time ] || fault "a replay that keeps times: $(cat out)"
refused 2 'keep it in a file' compare "replay - $null" "replay trace $null"
refused 2 'keep it in a file' compare "replay /dev/stdin $null" "replay trace $null"
refused 2 'nowhere: it cannot be opened' compare "replay nowhere $null" "replay trace $null"
refused 2 'TARGET is missing' compare 'replay trace' "replay trace $null"
refused 2 'a trace and a target' compare "replay trace a b $null" "replay trace $null"
refused 2 '--limit cannot be used with a plan' compare "replay trace $null --limit 3s" "replay trace $null"

# A permission to overwrite counts only for the plan in which it is given.
head -c 1048576 /dev/urandom >mine
sum=$(sha256sum <mine)
refused 3 --overwrite compare 'replay trace ./mine' 'replay trace ./mine --allow-writes'
[ "$(sha256sum <mine)" = "$sum" ] || fault 'a refused plan wrote'

# Kept rounds of programs are compared; a rate over equal work is the inverse of the time it takes.
cat >worker <<'END'
#!/bin/sh
n=$(($1 % 5 + 1))
sleep "0.$n"
echo "$((600 / n))"
END
chmod +x worker
longer '0 5' exec --rounds 10 --pi rate,1/s,0 -o first -- ./worker %ROUND%
longer '0 5' exec --rounds 10 --pi rate,1/s,0 -o second -- ./worker %ROUND%
status 5 compare first second --format csv
grep -q '^first vs second,rate,.*,undecided,[a-z]*,[^,]*,[^,]*$' out || fault "kept programs: $(cat out)"
status 0 compare --correlate first --format csv
grep -q '^rate,-0\..*,10,-,expected$' out || fault "rate and duration: $(cat out)"

# The limit ends a round that would last longer, and no round begins after it.
begin=$(date +%s)
longer 5 compare 'exec -- sleep 50' 'exec -- true' --limit 2s
holds err 'before the end of the first block'
longer 5 compare 'exec --timeout 60s -- sleep 50' 'exec -- true' --limit 2s
[ $(($(date +%s) - begin)) -lt 40 ] || fault 'rounds went on after the limit'

refused 4 'exit code 3' compare 'exec -- sh -c "exit 3"' "$(plan 100 1)"
# The limit also ends a preparation or a setup.
status 5 compare --limit 1s 'exec --prepare "sleep 76" -- true' 'exec -- true'
refused 5 'setup "sleep 76" was still running when' compare --limit 1s 'exec --setup "sleep 76" -- true' 'exec -- true'
refused 2 'nothere' compare 'exec -- ./nothere' "$(plan 100 1)"
refused 2 'would trim what is free already' compare 'run . --size 1m --rw randtrim' 'run . --size 1m --rw trim'
refused 2 'unknown option --bsz' compare 'run . --bsz 4k' "$(plan 100 1)"
refused 2 'a quote has no end' compare "exec -- 'sh" a
refused 2 'one command is a plan' compare 'exec -- true; true' a
refused 2 '--runtime cannot be used with a plan' compare 'run . --runtime 5s' a
refused 2 '--repeat cannot be used with a plan' compare 'run . --repeat 5' a
refused 2 '--parameter cannot be used with a plan' compare 'exec --parameter n=1,2 -- true' a
refused 2 'of stored readings' compare "$(plan 100 1)" "$(plan 100 2)" --once
# Identical rounds are not called the same after three blocks, because a rare value may not have occurred yet.
status 0 compare 'exec --pi e,u,0 -- echo 3' 'exec --pi e,u,0 -- echo 3' --format json
[ "$(sed -n 's/^ *"blocks": \([0-9]*\),$/\1/p' out)" -ge 30 ] || fault "equal rounds: $(grep '"blocks"' out)"
# An index whose value is 0 in one round is refused. It must not be replaced silently by another index, which --expect would
# then judge.
cat >zero <<'END'
#!/bin/sh
echo "$(($1 == 3 ? 0 : 90 + $1 * $1 % 7)) 5"
END
chmod +x zero
zero='exec --pi first,u,0 --pi second,u,1 -- ./zero %ROUND%'
refused 2 'first is 0 in block' compare "$zero" "$zero" --ci 0.1%
longer '0 5' compare "$zero" "$zero" --metric second --limit 1s
refused 2 'its rounds have no metric iops' compare "$(plan 100 1)" "$(plan 100 2)" --metric iops
refused 2 'kept' compare "$(plan 100 1)" "$(plan 100 2)" -o kept
finish
