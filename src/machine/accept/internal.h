/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of src/machine/accept share: one disk, and the list of stages. */
#ifndef CUPEL_MACHINE_ACCEPT_INTERNAL_H
#define CUPEL_MACHINE_ACCEPT_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
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
struct accept_log; /* accept_log.c */

/* ---- one disk ---- */

/*
 * What every stage gets. Who it is was found by disk_choose; from accept_disk_hold on to
 * accept_disk_release it is open, and nobody else may open it for writing. All stages of a disk run
 * in one thread.
 */
struct accept_disk {
    const struct accept_request *request;
    const struct sysroot *root;
    struct accept_journal *journal; /* during its work: its own view */
    struct turns *turns;            /* during its work */
    struct accept_log *log;         /* while it is held; NULL: there was no memory for it */
    unsigned number;                /* in the journal, and in the turns */

    char name[64];    /* "nvme0n1" */
    char path[1024];  /* "/dev/nvme0n1" */
    char kind[16];    /* "nvme", "sata": facts/qualification.h */
    char serial[128]; /* "": it has none */
    char model[64], firmware[32];
    dev_t device;
    uint64_t size; /* bytes, a multiple of the logical block */
    uint32_t logical_block;
    bool rotates;
    bool is_volume;        /* dm, md, loop: not a drive of its own */
    bool is_known;         /* `identity` belongs to this disk only */
    char identity[232];    /* what the kernel knows it by (io/target/identity.h), cut; or "" */
    uint64_t salt;         /* of everything that this acceptance writes, and nothing else */
    double rate;           /* bytes/s of sequential writes: measured, or guessed by the kind */
    char thermometer[512]; /* a file of /sys in thousandths of degrees; "": none */
    double celsius_max;    /* the work pauses above it; NaN: no limit is known */
    unsigned group;        /* of disks that share a part which could slow them */
    int numa_node;         /* -1: not known */
    bool left_out;         /* when resuming with other names: nothing is done to it */

    struct target target;          /* open for reading and writing, O_DIRECT, exclusively */
    struct session_shared *shared; /* for sessions (session_run_shared): they use that target */
    struct plan plan;              /* of them: the target and the permission, all else by default */

    const volatile sig_atomic_t *stop;
    const struct session_observer *observer;
};

/* The disks of a request, or of the journal that is taken up again, with all that is known before
   they are opened. ERR_UNSAFE: two names are of one drive, or it is not the one of the journal. */
int accept_disks_choose(struct accept_disk disks[], size_t *count,
                        const struct accept_request *request, struct accept_journal *journal,
                        struct err *e);

/* Adds a new disk to the journal, with the salt of the data to be written. */
int accept_disk_keep(struct accept_disk *d, struct err *e);

/* May it be destroyed, by options or by what is typed now? When resuming, the drive's contents
   decide too: accept_resume_check. ERR_UNSAFE. */
int accept_disk_permit(struct accept_disk *d, struct err *e);
bool accept_disk_is_given(const struct accept_disk *d); /* by --destroy-serial, now */

/* Opens the disk for all stages; and releases it. ERR_UNSAFE: it is in use, or is another disk. */
int accept_disk_hold(struct accept_disk *d, struct err *e);
void accept_disk_release(struct accept_disk *d);

/* Is it still the drive of the journal? ERR_UNSAFE: another one; ERR_TARGET: it is gone. */
int accept_disk_check(const struct accept_disk *d, struct err *e);

/* Its temperature in degrees Celsius, NaN when there is no thermometer. Reads one file. */
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

/* Records in the journal, before the first write, what the drive holds at its ends. */
int accept_resume_keep(const struct accept_disk *d, struct err *e);

/*
 * Is it the drive that the work was begun on? It has a serial number, or the kernel knows it by the
 * same identity, or it holds what it held before the first write, or what this acceptance has
 * written. ERR_UNSAFE: nothing shows that, and nobody says so (accept_request.same_target).
 */
int accept_resume_identify(const struct accept_disk *d, struct err *e);

/* Do samples of those bytes still hold what this acceptance writes: stamps, noise, zeros? The
   target is open. ERR_UNSAFE: no. */
int accept_resume_check(const struct accept_disk *d, struct err *e);

/* ---- stages ---- */

/*
 * A stage of the list in stages.c, which stands in the order in which they run. `run` takes up by
 * the journal's lines what an earlier call has done, and returns 0 when it has come to its end:
 * what it found wrong are findings. -1: it could not, with the reason (ERR_UNDECIDED: it was
 * stopped); what follows is then not run.
 */
struct accept_stage {
    const char *name;
    const char *words; /* "writes all of it twice, in order" */
    double (*estimate_seconds)(const struct accept_disk *d); /* NaN: unknown */
    int (*run)(struct accept_disk *d, struct err *e);
};

/* Does it measure? Disks take turns at it. */
bool accept_stage_measures(const struct accept_stage *stage);

extern const struct accept_stage accept_stages[]; /* ended by a name of NULL */

const struct accept_stage *accept_stage_find(const char *name, size_t length);
/* Is the stage among the requested names? */
bool accept_stage_asked(const struct accept_stage *stage, const char *names);

/* ---- accept_work.c: the stages of all disks ---- */

/* Has this stage ended, without later writes that it would have to read? */
bool accept_stage_is_done(const struct accept_disk *d, const struct accept_stage *stage);

/* What is left to do of these stages on disks that are held, each in its thread. A disk that failed
   is a result. -1: the journal could not be kept, or there is no memory. */
int accept_work(struct accept_disk disks[], size_t count, struct accept_journal *journal,
                const struct accept_request *request, struct err *e);

/* The largest number of threads of a test. */
unsigned accept_workers_of(const struct accept_request *r);

/* Returns the seconds of all its requested, unfinished stages, after `current` if not NULL: those
   that write, and those that measure. Unknown times are left out. */
void accept_stages_left(const struct accept_disk *d, const struct accept_stage *current,
                        double *writes, double *measures);

/* Which disks measure at the same time, as d->group and d->numa_node. */
int accept_groups_find(struct accept_disk disks[], size_t count, struct inventory *v,
                       struct err *e);

/* A finding into the journal: the report shows it, and GRADE_FAIL refuses the drive. Words of up
   to 239 bytes. Returns what accept_journal_add does. */
int accept_finding(struct accept_disk *d, enum grade grade, const char *stage, struct err *e,
                   const char *words, ...) __attribute__((format(printf, 5, 6)));

/* ---- accept_log.c: the kernel's log while a drive is worked on ---- */

void accept_log_begin(struct accept_disk *d); /* from now on, where it may be read */
/* What has come since: some times a second, so that the kernel overwrites nothing unread. */
void accept_log_take(const struct accept_disk *d);
/* The stage has ended: what the kernel wrote about this drive since the last one, or since it was
   opened, is a finding, GRADE_WARN. -1: the journal could not be kept. */
int accept_log_keep(struct accept_disk *d, const char *stage, struct err *e);
void accept_log_end(struct accept_disk *d);

/* ---- accept_health.c: SMART and error counters, before the first stage and after the last ---- */

/* Records what the drive reports now in the journal, as `when` ("before", "after"). */
int accept_health_keep(struct accept_disk *d, const char *when, struct err *e);

/* Adds the changes between these two lines to the result, as findings. */
void accept_health_compare(struct acceptance_disk *to, const struct accept_line *before,
                           const struct accept_line *after);

/* ---- purge.c, purge_nvme.c, purge_ata.c: what erases all of a drive, only on request ---- */

double purge_estimate(const struct accept_disk *d);
/* Volumes are refused: the kernel hands their commands down to the drives that they lie on. */
int purge_check(const struct accept_disk *d, struct err *e);
int purge_run(struct accept_disk *d, struct err *e);

/* The drive's abilities for the requested purge, found only by queries. */
struct purge_plan {
    unsigned which; /* enum nvme_purge; of ATA: 1, enhanced */
    uint32_t nsid, bits;
    bool runs_by_itself; /* the command returns at once, and a log page shows its progress */
    bool has_password;   /* of ATA: one is set already, ours */
    double seconds;      /* as the drive states; NaN: it does not */
};

/* `method`: "format", "sanitize", "crypto". ERR_MACHINE: the drive cannot; ERR_UNSAFE: it would
   destroy other namespaces; ERR_TARGET: it does not answer. */
struct nvme_admin;
int purge_nvme_plan(const struct nvme_admin *reader, uint32_t nsid, const char *method,
                    const char *path, struct purge_plan *plan, struct err *e);
int purge_nvme_send(const struct nvme_admin *writer, const struct purge_plan *plan,
                    const char *path, struct err *e);
/* Returns 1: at work, *share of it done; 0: it has ended; -1: it failed. */
int purge_nvme_poll(const struct nvme_admin *reader, const char *path, double *share,
                    struct err *e);

/* The security feature set of ATA drives (ACS-4, 4.20 and 7.35 to 7.40), through SG_IO. */
#define PURGE_PASSWORD "cupel-purge" /* set only for the erase, which removes it */
struct sg_io_hdr;
struct ata_device {
    int (*submit)(const struct ata_device *device, struct sg_io_hdr *command); /* 0, or -errno */
    int fd;
};
void ata_device_attach(struct ata_device *device, int fd);
/* `ours`: the password that is set may be ours, of a call that was cut off. */
int purge_ata_plan(const struct ata_device *device, bool ours, const char *path,
                   struct purge_plan *plan, struct err *e);
int purge_ata_erase(const struct ata_device *device, const struct purge_plan *plan,
                    const char *path, struct err *e);

/* ---- precondition.c ---- */

double precondition_estimate(const struct accept_disk *d);
int precondition_run(struct accept_disk *d, struct err *e);

#define PRECONDITION_BLOCK (128u << 10)

/* Preconditioning: [0, end) of a disk is written several times. */
struct precondition {
    const char *stage;        /* in progress and findings */
    const char *event, *mark; /* of its lines in the journal; their fields begin with the mark */
    uint32_t block;
    uint64_t end;
    unsigned passes;
};

/* From where the journal stands. Errors as sequential_write, and ERR_TARGET: it stays too hot. */
int precondition_write(struct accept_disk *d, const struct precondition *what, struct err *e);

/* ---- pts_stages.c: the tests of SNIA's PTS ---- */

double pts_iops_estimate(const struct accept_disk *d);
double pts_tp_estimate(const struct accept_disk *d);
double pts_lat_estimate(const struct accept_disk *d);
double pts_wsat_estimate(const struct accept_disk *d);
int pts_iops_run(struct accept_disk *d, struct err *e);
int pts_tp_run(struct accept_disk *d, struct err *e);
int pts_lat_run(struct accept_disk *d, struct err *e);
int pts_wsat_run(struct accept_disk *d, struct err *e);

/* Does the requested work fit into --hours? Checked before anything is written. ERR_USAGE. */
int pts_check(const struct accept_disk *d, struct err *e);

/* Reads the tests of a disk from the journal, judged; NULL and 0: there are none. The caller frees
   them. */
int pts_results_read(const struct accept_journal *j, unsigned disk, struct pts_result **to,
                     size_t *count, struct err *e);

/* ---- capacity_stage.c: does it hold as much as it says? ---- */

double capacity_estimate(const struct accept_disk *d);
int capacity_run(struct accept_disk *d, struct err *e);

/* ---- verify.c: what preconditioning wrote, read back ---- */

double verify_estimate(const struct accept_disk *d);
/* Are there data to read back that no later stage has overwritten? ERR_USAGE. */
int verify_check(const struct accept_disk *d, struct err *e);
int verify_run(struct accept_disk *d, struct err *e);

/* The findings and lines of the journal that follow from what was read: of all, or of so many
   blocks of a sample. `first_error` is the errno of the first read that failed. */
struct tally;
int verify_findings(struct accept_disk *d, const struct tally *t, uint64_t sampled, int first_error,
                    struct err *e);

/* ---- sequential_write.c ---- */

#define SEQUENTIAL_SAMPLES 160

/* Bytes that were written within a number of microseconds. */
struct sequential_sample {
    uint64_t bytes;
    uint32_t microseconds;
};

/* The bytes that have reached the medium, and how fast they were written since the last report. */
struct sequential_reached {
    uint64_t flushed; /* all before this offset was flushed */
    double seconds;   /* since the last time */
    const struct sequential_sample *samples;
    unsigned sample_count;
};

/*
 * All of [begin, end) written once, in order, with `depth` writes in flight, none of which waits
 * for a flush: flushes go among them. The functions are called by the thread that calls it.
 */
struct sequential_write {
    const struct io_ops *ops;
    int fd;
    const char *path; /* for messages */
    uint64_t begin, end;
    uint32_t block;
    unsigned depth;
    uint64_t sample_bytes; /* a sample ends after a second, or after this many bytes */
    double sample_seconds; /* at least so long, and a second */
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

/* ERR_TARGET: a write failed, or the target does not answer; ERR_UNDECIDED: stopped; ERR_MACHINE;
   or what `reached` or
   `watch` said. What was flushed has been reported by then. */
int sequential_write(const struct sequential_write *w, struct err *e);

/* Returns what happened to an open drive whose write or flush failed with this error number: "; the
   drive is gone", "; the drive has become read-only", or "". */
const char *accept_drive_state(int fd, int error);

/* ---- joint_progress.c: of several disks, what all do, and how far the last of them is ---- */

struct joint_progress {
    const struct accept_request *request;
    struct turns *turns;
    pthread_mutex_t lock; /* of the request's functions too */
    struct joint_disk {
        struct joint_progress *all;
        struct session_observer observer; /* of the disk */
        double writes, measures;          /* seconds that its later stages take */
        double now;                       /* ... and this one */
        bool measuring;                   /* this stage */
        uint64_t seen;                    /* when it reported last */
    } disks[ACCEPT_DISKS_MAX];
};

/* Set `request` and `turns` before. */
void joint_progress_init(struct joint_progress *p);

/* Notes that a disk begins another stage; without `words` (NULL) nothing is reported. Any
   thread. */
void joint_progress_stage(struct joint_progress *p, size_t disk, const char *words, double seconds,
                          bool measuring, double writes, double measures);

#endif
