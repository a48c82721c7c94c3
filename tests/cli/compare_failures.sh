#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel compare with plans that fail: failed rounds are named with their block, and finished measurements are kept. A signal
# in the middle of a block ends it with all the processes that it began. Twelve alternatives are all ranked.
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

cat >breaks <<'END'
#!/bin/sh
[ "$2" "$1" "$3" ] && exit 3
awk -v round="$2" 'BEGIN { srand(round); print 100 + rand() * (1 + round % 2) }'
END
chmod +x breaks
breaking() {
    echo "exec --pi speed,1/s,0 -- ./breaks $1 %ROUND% $2"
}
longer 4 compare "$(breaking -ge 7)" "$(plan 100 1)" --same 0.01% -o broken
holds err 'block 8, exec --pi speed'
tr -s ' \n' ' ' <out >flat
holds flat 'Blocks of which a round failed do not count: 3; the last failure: block 8, exec'
holds broken/comparison.json '"failed_blocks": 3'
[ "$(grep -c ',A,speed,' broken/rounds.csv)" -eq 5 ] || fault "rounds before the failure: $(cat broken/rounds.csv)"
longer '0 5' compare "$(breaking -eq 4)" "$(plan 100 1)" --same 0.01% --limit 3s
tr -s ' \n' ' ' <out >flat
holds flat 'do not count: 1; the last failure: block 3'
refused 4 'block 2, exec' compare "$(breaking -ge 1)" "$(plan 100 1)"
longer '0 5' compare "$(breaking -eq 1)" "$(plan 100 1)" --same 0.01% --limit 3s
tr -s ' \n' ' ' <out >flat
holds flat 'do not count: 1; the last failure: the trial block, exec'
timeout -s INT 5 "$CUPEL" compare 'exec -- sleep 0.3' 'exec -- sleep 33.25' -o stopped >out 2>err </dev/null
holds err 'stopped by a signal before a block of rounds counted'
[ ! -e stopped ] || fault 'a folder without a result'
pgrep -f '^sleep 33.25' >list && fault "a round goes on: $(cat list)"
set --
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    set -- "$@" "$(plan $((100 * i)) $i)"
done
longer 0 compare "$@" --format csv
[ "$(grep -c ',speed,.*,faster,[a-z]*,[^,]*,[^,]*$' out)" -eq 11 ] || fault "twelve: $(cat out)"
finish
