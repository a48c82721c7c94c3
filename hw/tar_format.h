/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The block that stands before every member of a tar archive: POSIX.1-2017, pax, "ustar Interchange
 * Format". Numbers are octal digits; texts end with '\0' where there is room for it.
 */
#ifndef CUPEL_HW_TAR_FORMAT_H
#define CUPEL_HW_TAR_FORMAT_H

#include <assert.h>

#define TAR_BLOCK 512

struct tar_header {
    char name[100];
    char mode[8];
    char user[8];
    char group[8];
    char size[12];
    char time[12];
    char checksum[8]; /* of all 512 bytes, with these eight taken for blanks */
    char type;
    char target[100];
    char magic[8]; /* "ustar\0" "00"; of GNU tar "ustar  \0", where there is no prefix */
    char user_name[32];
    char group_name[32];
    char device_major[8];
    char device_minor[8];
    char prefix[155]; /* stands before the name, with a '/' between */
    char padding[12];
};
static_assert(sizeof(struct tar_header) == TAR_BLOCK, "the header is one block");

#define TAR_TYPE_FILE       '0'
#define TAR_TYPE_FILE_V7    '\0'
#define TAR_TYPE_HARD_LINK  '1'
#define TAR_TYPE_LINK       '2'
#define TAR_TYPE_CHARACTERS '3'
#define TAR_TYPE_BLOCKS     '4'
#define TAR_TYPE_FOLDER     '5'
#define TAR_TYPE_PIPE       '6'
#define TAR_TYPE_PAX        'x' /* records about the next member */
#define TAR_TYPE_PAX_GLOBAL 'g'
#define TAR_TYPE_GNU_NAME   'L' /* the next member's name, of GNU tar */
#define TAR_TYPE_GNU_TARGET 'K'

#endif
