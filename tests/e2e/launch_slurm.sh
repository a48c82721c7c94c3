#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One command line started by srun, in a Slurm that the test starts: two nodes on this host, with a controller, ports, a key
# and folders of its own. With a rank that fails, one that is late, and a batch script, which is not a rank.
# shellcheck source=/dev/null
. "$(dirname "$0")/launched"
: "${session:?}"
needs munged slurmctld slurmd srun sbatch sinfo setpriv
unset OMPI_COMM_WORLD_RANK PMI_RANK
for name in $(env | sed -n 's/^\(SLURM[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
own=$FOLDER/slurm
mkdir -m 755 "$own" "$own/state"
chmod 755 "$FOLDER"
base=$((20000 + $$ % 10000))
host=$(uname -n)
host=${host%%.*}
cat >"$own/slurm.conf" <<CONFIGURATION
ClusterName=cupel
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
AuthType=auth/munge
AuthInfo=socket=$own/munge.socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$own/state
SlurmdSpoolDir=$own/spool-%n
SlurmctldPidFile=$own/controller.pid
SlurmdPidFile=$own/%n.pid
SlurmctldLogFile=$own/controller.log
SlurmdLogFile=$own/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((base + 1))-$((base + 2))] CPUs=2
PartitionName=all Nodes=n[1-2] Default=YES
CONFIGURATION
export SLURM_CONF="$own/slurm.conf"

# Daemons run as children of this test: `undo` in devices ends them, or the kernel if the test itself is killed.
daemon() {
    setpriv --pdeathsig KILL "$@" >>"$own/daemons.log" 2>&1 </dev/null &
    sessions="$! $sessions"
}
(umask 077 && dd if=/dev/urandom of="$own/munge.key" bs=64 count=1 2>/dev/null)
daemon munged --foreground --force --socket="$own/munge.socket" --key-file="$own/munge.key" \
    --pid-file="$own/munge.pid" --log-file="$own/munge.log" --seed-file="$own/munge.seed"
for _ in $(seq 50); do
    [ ! -S "$own/munge.socket" ] || break
    sleep 0.1
done
daemon slurmctld -D -f "$SLURM_CONF"
for node in n1 n2; do
    daemon slurmd -D -f "$SLURM_CONF" -N $node
done
for _ in $(seq 100); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" != 2 ] || break
    sleep 0.2
done
[ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] || {
    tail -n 5 "$own"/*.log
    skip "this host's Slurm does not start two nodes on one host"
}

# srun_all STATUS ARGUMENT...: runs srun, whose exit status is the highest one of its ranks.
srun_all() {
    expected=$1
    shift
    timeout -s KILL 60 srun "$@" >out 2>err </dev/null
    got=$?
    [ $got -eq "$expected" ] || fault "srun $*: exit status $got instead of $expected: $(cat err)"
}

# shellcheck disable=SC2086
srun_all 0 -N 2 -n 4 "$CUPEL" $session -o 'first/%h-%r'
one_line_each 4
for rank in 0 1 2 3; do
    kept first $rank 4 Slurm no
done
began first 0 1 2 3

# Rank 1 fails: srun lets the others continue, and returns its exit status.
# shellcheck disable=SC2086
srun_all 2 -n 3 ./rank-of fails 1 $session --start-timeout 2s -o 'second/%h-%r'
holds err 'rank 1 on '
one_line_each 2
for rank in 0 2; do
    kept second $rank 3 Slurm no
    [ "$(setting "$(echo second/*-$rank)" 'not waited for')" = 'ranks 1' ] || fault "rank $rank does not name rank 1"
done
began second 0 2

# shellcheck disable=SC2086
srun_all 0 -n 3 ./rank-of sleeps 2 $session --start-timeout 2s -o 'third/%h-%r'
kept third 0 3 Slurm no
kept third 1 3 Slurm no
kept third 2 3 Slurm yes
began third 0 1 2

# A batch script has SLURM_PROCID=0 and SLURM_NTASKS=2 but is a single process and not a rank. Its srun starts two ranks.
cat >batch.sh <<SCRIPT
#!/bin/sh
cd "$FOLDER" || exit 1
env >batch.environment
"$CUPEL" run --ioengine null --full --runtime 0.5s --overhead 0 --start-together meet >alone.out 2>alone.err
srun "$CUPEL" $session -o "fourth/%h-%r" >out 2>err
SCRIPT
timeout -s KILL 60 sbatch --wait -n 2 -o batch.out batch.sh >err 2>&1 || fault "sbatch: exit status $?: $(cat err batch.out)"
grep -q '^SLURM_PROCID=0' batch.environment || fault 'the batch script has no SLURM_PROCID'
holds alone.err 'this is the only rank'
holds alone.out 'launcher'
kept fourth 0 2 Slurm no
kept fourth 1 2 Slurm no
began fourth 0 1
[ -z "$(find meet -name 'ready*')" ] || fault "left in the folder: $(ls -A meet)"
finish
