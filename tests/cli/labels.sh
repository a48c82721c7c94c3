#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --label: kept with the result, shown in every report of every command, refused when it is malformed. Hostile text in a label
# never becomes markup, a new line or a new column.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

short='--runtime 0.2s --realtime 0 --overhead 0 --monitor-cost 0'
who='Ä "x", <b>&</script>; =1+1'

# json_label FILE KEY VALUE: the member KEY of "labels" is exactly VALUE.
json_label() {
    python3 - "$@" <<'PYTHON' || fault "$1: label $2 is not $3"
import json, sys
path, key, value = sys.argv[1:]
sys.exit(json.load(open(path))["labels"].get(key) != value)
PYTHON
}
command -v python3 >/dev/null || {
    echo 'python3 is missing'
    exit 77
}

# shellcheck disable=SC2086 # the options are words
{
    status 0 run --ioengine null $short --label ticket=INC-1 --label "who=$who" --format json -o a
    json_label out ticket INC-1
    json_label out who "$who"
    status 0 run --ioengine null $short --full --label ticket=INC-1 --label node=2 -o b
    holds out '  label ticket          INC-1'
    holds a/report.txt "  label who             $who"
    # A preset processes the options a second time: no label may be refused as given twice.
    status 0 run --ioengine null $short --preset quick --label ticket=INC-1 --label node=2
}
# The record contains the labels, for every later report.
status 0 report a/record.cupel --format json
json_label out who "$who"
status 0 report a/record.cupel --full
holds out '  label ticket          INC-1'

# A merge has the labels that all its sources share, and those given to the merge itself.
status 0 merge a b --label site=x --format json -o m
json_label out ticket INC-1
json_label out site x
! grep -q '"node"' out || fault 'merge: a label of one source alone is one of all'
status 0 merge m/merged.cupel --format json
json_label out ticket INC-1
json_label out site x

status 0 exec --rounds 5 --monitor-cost 0 --label "who=$who" -o e -- true
status 0 report e/program.cupel --format json
json_label out who "$who"
holds e/report.txt "who"
seq 1 100 >numbers
status 0 analyze numbers --label ticket=INC-1 --format json
json_label out ticket INC-1
status 0 analyze numbers --label ticket=INC-1
holds out '  label ticket          INC-1'
limited compare numbers numbers --label ticket=INC-1 --format json >out 2>err
json_label out ticket INC-1
limited compare numbers numbers --label ticket=INC-1 >out 2>err
holds out '  label ticket          INC-1'

printf 'ioengine: null\nruntime: 100ms\nfactor bs: 4k 8k\nrepeats: 2\n' >plan
if limited sweep plan --dry-run >out 2>err; then
    status 0 sweep plan --label ticket=INC-1 --format json --keep-records -o s
    json_label out ticket INC-1
    for record in s/records/*; do
        status 0 report "$record" --format json
        json_label out ticket INC-1
    done
else
    fault "the plan of the sweep is refused: $(cat err)"
fi

refused 2 '--label =x: a key is missing' run --label =x
refused 2 '--label ticket: KEY=VALUE is needed' run --label ticket
refused 2 'a key is missing' run --label '=HYPERLINK("x")'
refused 2 'a label a already' run --label a=1 --label a=2
refused 2 'control characters' run --label 'a=one
two'
refused 2 'at most 200 bytes' merge a --label "a=$(printf '%0300d' 0)"
refused 2 'at most 48 characters' exec --label "$(printf 'a%060d' 0)=x" -- true
finish
