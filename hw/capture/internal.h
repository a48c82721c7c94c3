/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/capture share. */
#ifndef CUPEL_HW_CAPTURE_INTERNAL_H
#define CUPEL_HW_CAPTURE_INTERNAL_H

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "base/span.h"
#include "base/string_table.h"
#include "base/text.h"
#include "hw/capture/capture_mask.h"
#include "hw/sysroot/sysroot.h"

/* ---- capture_file.c ---- */

/*
 * A file that gets its name when it is whole, and never replaces another.
 *
 * Where the filesystem can, it has no name until then (O_TMPFILE), so that nothing is left even of
 * a process that is killed; elsewhere it is NAME.part-XXXXXX.
 */

struct capture_file {
    const char *name; /* the caller's */
    int fd;
    char part[PATH_MAX]; /* its name until then; "": it has none */
};

/* ERR_USAGE: there is something of that name, or nothing can be made there. After an error there is
   nothing to close. */
int capture_file_open(struct capture_file *f, const char *name, struct err *e);

/* Write all of it, flush it and give it its name. ERR_TARGET: that fails; ERR_USAGE: the name was
   taken meanwhile. Once. */
int capture_file_keep(struct capture_file *f, const void *data, size_t length, struct err *e);

/* A file that was not kept is gone then. */
void capture_file_close(struct capture_file *f);

/* ---- capture_paths.c ---- */

/*
 * The paths that a capture holds: what was looked at, with every link and folder on the way there.
 *
 * Below /sys a path is followed link by link; what is kept are the links as they are, and the
 * folder or file they lead to under its own name, so that every link that is kept leads somewhere.
 * Below /proc links are followed and what they lead to is kept in their place (/proc/self depends
 * on who looks). Of a folder that was looked at the names of its folders and links are kept too,
 * for it may have been listed; a link that is absolute is not kept.
 *
 * Owner: capture_paths_free. One thread.
 */

/* All zeros is an empty set. */
struct path_set {
    struct string_table table;
    const char **paths; /* in the order they came, until they are sorted */
    size_t capacity;
};

struct capture_paths {
    const struct sysroot *root;
    struct path_set asked, kept;
    struct pool strings;
    bool failed; /* memory ran out */
};

/* A path was looked at, there or not. */
void capture_paths_see(struct capture_paths *c, const char *path);

void capture_paths_free(struct capture_paths *c);

/* Run all probers below paths->root and find every data path; paths->kept is sorted then.
   ERR_MACHINE: not enough memory. */
int capture_paths_find(struct capture_paths *paths, bool serials, struct err *e);

/* ---- private_rules.c ---- */

/* Private data: a capture hides whose machine it is, unless serial numbers are asked for. */

/* The contents of a file that is there but cannot be read, or not shown: a character (NAK) that is
   text to no reader, so that it stays FACT_INVALID. */
#define CAPTURE_UNREADABLE "\x15"

/* Append those contents of the file `path` ("/sys/...") that may be known. False: the file is not
   to be kept at all, and nothing was appended. */
bool capture_private_contents(struct capture_mask *m, const char *path, struct span contents,
                              struct text *to);

/* ---- the format of tar archives ---- */

/*
 * The block that stands before every member of a tar archive: POSIX.1-2017, pax, "ustar Interchange
 * Format". Numbers are octal digits; texts end with '\0' where there is room for it.
 */

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

/* ---- tar_read.c ---- */

/*
 * Reading a tar archive that may hold anything: POSIX ustar with pax records, and what GNU tar
 * writes by default.
 *
 * Only files, folders and symbolic links with names that stay inside come out; the rest of what tar
 * knows is refused. Nothing is allocated: of a file of any size a window is in memory.
 */

#define TAR_NAME   1024       /* bytes of a name with its end */
#define TAR_WINDOW (64 << 10) /* and the limit of the records before a member */

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_LINK };

struct tar_member {
    enum tar_kind kind;
    unsigned mode;         /* permission bits */
    uint64_t at, length;   /* of its contents, in the archive */
    char name[TAR_NAME];   /* relative, parts neither empty nor "." or ".." nor above 255 bytes */
    char target[TAR_NAME]; /* of a link, relative: ".." only at its start and not above the top */
};

/* Begin with zeros, but for the first three. */
struct tar_reader {
    int fd;           /* a regular file, read by place; stays the caller's */
    uint64_t length;  /* bytes of the archive */
    const char *file; /* for messages */
    size_t members;   /* looked at so far, for messages */
    uint64_t at, window_at;
    size_t window_length;
    char window[TAR_WINDOW];
};

/* 1 with the next member, 0 at the end mark, -1: ERR_USAGE, the archive is not one to unpack. A
   member that stands for the top folder itself ("./") is passed over. */
int tar_next(struct tar_reader *r, struct tar_member *m, struct err *e);

/*
 * The contents of a member from the byte `from` on, which must be below m->length: as many as fit
 * into the window, *length, until the next call for this reader. NULL: ERR_USAGE, they cannot be
 * read.
 */
const char *tar_contents(struct tar_reader *r, const struct tar_member *m, uint64_t from,
                         size_t *length, struct err *e);

/* ---- tar_name.c ---- */

/*
 * The names in a tar archive, which may be anybody's: none of them may lead to what is outside of
 * the folder it is unpacked to.
 *
 * As ".." stands only at the start of what a link leads to, and a link lies in a true folder, every
 * link stays inside, and so do links that lead to links.
 */

/* "prefix/name" without "./" and doubled or last slashes; "" is the top folder. NULL, or what is
   wrong with it in words. */
const char *tar_take_name(char to[TAR_NAME], struct span prefix, struct span name);

/* The same for what the link `name` leads to, which is taken as it is but for needless parts. */
const char *tar_take_target(char to[TAR_NAME], const char *name, struct span target);

/* ---- tar_unpack.c ---- */

/* A tar archive, unpacked into a folder that is empty and our own. */

#define TAR_MAX_BYTES   ((size_t)512 << 20)
#define TAR_MAX_ENTRIES 400000

/*
 * `fd` is the archive, a regular file of which less than 1 MiB is in memory at a time; `file` is
 * its name for messages. Files get mode 0600, or 0 where nobody could read them. ERR_USAGE: the
 * archive is damaged, is no capture, or is larger than TAR_MAX_BYTES, which is reported before
 * anything is read; ERR_MACHINE: the folder cannot take it. What was unpacked until then stays.
 */
int tar_unpack(const char *file, int fd, const char *folder, struct err *e);

/* ---- tar_write.c ---- */

/*
 * Writing a tar archive (POSIX ustar, with pax records for what is too long for it) into memory.
 *
 * Names are relative, without "." and "..". The archive grows in `bytes`, whose `failed` is looked
 * at once, at the end. Owner: text_free of bytes. One thread.
 */

struct tar_writer {
    struct text bytes;
    int64_t time; /* of all members, seconds since 1970; not below 0 */
};

void tar_add_folder(struct tar_writer *w, const char *name);
void tar_add_link(struct tar_writer *w, const char *name, const char *target);
/* `mode` is 0 or permission bits. */
void tar_add_file(struct tar_writer *w, const char *name, unsigned mode, const void *data,
                  size_t length);
/* The end mark. Nothing is added after it. */
void tar_end(struct tar_writer *w);

#endif
