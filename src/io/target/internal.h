/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/io/target share. */
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
 * The loop devices that are set up, and where each keeps its bytes: a stretch of a file, or of
 * another block device. The kernel does not count a loop device as a user (holder) of its backing
 * device, and lets several of them share one file.
 */

enum loop_backing { LOOP_ON_FILE, LOOP_ON_DEVICE, LOOP_UNKNOWN };

struct loop {
    dev_t device;
    char name[32];
    enum loop_backing kind;
    dev_t backing;       /* the device that it lies on, or the filesystem of the file */
    ino_t inode;         /* of the file */
    uint64_t begin, end; /* the stretch of it, in bytes */
};

struct loops {
    struct loop *rows;
    size_t count;
};

/*
 * All of them, from sysfs below `root`. The kernel's answer (LOOP_GET_STATUS64) says which file it
 * is; without permission for that the path in sysfs is looked up, and LOOP_UNKNOWN is one whose
 * path leads nowhere, as that of a removed file. The caller frees it with loops_free, always. False
 * when sysfs cannot be read or there is no memory.
 */
bool loops_read(const char *root, struct loops *l);
void loops_free(struct loops *l);

/* True when both lie on the same file or device, and their stretches of it meet. */
bool loops_overlap(const struct loop *a, const struct loop *b);

/* ---- relatives of a device: guard_related.c ---- */

/*
 * Every device that has bytes in common with a target, and how it is related. The rule that the
 * table of relations follows stands in guard.h.
 */

#define GUARD_RELATED_MAX 256

/* GUARD_BELOW is under a loop device: the same bytes. GUARD_SLAVE is under dm or md, which may use
 * a part. */
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

/* Where the walk goes on from a related device. */
enum {
    GUARD_PARTITIONS = 1, /* its own */
    GUARD_DISK = 2,       /* the one that it is a partition of */
    GUARD_PATHS = 4,      /* disks of the same wwid */
    GUARD_HOLDERS = 8,    /* built on it by dm, md, bcache */
    GUARD_LOOPS = 16,     /* loop devices on it */
    GUARD_LOWER = 32,     /* what it is built on */
    GUARD_CLAIM = 64,     /* the kernel is asked whether somebody has claimed it */
};

struct guard_related {
    dev_t device;
    char name[64];
    enum guard_relation relation;
    unsigned follow, followed;
    const struct loop *loop; /* it is one of these, or NULL */
};

/* One search for the users of a target. Large: it is allocated. Owns the list of loop devices. */
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
 * List the device itself and all that is related to it. 0, or -1 with ERR_UNSAFE: what cannot be
 * looked at may be in use. `s` has its root, path and e; loops_free(&s->loops) afterwards, always.
 */
int guard_relate(struct guard_search *s, dev_t device);

struct guard_related *guard_find(struct guard_search *s, dev_t device); /* or NULL */

/* The disk of a character device that reads and writes it as well: a generic device of SCSI
   (/dev/sgN, /dev/bsg), or of an NVMe namespace. False for any other. */
bool guard_block_device_of(dev_t character, dev_t *block);

/* "its partition sdb1", as the subject of a message. */
const char *guard_subject(const struct guard_related *r, char text[128]);

/* The refusal of what cannot be looked up. Always -1. */
int guard_cannot_look(const char *path, const char *what, struct err *e);

/* Not all programs can be looked into: refused, unless `sight` allows it. */
int guard_cannot_see(const char *path, struct guard_sight *sight, struct err *e);

/* Looks at one line, which it may change. 0, or -1 with the error, which ends the table. */
typedef int guard_check_line(void *context, char *line, struct err *e);

/*
 * Check every line of `table` below `root`. One that is not there is refused (for `path`) only when
 * it is `required`.
 */
int guard_check_table(const char *root, const char *table, bool required, const char *path,
                      guard_check_line *check, void *context, struct err *e);

/* The absolute path in the first field of a line of /proc/swaps, or NULL; *found: it leads to
 *st. */
const char *guard_swap_path(char *line, struct stat *st, bool *found);

/* ---- programs that write to it: open_writers.c, open_mappings.c, open_file.c ---- */

enum writers { NO_WRITERS, SOME_WRITERS, CANNOT_ASK };

/*
 * A look through /proc for programs that have something open for writing: by a descriptor, in an
 * io_uring, or in a shared mapping whose descriptor is closed. Of this process itself only standard
 * input, output and error count. About 2 us a descriptor and 10 us a process.
 */
struct open_search {
    /* Is this open file (its type, filesystem, inode and device number) what is looked for? */
    bool (*is_it)(void *context, const struct stat *st);
    void *context;
    bool devices; /* it may be a device */
    /* the answer */
    char program[32]; /* SOME_WRITERS: who it is */
    pid_t process;
    /* of the search */
    pid_t own;       /* this process, in /proc */
    dev_t anonymous; /* the filesystem of what has no file: event counters, io_urings */
    bool unseen;     /* not all processes can be looked into */
};

/*
 * Who closes it within a second is not counted: udev and the like look at devices now and then.
 * CANNOT_ASK: nobody was seen, and not everybody can be: this is not root, /proc hides processes,
 * or this is a namespace of processes (a container), outside which others may have it open.
 */
enum writers open_writers_find(struct open_search *s);

/* Its parts: the mappings of one process, by its number, the numbers of an open file by its link in
   /proc, and whether it was opened for writing. */
bool open_mapping_writes(struct open_search *s, const char *process);
bool open_file_look(int folder, const char *name, struct stat *st);
bool open_file_is_written(int folder, const char *name);

/* ---- files that cupel makes: scratch.c ---- */

/*
 * The mark is the last SCRATCH_MARK_BYTES of the file, after the bytes that are measured. It is a
 * text that says what the file is, its size and a random id, padded with zeros; a file whose last
 * block is exactly the text for its own size is one of ours, whatever was written before it.
 */

#define SCRATCH_MARK_BYTES 4096
#define SCRATCH_ALIGNMENT  4096 /* sizes are multiples of it */

/* How a fill reports its progress, and how it is stopped. */
struct fill_watch {
    target_fill_progress *progress; /* or NULL */
    void *context;
    const volatile int *stop; /* or NULL */
    double seconds; /* what is filled ends after so long, once it has SCRATCH_MIN_BYTES; 0: at its
                       end */
};

#define SCRATCH_MIN_BYTES (64u << 20)

/* True when the file of `file_size` bytes carries the mark; *size is then what may be measured. */
bool scratch_marked(int fd, uint64_t file_size, uint64_t *size);

/*
 * The mark alone says little: swap or a filesystem made in the file leaves its last block as it
 * is. True when the `size` bytes before it are what cupel writes, or were never written, as far
 * as samples show: the first and the last MiB, where headers lie, powers of two, where filesystems
 * keep copies of theirs, and 64 blocks elsewhere. A block that cannot be read is none of ours. fd
 * is without O_DIRECT.
 */
bool scratch_holds_noise(int fd, uint64_t size, uint64_t seed);

/*
 * Make the empty (or smaller) file `size` bytes long, with the mark after them. What was a mark
 * before stays in place as data: fill it. Errors as scratch_fill.
 */
int scratch_extend(int fd, const char *path, uint64_t size, struct err *e);

/*
 * Fill with noise whatever in [begin, end) was never written, or all of it when `all`, and make it
 * durable. The open file may have O_DIRECT. ERR_TARGET when writing fails or the filesystem is
 * full, ERR_UNDECIDED when stopped.
 */
int scratch_fill(int fd, const char *path, uint64_t begin, uint64_t end, bool all, uint64_t seed,
                 const struct fill_watch *watch, struct err *e);

/* A new file from its beginning to *end, which is earlier where the watch's seconds were over. */
int scratch_fill_new(int fd, const char *path, uint64_t *end, uint64_t seed,
                     const struct fill_watch *watch, struct err *e);

/* ---- files of several sessions: shared_file.c ---- */

/*
 * Sessions at the same time that may write one file (target_request.shared) open it one after the
 * other, between begin and end, so that the first makes it and the others find it. One that is
 * listed is open for writing in this very process, which the guard cannot tell from another
 * program; one that is only read is not listed, for nobody has judged who writes it. Any thread.
 */
void shared_file_begin(void);
void shared_file_end(void);
void shared_file_add(int fd, const struct stat *st);
void shared_file_remove(int fd); /* one that is not listed is let be */
bool shared_file_is_written(const struct stat *st);

/* ---- the kinds of targets: target_device.c, target_file.c, target_rules.c ---- */

/*
 * The functions of target_open: each opens one kind of target. They fill what target.h says of a
 * struct target whose `path` is set and whose fd is -1; target_open closes it again when they fail.
 */

/*
 * Everything that they need beside the target itself. `look` has the target open with O_PATH from
 * the first look to the end of target_open (-1: there is none yet): a function that judges and then
 * opens again does so by file_reopen, so that what it opens is what was judged, whatever the path
 * leads to meanwhile.
 */
struct opening {
    const struct target_request *request;
    int look;
    struct fill_watch watch;
};

int target_open_device(struct target *t, const struct opening *o, struct err *e);
int target_open_file(struct target *t, const struct opening *o, struct err *e);
int target_make_file(struct target *t, const struct opening *o, struct err *e);
int target_make_scratch(struct target *t, const struct opening *o, struct err *e);
int target_make_folder(struct target *t, const struct opening *o, struct err *e);
void target_remove_folder(struct target *t); /* before its descriptor is closed */

/*
 * The generic character device of an NVMe namespace, which is one by target_is_nvme_generic. For
 * writing, target_guard_namespace finds the block device of the same namespace (looked up below
 * `root`) and answers as guard_unused does.
 */
bool target_is_nvme_generic(dev_t device);
bool target_is_shown(dev_t device); /* sysfs has this character device, whatever it is */
int target_open_nvme(struct target *t, dev_t device, const struct opening *o, struct err *e);
int target_guard_namespace(const char *root, dev_t device, const char *path,
                           struct guard_sight *sight, dev_t *block, char name[64], struct err *e);

/* Why a file or device cannot be opened: the code and the message for an errno. Always -1. */
int target_refusal(const char *path, int error, struct err *e);

/*
 * Open what was looked at for measuring: read-only unless the workload writes, O_DIRECT as asked,
 * `flags` added, and then target_opened.
 */
int target_open_fd(struct target *t, const struct opening *o, int flags, struct err *e);

/*
 * After an open that gave t->fd, or `error`: set t->direct and t->logical_block, or say why it
 * failed. There is no silent fall back from O_DIRECT.
 */
int target_opened(struct target *t, const struct target_request *request, int error, struct err *e);

/* Refuse what was mostly never written (more than `limit` of it), or note it. */
int target_judge_unwritten(struct target *t, const struct target_request *request, double limit,
                           const char *remedy, struct err *e);

#endif
