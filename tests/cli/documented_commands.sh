#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every command in a code block of README.md and docs/ as it is written, from top to bottom, with files in place of its
# disks and folders. No command may be a usage error or crash. Commands that take long are interrupted.
# Slow: each command may take up to a second; a recording that later commands replay may take longer.
project=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# What the commands expect to exist: disks, programs, earlier results and logs.
head -c 8m /dev/urandom >disk
mkdir data node1
cat >app <<'EOF'
#!/bin/sh
[ "$1" != --out ] || mkdir -p "$2"
[ "$1" != --log ] || printf '0 500\n1 510\n2 505\n' >"$2"
dd if=/dev/zero of=app.out bs=64k count=8 2>/dev/null
echo "7 100 8 9"
EOF
chmod +x app
for program in bench old new; do
    cp app $program
done
quick='--ioengine null --null-script normal:100us,10us --runtime 1s --overhead 0 --limit 8s'
for folder in before after run1/a run1/b node1/c; do
    mkdir -p "$(dirname "$folder")"
    # shellcheck disable=SC2086 # the options are words
    limited run $quick -o "$folder" >out 2>err || fault "no $folder: $(cat err)"
done
export XDG_STATE_HOME="$PWD/state"
CUPEL_NO_HISTORY='' limited run disk --runtime 0.3s --overhead 0 >out 2>err || fault "there is no history: $(cat err)"
seq 1 400 | awk '{ print 100 + $1 % 7 }' >latencies.txt
cp latencies.txt old.txt
cp latencies.txt new.txt
printf 'ioengine: null\nruntime: 200ms\nfactor bs: 4k 8k\nrepeats: 2\n' >plan.txt
# The results of the plan in sweep.md, with several responses.
awk 'BEGIN { print "threads,bs,rw,scheduler,throughput,p99,bps"
    for (t = 1; t <= 4; t++) for (b = 1; b <= 4; b++) for (r = 0; r < 3; r++)
        print t "," b ",read,none," t + b + r / 10 "," t * b + r / 5 "," t + b + r / 7 }' >runs.csv
mkdir map
cp runs.csv map/runs.csv
printf 'threads,bs,rw,scheduler\n2.5,3,read,none\n' >new.csv
mkdir old-bench new-bench
cat >hyperfine.json <<'EOF'
{"results": [{"command": "./old", "times": [2.1, 2, 2.05, 2.02, 2.07]}, {"command": "./new", "times": [1.1, 1, 1.05, 1.02, 1.07]}]}
EOF
for folder in old-bench new-bench; do
    {
        echo 'group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count'
        seq 1 60 | awk '{ print "g,f,,,," $1 * 10 + $1 % 3 ",ns," $1 }'
    } >$folder/raw.csv
done
if ssh-keygen -q -t ed25519 -N '' -f acceptance 2>/dev/null; then
    echo "me $(cat acceptance.pub)" >signers
fi

# A server for the network commands.
: >serving
"$CUPEL" serve 127.0.0.1:0 --for 10m >served 2>serving </dev/null &
server=$!
# shellcheck disable=SC2153 # of the checks
trap 'kill $server 2>/dev/null; rm -rf "$FOLDER"' EXIT
until far=$(sed -n 's/^serving at //p' serving) && [ "$far" ] || ! kill -0 $server 2>/dev/null; do
    sleep 0.05
done

# left_out COMMAND: true for commands that are not run, because they write or read every disk of this machine, need captures
# of other machines (probe.sh and remote.sh test those), a running service or the results of a rack, or belong to the shell.
left_out() {
    case $1 in
    cupel\ accept* | *'both --full'* | cupel\ qualify* | *'may/ june/'* | *--sysroot* | *--remote* | *--cgroup* | *--device* | *'| source' | *--parse\ fio* | *'make -j2'*) return 0 ;;
    *--shard*) return 0 ;; # a shard of a map that another command on the page made
    esac
    return 1
}

# Prints the commands of a page, in its order, with the names replaced by the test's files.
commands_of() {
    awk '/^```/ { inside = !inside; next } inside && /^(\$ )?(build\/)?cupel / { sub(/^\$ /, ""); sub(/^build\//, ""); print }' "$1" |
        sed -e 's,/dev/nvme0n1\|/dev/sd[bc],disk,g' -e 's,/data/copy,disk,g' -e 's,/data\>,data,g' -e 's,/shared/run1,run1,g' \
            -e "s,serve 192\.0\.2\.7,serve 127.0.0.1:0,; s,--net 192\.0\.2\.7,--net $far," \
            -e "s/4711,4712/$$/; s/4711/$$/"
}

count=0
for page in "$project/README.md" "$project"/docs/*.md; do
    commands_of "$page" >commands
    while IFS= read -r line; do
        left_out "$line" && continue
        count=$((count + 1))
        # A page may make results again under a name that an earlier page used.
        case $line in *'-o result'*) rm -rf result ;; *'-o map'*) [ "${line#*--resume}" != "$line" ] || rm -rf map ;; esac
        case $line in *'-o app.trace'*) rm -f app.trace ;; *'--data map/'*) mkdir -p map && cp runs.csv map/runs.csv ;; esac
        case $line in *'cupel report result'*)
            # shellcheck disable=SC2086 # the options are words
            [ -e result/record.cupel ] || { rm -rf result && limited run $quick -o result >out 2>err; } ;;
        esac
        seconds=1
        case $line in *'-o app.trace'*) seconds=60 ;; esac
        timeout -s INT -k 20 $seconds sh -c "$(echo "$line" | sed "s,^cupel,'$CUPEL',; s,#.*,,")" >out 2>err </dev/null
        got=$?
        case $line in *'cupel sign '* | *--verify*) [ -e signers ] || got=0 ;; esac # there is no ssh-keygen on this machine
        case $got in
        0 | 1 | 5 | 6 | 124 | 130) ;;
        *) fault "$(basename "$page"): $line: exit status $got: $(tail -n 1 err)" ;;
        esac
    done <commands
done
[ "$count" -ge 40 ] || fault "only $count commands were found"
finish
