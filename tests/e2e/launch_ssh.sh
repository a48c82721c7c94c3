#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One command line started by clush, pdsh and Ansible over sshd on three hosts: network namespaces of this test with their own
# names, addresses and keys. They belong to processes of the test and end with them; this machine's network does not change.
[ "${CUPEL_TEST_NETWORK:-}" ] || {
    [ "$(id -u)" -eq 0 ] || {
        echo 'needs root, for network namespaces'
        exit 77
    }
    unshare --net --mount true 2>/dev/null || {
        echo 'there are no network namespaces here'
        exit 77
    }
    CUPEL_TEST_NETWORK=own exec unshare --net --mount "$0"
}
# shellcheck source=/dev/null
. "$(dirname "$0")/launched"
: "${session:?}"
needs sshd ssh ssh-keygen ip setpriv
command -v clush >/dev/null || command -v pdsh >/dev/null || skip 'there is no clush (Debian: clustershell) and no pdsh'
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID
sshd=$(command -v sshd) # sshd must be started by its full path
chmod 755 "$FOLDER"
ip link set lo up

# The keys, and the clients' known hosts. StrictModes is off because it would check the folders above.
ssh-keygen -q -t ed25519 -N '' -f key
ssh-keygen -q -t ed25519 -N '' -f host-key
cp key.pub authorized
cat >sshd_config <<CONFIGURATION
Port 2222
HostKey $FOLDER/host-key
AuthorizedKeysFile $FOLDER/authorized
PidFile none
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
UsePAM no
CONFIGURATION
cat >ssh_config <<CONFIGURATION
Host n1 n2 n3
    Port 2222
    User root
    IdentityFile $FOLDER/key
    IdentitiesOnly yes
    BatchMode yes
    UserKnownHostsFile $FOLDER/known_hosts
    GlobalKnownHostsFile none
    ControlPath none
CONFIGURATION

# node NUMBER: starts host nNUMBER at 10.213.NUMBER.2. It has a /run of its own, as sshd needs a folder there.
node() {
    # shellcheck disable=SC2016 # they are the inner shell's
    setpriv --pdeathsig KILL unshare --net --uts --mount sh -c '
        hostname "n$1" && mount -t tmpfs none /run && mkdir -m 755 /run/sshd && ip link set lo up && echo $$ >"node-$1.new" &&
            mv "node-$1.new" "node-$1.pid"
        until ip link set eth0 up 2>/dev/null; do sleep 0.05; done
        ip address add "10.213.$1.2/30" dev eth0
        exec "$2" -D -e -f "$3"' node "$1" "$sshd" "$FOLDER/sshd_config" >>"sshd-$1.log" 2>&1 </dev/null &
    sessions="$! $sessions"
    for _ in $(seq 50); do
        [ ! -s "node-$1.pid" ] || break
        sleep 0.1
    done
    [ -s "node-$1.pid" ] || skip "no host n$1: $(cat "sshd-$1.log")"
    ip link add "n$1" type veth peer name eth0 netns "$(cat "node-$1.pid")" 2>err || skip "no veth: $(cat err)"
    ip address add "10.213.$1.1/30" dev "n$1"
    ip link set "n$1" up
    echo "Host n$1
    HostName 10.213.$1.2" >>ssh_config
    echo "[10.213.$1.2]:2222 $(cut -d ' ' -f 1,2 host-key.pub)" >>known_hosts
}
: >known_hosts
for number in 1 2 3; do
    node $number
done
for number in 1 2 3; do
    for _ in $(seq 50); do
        ssh -F ssh_config "n$number" true 2>err </dev/null && break
        sleep 0.2
    done
    [ "$(ssh -F ssh_config "n$number" uname -n </dev/null 2>err)" = "n$number" ] || skip "ssh to n$number: $(cat err)"
done

# The three checks have the arguments NAME VARIABLES LAUNCHER COMMAND...: COMMAND is the launcher's command line, to which the check
# adds the words that the hosts run. They begin with VARIABLES, which say how cupel gets its rank.
all_begin() {
    by=$1 variables=$2 launcher=$3
    shift 3
    timeout -s KILL 60 "$@" "cd $FOLDER && $variables CUPEL_JOB=$by-1 $CUPEL $session -o $by-1/%h-%r" >out 2>err </dev/null ||
        fault "$by: exit status $?: $(cat err)"
    [ "$(grep -c 'rank [0-2] on n[1-3]: MEASURED.*cupel merge' out)" -eq 3 ] || fault "$by: not three lines: $(cat out)"
    for rank in 0 1 2; do
        kept "$by-1" $rank 3 "$launcher" no
        [ "$(setting "$by-1/n$((rank + 1))-$rank" "rank's host")" = "n$((rank + 1))" ] || fault "$by: rank $rank is on another host"
    done
    began "$by-1" 0 1 2
}

# Rank 1, on n2, fails.
one_fails() {
    by=$1 variables=$2 launcher=$3
    shift 3
    timeout -s KILL 60 "$@" "cd $FOLDER && $variables CUPEL_JOB=$by-2 ./rank-of fails 1 $session --start-timeout 2s \
        -o $by-2/%h-%r" >out 2>err </dev/null && fault "$by: exit status 0 though a rank failed"
    cat out err | grep -q 'rank 1 on n2: .*no such file' || fault "$by: rank 1 does not say why it failed: $(cat out err)"
    for rank in 0 2; do
        kept "$by-2" $rank 3 "$launcher" no
        [ "$(setting "$(echo "$by-2"/*-$rank)" 'not waited for')" = 'ranks 1' ] || fault "$by: rank $rank does not name rank 1"
    done
    began "$by-2" 0 2
}

# Rank 2, on n3, begins late.
one_is_late() {
    by=$1 variables=$2 launcher=$3
    shift 3
    timeout -s KILL 60 "$@" "cd $FOLDER && $variables CUPEL_JOB=$by-3 ./rank-of sleeps 2 $session --start-timeout 2s \
        -o $by-3/%h-%r" >out 2>err </dev/null || fault "$by: exit status $?: $(cat err)"
    kept "$by-3" 0 3 "$launcher" no
    kept "$by-3" 1 3 "$launcher" no
    kept "$by-3" 2 3 "$launcher" yes
    began "$by-3" 0 1 2
}

if command -v clush >/dev/null; then
    # clush runs the same words on every host; cupel gets the rank from the list of hosts.
    for check in all_begin one_fails one_is_late; do
        $check clush CUPEL_HOSTS=n1,n2,n3 CUPEL_HOSTS clush -S -w 'n[1-3]' -o "-F $FOLDER/ssh_config"
    done

    # A start by the clocks alone, without ranks and without a common folder. Each host's run is its own, named by the host.
    timeout -s KILL 60 clush -S -w 'n[1-3]' -o "-F $FOLDER/ssh_config" "cd $FOLDER && $CUPEL run data-%h --size 4m --runtime 1s \
        --overhead 0 --ioengine sync --start-at next:10s -o clock/%h-0" >out 2>err </dev/null || fault "clush: exit status $?: $(cat err)"
    for host in n1 n2 n3; do
        [ "$(setting clock/$host-0 late)" = no ] || fault "$host is late: $(cat err)"
        setting clock/$host-0 'common start' | grep -q '0\.000000 UTC$' || fault "$host: no multiple of 10 s"
    done
fi
export PDSH_SSH_ARGS_APPEND="-F $FOLDER/ssh_config"
# pdsh replaces %n by the number of the host.
if command -v pdsh >/dev/null; then
    for check in all_begin one_fails; do
        $check pdsh 'CUPEL_RANK=%n CUPEL_SIZE=3' CUPEL_RANK pdsh -S -R ssh -w 'n1,n2,n3'
    done
fi
# Ansible's ad-hoc command; its files go into this folder.
if command -v ansible >/dev/null; then
    HOME=$FOLDER ANSIBLE_LOCAL_TEMP=$FOLDER/ansible ANSIBLE_REMOTE_TEMP=$FOLDER/ansible ANSIBLE_HOST_KEY_CHECKING=False
    ANSIBLE_SSH_ARGS="-F $FOLDER/ssh_config -o ControlMaster=no"
    LC_ALL=C.UTF-8
    export LC_ALL HOME ANSIBLE_LOCAL_TEMP ANSIBLE_REMOTE_TEMP ANSIBLE_HOST_KEY_CHECKING ANSIBLE_SSH_ARGS
    all_begin ansible "CUPEL_HOSTS={{ ansible_play_hosts_all | join(',') }}" CUPEL_HOSTS ansible all -i n1,n2,n3 -f 3 \
        -m ansible.builtin.shell -a
fi
[ -z "$(find meet -name 'ready*')" ] || fault "left in the folder: $(ls -A meet)"
finish
