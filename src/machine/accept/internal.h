/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations shared by the files of src/machine/accept: one disk, and the list of stages. */
#ifndef CUPEL_MACHINE_ACCEPT_INTERNAL_H
#define CUPEL_MACHINE_ACCEPT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/random.h"
#include "facts/inventory.h"
#include "hw/sysroot/sysroot.h"
#include "io/stamp/stamp.h"
#include "io/target/target.h"
#include "machine/accept/accept.h"
#include "machine/accept/turns.h"
#include "run/plan/plan.h"
#include "run/session/session.h"

struct accept_journal; /* accept_journal.h */
struct accept_line;
struct accept_log; /* accept_kernel_log.c */

/* ---- one disk ---- */

/*
 * A disk as every stage gets it. accept_disks_choose identifies it. From accept_disk_hold to
 * accept_disk_release it is open, and nobody else may open it for writing. All stages of a disk run
 * in one thread.
 */
struct accept_disk {
    const struct accept_request *request;
    const struct sysroot *root;
    struct accept_journal *journal; /* the disk's own view of the journal while stages run */
    struct turns *turns;            /* NULL before the stages run */
    struct accept_log *log;         /* set while the disk is held; NULL if there was no memory for
                                       it */
    unsigned number;                /* the disk's number in the journal and in the turns */

    char name[64];    /* "nvme0n1" */
    char path[1024];  /* "/dev/nvme0n1" */
    char kind[16];    /* "nvme", "sata": facts/qualification.h */
    char serial[128]; /* "": it has none */
    char model[64], firmware[32];
    dev_t device;
    uint64_t size; /* bytes, a multiple of the logical block */
    uint32_t logical_block;
    bool rotates;
    bool is_volume; /* the target is a volume (dm, md, loop), not a drive */
    bool is_known;  /* no other disk has this `identity` */
    /* how the kernel identifies the disk (io/target/target_identity.h), cut to this length; or
       "" */
    char identity[232];
    uint64_t salt;         /* salt of all data that this acceptance writes, and of no other data */
    double rate;           /* rate of sequential writes in bytes/s: measured, or guessed from the
                              kind */
    char thermometer[512]; /* a file of /sys in thousandths of degrees; "": none */
    double celsius_max;    /* the work pauses above this temperature; NaN: no limit is known */
    unsigned group;        /* number of the group of disks that share a part which could slow
                              them */
    int numa_node;         /* -1: not known */
    bool left_out;         /* when resuming with names: the disk is not named, and is left alone */

    struct target target;          /* open for reading and writing, O_DIRECT, exclusively */
    struct session_shared *shared; /* shared by all sessions on that target (session_run_shared) */
    struct plan plan;              /* plan of the sessions: the target and the permission, all else
                                      by default */

    const volatile sig_atomic_t *stop;
    const struct session_observer *observer;
};

/* Finds the disks of a request, or of the journal that is resumed, with everything that is known
   before they are opened. ERR_UNSAFE: two names mean one drive, or a drive is not the one of the
   journal. */
int accept_disks_choose(struct accept_disk disks[], size_t *count,
                        const struct accept_request *request, struct accept_journal *journal,
                        struct err *e);

/* Adds a new disk to the journal, with the salt of the data to be written. */
int accept_disk_keep(struct accept_disk *d, struct err *e);

/* Checks that the disk may be destroyed: the options permit it, or a person types its serial number
   now. When resuming, the drive's contents decide, too: accept_resume_check. ERR_UNSAFE: it may not
   be destroyed. */
int accept_disk_permit(struct accept_disk *d, struct err *e);
bool accept_disk_is_given(const struct accept_disk *d); /* given by --destroy-serial in this call */

/* Opens the disk for all stages. ERR_UNSAFE: it is in use, or is another disk. accept_disk_release
   closes it. */
int accept_disk_hold(struct accept_disk *d, struct err *e);
void accept_disk_release(struct accept_disk *d);

/* Checks that the disk is still the drive of the journal. ERR_UNSAFE: another drive; ERR_TARGET: it
   is gone. */
int accept_disk_check(const struct accept_disk *d, struct err *e);

/* Returns what happened to an open drive whose write or flush failed with this error number: "; the
   drive is gone", "; the drive has become read-only", or "". */
const char *accept_drive_state(int fd, int error);

/* Returns the disk's temperature in degrees Celsius, NaN without a thermometer. Reads one file. */
double accept_disk_celsius(const struct accept_disk *d);

/* Returns the stamps of a pass over the disk; passes are numbered from 1, as in preconditioning. */
static inline struct stamp_run accept_disk_stamp(const struct accept_disk *d, uint32_t generation)
{
    return (struct stamp_run){.serial_hash = stamp_serial_hash(d->serial),
                              .salt = d->salt,
                              .generation = generation,
                              .sector_bytes = d->logical_block};
}

static inline bool accept_disk_stopped(const struct accept_disk *d)
{
    return d->stop && *d->stop;
}

/* ---- resume_check.c ---- */

/* Returns how many bytes from the beginning of the drive this acceptance has written and
   flushed. */
uint64_t accept_resume_covered(const struct accept_disk *d);

/* Records in the journal, before the first write, what the drive holds at its beginning and end. */
int accept_resume_keep(const struct accept_disk *d, struct err *e);

/* Checks that the open target is the drive on which the work began, and that samples of the written
   bytes still hold data of this acceptance: stamps, noise or zeros. ERR_UNSAFE: nothing shows
   that. */
int accept_resume_check(const struct accept_disk *d, struct err *e);

/* ---- stages ---- */

/*
 * A stage of the list in stages.c, which is in the order in which they run. `run` continues where
 * the journal's lines end, and returns 0 when the stage has reached its end; faults that it found
 * are findings. -1: the stage could not reach its end, with the reason (ERR_UNDECIDED: it was
 * stopped); later stages then do not run.
 */
struct accept_stage {
    const char *name;
    const char *words; /* "writes all of it twice, in order" */
    /* refuses what cannot be done, before the first byte is written; NULL: no check is needed */
    int (*check)(const struct accept_disk *d, struct err *e);
    double (*estimate_seconds)(const struct accept_disk *d); /* NaN: unknown */
    int (*run)(struct accept_disk *d, struct err *e);
};

extern const struct accept_stage stage_purge, stage_capacity, stage_precondition, stage_verify,
    stage_pts_iops, stage_pts_tp, stage_pts_lat, stage_pts_wsat;
extern const struct accept_stage *const accept_stages[]; /* ended by NULL */

#define ACCEPT_PRECONDITION "precondition"

/* Returns whether the stage is among the requested names. */
static inline bool accept_stage_asked(const char *names, const char *name)
{
    for (size_t length; *names; names += length + (names[length] == ',')) {
        length = strcspn(names, ",");
        if (length == strlen(name) && !memcmp(names, name, length))
            return true;
    }
    return false;
}

/* Returns whether the stage measures; disks take turns at such stages. */
static inline bool accept_stage_measures(const struct accept_stage *stage)
{
    return !strncmp(stage->name, "pts-", 4);
}

/* ---- stages.c ---- */

/* Returns whether this stage has ended and no later write makes it necessary again. */
bool accept_stage_is_done(const struct accept_disk *d, const struct accept_stage *stage);

/* Computes the seconds of all requested, unfinished stages of the disk, after `current` if it is
   not NULL, separately for those that write and those that measure. Unknown times are left out. */
void accept_stages_left(const struct accept_disk *d, const struct accept_stage *current,
                        double *writes, double *measures);

/* Returns the largest number of threads of a test. */
unsigned accept_workers_of(const struct accept_request *r);

/* ---- accept_threads.c: the stages of all disks ---- */

/* Runs the remaining stages on disks that are held, each disk in its thread. A disk that fails is
   no error here: the journal says so. -1: the journal could not be kept, or there is no memory. */
int accept_work(struct accept_disk disks[], size_t count, struct accept_journal *journal,
                const struct accept_request *request, struct err *e);

/* Adds a finding to the journal: the report shows it, and GRADE_FAIL refuses the drive. Words of up
   to 239 bytes. Returns the result of accept_journal_add. */
int accept_finding(struct accept_disk *d, enum grade grade, const char *stage, struct err *e,
                   const char *words, ...) __attribute__((format(printf, 5, 6)));

/* ---- accept_kernel_log.c: the kernel's log while a drive is worked on ---- */

void accept_log_begin(struct accept_disk *d); /* begins to read the kernel's log from now on, if it
                                                 may be read */
/* Reads new messages. Called several times a second, so that the kernel overwrites nothing
   unread. */
void accept_log_take(const struct accept_disk *d);
/* Ends a stage: the kernel's messages about this drive since the last stage, or since it was
   opened, become a finding of GRADE_WARN. -1: the journal could not be kept. */
int accept_log_keep(struct accept_disk *d, const char *stage, struct err *e);
void accept_log_end(struct accept_disk *d);

/* ---- accept_health.c: SMART and error counters, before the first stage and after the last ---- */

/* Records what the drive reports now in the journal, as `when` ("before", "after"). */
int accept_health_keep(struct accept_disk *d, const char *when, struct err *e);

/* Adds the changes from line `before` to line `after` of the journal to the result, as findings. */
void accept_health_compare(struct acceptance_disk *to, const struct accept_line *before,
                           const struct accept_line *after);

/* ---- stage_capacity.c: finds the capacity by samples ---- */

/*
 * Finds out by samples, within minutes, whether a drive holds as much as it claims, like f3probe:
 * blocks are stamped with their place and written, so much is written that the drive's cache cannot
 * hold them, and they are read in random order. Data on the whole drive are overwritten.
 *
 * 1. The dense range, the first `dense` sectors of the drive, is filled. A drive that wraps around
 * at sector C shows the dense range again at C, so one read in each further range of this length
 * cannot miss it. To prove a wrap, the sector whose data are found there is written again with
 * another stamp, and the data at C must change as well.
 *
 * 2. Samples of all other sectors, the last block among them, are written, the dense range is
 * filled again, and all samples are read back. This is repeated between the last good sample and
 * the first bad one until the edge is known.
 */

#define CAPACITY_BLOCK   4096 /* bytes of a sample */
#define CAPACITY_BUFFER  (1u << 20)
#define CAPACITY_SAMPLES 1024
#define CAPACITY_DENSE   (UINT64_C(1) << 30) /* bytes; no drive was seen to cache more */

struct capacity_probe {
    struct stamp_run run;  /* stamps of this probe, with a salt of their own */
    uint64_t sectors;      /* capacity that the drive claims */
    uint64_t dense;        /* sectors, a multiple of CAPACITY_BUFFER */
    unsigned char *buffer; /* CAPACITY_BUFFER bytes, aligned for the target */
    struct random random;
    void *context;
    /* Return 0, or -1: the work cannot continue. A failed read sets *failed and does not end the
       work. */
    int (*write)(void *context, const unsigned char *data, uint32_t length, uint64_t lba,
                 struct err *e);
    int (*read)(void *context, unsigned char *data, uint32_t length, uint64_t lba, bool *failed,
                struct err *e);
    int (*flush)(void *context, struct err *e);
    /* Called often with the share of the work that is done. ERR_UNDECIDED ends the work. */
    int (*watch)(void *context, double share, struct err *e);
};

struct capacity_found {
    /* number of sectors up to the edge, or the distance in sectors at which the drive wraps around;
       0: the claimed capacity is right */
    uint64_t real;
    uint64_t known;          /* if `real` is an edge: sectors up to which the drive was good */
    bool wraps;              /* it was proven that the drive wraps around at `real` */
    unsigned samples, wrong; /* samples of the first round, and those that did not hold what was
                                written */
    unsigned failed;         /* wrong samples that could not be read */
    bool scattered;          /* the wrong samples are not all at the end: damage, not a fake */
};

/* Returns 0, or -1 with the error of the caller's functions. */
int capacity_probe(struct capacity_probe *p, struct capacity_found *found, struct err *e);

/* ---- stage_purge.c: erase the whole drive, only on request ---- */

/* What the drive can do for the requested purge. It is found out by queries, which change
   nothing. */
struct purge_plan {
    unsigned which; /* NVMe: an enum nvme_purge; SCSI: an enum purge_scsi; ATA: 1 means enhanced */
    uint32_t nsid, bits;
    bool runs_by_itself; /* the command returns at once, and the drive reports its progress */
    bool has_password;   /* for ATA: a password is set already, and it is PURGE_PASSWORD */
    double seconds;      /* the time that the drive states; NaN if it states none */
};

/* Plans a purge by `method`: "format", "sanitize", "crypto". ERR_MACHINE: the drive cannot do it;
   ERR_UNSAFE: it would destroy other namespaces; ERR_TARGET: it does not answer. */
struct nvme_admin;
int purge_nvme_plan(const struct nvme_admin *reader, uint32_t nsid, const char *method,
                    const char *path, struct purge_plan *plan, struct err *e);
int purge_nvme_send(const struct nvme_admin *writer, const struct purge_plan *plan,
                    const char *path, struct err *e);
/* Returns 1 while the purge runs (*share of it is done), 0 when it has ended, -1 if it failed. */
int purge_nvme_poll(const struct nvme_admin *reader, const char *path, double *share,
                    struct err *e);

/* The security feature set of ATA drives (ACS-4, 4.20 and 7.35 to 7.40), through SG_IO. */
#define PURGE_PASSWORD "cupel-purge" /* set only for the erase, which removes it */
struct sg_io_hdr;
struct purge_device {
    int (*submit)(const struct purge_device *device, struct sg_io_hdr *command); /* 0, or -errno */
    int fd;
};
/* `ours`: the password that is set may be PURGE_PASSWORD, from a call that was cut off. */
int purge_ata_plan(const struct purge_device *device, bool ours, const char *path,
                   struct purge_plan *plan, struct err *e);
int purge_ata_erase(const struct purge_device *device, const struct purge_plan *plan,
                    const char *path, struct err *e);

/* ---- purge_scsi.c: SANITIZE and FORMAT UNIT of SCSI and SAS drives ---- */

/* The commands: FORMAT UNIT, and the service actions of SANITIZE. */
enum purge_scsi {
    PURGE_SCSI_FORMAT = 0,
    PURGE_SCSI_OVERWRITE = 1,
    PURGE_SCSI_BLOCKS = 2,
    PURGE_SCSI_KEY = 3,
};

/* Asks the drive whether it is a SCSI disk (no ATA drive), has this serial number and no other
   logical unit. ERR_MACHINE, ERR_UNSAFE. Any of these may be called while the drive works. */
int purge_scsi_check(const struct purge_device *device, const char *serial, const char *path,
                     struct err *e);
/* Plans a purge by `method`, as above; `before` is the plan of a call that was cut off, or NULL.
   ERR_MACHINE: the drive cannot do it, or does not report that it can. */
int purge_scsi_plan(const struct purge_device *device, const char *method,
                    const struct purge_plan *before, const char *path, struct purge_plan *plan,
                    struct err *e);
/* Asks for the serial number once more, and sends the command. ERR_UNSAFE: it is another drive. */
int purge_scsi_send(const struct purge_device *device, const struct purge_plan *plan,
                    const char *serial, const char *path, struct err *e);
/* Returns 1 while the purge runs (*share of it is done, or NaN), 0 when it has ended, -1 if it
   failed. */
int purge_scsi_poll(const struct purge_device *device, const char *path, double *share,
                    struct err *e);

/* ---- stage_precondition.c ---- */

#define PRECONDITION_BLOCK (128u << 10)

/* Preconditioning: writes [0, end) of a disk several times. */
struct precondition {
    const char *stage; /* name in progress and findings */
    /* event of this work's lines in the journal, and the text with which the fields of these lines
       begin */
    const char *event, *mark;
    uint32_t block;
    uint64_t end;
    unsigned passes;
};

/* Continues writing where the journal's last line of this work ends. Errors as in sequential_write,
   and ERR_TARGET if the drive stays too hot. */
int precondition_write(struct accept_disk *d, const struct precondition *what, struct err *e);

/* ---- pts_stages.c: the tests of SNIA's PTS ---- */

/* ---- stage_verify.c: reads back what preconditioning wrote ---- */

/* Checks that there are data to read back that no later stage has overwritten. ERR_USAGE: there are
   none. */
int verify_check(const struct accept_disk *d, struct err *e);

/* ---- sequential_write.c ---- */

#define SEQUENTIAL_SAMPLES 160

/* Bytes that were written within a number of microseconds. */
struct sequential_sample {
    uint64_t bytes;
    uint32_t microseconds;
};

/* Bytes that have reached the medium, and the speed of writing since the last report. */
struct sequential_reached {
    uint64_t flushed; /* all before this offset was flushed */
    double seconds;   /* seconds since the last report */
    const struct sequential_sample *samples;
    unsigned sample_count;
};

/* Writes all of [begin, end) once, in order, with `depth` writes in flight. Writes do not wait for
   flushes, which are sent among them. The functions below are called by the calling thread. */
struct sequential_write {
    const struct io_ops *ops;
    int fd;
    const char *path; /* for messages */
    uint64_t begin, end;
    uint32_t block;
    unsigned depth;
    uint64_t sample_bytes; /* a sample also ends after this many bytes */
    double sample_seconds; /* duration of a sample, if longer than a second */
    double flush_seconds;
    double answer_seconds; /* a target that completes nothing for this long has failed */
    void *context;
    void (*fill)(void *context, unsigned char *data, size_t length, uint64_t offset);
    /* Called after each flush. -1 ends the writing. */
    int (*reached)(void *context, const struct sequential_reached *r, struct err *e);
    /* Called about five times a second with the bytes written so far and the rate of the last
       second. 1: no new write for now; -1: end. */
    int (*watch)(void *context, uint64_t offset, double rate, struct err *e);
    const volatile sig_atomic_t *stop;
};

/* Writes as described. ERR_TARGET: a write failed, or the target does not answer; ERR_UNDECIDED:
   stopped; ERR_MACHINE; or the error of `reached` or `watch`. Everything that was flushed has been
   reported by then. */
int sequential_write(const struct sequential_write *w, struct err *e);

#endif
