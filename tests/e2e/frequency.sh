#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Frequency and turbo as settings of a run: restored after every kind of end, including kill -9. No virtual machine has
# cpufreq, so the test mounts files of its own over /sys/devices/system/cpu, visible to its own processes only.
set -u
if [ "${1:-}" != mounted ]; then
    [ "$(id -u)" -eq 0 ] || { echo "it needs root"; exit 77; }
    unshare -m true 2>/dev/null || { echo "no mount namespace can be made"; exit 77; }
    exec unshare -m "$0" mounted
fi
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

cpu=$FOLDER/cpu
mkdir -p "$cpu/cpufreq/policy0"
cp /sys/devices/system/cpu/online /sys/devices/system/cpu/possible /sys/devices/system/cpu/present "$cpu"
for n in $(seq 0 $(($(nproc --all) - 1))); do
    mkdir -p "$cpu/cpu$n"
    ln -s ../cpufreq/policy0 "$cpu/cpu$n/cpufreq"
done
policy=/sys/devices/system/cpu/cpufreq/policy0
for pair in cpuinfo_min_freq=1200000 cpuinfo_max_freq=3000000 scaling_min_freq=1200000 scaling_max_freq=3000000 \
    scaling_governor=schedutil scaling_cur_freq=2000000 scaling_driver=acpi-cpufreq; do
    echo "${pair#*=}" >"$cpu/cpufreq/policy0/${pair%=*}"
done
echo 'schedutil performance' >"$cpu/cpufreq/policy0/scaling_available_governors"
echo 1 >"$cpu/cpufreq/boost"
mount --bind "$cpu" /sys/devices/system/cpu || skip 'nothing can be mounted over /sys/devices/system/cpu'

settings() { (cd /sys/devices/system/cpu && grep -r . cpufreq | sort); }
settings >before
all_back() {
    for _ in $(seq 100); do
        settings >now
        ! cmp -s before now || return 0
        sleep 0.05
    done
    fault "$1, these settings are not as before: $(diff before now)"
}
held() {
    for _ in $(seq 200); do
        [ "$(cat $policy/scaling_min_freq $policy/scaling_max_freq /sys/devices/system/cpu/cpufreq/boost | tr '\n' ' ')" != \
            '1800000 1800000 0 ' ] || return 0
        sleep 0.05
    done
    fault "$1: the frequency is not held"
}

limited run --full --ioengine null --realtime 0 --frequency 1.8g --turbo off --preset quick --limit 3s --min-time 0.3s >out 2>err
grep -q '1800000, for the run; it was 3000000' out || fault 'the report does not say that the frequency was held'
all_back 'after a run'
for signal in INT TERM HUP KILL; do
    start "$signal" run --ioengine null --realtime 0 --frequency 1.8g --turbo off --ci 0.1% --limit 30s --overhead 0
    held "before SIG$signal"
    kill -"$signal" "$SESSION"
    all_back "after SIG$signal"
    wait "$WATCHDOG"
done
refused 2 'goes from 1.2 to 3 GHz' run --ioengine null --frequency 5g --limit 3s
all_back 'after a refusal'

# A sweep over frequencies that is killed in the middle of a run.
cat >plan.txt <<'END'
ioengine: null
realtime: 0
runtime: 0.2s
factor frequency: 1.2g 1.8g 3g
factor turbo: on off
response: iops
repeats: 2
END
limited sweep plan.txt -o map >out 2>err || fault "a sweep over frequencies: $(cat err)"
[ "$(awk -F, '$1 == 1800000000' map/runs.csv | wc -l)" -eq 4 ] || fault "runs.csv: $(cat map/runs.csv)"
all_back 'after a sweep'
cat >program.txt <<'END'
exec: cat /sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq
index: khz,kHz,0
factor frequency: 1.2g 1.8g
repeats: 2
END
limited sweep program.txt -o programs >out 2>err || fault "a sweep of a program over frequencies: $(cat err)"
[ "$(awk -F, 'NR > 1 && $1 == 1000 * $2' programs/runs.csv | wc -l)" -eq 4 ] || fault "runs.csv: $(cat programs/runs.csv)"
all_back 'after a sweep of a program'
sed -i 's/0.2s/5s/; s/factor frequency:.*/factor frequency: 1.8g/; s/on off/off/' plan.txt
start sweep sweep plan.txt -o killed
held 'in a sweep'
kill -KILL "$SESSION"
all_back 'after a sweep that was killed'
wait "$WATCHDOG"
# When somebody changes a setting during a sweep, the sweep ends, because its runs do not have the setting of the plan.
sed -i 's/5s/3s/; s/repeats: 2/repeats: 3/' plan.txt
start foreign sweep plan.txt -o foreign
held 'before somebody else changes it'
sleep 0.5
echo 2400000 >$policy/scaling_max_freq
wait "$WATCHDOG"
holds foreign.err 'was changed to 2400000 by somebody else during the run'
[ "$(cat $policy/scaling_max_freq)" -eq 2400000 ] || fault 'what somebody else set did not stay'
finish
