/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants that the image builder and the program that boots from the image share. boot/image.sh
   reads these lines too: one constant on each line. */
#ifndef CUPEL_TABLES_BOOT_IMAGE_H
#define CUPEL_TABLES_BOOT_IMAGE_H

/* The FAT volume identifier of the data partition, and the signature of the partition table whose
   first partition it is. */
#define DATA_PARTITION_ID 0xC0FE11A5
/* The data partition's label, for people. */
#define DATA_PARTITION_LABEL "CUPEL"
#define CONFIG_FILE          "cupel.cfg"
#define EXPECT_FILE          "expect.txt"

/* The identifier of the image: a line of at most 32 letters and digits, which is in this file of
   the initrd, and after these words in this sector of the data partition, one of those that FAT32
   keeps free. */
#define IMAGE_ID_FILE     "image-id"
#define DATA_IMAGE_WORDS  "cupel image "
#define DATA_IMAGE_SECTOR 16

#endif
