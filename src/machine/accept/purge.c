/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stage that purges a drive: it asks what the drive can do, then sends one command, which
 * nobody can stop. A call that was cut off is repeated as a whole, except a Sanitize that is still
 * running.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/nvme/nvme.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

#define ATA_METHOD "secure-erase"

struct purging {
    struct accept_disk *disk;
    struct purge_plan plan;
    struct nvme_admin reader, writer;
    struct ata_device ata;
    bool is_ata;
    int done; /* set by the thread that sends; atomic */
    int status;
    struct err why;
};

static double purge_estimate(const struct accept_disk *d)
{
    (void)d;
    return NAN; /* the drive states it when it is asked */
}

static void show(const struct purging *p, double seconds, double share)
{
    const struct accept_disk *d = p->disk;
    char stage[100];
    snprintf(stage, sizeof stage, "%s: purging, which cannot be stopped", d->name);
    double left = p->plan.seconds - seconds;
    const struct session_progress now = {.stage = stage,
                                         .elapsed_seconds = seconds,
                                         .limit_seconds = INFINITY,
                                         .done_share = share,
                                         .bytes_rate = NAN,
                                         .mean = NAN,
                                         .rate = NAN,
                                         .width_share = NAN,
                                         .target_share = NAN,
                                         .left_seconds = left > 0 ? left : (double)NAN};
    if (d->observer && d->observer->progress)
        d->observer->progress(d->observer->context, &now);
}

static void *send_command(void *context)
{
    struct purging *p = context;
    const char *path = p->disk->path;
    p->status = p->is_ata ? purge_ata_erase(&p->ata, &p->plan, path, &p->why)
                          : purge_nvme_send(&p->writer, &p->plan, path, &p->why);
    __atomic_store_n(&p->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Sends the command, which blocks the sending thread until it is done; this thread shows the
   time. */
static int send_and_show(struct purging *p, struct err *e)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    uint64_t began = clock_raw_ns();
    pthread_t thread;
    if (pthread_create(&thread, NULL, send_command, p))
        return err_set(e, ERR_MACHINE, "no thread can be made");
    while (!__atomic_load_n(&p->done, __ATOMIC_ACQUIRE)) {
        show(p, (double)(clock_raw_ns() - began) * 1e-9, NAN);
        nanosleep(&pause, NULL);
    }
    pthread_join(thread, NULL);
    if (p->status)
        *e = p->why;
    return p->status;
}

/* Waits while the drive works by itself. The work continues after a reset or a power loss. */
static int wait_for_log(struct purging *p, struct err *e)
{
    const struct timespec pause = {.tv_sec = 1};
    uint64_t began = clock_raw_ns();
    double share;
    int state;
    while ((state = purge_nvme_poll(&p->reader, p->disk->path, &share, e)) > 0) {
        if (accept_disk_stopped(p->disk))
            return err_set(e, ERR_UNDECIDED,
                           "%.200s: stopped; the drive goes on sanitizing by itself",
                           p->disk->path);
        show(p, (double)(clock_raw_ns() - began) * 1e-9, share);
        nanosleep(&pause, NULL);
    }
    return state;
}

static int plan_nvme(struct purging *p, const char *method, struct err *e)
{
    struct accept_disk *d = p->disk;
    nvme_admin_attach(&p->reader, d->target.fd);
    nvme_purge_attach(&p->writer, d->target.fd);
    long nsid = syscall(SYS_ioctl, d->target.fd, NVME_IOCTL_ID);
    if (nsid <= 0)
        return err_set(e, ERR_MACHINE, "%.200s: --purge %s is for NVMe drives; nothing was sent",
                       d->path, method);
    return purge_nvme_plan(&p->reader, (uint32_t)nsid, method, d->path, &p->plan, e);
}

/* Refuses volumes, because the kernel passes their commands on to the drives below them. */
static int purge_check(const struct accept_disk *d, struct err *e)
{
    if (!d->request->purge[0] || !d->is_volume)
        return 0;
    return err_set(e, ERR_MACHINE,
                   "%.200s: it is a volume and no drive: --purge would erase what it lies on; "
                   "nothing was sent",
                   d->path);
}

static int purge_run(struct accept_disk *d, struct err *e)
{
    const char *method = d->request->purge;
    const struct accept_line *before = accept_journal_last(d->journal, d->number, "purge");
    struct purging p = {.disk = d, .is_ata = !strcmp(method, ATA_METHOD)};
    double share;
    struct err none;
    if (purge_check(d, e))
        return -1;
    ata_device_attach(&p.ata, d->target.fd);
    if (p.is_ata ? purge_ata_plan(&p.ata, before != NULL, d->path, &p.plan, e)
                 : plan_nvme(&p, method, e))
        return -1;
    if (accept_disk_stopped(d))
        return err_set(e, ERR_UNDECIDED, "%.200s: stopped before it was purged", d->path);
    if (accept_journal_add(d->journal, d->number, e, "purge", "method=%s%s", method,
                           p.is_ata ? " password=" PURGE_PASSWORD : ""))
        return -1;
    bool at_work =
        before && p.plan.runs_by_itself && purge_nvme_poll(&p.reader, d->path, &share, &none) > 0;
    if (!at_work && send_and_show(&p, e))
        return -1;
    if (p.plan.runs_by_itself && wait_for_log(&p, e))
        return -1;
    return accept_disk_check(d, e);
}

const struct accept_stage stage_purge = {.name = "purge",
                                         .words = "erases all of it by a command of its own",
                                         .check = purge_check,
                                         .estimate_seconds = purge_estimate,
                                         .run = purge_run};
