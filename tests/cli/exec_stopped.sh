#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A round does not count, and is reported, when a signal stops its program or cupel itself (as on a paused machine); also in
# comparisons and sweeps. A round that the session's limit ends does not count either, and is not a failed one.
# shellcheck disable=SC2016 # $ is for the shells that are run
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

hides() {
    ! grep -qF "$2" "$1" || fault "\"$2\" in $1: $(cat "$1")"
}

# In round 2 the program stops itself until a helper continues it.
stops='[ %ROUND% -ne 2 ] || { (sleep 0.7; kill -CONT $$) & kill -STOP $$; wait; }; echo 7'
status 0 exec --rounds 4 --max-failures 1 -o stops -- sh -c "$stops"
holds out ': 5 rounds in'
holds out ', 1 left out'
holds out 'round 2 does not count: the program was stopped for'
grep -q '^2,.*"the program was stopped' stops/rounds.csv || fault "rounds.csv: $(cat stops/rounds.csv)"
status 0 report stops/program.cupel --format csv
[ "$(awk -F, '$0 ~ /errors/ && $0 ~ /,0,/' out | wc -l)" -eq 1 ] || fault "a stopped round failed: $(cat out)"
status 0 report stops/program.cupel
holds out 'round 2 does not count: the program was stopped for'

# cupel is stopped and continued while its program runs.
stops='[ %ROUND% -ne 2 ] || { kill -STOP $(cat id); sleep 0.7; kill -CONT $(cat id); }; echo 7'
sh -c 'echo $$ >id; exec "$@"' sh "$CUPEL" exec --rounds 4 --max-failures 1 -- sh -c "$stops" >out 2>err ||
    fault "exec that was stopped: exit status $?: $(cat err)"
holds out 'round 2 does not count: cupel was stopped for'

# The same with --serve.
serves='n=0; while read -r x; do n=$((n + 1)); [ $n -ne 2 ] || { (sleep 0.7; kill -CONT $$) & kill -STOP $$; wait; }; echo 7; done'
status 0 exec --serve --rounds 4 --max-failures 1 -- sh -c "$serves"
holds out 'round 2 does not count: the program was stopped for'

# A comparison repeats the block, and a sweep repeats the run.
stops='[ %ROUND% -ne 3 ] || { (sleep 0.7; kill -CONT $$) & kill -STOP $$; wait; }; echo 7'
printf '%s\n' "$stops" | sed 's/%ROUND%/$1/' >stops.sh
longer 5 compare 'exec --pi x,1,0 -- sh stops.sh %ROUND%' 'exec --pi x,1,0 -- echo 7' --same 0 --limit 4s -o compared
tr -s ' \n' ' ' <compared/comparison.txt >flat
holds flat '1 block was begun again; the last time: exec --pi x,1,0 -- sh stops.sh %ROUND%: the program was stopped for'
hides flat 'failed'
cat >once.sh <<'END'
[ ! -e stopped ] || exec echo 7
: >stopped
(sleep 0.7; kill -CONT $$) &
kill -STOP $$
wait
echo 7
END
printf '%s\n' 'exec: exec sh once.sh %n%' 'index: x,unit,0' 'factor n: 1 2' 'repeats: 2' >plan
longer 0 sweep plan -o swept
tr -s ' \n' ' ' <swept/sweep.txt >flat
holds flat 'Note: 1 run was left out and run again; the last one: the program was stopped for'
[ "$(wc -l <swept/runs.csv)" -eq 5 ] || fault "a sweep of four runs: $(cat swept/runs.csv)"

# The program stops its parent, the process between cupel and the program: the two do not wait for each other forever.
status 0 exec --rounds 2 --max-failures 1 --limit 20s -- sh -c 'kill -STOP $PPID'
holds out ': 2 rounds in'

# A program that only sleeps for as long counts.
status 0 exec --rounds 3 --max-failures 1 -- sleep 0.3
hides out 'does not count'

# The limit ends a round.
status 5 exec --limit 1s --max-failures 1 --pi x,1,0 -o late -- sh -c '[ %ROUND% -lt 3 ] || exec sleep 50; echo 7'
holds out 'round 3 does not count: it was still running when'
hides out 'failed'
status 5 report late/program.cupel
hides out 'failed'
finish
