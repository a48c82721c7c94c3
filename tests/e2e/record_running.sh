#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel record --pid: programs that are already running. Their I/O during the recording is counted exactly: on files opened
# earlier, in threads, in existing and in new children; fio's own count is the same. The program is not affected by Ctrl-C or
# by kill -9 of cupel, and nothing of the recording is left.
# Slow: a trace shows that the recording has begun when a second of it is written.
# shellcheck source=/dev/null
. "$(dirname "$0")/recordings"
needs python3

# A program with open files, a thread, a child and a pipe. It writes "sentinel" until the file "go" exists, and then does
# known I/O. Each of the three parts does its I/O in a process or thread that existed before, and in one that is created then.
cat >program.py <<'END'
import os, socket, sys, threading, time
data = os.open("data", os.O_RDWR | os.O_CREAT, 0o600)
log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
gone = os.open("gone", os.O_RDWR | os.O_CREAT, 0o600)
os.unlink("gone")
r, w = os.pipe()
a, b = socket.socketpair()
go = threading.Event()

def wait():
    sentinel = os.open("sentinel", os.O_WRONLY | os.O_CREAT, 0o600)
    while not os.path.exists("go"):
        os.pwrite(sentinel, b"x", 0)
        time.sleep(0.02)
    os.close(sentinel)

def work(n):
    for i in range(n):
        os.pwrite(data, b"y" * 1000, i * 1000)
    os.pread(data, 5000, n * 1000)  # the end of the file
    os.write(log, b"z" * 300)
    os.write(gone, b"z" * 7)
    os.write(w, b"p" * 50)
    os.read(r, 50)
    a.send(b"s" * 20)
    b.recv(20)

def in_thread():
    go.wait()
    work(40)

thread = threading.Thread(target=in_thread)
thread.start()
child = os.fork()
if child == 0:
    wait()
    work(50)
    os._exit(0)
wait()
go.set()
thread.join()
os.waitpid(child, 0)
work(100)
later = os.fork()
if later == 0:
    grandchild = os.fork()
    if grandchild == 0:
        work(7)
    else:
        os.waitpid(grandchild, 0)
        work(3)
    os._exit(0)
os.waitpid(later, 0)
END

# run_program: starts the program in the background; its process is in PROGRAM.
run_program() {
    rm -f go data log sentinel
    timeout -s KILL 100 python3 program.py &
    WATCH=$!
    for _ in $(seq 200); do
        PROGRAM=$(cat /proc/$WATCH/task/$WATCH/children 2>/dev/null)
        [ -z "$PROGRAM" ] || [ ! -s sentinel ] || break
        sleep 0.05
    done
    PROGRAM=${PROGRAM% }
    sessions="$PROGRAM $sessions"
}

# check_program: checks the I/O after "go", of all its processes.
check_program() {
    row_is 200 "$1" calls write "$FOLDER/data"
    row_is 200000 "$1" bytes write "$FOLDER/data"
    row_is 5 "$1" calls write "$FOLDER/log"
    row_is 1500 "$1" bytes write "$FOLDER/log"
    row_is 35 "$1" bytes write "$FOLDER/gone"
    is_true "$(row "$1" processes all) >= 4"
}

"$CUPEL" record --pid $$ --for 0.01s >out 2>err || {
    got=$?
    [ $got -ne 6 ] || skip "$(cat err)"
    fault "a shell that waits: exit status $got: $(cat err)"
}

# Two recordings of one program at once, both to its end.
run_program
start one record --buffer 64m --pid "$PROGRAM" --format csv -o one.trace
first=$WATCHDOG
start two record --buffer 64m --pid "$PROGRAM" --format json -o two.trace
second=$WATCHDOG
until_recorded one.trace
until_recorded two.trace
: >go
WATCHDOG=$first
ended_rated one
WATCHDOG=$second
ended_rated two
wait $WATCH || fault "the program failed while it was recorded"
check_program one.out
python3 - "$PROGRAM" "$FOLDER/data" <<'END' || fault "the report in JSON: $(head -c 300 two.out)"
import json, sys
r = json.load(open("two.out"))
assert r["process"] == sys.argv[1] + " (python3)", r["process"]
data = [f for f in r["files"] if f["name"] == sys.argv[2]]
assert len(data) == 1 and data[0]["writes"] == 200 and data[0]["written_bytes"] == 200000, data
assert any("10 on pipes (500 B), 10 on sockets (0 B)" in n["text"] or "10 on pipes (500 B)" in n["text"] for n in r["notes"])
assert not r["interrupted"]
END

# fio's own counts are the same; it waits in a child until it is recorded.
if command -v fio >/dev/null; then
    printf 'until [ -e go ]; do echo x >>sentinel; sleep 0.02; done\n' >wait.sh
    head -c 4194304 /dev/urandom >fio.file
    for engine in psync libaio; do
        rm -f go fio.trace
        fio --name=one --filename="$FOLDER/fio.file" --size=4m --bssplit=700/30:4k/70 --bs_unaligned=1 --rw=randrw \
        --ioengine=$engine --iodepth=8 --fsync=50 --numjobs=2 --group_reporting --exec_prerun='sh wait.sh' --output-format=json \
        --output=fio.json >fio.out 2>&1 &
        fio=$!
        sessions="$fio $sessions"
        start recorded record --buffer 64m --pid $fio --format json -o fio.trace
        until_recorded fio.trace
        : >go
        ended_rated recorded
        wait $fio || fault "fio failed: $(cat fio.out)"
        python3 - "$FOLDER/fio.file" <<'END' || fault "not what fio counts with $engine"
import json, sys
text = open("fio.json").read()
job = json.loads(text[text.index("{"):])["jobs"][0]
f = [f for f in json.load(open("out"))["files"] if f["name"] == sys.argv[1]][0]
mine = [f["reads"], f["read_bytes"], f["writes"], f["written_bytes"], f["flushes"]]
its = [job["read"]["total_ios"], job["read"]["io_bytes"], job["write"]["total_ios"], job["write"]["io_bytes"],
       job["sync"]["total_ios"]]
assert mine[:4] == its[:4], (mine, its)
assert mine[4] >= its[4] > 0, (mine, its)
END
    done
fi

# Ctrl-C and SIGTERM end only the recording: the program was not stopped and continues to write.
programs_in_kernel() {
    python3 - <<'END'
import ctypes, struct
attr = ctypes.create_string_buffer(128)
while ctypes.CDLL(None).syscall(321, 11, attr, 12) == 0:  # bpf(BPF_PROG_GET_NEXT_ID)
    number = struct.unpack_from("=I", attr, 4)[0]
    print(number)
    struct.pack_into("=I", attr, 0, number)
END
}
goes_on() {
    kill -0 "$PROGRAM" || fault "$1: the program is gone"
    rm -f sentinel # the program has it open, so a new file shows nothing; its state and its trace do
    grep -q '^State:.[RSD]' "/proc/$PROGRAM/status" || fault "$1: $(grep State "/proc/$PROGRAM/status")"
    [ "$(awk '/^TracerPid/ { print $2 }' "/proc/$PROGRAM/status")" = 0 ] || fault "$1: the program is traced"
}
run_program
signals_of() {
    grep -E '^(Shd|Sig)[A-Z][a-z]+:' "/proc/$PROGRAM/status" | grep -v SigQ
}
signals=$(signals_of)
for signal in INT TERM; do
    rm -f four.trace
    start four record --buffer 64m --pid "$PROGRAM" --for 50s --format json -o four.trace
    until_recorded four.trace
    kill -$signal "$SESSION"
    ended_rated four
    holds out '"interrupted": true'
    goes_on $signal
done
rm -f four.trace
start four record --buffer 64m --pid "$PROGRAM" -o four.trace
until_recorded four.trace
sed -n 's/^prog_id:[[:space:]]*//p' "/proc/$SESSION/fdinfo/"* 2>/dev/null | sort -u >held
[ -s held ] || fault 'the recording has no program in the kernel'
programs_in_kernel >present
[ ! -s present ] || grep -qxFf held present || fault 'the programs in the kernel cannot be listed'
kill -KILL "$SESSION"
wait "$WATCHDOG"
for _ in $(seq 600); do # the kernel frees them a little later
    programs_in_kernel >present
    grep -qxFf held present || break
    sleep 0.1
done
! grep -qxFf held present || fault 'programs stay in the kernel after kill -9'
goes_on KILL
[ "$(signals_of)" = "$signals" ] || fault "what the program does with signals has changed"

# --for ends the recording, too. Several processes are recorded until the last one has ended.
start several record --buffer 64m --pid "$PROGRAM,$$" --for 0.7s --format csv
ended_rated several
is_true "$(row out elapsed all) >= 0.7"
sleep 50 &
other=$!
start several record --buffer 64m --pid "$PROGRAM,$other" --format csv -o several.trace
until_recorded several.trace
kill $other
: >go
ended_rated several
check_program out
wait $WATCH || fault 'the program failed after its recordings'
finish
