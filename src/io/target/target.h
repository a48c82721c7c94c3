/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Targets: the file or device that I/O goes to, and the rules that must be met before any I/O.
 *
 *   - the file that is opened is the one that was checked, even if the path leads elsewhere
 *     meanwhile: one descriptor is held from the first check to the end of target_open, and every
 *     further open is of the same file or device (file_identity.h);
 *   - reading opens read-only, always;
 *   - writing to a block device needs `destroy`, and even then is refused (ERR_UNSAFE) if the same
 *     bytes are in use as this device, as a partition, as a device built on it, or as a device on
 *     which it is built (guard.h); the device is then opened with O_EXCL, which is held during the
 *     run;
 *   - a host-managed zoned device is not written without `zones`, because every write that is not
 *     at a write pointer fails;
 *   - /dev/ngXnY and /dev/sgN, the character devices of an NVMe namespace and of a SCSI disk,
 *     follow the rules of the block device of the same namespace or disk, which is held with O_EXCL
 *     while it is written; if there is none they cannot be written. Only passthrough reads and
 *     writes them. Passthrough never uses a partition;
 *   - writing to a regular file needs the mark of a file that cupel made and contents that are
 *     still the noise that cupel wrote, or else `overwrite`; a file to which a loop device, swap
 *     or another program writes is refused in any case (guard.h);
 *   - a file that does not exist is made, marked and filled when `size` is given, for reading as
 *     well, and gets its name when it is complete; the mark is one block after the end of
 *     `target.size`, and stays after every run;
 *   - a file of holes or never-written extents is filled when cupel made it, and otherwise refused:
 *     reading holes measures nothing. So is a block device that mostly reads as zeros.
 *     With `allow_unwritten` such targets are measured, and the report says so;
 *   - the files that this command reads as its input (base/file/input_files.h) are never written;
 *   - files of sysfs, /proc and the like are refused, for reading as well: they are switches of the
 *     kernel and of firmware, whatever size they show;
 *   - `fresh` requests a new and empty file that is written from its beginning again and again: a
 *     scratch file in the folder of the file that `path` names. That file is not touched and need
 *     not exist. A device has no folder, and is refused;
 *   - `entries` requests a scratch folder in `path`, which must be a directory: with an
 *     unpredictable name, mode 0700, locked while it is open, and removed at the end; nothing else
 *     is touched;
 *   - for a directory a scratch file is made in it, without a name (O_TMPFILE) where the filesystem
 *     supports that, so that nothing is left, no matter how the run ends.
 *
 * target_open fills the struct target; its caller must call target_close, which closes it and
 * removes scratch files and folders.
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
    bool read;            /* the workload reads; also set if the workload does not write */
    bool write;           /* the workload writes */
    bool direct;          /* O_DIRECT is requested */
    int synchronous;      /* O_SYNC or O_DSYNC for the writes, if requested; else 0 */
    bool destroy;         /* --destroy */
    bool overwrite;       /* --overwrite */
    bool allow_unwritten; /* --allow-unwritten */
    bool allow_unseen;    /* --allow-unseen */
    bool zones;           /* reads and writes follow the rules of a zoned device */
    /* other sessions of this process may have the file open and write it, too, so this session does
       not rely on its contents */
    bool shared;
    /* use a new and empty file beside the file that `path` names, see above */
    bool fresh;
    uint64_t size; /* size of the file to make in bytes; 0: the default for a scratch file */
    /* maximum time for filling a scratch file of the default size; the filling ends then if the
       file is large enough to measure. 0: no limit, the file is filled completely */
    double fill_seconds;
    /* number of entries in each folder of a scratch folder; entries that are files have `size`
       bytes; 0: no scratch folder */
    uint64_t entries;
    unsigned folders; /* number of folders in the scratch folder */
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
    /* descriptor, open for reading only unless `write`; for a block device that is written, opened
       with O_EXCL */
    int fd;
    char path[1024];
    enum target_kind kind;
    /* number of the block device: of the namespace or disk to which a generic device belongs; of
       the device that a file lies on; 0: there is none */
    dev_t device;
    uint64_t size; /* number of bytes that may be read and written */
    /* with `direct`, offsets and lengths must be multiples of this number */
    uint32_t logical_block;
    bool direct;     /* the descriptor has O_DIRECT */
    bool made_by_us; /* the file has cupel's mark, or was made in this run */
    bool unseen;     /* programs that could not be examined may have the target open */
    /* share of the file that was never written, or of the device's sampled blocks that read as
       zeros */
    double unwritten_share;
    /* the file is on a filesystem in memory, where O_DIRECT has no effect */
    bool in_memory;
    char note[200];             /* a sentence about the target that the report must show, or "" */
    struct nvme_namespace nvme; /* for passthrough, when the target is a whole NVMe namespace */
    struct scsi_unit scsi;      /* for passthrough, when the target is a whole SCSI disk */
    /* descriptor of the folder that contains the scratch folder, for removing it by its name; or -1
     */
    int parent_fd;
    char folder_name[40];
    /* descriptor that holds O_EXCL: on the block device of a generic device that is written, or on
       a block device that is written synchronously; or -1 */
    int exclusive_fd;
};

#define TARGET_SCRATCH_SIZE (1ull << 30)

/* Called repeatedly while a file is being filled, to show progress. `done` and `total` are
   bytes. */
typedef void target_fill_progress(void *context, uint64_t done, uint64_t total);

/* An empty target, such as target_close leaves. */
#define TARGET_NONE                                                                                \
    (struct target)                                                                                \
    {                                                                                              \
        .fd = -1, .exclusive_fd = -1, .parent_fd = -1, .nvme = NVME_NAMESPACE_NONE,                \
        .scsi = SCSI_UNIT_NONE                                                                     \
    }

/*
 * Opens a target, after making or filling the file if requested. Errors: ERR_USAGE (no such file,
 * no such device, impossible size), ERR_UNSAFE (see the rules above), ERR_TARGET (I/O failed, or
 * the filesystem is full), ERR_MACHINE (no permission, no O_DIRECT), ERR_UNDECIDED (*stop became
 * nonzero while a file was being filled). After -1 there is nothing to close. `progress` and `stop`
 * may be NULL.
 */
int target_open(struct target *t, const struct target_request *request,
                target_fill_progress *progress, void *context, const volatile int *stop,
                struct err *e);
void target_close(struct target *t);

/*
 * Checks a target that the request would write: returns 0 unless target_open would refuse it now
 * because of its contents, its users or a missing permission. The error is ERR_UNSAFE, or another
 * one of target_open. Nothing is made, changed or kept open. A target that does not exist, or a
 * folder, is not refused. *device becomes the number of the block device that the target is, or 0.
 */
int target_may_write(const struct target_request *request, dev_t *device, struct err *e);

/* Restores the size of a file that the backend changed (`resized`), and its mark if it had one.
   Returns 0, or -1 with the error. Does nothing if the file was not resized. */
int target_restore_size(struct target *t, bool resized, struct err *e);

/* Functions for a target that is a scratch folder. target_open_job_folder opens a folder in it for
   a job. It returns a descriptor, which the caller closes, or -1 with an error as target_open.
   target_remove_job_folder removes that folder with all its entries. It returns false if somebody
   put something else into the folder, which then stays. */
int target_open_job_folder(const struct target *t, unsigned job, struct err *e);
bool target_remove_job_folder(const struct target *t, unsigned job, int fd);

/*
 * Makes the data of one write: `length` bytes (a multiple of 8) of noise that depends only on the
 * offset and the sequence number. Neither compression nor deduplication can reduce it, within a
 * block or between blocks. Two writes with the same sequence number and offset have the same data,
 * so each worker counts its writes from a different number. Takes about 0.06 ns a byte.
 */
void write_data_fill(unsigned char *buffer, size_t length, uint64_t offset, uint64_t sequence);

/*
 * Returns true if all of `data` is noise of write_data_fill, from writes of any sizes and sequence
 * numbers. Each word follows from an earlier one, so nothing else passes: neither random nor
 * encrypted data nor zeros. A write of which less than 80 bytes are in `data` cannot be recognised.
 * Such a piece is accepted at the end of `data` and, unless `from_start` (`data` begins where a
 * write begins), at its beginning, but not between two other writes. The last bytes of a write of
 * an odd size, which do not fill a word, are accepted as well.
 */
bool write_data_is_noise(const unsigned char *data, size_t length, bool from_start);

#endif
