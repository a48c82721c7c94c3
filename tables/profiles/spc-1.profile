# An approximation of the SPC-1 workload.
#
# Source: the streams of SPC Benchmark 1 (Storage Performance Council) as independent programs have
# them: three application storage units (ASU) with 45, 45 and 10 % of the capacity, eight streams,
# their intensity multipliers, read fractions, the size of random requests, the parts of an ASU that
# walks stay in, and the chance to climb. The specification itself was not at hand. Checked with what was published:
# Gill and Modha say 40 % reads, 39 % sequential, one business scaling unit (BSU) up to 50 requests
# per second (USENIX ATC 2005); 59.6 % go to ASU-1. Here: 39.4 %, 38.6 %, 59.6 %.
#
# Ours: where sequential streams run (40 % to 50 % of ASU-1 and ASU-2, 35 % to 100 % of ASU-3) is how
# we read the limits that those programs give them.
# Not confirmed by anything at hand: the weights of the size mix of sequential requests.
#
# What differs: each BSU has its own eight streams; here the streams of a copy of the workload (one
# for each worker) do the work of all. The walk takes any block of a leaf, where SPC-1 goes through
# it in order; sequential streams wrap round in their part instead of beginning anew somewhere in
# it. A result of this is no SPC-1 result.
name spc-1
about SPC-1 like: databases and mail, random with reuse, sequential reads, a log
rate 1k                 # 20 BSU

# ASU-1, the data store: 0 % to 45 %
[stream asu1-uniform]
weight 0.035
write 50%
size 4k                 # 8 blocks of 512 bytes, as all random requests
region 0%-45%

[stream asu1-walk-1]
weight 0.281
write 50%
size 4k
address walk:0.44       # the chance to climb of the hierarchical reuse random walk
region 6.75%-9%         # 0.15 to 0.20 of ASU-1

[stream asu1-sequential]
weight 0.070
write 0%
address sequential
size 4k/40:8k/24:16k/20:32k/8:64k/8     # not confirmed, see above
align 4k
region 18%-22.5%        # 0.40 to 0.50 of ASU-1

[stream asu1-walk-2]
weight 0.210
write 50%
size 4k
address walk:0.44
region 31.5%-33.75%     # 0.70 to 0.75 of ASU-1

# ASU-2, the user store: 45 % to 90 %
[stream asu2-uniform]
weight 0.018
write 70%
size 4k
region 45%-90%

[stream asu2-walk]
weight 0.070
write 70%
size 4k
address walk:0.44
region 66.15%-68.4%     # 0.47 to 0.52 of ASU-2

[stream asu2-sequential]
weight 0.035
write 0%
address sequential
size 4k/40:8k/24:16k/20:32k/8:64k/8
align 4k
region 63%-67.5%        # 0.40 to 0.50 of ASU-2

# ASU-3, the log: 90 % to 100 %
[stream asu3-log]
weight 0.281
write 100%
address sequential
size 4k/40:8k/24:16k/20:32k/8:64k/8
align 4k
region 93.5%-100%       # 0.35 to 1 of ASU-3
