# The storage of a backup server at night.
#
# Source: the storage pool workload of the IBM Storage Protect workload simulation tool
# (sp_disk_load_gen): requests of 256 KiB, sequential writes for what clients send while as much is
# read to find duplicates, and requests of 8 KiB at random for its database. Reads and writes are
# half and half in the results that are published with it.
#
# Ours: 16 clients and 4 requests of the database at once. Nothing waits for a clock here: each
# stream goes on when its request has completed.
name backup
about a backup server: sequential writes and reads of 256 KiB, and its database

[stream clients]
kind closed
concurrency 16
write 100%
address streams:16
size 256k
region 0%-45%

[stream duplicates]
kind closed
concurrency 16
write 0%
address streams:16
size 256k
region 45%-90%

[stream database]
kind closed
concurrency 4
write 50%
size 8k
region 90%-100%
