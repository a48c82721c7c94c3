# Many virtual desktops that start in the morning.
#
# Source: H. Klein, "Remarks on Windows Disk and File IO During System Boot" (2013): a start took
# 62,000 requests in 330 s, 188 per second on average, 16 % of them writes. The mean size: 560 MB
# in 70,000 requests, 8 KiB (ThinScale, "ThinIO facts and figures, part 2", 2014).
#
# Ours: 50 desktops whose starts begin evenly over 5 minutes, so the rate rises to that of 50, stays
# while all are starting and falls as they end. All read the same image, so some blocks are asked for
# by all: Zipf's law over the image, half of the target; each writes to its own part of the rest.
# The mix of sizes, with that mean.
name boot-storm
about 50 virtual desktops that start within 5 minutes: reads of one image, some writes
rate 0-9.4k:5m,9.4k:30s,9.4k-0:5m

[stream image]
arrival poisson
weight 84
write 0%
address zipf:0.9
size 4k/65:8k/15:16k/12:32k/8
region 0%-50%

[stream changes]
arrival poisson
weight 16
write 100%
size 4k/65:8k/15:16k/12:32k/8
region 50%-100%
