/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Targets: the file or device that I/O goes to, and the rules that must hold before it may.
 *
 *   - the file that is opened is the one that was judged, even if the path leads elsewhere
 *     meanwhile: one descriptor is held from the first look to the end of target_open, and every
 *     further open is of the same file or device (file_identity.h);
 *   - reading opens read-only, always;
 *   - writing to a block device needs `destroy`, and even then is refused (ERR_UNSAFE) when the
 *     same bytes are in use under any name: of this device, a partition, a device built on it or
 *     one that it is built on (guard.h); the device is then opened with O_EXCL, which is held for
 *     the time of the run;
 *   - a host-managed zoned device is not written without `zones`, because every write that is not
 *     at a write pointer fails;
 *   - /dev/ngXnY and /dev/sgN, the character devices of an NVMe namespace and of a SCSI disk,
 *     follow the rules of the block device of the same namespace or disk, which is held with O_EXCL
 *     while it is written; without one it cannot be written. Only passthrough reads and writes it.
 *     A partition is never passed through;
 *   - writing to a regular file needs the mark of a file that cupel made, whose bytes are still the
 *     noise that cupel wrote, or `overwrite`; a file that a loop device, swap or another program
 *     writes to is refused in any case (guard.h);
 *   - a file that does not exist is made, marked and filled when `size` is given, for reading as
 *     well, and gets its name when it is complete; the mark is one block after the end of
 *     `target.size`, and survives every run;
 *   - a file of holes or never-written extents is filled when cupel made it, and otherwise refused:
 *     reading holes measures nothing. So is a block device that reads as zeros for the most part.
 *     With `allow_unwritten` such targets are measured, and the report says so;
 *   - the files that this command reads as its input (base/file/input_files.h) are never written;
 *   - files of sysfs, /proc and the like are refused, for reading as well: they are switches of the
 *     kernel and of firmware, no matter what size they show;
 *   - `fresh` asks for a new and empty file, to be written from its begin again and again: a
 *     scratch file in the folder of the file that `path` names, which is not touched and may be
 *     missing. A device has no folder, and is refused;
 *   - `entries` asks for a scratch folder, which only a directory can hold: with an unpredictable
 *     name, mode 0700, locked while it is open, and removed at the end; nothing else is touched;
 *   - a directory means a scratch file in it, without a name (O_TMPFILE) where the filesystem can,
 *     so that nothing is left, no matter how the run ends.
 *
 * Owner: target_open fills it; target_close closes it and removes scratch files and folders.
 */
#ifndef CUPEL_IO_TARGET_TARGET_H
#define CUPEL_IO_TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "io/nvme/nvme_namespace.h"
#include "io/scsi/scsi_unit.h"

struct target_request {
    const char *path;
    bool read;            /* the workload reads; also set for one that does not write */
    bool write;           /* the workload writes */
    bool direct;          /* O_DIRECT is requested */
    int synchronous;      /* O_SYNC or O_DSYNC if requested for writes; else 0 */
    bool destroy;         /* --destroy */
    bool overwrite;       /* --overwrite */
    bool allow_unwritten; /* --allow-unwritten */
    bool allow_unseen;    /* --allow-unseen */
    bool zones;           /* reads and writes keep the rules of a zoned device */
    bool shared;          /* other sessions of this process may have the file open, and write it as
                             well: no session relies on its content */
    bool fresh;           /* a new and empty file beside the file that `path` names, see above */
    uint64_t size;        /* size of the file to make; 0: the default for a scratch file */
    double fill_seconds;  /* filling a scratch file of the default size ends after this time, if it
                             is then large enough to measure; 0: it is filled completely */
    uint64_t entries;     /* entries in each folder of a scratch folder, files of `size` bytes among
                             them; 0: no scratch folder */
    unsigned folders;     /* number of folders in the scratch folder */
    uint64_t seed;
};

enum target_kind {
    TARGET_FILE,
    TARGET_BLOCK_DEVICE,
    TARGET_SCRATCH,
    TARGET_GENERIC, /* the character device of an NVMe namespace or a SCSI disk */
    TARGET_FOLDER
};

struct target {
    int fd; /* read-only unless `write`; holds O_EXCL on a block device it writes */
    char path[1024];
    enum target_kind kind;
    dev_t device;  /* the block device (that of the namespace or disk for a generic device),
                      or the one that the file lies on; 0: none */
    uint64_t size; /* bytes that may be read and written */
    uint32_t logical_block;     /* with `direct`, offsets and lengths are multiples of it */
    bool direct;                /* O_DIRECT is in force */
    bool made_by_us;            /* carries our mark, or was made in this run */
    bool unseen;                /* programs that could not be looked into may have it open */
    double unwritten_share;     /* share of the sampled blocks that were never written or read as
                                   zeros */
    bool in_memory;             /* the file is on a filesystem in memory, where O_DIRECT means
                                   nothing */
    char note[200];             /* a sentence about it that the report must show, or "" */
    struct nvme_namespace nvme; /* for passthrough, when the target is a whole NVMe namespace */
    struct scsi_unit scsi;      /* for passthrough, when the target is a whole SCSI disk */
    int parent_fd; /* the folder in which a scratch folder lies, and from which it is removed by its
                      name; or -1 */
    char folder_name[40];
    int exclusive_fd; /* held with O_EXCL: the block device of a generic device that is written, or
                         the one that is written synchronously; or -1 */
};

#define TARGET_SCRATCH_SIZE (1ull << 30)

/* Called now and then while a file is being filled, so that the user sees progress. */
typedef void target_fill_progress(void *context, uint64_t done, uint64_t total);

/* An empty target: what target_close leaves. */
#define TARGET_NONE                                                                                \
    (struct target)                                                                                \
    {                                                                                              \
        .fd = -1, .exclusive_fd = -1, .parent_fd = -1, .nvme = NVME_NAMESPACE_NONE,                \
        .scsi = SCSI_UNIT_NONE                                                                     \
    }

/*
 * Open a target; before that make or fill it if requested. ERR_USAGE (no such file, no such device,
 * impossible size), ERR_UNSAFE, ERR_TARGET (I/O failed, full), ERR_MACHINE (permission, no
 * O_DIRECT), ERR_UNDECIDED when *stop became non-zero while a file was being filled. After -1 there
 * is nothing to close. `progress` and `stop` may be NULL.
 */
int target_open(struct target *t, const struct target_request *request,
                target_fill_progress *progress, void *context, const volatile int *stop,
                struct err *e);
void target_close(struct target *t);

/*
 * Returns 0 when a target that the request writes would not be refused now for its content, its
 * users or a missing permission; ERR_UNSAFE, or another error of target_open. Nothing is made,
 * changed or kept open. A target that does not exist, or a folder, is not refused. *device: the
 * number of the block device that it is, or 0.
 */
int target_may_write(const struct target_request *request, dev_t *device, struct err *e);

/* Give a file its size back after a backend that changed it (`resized`), and its mark if it had
   one. Returns 0, or -1 with the error; a file that was not resized is left alone. */
int target_restore_size(struct target *t, bool resized, struct err *e);

/* For a scratch folder: open a folder in it for a job, which the caller closes (-1: errors as
   target_open); and remove it with all its entries. False: somebody put something there that is not
   an entry, and it stays. */
int target_open_job_folder(const struct target *t, unsigned job, struct err *e);
bool target_remove_job_folder(const struct target *t, unsigned job, int fd);

/*
 * Make the data of one write: `length` bytes (a multiple of 8) of noise that depends only on the
 * offset and the sequence number, so that neither compression nor deduplication finds anything,
 * within a block or between blocks. Two writes with the same sequence number and offset are alike:
 * each worker counts its writes from a number of its own. Takes about 0.06 ns a byte.
 */
void write_data_fill(unsigned char *buffer, size_t length, uint64_t offset, uint64_t sequence);

/*
 * True when all of `data` is such noise, from writes of any sizes and numbers. Each word follows
 * from an earlier one, so nothing else passes: neither random nor encrypted data nor zeros. A write
 * of which less than 80 bytes lie in `data` cannot be recognised. It is accepted at the end and,
 * unless `from_start` (the first byte is the first of a write), at the beginning. The last bytes of
 * a write of an odd size, which do not fill a word, are accepted as well; a short piece between two
 * other writes is not.
 */
bool write_data_is_noise(const unsigned char *data, size_t length, bool from_start);

#endif
