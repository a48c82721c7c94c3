#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run with several targets: all at the same time, one result per target and one for all, kept and read again.
# Slow: sessions of several targets, which take longer on a busy machine.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

null="--ioengine null --null-script const:2ms --overhead 0 --monitor-cost 0"

# ---- a line per target and one for all; not more than a screen, even with 24 disks ----
# shellcheck disable=SC2086
status 0 run $null --runtime 1s one two three -o kept
holds out 'DONE: 3 targets at the same time'
for name in one two three all; do
    grep -q "^$name  " out || fault "there is no line for $name"
done
[ "$(wc -l <out)" -le 22 ] || fault "the report has $(wc -l <out) lines"
for file in one/record.cupel two/report.txt three/summary.csv merged.cupel report.txt report.html summary.csv targets.cupel; do
    [ -s kept/$file ] || fault "there is no kept/$file"
done
many=$(seq -f disk%g 1 24)
# shellcheck disable=SC2086
status 0 run $null --runtime 500ms $many
[ "$(wc -l <out)" -le 22 ] || fault "the report of 24 targets has $(wc -l <out) lines"
holds out 'DONE: 24 targets'
holds out ' more, each of '

# ---- the total is the sum; CSV has a key column; JSON is one object ----
status 0 report kept --format csv
cmp -s out kept/summary.csv || fault "report gives other numbers than the run: $(diff out kept/summary.csv | head -n 4)"
[ "$(grep -c '^metric,' out)" = 1 ] || fault "there is not one header"
iops_of() { awk -F, -v target="$1" '$1 == "iops" && $2 == "read" && $13 == target { print $4 }' out; }
for target in one two three all; do
    [ "$(iops_of $target)" ] || fault "there is no row of $target"
done
is_true "($(iops_of one) + $(iops_of two) + $(iops_of three)) / $(iops_of all) > .8"
is_true "($(iops_of one) + $(iops_of two) + $(iops_of three)) / $(iops_of all) < 1.25"
grep -q '^bps,.*,all,' out || fault "the sum has no BPS"
grep -q '^lat_p99,.*,all,' out || fault "the sum has no percentile"
status 0 report kept --format json
python3 - out <<'PYTHON' || fault "the JSON is not as it is to be"
import json, sys
result = json.load(open(sys.argv[1]))
assert result["schema"] == 1 and result["kind"] == "targets"
assert [t["target"] for t in result["targets"]] == ["one", "two", "three"]
assert all(t["kind"] == "run" for t in result["targets"]) and result["all"]["target"] == "all"
assert result["shared"] == []
PYTHON
status 0 report kept
holds out 'DONE: 3 targets'
status 0 report kept/two
holds out MEASURED
status 0 report kept --format html
cmp -s out kept/report.html || fault 'report prints another page than report.html'
for words in '<title>one and 2 more targets' '<b>one</b>' '<b>three</b>' 'Throughput of each over time'; do
    holds out "$words"
done
status 0 merge kept --format csv
is_true "$(awk -F, '$1 == "iops" && $2 == "read" { print $4 }' out) > 0"

# ---- an undecided clause leaves its target undecided, and therefore the whole ----
# shellcheck disable=SC2086
status 5 run $null --runtime 500ms --sla 'p99.99<3ms' one two
holds out 'SLA NOT DECIDED: 2 targets'
holds out 'SLA open'
! grep -q DONE out || fault "an open clause is done"
# shellcheck disable=SC2086
status 0 run $null --runtime 1s --sla 'errors=0' one two
holds out 'DONE: 2 targets'
holds out '2 of them measured'

# ---- a target that fails is named and ends alone; the results of the others are kept ----
mkdir small
dd if=/dev/urandom of=small/file bs=64k count=16 2>/dev/null
status 2 run --ioengine sync small/file small/none/file --runtime 1s -o gone
holds err small/none/file
[ ! -e gone ] || fault "a run that did not begin left its folder"

# ---- two names of one file; options that apply to a single target ----
ln -s file small/link
ln small/file small/hard
for other in small/file small/link small/hard; do
    status 2 run small/file $other --runtime 1s
    holds err 'nothing was measured'
    status 3 run small/file $other --rw write --overwrite --runtime 1s
    holds err 'nothing was written'
done
for option in '--repeat 2' '--find-rate p99<1ms' --live '--start-at next:10s' --certificate; do
    # shellcheck disable=SC2086
    status 2 run $null one two $option
done
status 3 run small/file one --rw write --destroy-serial A
holds err 'for each of the 2 disks'
printf '[job]\nfilename=x\n' >a.fio
status 2 run a.fio one

# ---- a signal: results so far are printed, and the exit status says that they are incomplete ----
# shellcheck disable=SC2086
"$CUPEL" run $null --runtime 60s --limit 90s one two -o stopped >out 2>err &
session=$!
for _ in $(seq 300); do
    grep -q 'round 1' err && break
    sleep .1
done
kill -INT $session
wait $session && fault "a signal gave exit status 0"
holds out UNDECIDED
holds err 'stopped by a signal'
{ [ -s stopped/one/record.cupel ] && [ -s stopped/two/record.cupel ]; } || fault "the records are missing"
status 5 report stopped

# ---- after a kill the records have what was measured so far ----
# shellcheck disable=SC2086
"$CUPEL" run $null --runtime 60s --limit 90s one two -o killed >out 2>err &
session=$!
for _ in $(seq 300); do
    grep -q 'round 1' err && break
    sleep .1
done
sleep 2
kill -KILL $session
wait $session
status 5 report killed
holds out cut_short
finish
