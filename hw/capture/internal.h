/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of hw/capture share. */
#ifndef CUPEL_HW_CAPTURE_INTERNAL_H
#define CUPEL_HW_CAPTURE_INTERNAL_H

#include <assert.h>
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

/* ---- capture_paths.c ---- */

/*
 * The paths in a capture: those that were looked at, and every link and folder on the way.
 *
 * Below /sys a path is followed link by link. The links are kept unchanged, and the folder or file
 * that they lead to is kept under its own name, so that every link in the capture leads somewhere.
 * Below /proc a link is replaced by the file that it leads to, since /proc/self depends on the
 * process. When a folder was looked at, the names of its folders and links are kept too, because it
 * may have been listed. An absolute link is not kept.
 *
 * The caller releases it with capture_paths_free. One thread.
 */

/* A set of paths; a struct of zeros is an empty set. */
struct path_set {
    struct string_table table;
    const char **paths; /* in the order of insertion, until they are sorted */
    size_t capacity;
};

struct capture_paths {
    const struct sysroot *root;
    struct path_set asked, kept;
    struct pool strings;
    bool failed; /* memory ran out */
};

void capture_paths_free(struct capture_paths *c);

/* Runs all probers below paths->root and finds every data path. paths->kept is then sorted.
   ERR_MACHINE: not enough memory. */
int capture_paths_find(struct capture_paths *paths, bool serials, struct err *e);

/* ---- private_rules.c ---- */

/* Private data: a capture does not show whose machine it is, unless serial numbers are
   requested. */

/* The contents that a capture has for a file which exists but cannot be read, or must not be shown:
   a character (NAK) that no reader accepts as text, so that the fact becomes FACT_INVALID. */
#define CAPTURE_UNREADABLE "\x15"

/* Appends the part of the contents of file `path` ("/sys/...") that may be shown. Returns false if
   the file must not be kept at all; nothing was then appended. */
bool capture_private_contents(struct capture_mask *m, const char *path, struct span contents,
                              struct text *to);

/* ---- the format of tar archives ---- */

/*
 * The block before every member of a tar archive: POSIX.1-2017, pax, "ustar Interchange Format".
 * Numbers are octal digits; texts end with '\0' where there is room for it.
 */

#define TAR_BLOCK 512

struct tar_header {
    char name[100];
    char mode[8];
    char user[8];
    char group[8];
    char size[12];
    char time[12];
    char checksum[8]; /* sum of all 512 bytes, with these eight counted as blanks */
    char type;
    char target[100];
    char magic[8]; /* "ustar\0" "00"; for GNU tar "ustar  \0", which has no prefix */
    char user_name[32];
    char group_name[32];
    char device_major[8];
    char device_minor[8];
    char prefix[155]; /* first part of a long name, put before `name` with a '/' between them */
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
#define TAR_TYPE_PAX        'x' /* pax records about the next member */
#define TAR_TYPE_PAX_GLOBAL 'g'
#define TAR_TYPE_GNU_NAME   'L' /* GNU tar: the next member's name */
#define TAR_TYPE_GNU_TARGET 'K'

/* ---- tar_read.c ---- */

/*
 * Reads a tar archive with any content: POSIX ustar with pax records, and the default format of GNU
 * tar.
 *
 * Only files, folders and symbolic links whose names stay inside are returned; other kinds of
 * members are refused. Nothing is allocated: only a window of the archive is in memory, no matter
 * how large it is.
 */

#define TAR_NAME 1024 /* bytes of a name, with its '\0' */
/* bytes in memory; also the limit of the records before a member */
#define TAR_WINDOW (64 << 10)

enum tar_kind { TAR_FILE, TAR_FOLDER, TAR_LINK };

struct tar_member {
    enum tar_kind kind;
    unsigned mode;       /* permission bits */
    uint64_t at, length; /* offset of the contents in the archive, and their length */
    char name[TAR_NAME]; /* relative; its parts are not empty, not "." or "..", and at most 255
                            bytes long */
    /* for a link: relative, with ".." only at its start, and never above the top folder */
    char target[TAR_NAME];
};

/* Reader of an archive. Set the first three members, all others to zero. */
struct tar_reader {
    int fd;           /* a regular file, read by offset; owned by the caller */
    uint64_t length;  /* bytes in the archive */
    const char *file; /* for messages */
    size_t members;   /* number of members read so far, for messages */
    uint64_t at, window_at;
    size_t window_length;
    char window[TAR_WINDOW];
};

/* Reads the next member. Returns 1 when there is one, 0 at the end mark, -1 with ERR_USAGE: the
   archive cannot be unpacked. A member for the top folder itself ("./") is skipped. */
int tar_next(struct tar_reader *r, struct tar_member *m, struct err *e);

/*
 * Returns the contents of a member from byte `from` on, which must be below m->length. Sets *length
 * to the number of bytes, as many as fit into the window. They are valid until the next call for
 * this reader. NULL with ERR_USAGE: they cannot be read.
 */
const char *tar_contents(struct tar_reader *r, const struct tar_member *m, uint64_t from,
                         size_t *length, struct err *e);

/* ---- tar_name.c ---- */

/*
 * The names in a tar archive, which may come from an untrusted source: no name may lead out of the
 * folder into which it is unpacked.
 *
 * A link's target has ".." only at its start, and a link lies in a real folder, so every link stays
 * inside, even a link to a link.
 */

/* Writes "prefix/name" without "./", doubled slashes and a slash at the end; "" is the top folder.
   Returns NULL, or the problem in words. */
const char *tar_take_name(char to[TAR_NAME], struct span prefix, struct span name);

/* Writes the target of the link `name`, cleaned up in the same way. Returns NULL, or the problem in
   words. */
const char *tar_take_target(char to[TAR_NAME], const char *name, struct span target);

/* ---- tar_read.c: unpacking ---- */

/* Unpacks a tar archive into an empty folder made for it. */

#define TAR_MAX_BYTES   ((size_t)512 << 20)
#define TAR_MAX_ENTRIES 400000

/*
 * Unpacks the archive `fd`, a regular file, of which less than 1 MiB is in memory at a time; `file`
 * is its name for messages. Unpacked files get mode 0600, or 0 if nobody could read the original.
 * ERR_USAGE: the archive is damaged, is no capture, or is larger than TAR_MAX_BYTES, which is
 * reported before anything is read; ERR_MACHINE: the folder cannot hold it. Files that were
 * unpacked before an error are not removed.
 */
int tar_unpack(const char *file, int fd, const char *folder, struct err *e);

/* ---- tar_write.c ---- */

/*
 * Writes a tar archive (POSIX ustar, with pax records for names that are too long for it) into
 * memory.
 *
 * Names are relative, without "." and "..". The archive grows in `bytes`; check its `failed` once,
 * at the end. The caller releases `bytes` with text_free. One thread.
 */

struct tar_writer {
    struct text bytes;
    int64_t time; /* time of all members, in seconds since 1970; not negative */
};

void tar_add_folder(struct tar_writer *w, const char *name);
void tar_add_link(struct tar_writer *w, const char *name, const char *target);
/* Adds a regular file. `mode` is 0 or permission bits. */
void tar_add_file(struct tar_writer *w, const char *name, unsigned mode, const void *data,
                  size_t length);
/* Writes the end mark; nothing may be added after it. */
void tar_end(struct tar_writer *w);

#endif
