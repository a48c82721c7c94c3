#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# CSV of results, single, merged, of programs and of fleets, ends with the same columns, so that files concatenate, and every row has
# as many fields as its header.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

keys=,target,rw,bs,iodepth,numjobs,label,date
short='--runtime 0.2s --realtime 0 --overhead 0 --monitor-cost 0 --label ticket=7'

# keyed NAME: the CSV in `out` has the key.
keyed() {
    [ -s out ] || fault "$1: no CSV: $(cat err)"
    case "$(head -n 1 out)" in
    *"$keys") ;;
    *) fault "$1: the header is $(head -n 1 out)" ;;
    esac
    if command -v python3 >/dev/null; then
        python3 -c 'import csv; rows = list(csv.reader(open("out"))); bad = [r for r in rows if len(r) != len(rows[0])]
assert len(rows) > 1 and not bad, bad' || fault "$1: rows of another length than the header"
    fi
}

# shellcheck disable=SC2086 # the options are words
for i in a b; do
    status 0 run --ioengine null $short --format csv -o $i
    keyed run
done
status 0 report a/record.cupel --format csv
keyed report
status 0 merge a b --format csv
keyed merge
status 0 exec --rounds 5 --monitor-cost 0 --format csv -- true
keyed exec

# A fleet: of each drive its machine's date.
for m in 1 2; do
    mkdir -p fleet/$m
    printf '{"schema": 1, "kind": "qualify", "date": "2026-11-2%sT10:00:00Z", "serial": "M%s", "devices": [{"name": "nvme0n1", "tests": [%s]}]}' \
        $m $m '{"name": "read", "workload": "read", "verdict": "precise", "metrics": [{"metric": "bandwidth", "value": 1e9, "ci_low": 9e8, "ci_high": 1.1e9, "confidence": 0.95}]}' \
        >fleet/$m/qualification.json
done
status 5 qualify --fleet fleet --format csv
keyed fleet
grep -q '^disk,2,.*,nvme0n1,,,,,,2026-11-22T10:00:00Z$' out || fault "fleet: $(cat out)"
finish
