#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel qualify --fleet: finds the odd ones out in a folder of reports, and reports every way in which such a folder can be
# faulty.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# report FOLDER MACHINE DATE [SLOW-DRIVE SHARE [KEY VALUE]]: writes the report of a machine with eight drives. Drive
# SLOW-DRIVE is slower by SHARE (0: all drives are) and has another VALUE of the member KEY. The others differ by about 1 %.
report() {
    mkdir -p "$1"
    awk -v machine="$2" -v date="$3" -v slow="${4:--1}" -v share="${5:-0}" -v key="${6:-}" -v other="${7:-}" '
    function noise() { return (rand() + rand() + rand() + rand() + rand() + rand() - 3) / 70 }
    function metric(name, unit, value) {
        return sprintf("{\"metric\": \"%s\", \"unit\": \"%s\", \"value\": %.6g, \"ci_low\": %.6g, \"ci_high\": %.6g, " \
            "\"confidence\": 0.95, \"n\": 40, \"note\": \"\"}", name, unit, value, value * .99, value * 1.01)
    }
    function test(name, factor, metrics) {
        return sprintf("{\"name\": \"%s\", \"measured\": true, \"verdict\": \"precise\", \"undecided\": \"\", " \
            "\"workload\": \"%s 1 MiB\", \"engine\": \"uring\", \"metrics\": [%s]}", name, name, metrics)
    }
    BEGIN {
        srand(length(machine) * 1000 + substr(machine, 4))
        printf "{\"schema\": 1, \"kind\": \"qualify\", \"date\": \"%s\", \"product\": \"Acme Server9\", ", date
        printf "\"serial\": \"%s\", \"cupel\": \"0.1.0\", \"devices\": [", machine
        for (d = 1; d <= 8; d++) {
            f = d == slow || slow == 0 ? 1 - share : 1
            v["firmware"] = "FW1"; v["link"] = "16.0 GT/s x4"; v["place"] = "NUMA node " int(d / 5)
            v["temperature_max_celsius"] = 50 + d % 3
            if (f < 1 && key != "") v[key] = other
            printf "%s{\"name\": \"nvme%dn1\", \"kind\": \"nvme\", \"model\": \"ACME X1\", \"serial\": \"%s-%d\", ", \
                (d > 1 ? ", " : ""), d, machine, d
            printf "\"firmware\": \"%s\", \"link\": \"%s\", \"slot\": \"bay %d\", \"place\": \"%s\", ", \
                v["firmware"], v["link"], d, v["place"]
            printf "\"size_bytes\": 7681501126656, \"temperature_max_celsius\": %s, \"tests\": [", \
                v["temperature_max_celsius"]
            rate = 6.6e9 * f * (1 + noise()); iops = 1e6 * f * (1 + noise()); p99 = 97100 / f * (1 + noise())
            printf "%s, %s]}", test("read", f, metric("bandwidth", "B/s", rate)),
                test("randread", f, metric("iops", "1/s", iops) ", " metric("lat_p99", "ns", p99))
        }
        printf "], \"checks\": ["
        if (key == "throttling" && slow > 0)
            printf "{\"device\": \"nvme%dn1\", \"what\": \"throttling\", \"grade\": \"warn\", \"note\": \"\"}", slow
        printf "], \"hardware\": []}\n"
    }' >"$1/qualification.json"
}

# judged EXPECTED FOLDER [OPTION...]: runs cupel qualify --fleet with that exit status; the page is in out.
judged() {
    expected=$1
    shift
    limited qualify --fleet "$@" >out 2>err
    got=$?
    [ $got -eq "$expected" ] || fault "exit status $got, expected $expected: qualify --fleet $*: $(cat out err)"
    tr -s ' \n' ' ' <out >words
}

day=2026-11-20T10:00:00Z
# ---- a rack in which nothing is slow ----
for m in 1 2 3 4 5 6 7 8; do
    report "rack/2026-11-20-SRV$m" "SRV$m" "$day"
done
judged 0 rack
holds out 'PASS: no drive is slower than its peers, of 64 drives in 8 machines'
[ ! -s err ] || fault "a fleet without a fault says: $(cat err)"
# A pass states which slowdown would have been found: a little more than the variation by chance, and never less than the
# margin.
grep -q 'Could be found: mean of the rates [0-9.]* %, read bandwidth [0-9.]* %, randread IOPS' out || fault "$(cat out)"
if command -v python3 >/dev/null; then
    judged 0 rack --format json
    python3 -c 'import json; p = json.load(open("out"))["detectable"]
assert [x["metric"] for x in p] == ["mean of the rates", "read bandwidth", "randread IOPS", "randread p99"], p
assert all(x["confidence"] == .95 and x["drives"] == 64 for x in p) and all(.05 < x["slower_share"] < .15 for x in p[:3]), p' ||
        fault 'what could be found'
fi

# ---- slow drives, each with the fact in which it differs ----
report rack/2026-11-20-SRV3 SRV3 "$day" 5 .2 link '16.0 GT/s x2'
report rack/2026-11-20-SRV6 SRV6 "$day" 2 .1 throttling
judged 1 rack
[ "$(wc -l <out)" -le 22 ] || fault 'the page is longer than a screen'
head -n 1 out >first
holds first 'SLOW: 2 drives slower than the peers, of 64 drives in 8 machines'
holds words 'SRV3 bay 5 SRV3-5 (nvme5n1):'
holds words 'link 16.0 GT/s x2, its peers 16.0 GT/s x4'
holds words 'SRV6 bay 2 SRV6-2 (nvme2n1):'
holds words 'it throttled'
judged 1 rack --format csv
[ "$(head -n 1 out | cut -d, -f1-4)" = row,folder,machine,product ] || fault "the header is $(head -n 1 out)"
[ "$(grep -c '^slow,' out)" -eq 2 ] || fault "slow in the CSV: $(grep '^slow' out)"
grep -q '^slow,2026-11-20-SRV3,SRV3,Acme Server9,nvme5n1,bay 5,NUMA node 1,ACME X1,SRV3-5,FW1,16.0 GT/s x2,' out ||
    fault "no identity in the CSV: $(grep '^slow' out)"
judged 1 rack --format html
holds out '</html>'
if command -v python3 >/dev/null; then
    judged 1 rack --format json
    python3 -c 'import json; f = json.load(open("out")); s = f["slow"]
assert len(s) == 2 and len(f["disks"]) == 192 and f["judged"] == 64, (len(s), len(f["disks"]))
assert all(x["ci_low"] <= x["slower_share"] <= x["ci_high"] for x in s), s
assert s[0]["ci_low"] < .2 < s[0]["ci_high"] and s[0]["p_value"] < .05, s' || fault 'the JSON cannot be read, or is wrong'
fi

# Other facts; a fact that the peers share is not named as a cause.
report rack/2026-11-20-SRV3 SRV3 "$day" 5 .2 firmware FW0
report rack/2026-11-20-SRV6 SRV6 "$day" 2 .2 temperature_max_celsius 71
judged 1 rack
holds words 'firmware FW0, its peers FW1'
holds words '71 C, its peers 51 C'
! grep -q 'NUMA' out || fault 'a NUMA node that others have was named'
report rack/2026-11-20-SRV3 SRV3 "$day" 5 .2
judged 1 rack
holds words 'nothing else differs from the peers'

# A machine whose drives are all slow is reported in one line.
report rack/2026-11-20-SRV3 SRV3 "$day" 0 .15
report rack/2026-11-20-SRV6 SRV6 "$day"
judged 1 rack
holds out 'SLOW: 1 machine as a whole slower than the peers'
holds words 'SRV3: its 8 drives together:'
[ "$(grep -c '^slow' out)" -eq 1 ] || fault "more than the machine is named: $(cat out)"

# ---- bad folders ----

refused 2 "No such file or directory" qualify --fleet no-such-folder
mkdir empty
refused 2 'no report in it' qualify --fleet empty
echo x >file
refused 2 'it is no folder' qualify --fleet file
refused 2 'takes no DISK' qualify --fleet rack nvme0n1
refused 2 '--fleet and --output exclude each other' qualify --fleet rack -o kept
[ ! -e kept ] || fault 'a refusal made the folder of -o'

# The same machine twice, in another folder and by a link: the newest report counts. Loops of links end.
report rack/2026-11-20-SRV3 SRV3 "$day"
report rack/older/SRV6 SRV6 2026-10-01T00:00:00Z 1 .5
ln -s . rack/loop
ln -s ../rack rack/again
ln -s 2026-11-20-SRV1 rack/same
judged 0 rack
holds words 'older/SRV6: left out: SRV6 has a newer report'
holds out 'of 64 drives in 8 machines'
# A drive that moved to another machine.
report moved/a SRV1 2026-10-01T00:00:00Z
report moved/b SRV2 "$day"
sed 's/SRV2-1"/SRV1-1"/' moved/b/qualification.json >moved/changed
mv moved/changed moved/b/qualification.json
judged 0 moved
holds words 'drive SRV1-1 is left out'

# A serial number that three drives share identifies none of them.
for m in 1 2 3; do
    report same/$m SRV$m "$day"
    sed 's/"serial": "SRV[0-9]-1"/"serial": "0123"/' same/$m/qualification.json >changed
    mv changed same/$m/qualification.json
done
judged 0 same
holds words 'the serial number 0123: all are kept'
holds words 'of 24 drives in 3 machines'

# Broken reports are named and the others are judged; if none of these is slow, the fleet does not pass.
report rack/cut SRV11 "$day"
head -c 3000 rack/cut/qualification.json >begin && mv begin rack/cut/qualification.json
mkdir -p rack/none rack/newer rack/other rack/huge rack/link
: >rack/none/qualification.json
sed 's/"schema": 1/"schema": 2/' rack/same/qualification.json >rack/newer/qualification.json
echo '{"schema": 1, "kind": "run"}' >rack/other/qualification.json
truncate -s 100M rack/huge/qualification.json
ln -s qualification.json rack/link/qualification.json
mkdir -p rack/folder/qualification.json
judged 5 rack --full
holds words 'NOT DECIDED: no drive is slower than its peers, of 64 drives in 8 machines; 7 reports could not be read'
for folder in cut none newer other huge link folder; do
    holds out "unread $folder: "
done
holds words 'a newer cupel reads it'
judged 5 rack
[ "$(wc -l <out)" -le 22 ] || fault 'the page is longer than a screen'
report rack/2026-11-20-SRV3 SRV3 "$day" 5 .2
judged 1 rack
if [ "$(id -u)" -ne 0 ]; then
    chmod 000 rack/cut
    judged 1 rack --full
    holds words 'cut: Permission denied'
    chmod 755 rack/cut
fi

# 4096 drives per machine are judged; more are refused.
for drives in 4096 4097; do
    report crowd$drives SRV1 "$day"
    awk -v drives=$drives '{ head = $0; sub(/"devices": .*/, "", head); one = $0; sub(/.*"devices": \[/, "", one)
        sub(/, \{"name": "nvme2n1".*/, "", one); printf "%s\"devices\": [", head
        for (i = 1; i <= drives; i++) { copy = one; sub(/SRV1-1/, "S" i, copy); printf "%s%s", (i > 1 ? ", " : ""), copy }
        print "]}" }' crowd$drives/qualification.json >changed
    mv changed crowd$drives/qualification.json
done
judged 0 crowd4096
holds words '4096 drives judged'
judged 5 crowd4097
holds words 'it lists more than 4096 drives'

# Three slow drives among 64, a group apart from the others, do not hide each other: the fleet does not pass.
for m in 1 2 3 4 5 6 7 8; do
    report apart/$m SRV$m "$day" "$([ $m -le 3 ] && echo 4 || echo -1)" .1
done
limited qualify --fleet apart >out 2>err && fault "three slow drives are a pass: $(cat out)"

# Folders that cannot be read are named: a link to nothing, a folder that is nested too deep. Drives without a finished test
# are no pass.
for m in 1 2 3 4 5 6; do
    report holes/$m SRV$m "$day"
done
judged 0 holes
ln -s gone holes/nowhere
judged 5 holes
holds words 'unread nowhere: No such file'
rm holes/nowhere
report holes/a/b/c/d/e/f/g SRV7 "$day"
judged 5 holes
holds words 'it lies deeper than 6 folders'
rm -r holes/a
sed 's/"verdict": "precise"/"verdict": "interrupted"/g' holes/6/qualification.json >changed
mv changed holes/6/qualification.json
judged 5 holes
holds words 'of 8 drives no test stands'

# With too few peers, or of different models, nothing is decided.
report few/a SRV1 "$day"
report few/b SRV2 "$day" 1 .5
for m in a b; do # each drive has a model of its own, except for one per machine
    awk '{ for (i = 2; i <= 8; i++) sub("\"ACME X1\", \"serial\": \"SRV" m "-" i, "\"ACME X" m i "\", \"serial\": \"SRV" m "-" i); print }' \
        m="$([ $m = a ] && echo 1 || echo 2)" few/$m/qualification.json >changed
    mv changed few/$m/qualification.json
done
judged 5 few
holds words '0 drives judged, 16 not: fewer than 4 peers'
! grep -q 'Could be found' out || fault 'a fleet that is not judged says what it finds'

# A report without the members that later versions added is read as far as possible.
mkdir -p old
for m in 1 2 3 4 5 6; do
    mkdir -p old/$m
    report old/$m SRV$m "$day"
    sed 's/"place": "[^"]*", //g; s/"undecided": "", //g; s/"0.1.0"/"0.0.9"/' old/$m/qualification.json >changed
    mv changed old/$m/qualification.json
done
judged 0 old
holds words 'cupel 0.0.9'
finish
