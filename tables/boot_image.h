/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the image builder and the program that boots from the image must agree on. boot/image.sh
   reads these lines too: one constant a line. */
#ifndef CUPEL_TABLES_BOOT_IMAGE_H
#define CUPEL_TABLES_BOOT_IMAGE_H

/* FAT volume identifier of the data partition, and signature of the partition table that it is the
   first partition of. */
#define DATA_PARTITION_ID 0xC0FE11A5
/* Its label, for people. */
#define DATA_PARTITION_LABEL "CUPEL"
#define CONFIG_FILE          "cupel.cfg"
#define EXPECT_FILE          "expect.txt"

#endif
