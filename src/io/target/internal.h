/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations that the files of src/io/target share. */
#ifndef CUPEL_IO_TARGET_INTERNAL_H
#define CUPEL_IO_TARGET_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"
#include "io/target/guard.h"
#include "io/target/target.h"

/* ---- loop devices: loops.c ---- */

/*
 * The loop devices that are set up, and where each keeps its bytes: in a part of a file, or of
 * another block device. The kernel does not count a loop device as a user (holder) of its backing
 * device, and lets several of them share one file.
 */

enum loop_backing { LOOP_ON_FILE, LOOP_ON_DEVICE, LOOP_UNKNOWN };

struct loop {
    dev_t device;
    char name[32];
    enum loop_backing kind;
    dev_t backing;       /* the device that it lies on, or the filesystem of the file */
    ino_t inode;         /* inode of the backing file */
    dev_t upper;         /* for a file on an overlay: the filesystem that holds its bytes */
    ino_t upper_inode;   /* inode of the file there; 0: unknown, or it cannot be reached */
    uint64_t begin, end; /* the part of it, in bytes */
};

struct loops {
    struct loop *rows;
    size_t count;
};

/*
 * Read all loop devices, from sysfs below `root`. The kernel (LOOP_GET_STATUS64) says which file a
 * device lies on. Without permission for that the path in sysfs is looked up; a device whose path
 * leads nowhere, such as the path of a removed file, is LOOP_UNKNOWN. The caller always frees the
 * list with loops_free. False when sysfs cannot be read or there is no memory.
 */
bool loops_read(const char *root, struct loops *l);
void loops_free(struct loops *l);

/* True when it lies on that file, or on the file of an overlay whose bytes that file has. */
bool loop_is_on_file(const struct loop *l, dev_t filesystem, ino_t inode);

/* ---- relatives of a device: guard_related.c ---- */

/*
 * Every device that shares bytes with a target, and how it is related. guard.h states the rule that
 * the table of relations follows.
 */

#define GUARD_RELATED_MAX 256

/* GUARD_BELOW lies under a loop device: the same bytes. GUARD_SLAVE lies under dm or md, which may
   use a part. */
enum guard_relation {
    GUARD_ITSELF,
    GUARD_PARTITION,
    GUARD_WHOLE_DISK,
    GUARD_OTHER_PATH,
    GUARD_HOLDER,
    GUARD_LOOP_ABOVE,
    GUARD_SAME_FILE,
    GUARD_BELOW,
    GUARD_BELOW_PART,
    GUARD_SLAVE,
    GUARD_SLAVE_PART,
};

/* Where the walk continues from a related device. */
enum {
    GUARD_PARTITIONS = 1, /* its own partitions */
    GUARD_DISK = 2,       /* the disk that it is a partition of */
    GUARD_PATHS = 4,      /* disks with the same wwid */
    GUARD_HOLDERS = 8,    /* devices that dm, md or bcache built on it */
    GUARD_LOOPS = 16,     /* loop devices that lie on it */
    GUARD_LOWER = 32,     /* the devices that it is built on */
    GUARD_CLAIM = 64,     /* the kernel is asked whether anybody has claimed it */
};

struct guard_related {
    dev_t device;
    char name[64];
    enum guard_relation relation;
    unsigned follow, followed;
    const struct loop *loop; /* the loop device's own row, or NULL for any other device */
};

/* One search for the users of a target. It is large, so it is allocated. Owns the list of loop
   devices. */
struct guard_search {
    const char *root;
    const char *path;
    struct guard_sight *sight; /* or NULL */
    struct err *e;
    struct loops loops;
    unsigned count;
    struct guard_related related[GUARD_RELATED_MAX];
};

/*
 * List the device itself and all that is related to it. Returns 0, or -1 with ERR_UNSAFE: a device
 * that cannot be looked at may be in use. The caller sets root, path and e of `s`, and always calls
 * loops_free(&s->loops) afterwards.
 */
int guard_relate(struct guard_search *s, dev_t device);

/* The search for all devices that share bytes with the device; NULL without memory. It holds less
   where something cannot be looked up, which is the error then. Owner: guard_search_end. */
struct guard_search *guard_search_around(const char *root, dev_t device, struct err *e);
void guard_search_end(struct guard_search *s);

struct guard_related *guard_find(struct guard_search *s, dev_t device); /* or NULL */

/* The disk that a character device reads and writes as well: a generic device of SCSI (/dev/sgN,
   /dev/bsg) or of an NVMe namespace. False for any other. */
bool guard_block_device_of(dev_t character, dev_t *block);

/* The device as the subject of a message: "its partition sdb1". */
const char *guard_subject(const struct guard_related *r, char text[128]);

/* The error for something that cannot be looked up. Always returns -1. */
int guard_cannot_look(const char *path, const char *what, struct err *e);

/* The error when not all programs can be looked into, unless `sight` allows that. */
int guard_cannot_see(const char *path, struct guard_sight *sight, struct err *e);

/* Checks one line of a table, which it may change. Returns 0, or -1 with the error, which ends the
   table. */
typedef int guard_check_line(void *context, char *line, struct err *e);

/*
 * Check every line of `table` below `root`. A table that is missing is an error (for `path`) only
 * when it is `required`.
 */
int guard_check_table(const char *root, const char *table, bool required, const char *path,
                      guard_check_line *check, void *context, struct err *e);

/* The absolute path in the first field of a line of /proc/swaps, or NULL. *found: the path leads to
   a file or device, which is *st. */
const char *guard_swap_path(char *line, struct stat *st, bool *found);

/* Opens the file in the upper folder of an overlay that has the bytes of the file `fd`, which may
   be open with O_PATH, for reading. -1: it is not on an overlay, has no copy there yet, or the
   folder cannot be reached. */
int overlay_open_upper(const char *root, int fd, const struct stat *st);

/* ---- programs that write to it: open_writers.c ---- */

enum writers { NO_WRITERS, SOME_WRITERS, CANNOT_ASK };

/*
 * A search through /proc for programs that have something open for writing: by a descriptor, in an
 * io_uring, or in a shared mapping whose descriptor is closed. In this process itself only standard
 * input, output and error count. Takes about 2 us a descriptor and 10 us a process.
 */
struct open_search {
    /* Is this open file (its type, filesystem, inode and device number) the one that is searched
       for? */
    bool (*is_it)(void *context, const struct stat *st);
    void *context;
    bool devices; /* the file searched for may be a device */
    /* The result: */
    char program[32]; /* SOME_WRITERS: the program's name */
    pid_t process;
    /* Set by the search: */
    pid_t own;       /* this process, in /proc */
    dev_t anonymous; /* the filesystem of descriptors without a file: event counters, io_urings */
    bool unseen;     /* not all processes can be looked into */
};

/*
 * Run the search. A program that closes the file within a second does not count: udev and the like
 * look at devices now and then. CANNOT_ASK: no writer was seen, but not all programs can be looked
 * into: this is not root, /proc hides processes, or this is a namespace of processes (a container),
 * outside which others may have it open.
 */
enum writers open_writers_find(struct open_search *s);

/* ---- files that cupel makes: scratch.c ---- */

/*
 * The mark is the last SCRATCH_MARK_BYTES of the file, after the bytes that are measured. It is a
 * text with the kind of the file, its size and a random id, padded with zeros. A file whose last
 * block is exactly the text for its own size is one of ours, no matter what was written before it.
 */

#define SCRATCH_MARK_BYTES 4096
#define SCRATCH_ALIGNMENT  4096 /* sizes are multiples of this */

/* How a fill reports its progress, and how it is stopped. */
struct fill_watch {
    target_fill_progress *progress; /* or NULL */
    void *context;
    const volatile int *stop; /* or NULL */
    double seconds; /* a fill ends after this time, once it has SCRATCH_MIN_BYTES; 0: at its end */
};

#define SCRATCH_MIN_BYTES (64u << 20)

/* True when the file of `file_size` bytes carries the mark; *size is then the number of bytes that
   may be measured. */
bool scratch_marked(int fd, uint64_t file_size, uint64_t *size);

/*
 * Does the file hold only what cupel wrote? The mark alone does not show this: swap, or a
 * filesystem that was made in the file, leaves the last block unchanged. True when samples of the
 * `size` bytes before the mark are cupel's noise, or were never written: the first and the last
 * MiB, where headers lie, powers of two, where filesystems keep copies of theirs, and 64 blocks
 * elsewhere. A block that cannot be read is not ours. fd is without O_DIRECT.
 */
bool scratch_holds_noise(int fd, uint64_t size, uint64_t seed);

/*
 * Make an empty (or smaller) file `size` bytes long, with the mark after them. An earlier mark
 * stays in place as data, and the caller must fill it. Errors as scratch_fill.
 */
int scratch_extend(int fd, const char *path, uint64_t size, struct err *e);

/*
 * Fill with noise every part of [begin, end) that was never written, or all of it when `all`, and
 * make it durable. The open file may have O_DIRECT. ERR_TARGET when writing fails or the filesystem
 * is full, ERR_UNDECIDED when stopped.
 */
int scratch_fill(int fd, const char *path, uint64_t begin, uint64_t end, bool all, uint64_t seed,
                 const struct fill_watch *watch, struct err *e);

/* Fill a new file from its beginning to *end, which becomes smaller when the watch's seconds are
   over first. */
int scratch_fill_new(int fd, const char *path, uint64_t *end, uint64_t seed,
                     const struct fill_watch *watch, struct err *e);

/* ---- files of several sessions: shared_file.c ---- */

/*
 * The list of the files that several sessions (target_request.shared) have open for writing in this
 * process, because the guard cannot tell this process from another program. A file that is only
 * read is not listed, because nobody has checked who writes it. Any thread.
 */
void shared_file_add(int fd, const struct stat *st);
void shared_file_remove(int fd); /* a file that is not listed is ignored */
bool shared_file_is_written(const struct stat *st);

/* ---- the kinds of targets: target_device.c, target_file.c, target_rules.c ---- */

/*
 * The functions of target_open: each opens one kind of target. They fill the struct target that
 * target.h describes; its `path` is set and its fd is -1 before. target_open closes it again when
 * they fail.
 */

/*
 * Everything that these functions need beside the target itself. `look` has the target open with
 * O_PATH from the first look to the end of target_open (-1: there is no target yet). A function
 * that judges and then opens again does so by file_reopen: it opens the file that was judged, even
 * if the path leads elsewhere meanwhile.
 */
struct opening {
    const struct target_request *request;
    int look;
    struct fill_watch watch;
};

int target_open_device(struct target *t, const struct opening *o, struct err *e);
/* Finds out whether the file that `fd` has open for reading is ours: it holds nothing but what
   cupel wrote; and its size. ERR_UNSAFE: it is to be written and is not. */
int target_judge_file(struct target *t, const struct target_request *request, int fd,
                      struct stat *st, struct err *e);
/* Refuses to write a device (t->device) that is in use, or without permission. ERR_UNSAFE. */
int target_judge_device(struct target *t, const struct target_request *request, struct err *e);
int target_open_file(struct target *t, const struct opening *o, struct err *e);
int target_make_file(struct target *t, const struct opening *o, struct err *e);
int target_make_scratch(struct target *t, const struct opening *o, struct err *e);
int target_make_folder(struct target *t, const struct opening *o, struct err *e);
void target_remove_folder(struct target *t); /* call it before the folder's descriptor is closed */

/*
 * The generic character device of an NVMe namespace or a SCSI disk, as target_is_generic finds.
 * Before writing, target_guard_generic finds the block device of the same namespace or disk (looked
 * up below `root`) and returns what guard_unused returns for it.
 */
bool target_is_generic(dev_t device);
int target_open_generic(struct target *t, dev_t device, const struct opening *o, struct err *e);
int target_guard_generic(const char *root, dev_t device, const char *path,
                         struct guard_sight *sight, dev_t *block, char name[64], struct err *e);

/* Sets the error for the errno of a file or device that cannot be opened. Always returns -1. */
int target_refusal(const char *path, int error, struct err *e);

/*
 * Open the file that was looked at, for measuring: read-only unless the workload writes, with
 * O_DIRECT if requested and with `flags`; then call target_opened.
 */
int target_open_fd(struct target *t, const struct opening *o, int flags, struct err *e);

/*
 * After an open that gave t->fd, or `error`: set t->direct and t->logical_block, or set the error.
 * There is no silent fall back from O_DIRECT.
 */
int target_opened(struct target *t, const struct target_request *request, int error, struct err *e);

/* Refuse a target of which more than `limit` was never written, or note it. */
int target_judge_unwritten(struct target *t, const struct target_request *request, double limit,
                           const char *remedy, struct err *e);

#endif
