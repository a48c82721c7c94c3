# The enterprise workload of the endurance test for solid state drives.
#
# Source: JEDEC JESD219, Solid-State Drive (SSD) Endurance Workloads, enterprise, as widely used job
# files have it; the standard itself was not at hand: the sizes, 40 % reads, half of the requests to
# 5 % of the addresses, 30 % to the next 15 %, 20 % to the rest, all at multiples of 4 KiB.
#
# Ours: the rate; the standard keeps a queue full instead. Some sizes are no multiple of 4 KiB: a
# target with larger blocks than 512 bytes refuses it.
name jesd219
about JEDEC enterprise endurance workload: 60 % writes, mostly 4 KiB, hot addresses
rate 5k

[stream hot]
weight 50
write 60%
size 512/4:1024/1:1536/1:2048/1:2560/1:3072/1:3584/1:4k/67:8k/10:16k/7:32k/3:64k/3
align 4k
region 0%-5%

[stream warm]
weight 30
write 60%
size 512/4:1024/1:1536/1:2048/1:2560/1:3072/1:3584/1:4k/67:8k/10:16k/7:32k/3:64k/3
align 4k
region 5%-20%

[stream cold]
weight 20
write 60%
size 512/4:1024/1:1536/1:2048/1:2560/1:3072/1:3584/1:4k/67:8k/10:16k/7:32k/3:64k/3
align 4k
region 20%-100%
