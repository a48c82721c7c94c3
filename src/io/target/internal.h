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

/* ---- loop devices: loop_devices.c ---- */

/*
 * The loop devices that are set up, and where each stores its bytes: in a part of a file, or of
 * another block device. The kernel does not count a loop device as a user (holder) of its backing
 * device, and lets several of them share one file.
 */

enum loop_backing { LOOP_ON_FILE, LOOP_ON_DEVICE, LOOP_UNKNOWN };

struct loop {
    dev_t device;
    char name[32];
    enum loop_backing kind;
    dev_t backing; /* number of the backing device, or of the backing file's filesystem */
    ino_t inode;   /* inode of the backing file */
    /* for a backing file on an overlay: the filesystem that contains the file's bytes */
    dev_t upper;
    /* inode of the file in that filesystem; 0: unknown, or the file cannot be reached */
    ino_t upper_inode;
    uint64_t begin, end; /* the part of the backing file or device, in bytes */
};

struct loops {
    struct loop *rows;
    size_t count;
};

/*
 * Reads all loop devices, from sysfs below `root`. The kernel (LOOP_GET_STATUS64) reports the file
 * of each. Without permission for this call the path in sysfs is looked up; a device whose path
 * leads nowhere, such as the path of a deleted file, is LOOP_UNKNOWN. The caller always frees the
 * list with loops_free. Returns false when sysfs cannot be read or there is no memory.
 */
bool loops_read(const char *root, struct loops *l);
void loops_free(struct loops *l);

/* Returns true when the loop device lies on that file, or on a file of an overlay whose bytes are
   in that file. */
bool loop_is_on_file(const struct loop *l, dev_t filesystem, ino_t inode);

/* ---- relatives of a device: guard_related.c ---- */

/*
 * Finds every device that shares bytes with a target, and how the two are related. guard.h states
 * the rule that the table of relations follows.
 */

#define GUARD_RELATED_MAX 256

/* GUARD_BELOW: the device below a loop device, with the same bytes. GUARD_SLAVE: a device below dm
   or md, which may use only a part of it. */
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

/* Relations that the walk follows from a device that it has found. */
enum {
    GUARD_PARTITIONS = 1, /* its own partitions */
    GUARD_DISK = 2,       /* the disk of which it is a partition */
    GUARD_PATHS = 4,      /* disks with the same wwid */
    GUARD_HOLDERS = 8,    /* devices of dm, md or bcache that are built on it */
    GUARD_LOOPS = 16,     /* loop devices that lie on it */
    GUARD_LOWER = 32,     /* the devices on which it is built */
    /* no relation to follow: the kernel is asked whether anybody has claimed the device */
    GUARD_CLAIM = 64,
};

struct guard_related {
    dev_t device;
    char name[64];
    enum guard_relation relation;
    unsigned follow, followed;
    /* the device's entry in the list of loop devices; NULL: it is not a loop device */
    const struct loop *loop;
};

/* One search for the users of a target. The struct is too large for a stack, and owns the list of
   loop devices. */
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
 * Lists the device itself and all devices related to it. Returns 0, or -1 with ERR_UNSAFE: a device
 * that cannot be examined may be in use. The caller sets root, path and e of `s`, and always calls
 * loops_free(&s->loops) afterwards.
 */
int guard_relate(struct guard_search *s, dev_t device);

/* Returns a list of all devices that share bytes with the device; NULL without memory. If something
   cannot be looked up, the list is incomplete and *e has the error. The caller frees it with
   guard_search_end. */
struct guard_search *guard_search_around(const char *root, dev_t device, struct err *e);
void guard_search_end(struct guard_search *s);

struct guard_related *guard_find(struct guard_search *s, dev_t device); /* or NULL */

/* Finds the disk that has the same bytes as a character device: a generic device of SCSI (/dev/sgN,
   /dev/bsg) or of an NVMe namespace. Returns false for any other device. */
bool guard_block_device_of(dev_t character, dev_t *block);

/* Returns the device as the subject of a message, such as "its partition sdb1". */
const char *guard_subject(const struct guard_related *r, char text[128]);

/* Sets the error for something that cannot be looked up. Always returns -1. */
int guard_cannot_look(const char *path, const char *what, struct err *e);

/* Sets the error for programs that cannot be examined, and returns -1; returns 0 if `sight` allows
   that. */
int guard_cannot_see(const char *path, struct guard_sight *sight, struct err *e);

/* Checks one line of a table, which it may change. Returns 0, or -1 with an error; no further line
   is then read. */
typedef int guard_check_line(void *context, char *line, struct err *e);

/*
 * Calls `check` for every line of `table` below `root`. A missing table is an error only if it is
 * `required`; the message then names `path`.
 */
int guard_check_table(const char *root, const char *table, bool required, const char *path,
                      guard_check_line *check, void *context, struct err *e);

/* Returns the absolute path in the first field of a line of /proc/swaps, or NULL. *found becomes
   true if the path leads to a file or device, and *st then describes it. */
const char *guard_swap_path(char *line, struct stat *st, bool *found);

/* For a file on an overlay: opens, for reading, the file in the upper folder that contains its
   bytes. `fd` may be open with O_PATH. Returns -1 when the file is not on an overlay, has no copy
   in the upper folder yet, or the folder cannot be reached. */
int overlay_open_upper(const char *root, int fd, const struct stat *st);

/* ---- programs that write to it: open_writers.c ---- */

enum writers { NO_WRITERS, SOME_WRITERS, CANNOT_ASK };

/*
 * A search through /proc for programs that have a file open for writing: by a descriptor, in an
 * io_uring, or in a shared mapping whose descriptor is closed. Of the descriptors of this process
 * only standard input, output and error count. Takes about 2 us per descriptor and 10 us per
 * process.
 */
struct open_search {
    /* Returns true if this open file (its type, filesystem, inode and device number) is the one
       that is searched for. */
    bool (*is_it)(void *context, const struct stat *st);
    void *context;
    bool devices; /* the file that is searched for may be a device */
    /* The result: */
    char program[32]; /* for SOME_WRITERS: the program's name */
    pid_t process;
    /* Set by the search: */
    pid_t own;       /* this process's number as /proc shows it */
    dev_t anonymous; /* device number of descriptors without a file: event counters, io_urings */
    bool unseen;     /* some processes could not be examined */
};

/*
 * Runs the search. A program that closes the file within a second does not count: udev and the like
 * open devices for a short time. CANNOT_ASK: no writer was found, but not all programs can be
 * examined: this user is not root, /proc hides processes, or this is a PID namespace (a container),
 * outside of which other programs may have the file open.
 */
enum writers open_writers_find(struct open_search *s);

/* ---- files that cupel makes: scratch.c ---- */

/*
 * The mark is the last SCRATCH_MARK_BYTES of the file, after the bytes that are measured. It is a
 * text with the kind of the file, its size and a random id, padded with zeros. A file counts as
 * made by cupel if its last block is exactly this text for its present size, whatever the other
 * blocks contain.
 */

#define SCRATCH_MARK_BYTES 4096
#define SCRATCH_ALIGNMENT  4096 /* sizes of files that cupel makes are multiples of this number */

/* How a fill reports its progress, and how it is stopped. */
struct fill_watch {
    target_fill_progress *progress; /* or NULL */
    void *context;
    const volatile int *stop; /* or NULL */
    /* time after which a fill ends if it has written SCRATCH_MIN_BYTES; 0: it ends when everything
       is filled */
    double seconds;
};

#define SCRATCH_MIN_BYTES (64u << 20)

/* Returns true when the file of `file_size` bytes has the mark; *size is then the number of bytes
   that may be measured. */
bool scratch_marked(int fd, uint64_t file_size, uint64_t *size);

/*
 * Returns true if the file contains only what cupel wrote. The mark alone does not prove this:
 * swap, or a filesystem that was made in the file, leaves the last block unchanged. So samples of
 * the `size` bytes before the mark are read, and each must be cupel's noise or never written: the
 * first and the last MiB, where headers are; the blocks at powers of two, where filesystems have
 * copies of their headers; and 64 other blocks. A block that cannot be read counts as foreign. fd
 * is without O_DIRECT.
 */
bool scratch_holds_noise(int fd, uint64_t size, uint64_t seed);

/*
 * Extends an empty or smaller file to `size` bytes, and writes the mark after them. An earlier mark
 * stays where it is and becomes data, which the caller must overwrite. The errors are those of
 * scratch_fill.
 */
int scratch_extend(int fd, const char *path, uint64_t size, struct err *e);

/*
 * Fills with noise every part of [begin, end) that was never written, or with `all` the whole
 * range, and flushes the file. The open file may have O_DIRECT. ERR_TARGET: writing failed, or the
 * filesystem is full. ERR_UNDECIDED: it was stopped.
 */
int scratch_fill(int fd, const char *path, uint64_t begin, uint64_t end, bool all, uint64_t seed,
                 const struct fill_watch *watch, struct err *e);

/* Fills a new file from its beginning to *end. If the time limit of the watch comes first, *end
   becomes smaller. */
int scratch_fill_new(int fd, const char *path, uint64_t *end, uint64_t seed,
                     const struct fill_watch *watch, struct err *e);

/* ---- files of several sessions: shared_file.c ---- */

/*
 * The list of the files that several sessions (target_request.shared) have open for writing in this
 * process. The guard needs it, because it cannot distinguish this process from another program. A
 * file that is only read is not listed, because nobody has checked which programs write it. Any
 * thread.
 */
void shared_file_add(int fd, const struct stat *st);
void shared_file_remove(int fd); /* ignores a file that is not listed */
bool shared_file_is_written(const struct stat *st);

/* ---- the kinds of targets: target_device.c, target_file.c, target_rules.c ---- */

/*
 * The functions of target_open: each opens one kind of target, and fills the struct target that
 * target.h describes. Before the call its `path` is set and its fd is -1. If such a function fails,
 * target_open closes the target.
 */

/*
 * The arguments of the functions of target_open, apart from the target. `look` is a descriptor with
 * O_PATH of the target, open during the whole target_open (-1: the target does not exist yet). A
 * function that checks a file and then opens it again uses file_reopen, which opens the file that
 * was checked even if the path leads elsewhere meanwhile.
 */
struct opening {
    const struct target_request *request;
    int look;
    struct fill_watch watch;
};

int target_open_device(struct target *t, const struct opening *o, struct err *e);
/* Finds out the size of the file that `fd` has open for reading, and whether the file is ours,
   which means that it contains only what cupel wrote. ERR_UNSAFE: the file is to be written and is
   not ours. */
int target_judge_file(struct target *t, const struct target_request *request, int fd,
                      struct stat *st, struct err *e);
/* Refuses to write a device (t->device) that is in use, or for which the permission is missing.
   Errors: ERR_UNSAFE. */
int target_judge_device(struct target *t, const struct target_request *request, struct err *e);
int target_open_file(struct target *t, const struct opening *o, struct err *e);
int target_make_file(struct target *t, const struct opening *o, struct err *e);
int target_make_scratch(struct target *t, const struct opening *o, struct err *e);
int target_make_folder(struct target *t, const struct opening *o, struct err *e);
/* must be called before the folder's descriptor is closed */
void target_remove_folder(struct target *t);

/*
 * For the generic character device of an NVMe namespace or a SCSI disk, which target_is_generic
 * recognises. target_guard_generic is called before writing: it finds the block device of the same
 * namespace or disk in sysfs below `root`, and returns the result of guard_unused for that device.
 */
bool target_is_generic(dev_t device);
int target_open_generic(struct target *t, dev_t device, const struct opening *o, struct err *e);
int target_guard_generic(const char *root, dev_t device, const char *path,
                         struct guard_sight *sight, dev_t *block, char name[64], struct err *e);

/* Sets the error for the errno of a file or device that cannot be opened. Always returns -1. */
int target_refusal(const char *path, int error, struct err *e);

/*
 * Opens, for measuring, the file that o->look has open: read-only unless the workload writes, with
 * O_DIRECT if requested and with `flags`; then calls target_opened.
 */
int target_open_fd(struct target *t, const struct opening *o, int flags, struct err *e);

/*
 * To be called after an open: t->fd is the descriptor, or `error` its errno. Sets t->direct and
 * t->logical_block, or sets the error. If O_DIRECT is not possible this is an error, never a silent
 * change to buffered I/O.
 */
int target_opened(struct target *t, const struct target_request *request, int error, struct err *e);

/* Refuses to read a target of which a larger share than `limit` was never written, unless the
   request allows that; otherwise adds a note to the target. */
int target_judge_unwritten(struct target *t, const struct target_request *request, double limit,
                           const char *remedy, struct err *e);

#endif
