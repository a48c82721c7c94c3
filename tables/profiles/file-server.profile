# A file server.
#
# Source: the file server access pattern of Intel's Iometer, as fio's example of it has it: the sizes,
# 80 % reads, all random.
#
# Ours: the rate (Iometer keeps a queue full) and Poisson arrivals: many users who know nothing of
# each other. Half a KiB is no multiple of 4 KiB: a target with larger blocks than 512 bytes refuses
# it.
name file-server
about Iometer's file server: 80 % reads, random, 512 bytes to 64 KiB
rate 2k

[stream files]
arrival poisson
write 20%
size 512/10:1k/5:2k/5:4k/60:8k/2:16k/4:32k/4:64k/10
