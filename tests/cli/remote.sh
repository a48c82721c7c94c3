#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --remote: a capture of the server continues the data path of NFS and NVMe over Fabrics: from this machine's mount through
# the server's disks, links and memory and back through its network interface. The server's limits, arrays, faults and
# components count.
tests=$(cd "$(dirname "$0")/.." && pwd)
# Slow: whole machines are unpacked.
# shellcheck source=/dev/null
. "$tests/cli/in_memory"
# shellcheck source=/dev/null
. "$tests/cli/checks"
export NO_COLOR=1

for name in bond server hba garbage; do
    "$tests/fixtures/unpack.sh" "$tests/fixtures/machines/$name.tree" "$name" || fault "$name.tree cannot be unpacked"
done

# path_to EXPECTED_PARTS LIMIT_WORDS ARGUMENT...: checks the names on the path from the target on, separated by blanks, and
# its last line, the limit.
path_to() {
    wanted=$1
    words=$2
    shift 2
    status 0 probe --sysroot bond "$@" --pci-ids none
    sed -n '/^Data path/,/^$/p' out >shown
    parts=$(sed -n 's/^  \(server:[^ ]*\|[a-z][a-z0-9.:]*[0-9]\|machine\)  .*/\1/p' shown | tr '\n' ' ')
    [ "$parts" = "$wanted " ] || fault "probe $*: the path is $parts"
    tr -s ' \n' ' ' <shown >flat
    holds flat "$words"
}
here="bond0.20 bond0 eno1 pci0000:40 node2 machine"

# NFS: the export is on the server's root filesystem. A capture in a file gives the same result as a tree.
path='server:/ server:sda2 server:sda server:ata1 server:0000:01:00.0 server:0000:00:01.3 server:pci0000:00 server:node0'
path="$path server:machine server:pci0000:60 server:0000:60:03.1 server:0000:61:00.0 server:ens3f0np0"
path_to "$path $here" '593 MB/s <- the limit' /mnt/nfs/file --remote server
holds flat 'lets through 593 MB/s of reads and 593 MB/s of writes'
cp shown whole
status 0 probe --sysroot server --pci-ids server/usr/share/misc/pci.ids --capture server.tar
status 0 probe --sysroot bond /mnt/nfs/file --remote server.tar --pci-ids none
sed -n '/^Data path/,/^$/p' out | cmp -s - whole || fault 'the capture says something else'

# Another disk of the server, by name: its degraded link is reported, and this machine's network is the limit.
status 0 probe --sysroot bond /mnt/nfs/file --remote server --remote-target nvme1n1 --pci-ids none
tr -s ' \n' ' ' <out >flat
holds flat 'DEGRADED server:0000:42:00.0'
grep '<- the limit$' out | grep -q '^  eno1  ' || fault "the limit is not this machine's: $(grep '<- the limit' out)"

# A mirror on the server writes to both halves while the network carries the data once; arrays of four disks; a 1 Gbit/s
# network.
status 0 probe --sysroot bond /mnt/nfs/file --remote hba --remote-target md1 --pci-ids none
tr -s ' \n' ' ' <out >flat
holds flat 'lets through 119 MB/s of reads and 119 MB/s of writes'
status 0 probe --sysroot bond /mnt/tcp/file --remote bond --remote-target dm-0 --pci-ids none
tr -s ' \n' ' ' <out >flat
holds flat 'lets through 3.10 GB/s of reads and 3.10 GB/s of writes'
holds flat 'server:nvme3n1 disk'
status 0 probe --sysroot bond /mnt/iscsi/file --remote server --remote-target nvme2n1 --format json
holds out '"server:nvme2n1"'

# A damaged capture of the server does not crash it.
for target in dm-0 /; do
    status 0 probe --sysroot bond /mnt/nfs/file --remote garbage --remote-target $target
done

# A run: the path is that of the target; its parts are in the report and the record, and the user's components can count on
# it.
mkdir nfs
cp -a bond client
sed "s|/mnt/nfs |$PWD/nfs |" bond/proc/self/mountinfo >mounts
mv mounts client/proc/self/mountinfo
umask 022
cat >graph <<'END'
[component server disk busy]
between = server:sda..server:ata1
level_command = echo 19
limit = 20
END
quick='--preset quick --min-samples 2 --min-time 0.5s --limit 5s --overhead 0 --size 8m --direct 0'
echo data >nfs/file
# shellcheck disable=SC2086 # several options
longer '0 5' run "$PWD/nfs" --full $quick --sysroot client --remote server --graph graph -o kept
tr -s ' \n' ' ' <out >flat
holds flat 'BOTTLENECK: server disk busy was saturated 100 % of the time'
grep -q '^server:ata1,ata_port,server disk busy,1,0,0,.*,593284672,593284672,' kept/data_path.csv ||
    fault "the server is not in the data path: $(cut -c -100 kept/data_path.csv)"

# A file of cupel exec's program is on the server.
status 0 exec --rounds 3 --sysroot client --remote server --graph graph --format json -- sh -c "sleep 0.4; cat $PWD/nfs/file"
grep -q '"server disk busy"' out || fault 'the path of a program ends at the network'
status 5 exec --rounds 3 --sysroot client --remote server --graph graph --strict-bottleneck -- sh -c "sleep 0.4; cat $PWD/nfs/file"
holds err 'server disk busy'
status 0 exec --rounds 2 --sysroot client --remote server -- true
tr -s ' \n' ' ' <out >flat
holds flat 'no file of the program lies on remote storage'
refused 2 'the server has no nvme9n1' exec --rounds 2 --sysroot client --remote server --remote-target nvme9n1 -- cat "$PWD/nfs/file"
refused 2 '--remote and --monitor-cost 0 exclude each other' exec --monitor-cost 0 --remote server -- true
refused 2 '--remote-target needs --remote' exec --remote-target sda -- true
refused 2 'cannot read' exec --remote nowhere.tar -- true
rm -r server client
longer '0 5' report kept --full
grep -q 'server:ata1' out || fault 'the record lacks the server'

refused 2 'name it, as in --remote-target' probe --sysroot bond /mnt/tcp/file --remote server.tar
refused 2 'the server has no nvme9n1' probe --sysroot bond /mnt/nfs/file --remote server.tar --remote-target nvme9n1
refused 2 'does not leave this machine' probe --sysroot bond /data/file --remote server.tar
refused 2 'name one' probe --remote server.tar
refused 2 '--remote-target needs --remote' probe / --remote-target sda
refused 2 'cannot read' probe --sysroot bond /mnt/nfs/file --remote nowhere.tar
refused 2 '--remote-target needs --remote' run nfs --remote-target sda --runtime 1s
refused 2 'does not leave this machine' run nfs --size 8m --remote server.tar --runtime 1s
finish
