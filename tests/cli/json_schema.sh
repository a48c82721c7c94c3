#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/schema/cupel-1.json: the JSON of every command matches it and has no member that it does not describe, and it rejects
# damaged objects.
# Slow: a dozen short runs, and each of their objects damaged in every way.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

source=${0%/*}/../..
case $source in
/*) ;;
*) source=$OLDPWD/$source ;;
esac
schema=$source/docs/schema/cupel-1.json
python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null || {
    echo 'python3-jsonschema (4 or later) is missing: ./build.sh test json_schema installs it'
    exit 77
}

cat >check.py <<'PYTHON'
# check.py SCHEMA KIND=FILE...: validates each, and whatever small damage is done to each is refused.
import json, sys
from jsonschema import Draft202012Validator

schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
faults = []

def walk(node, path):
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node:
            if node.get("additionalProperties") is not False:
                faults.append(path + ": properties beside those that are described are possible")
            if not set(node["required"]) <= set(node["properties"]):
                faults.append(path + ": something is required that is not described")
        for key, value in node.items():
            walk(value, path + "/" + key)
    elif isinstance(node, list):
        for i, value in enumerate(node):
            walk(value, path + "/%d" % i)

walk(schema, "#")
text = json.dumps(schema)
for name in schema["$defs"]:
    if '"#/$defs/%s"' % name not in text:
        faults.append("nothing refers to $defs/" + name)

whole = Draft202012Validator(schema)

def of_kind(kind):
    return Draft202012Validator({"$ref": "#/$defs/" + kind, "$defs": schema["$defs"]})

def short(node):  # two elements stand for all of an array
    if isinstance(node, dict):
        return {k: short(v) for k, v in node.items()}
    if isinstance(node, list):
        return [short(v) for v in node[:2]] if node and not isinstance(node[0], (int, float)) else node[:3]
    return node

def objects(node, path=()):
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from objects(value, path + (key,))
    elif isinstance(node, list):
        for i, value in enumerate(node[:1]):
            yield from objects(value, path + (i,))

def refuses(validator, damaged, what):
    if validator.is_valid(damaged):
        faults.append(what + " passes")

known = set()  # places that were damaged already, in this file or another of the kind
for argument in sys.argv[2:]:
    kind, file = argument.split("=", 1)
    document = json.load(open(file))
    validator = of_kind(kind)
    for error in list(validator.iter_errors(document))[:5]:
        faults.append("%s: /%s: %s" % (file, "/".join(map(str, error.absolute_path)), error.message[:300]))
    if document.get("schema") != 1 or document.get("kind") != kind:
        faults.append(file + ": schema and kind are not first")
    if not whole.is_valid(short(document)):
        faults.append(file + ": the whole schema refuses it")
    document = short(document)
    for path, node in list(objects(document)):
        place = (kind, tuple(step for step in path if not isinstance(step, int)))
        where = "%s: /%s" % (file, "/".join(map(str, path)))
        if place not in known:
            known.add(place)
            node["undocumented"] = []
            refuses(validator, document, where + " with an undocumented field")
            del node["undocumented"]
        for key, value in list(node.items()):
            if path and path[-1] in ("labels", "at", "parameters") or place + (key, type(value)) in known:
                continue
            known.add(place + (key, type(value)))
            node[key] = {"4k": 1} if not isinstance(value, dict) else "4k"
            refuses(validator, document, "%s with another type of %s" % (where, key))
            node[key] = value
    for version in (0, 2, "1", None):
        damaged = {**document, "schema": version}
        refuses(validator, damaged, "%s of schema %s" % (file, version))
    for key in ("schema", "kind"):
        damaged = {k: v for k, v in document.items() if k != key}
        refuses(whole, damaged, "%s without %s" % (file, key))

for fault in faults[:40]:
    print(fault)
sys.exit(bool(faults))
PYTHON

valid() {
    python3 check.py "$schema" "$@" >faults || {
        fault "the schema and $*:"
        sed 's/^/    /' faults
    }
}

# keep NAME ARGUMENT...: keeps the JSON of a command in NAME, whatever the exit status.
keep() {
    name=$1
    shift
    limited "$@" >"$name.json" 2>err
    case $? in
    0 | 1 | 5) [ -s "$name.json" ] || fault "cupel $*: nothing but $(cat err)" ;;
    *) fault "cupel $*: $(cat err)" ;;
    esac
}

short='--realtime 0 --overhead 0 --monitor-rate 20'
hostile='a"b</script>\;=1+1'
# shellcheck disable=SC2086 # the options are words
{
    keep run run --ioengine null --runtime 0.3s $short --label "who=$hostile" --sla 'read.p99<1s' --format json -o run
    keep open run --ioengine null --phases 1k:0.3s,1k-3k:0.3s $short --cpus 0 --format json -o open
    keep repeated run --ioengine null --runtime 0.2s --repeat 2 $short --limit 20s --format json
    keep searched run --ioengine null --null-script const:100us --find-rate 'read.p99<1ms' --min-time 0.2s --limit 8s $short --format json
    keep targets run one two --ioengine null --runtime 0.3s $short --format json
    keep file run data --size 1m --bs 4k --rw randrw --direct 0 --runtime 0.3s $short --format json
}
printf 'time,op,offset,size\n' >trace.csv
keep report report run --format json
cmp -s run.json report.json || fault 'the report of a record is another one'
limited report --history run repeated --format json >history.json 2>err || fault "no history: $(cat err)"
keep merge merge run open --by source --label site=x --format json
keep intervals merge run --interval 100ms --format json
keep exec exec --rounds 3 --label "who=$hostile" --format json -- true
keep several exec --rounds 3 --parameter 'n=1,2' --format json -- echo %n%
seq 1 50 >numbers
keep analyze analyze numbers --sla 'p99<1000' --label "who=$hostile" --format json
keep compare compare numbers numbers --expect 'A same as B within 5%' --label "who=$hostile" --format json
keep probe probe --format json
printf 'ioengine: null\nruntime: 100ms\nfactor bs: 4k 8k\nfactor iodepth: 1 2\nresponse: iops p99\nrepeats: 3\ncontrol: every 4 runs\n' >plan
keep sweep sweep plan --label site=x --format json -o map
printf '[global]\nioengine=null\nsize=1m\nrw=randread\nruntime=300ms\ntime_based\n[one]\n[two]\nstonewall\n' >jobs.fio
# shellcheck disable=SC2086
keep steps run jobs.fio $short --format json
valid run=run.json run=open.json run=repeated.json run=searched.json run=file.json merge=merge.json merge=intervals.json exec=exec.json \
    analyze=analyze.json history=history.json compare=compare.json probe=probe.json sweep=sweep.json steps=steps.json

awk 'BEGIN { print "bs,rw,mode,sd,mean,n"; for (a = 1; a <= 8; a *= 2) for (b = 1; b <= 4; b++) print a "," b "," (a > 2 ? "x" : "y") "," 3 * a + b "," 50 * a ",10" }' >points.csv
printf 'bs,rw\n3,2\n' >query.csv
keep predict predict --data points.csv --factors bs,rw --response sd --query query.csv --method auto --format json
keep predict_test predict --data points.csv --factors bs,rw --response sd --test points.csv --method lr --format json
keep validation predict --data points.csv --factors bs,rw --response sd --validate --splits 2 --format json
awk 'BEGIN { srand(1); print "bs,iodepth,iops,seconds,block"
    for (block = 1; block <= 4; block++) for (a = 1; a <= 3; a++) for (b = 1; b <= 3; b++)
        print a * 4096 "," b "," 1000 * a + 100 * b + rand() * 50 ",1," block }' >runs.csv
for kind in --anova '--heatmap bs,iodepth' '--lines bs,iodepth' '--rank bs' '--drift block' --plot; do
    # shellcheck disable=SC2086 # a name and a value
    keep "predict${kind%% *}" predict --data runs.csv --factors bs,iodepth --response iops $kind --format json
done
keep predict--plan predict --data runs.csv --factors bs,iodepth --value iops --plan --run-time 1s --format json
keep predict--convergence predict --data runs.csv --factors bs,iodepth --value iops --convergence --format json
valid predict=predict.json predict=predict_test.json predict_validation=validation.json predict_variance=predict--anova.json predict_heat_map=predict--heatmap.json predict_lines=predict--lines.json \
    predict_ranking=predict--rank.json predict_drift=predict--drift.json predict_scatter=predict--plot.json \
    predict_run_plan=predict--plan.json predict_convergence=predict--convergence.json

for i in 1 2 3 4; do
    limited run --ioengine null --null-script const:${i}00us --runtime 0.1s --realtime 0 --overhead 0 --monitor-cost 0 -o set$i >out 2>err
done
keep correlations compare --correlate set1 set2 set3 set4 --format json
valid correlations=correlations.json
limited report "$source/tests/fixtures/accept/three" --format json >accept.json 2>err
valid accept=accept.json
limited report "$source/tests/fixtures/accept/pts" --format json >accept-pts.json 2>err
valid accept=accept-pts.json
valid qualify="$source/tests/golden/qualification/one.json"
mkdir -p fleet/broken fleet/one
: >fleet/broken/qualification.json
cp "$source/tests/golden/qualification/one.json" fleet/one/qualification.json
keep fleet qualify --fleet fleet --format json
valid fleet=fleet.json
if limited record --label "who=$hostile" --format json -- cat check.py >record.json 2>err; then
    valid record=record.json
else
    echo "without cupel record: $(cat err)"
fi

# With --parameter there are several results, in an array.
python3 - "$schema" <<'PYTHON' || fault 'an array of results of exec'
import json, sys
from jsonschema import Draft202012Validator
documents = json.load(open("several.json"))
assert len(documents) == 2, documents
Draft202012Validator(json.load(open(sys.argv[1]))).validate(documents)
PYTHON

# Options have JSON types: no number is written as a string.
python3 - <<'PYTHON' || fault 'the options of cupel run are not typed'
import json
o = json.load(open("run.json"))["options"]
assert o["bs_bytes"] == 4096 and o["runtime_seconds"] == 0.3 and o["direct"] is True and o["size_bytes"] is None, o
assert o["ci_share"] == 0.1 and o["sla"] == "read.p99<1s" and o["write_share"] == 0 and o["cpus"] is None, o
assert json.load(open("open.json"))["options"]["cpus"] == [0]
PYTHON
finish
