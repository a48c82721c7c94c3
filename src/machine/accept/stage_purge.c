/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stage `purge`: asks what the drive can do, then sends one command that erases it, which nobody
 * can stop. A call that was cut off is repeated as a whole, except a Sanitize that is still
 * running.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <scsi/scsi.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/endian.h"
#include "base/nvme/nvme.h"
#include "hw/disk/block.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

/* Purges NVMe drives by Format NVM and Sanitize (NVM Express Base Specification 2.0c, 5.14 and
   5.24). */

/* offsets in Identify Controller (figure 275), Identify Namespace and the Sanitize log */
enum { OACS = 256, SANICAP = 328, FNA = 524, FLBAS = 26, DPS = 29, SPROG = 0, SSTAT = 2 };
enum {
    OACS_FORMAT = 2,
    OACS_NAMESPACES = 8,
    FNA_FORMATS_ALL = 1,
    FNA_ERASES_ALL = 2,
    SANICAP_KEY = 1,
    SANICAP_BLOCK = 2
};
enum { SANITIZED = 1, SANITIZING = 2, SANITIZE_FAILED = 3, SANITIZED_NOT_FREED = 4 };
/* offsets in the Sanitize log; FFFFFFFFh there: not known */
enum { SECONDS_BLOCK = 12, SECONDS_KEY = 16 };

static int ask(const struct nvme_admin *reader, enum nvme_command which, uint32_t nsid,
               unsigned char *data, size_t size, const char *path, struct err *e)
{
    enum fact_status status = nvme_admin_send(reader, which, nsid, data, size, NULL);
    if (status == FACT_OK)
        return 0;
    return err_set(e, status == FACT_DENIED ? ERR_MACHINE : ERR_TARGET, "%.200s: %s", path,
                   status == FACT_DENIED ? "its controller may not be asked: not permitted"
                                         : "its controller does not answer");
}

/* Refuses if another namespace would lose its data, wherever it is mounted. Namespaces that are
   attached to another controller or to none count, too: a drive that manages namespaces lists
   them. */
static int check_alone(const struct nvme_admin *reader, const unsigned char *controller,
                       uint32_t nsid, const char *path, struct err *e)
{
    unsigned char list[NVME_IDENTIFY_BYTES];
    const bool manages = load_le16(controller + OACS) & OACS_NAMESPACES;
    const enum nvme_command lists[] = {NVME_IDENTIFY_ACTIVE, NVME_IDENTIFY_ALLOCATED};
    for (unsigned i = 0; i < (manages ? 2 : 1); i++) {
        if (ask(reader, lists[i], 0, list, sizeof list, path, e))
            return -1;
        if (load_le32(list) != nsid || load_le32(list + 4) != 0)
            return err_set(e, ERR_UNSAFE,
                           "%.200s: its controller has other namespaces%s, and the command would "
                           "destroy them too; nothing was sent",
                           path, i ? ", which are not attached" : "");
    }
    return 0;
}

static int cannot(const char *path, const char *what, struct err *e)
{
    return err_set(e, ERR_MACHINE, "%.200s: the drive cannot do %s; nothing was sent", path, what);
}

/* Plans a format that keeps the present format, with its metadata and protection (dword 10: LBAF
   3:0 and 13:12, MSET 4, PI 7:5, PIL 8). */
static int plan_format(const struct nvme_admin *reader, const unsigned char *controller,
                       const char *path, struct purge_plan *plan, struct err *e)
{
    unsigned char name[NVME_IDENTIFY_BYTES];
    if (!(load_le16(controller + OACS) & OACS_FORMAT))
        return cannot(path, "Format NVM", e);
    if (ask(reader, NVME_IDENTIFY_NAMESPACE, plan->nsid, name, sizeof name, path, e))
        return -1;
    uint32_t flbas = name[FLBAS], dps = name[DPS];
    plan->which = NVME_PURGE_FORMAT;
    plan->bits = (flbas & 0xf) | (flbas & 0x10) | (flbas >> 5 & 3) << 12 | (dps & 7) << 5 |
                 (dps >> 3 & 1) << 8;
    if (controller[FNA] & (FNA_FORMATS_ALL | FNA_ERASES_ALL))
        return check_alone(reader, controller, plan->nsid, path, e);
    return 0;
}

static int plan_sanitize(const struct nvme_admin *reader, const unsigned char *controller,
                         bool by_key, const char *path, struct purge_plan *plan, struct err *e)
{
    unsigned char log[512];
    uint32_t able = load_le32(controller + SANICAP);
    if (!(able & (by_key ? SANICAP_KEY : SANICAP_BLOCK)))
        return cannot(path, by_key ? "Sanitize by crypto erase" : "Sanitize by block erase", e);
    if (check_alone(reader, controller, plan->nsid, path, e) ||
        ask(reader, NVME_SANITIZE_LOG, 0, log, sizeof log, path, e))
        return -1;
    uint32_t seconds = load_le32(log + (by_key ? SECONDS_KEY : SECONDS_BLOCK));
    plan->seconds = seconds == UINT32_MAX ? (double)NAN : seconds;
    plan->which = by_key ? NVME_PURGE_KEY : NVME_PURGE_BLOCKS;
    plan->runs_by_itself = true;
    plan->nsid = 0;
    return 0;
}

int purge_nvme_plan(const struct nvme_admin *reader, uint32_t nsid, const char *method,
                    const char *path, struct purge_plan *plan, struct err *e)
{
    unsigned char controller[NVME_IDENTIFY_BYTES];
    *plan = (struct purge_plan){.nsid = nsid, .seconds = NAN};
    if (ask(reader, NVME_IDENTIFY_CONTROLLER, 0, controller, sizeof controller, path, e))
        return -1;
    if (!strcmp(method, "format"))
        return plan_format(reader, controller, path, plan, e);
    return plan_sanitize(reader, controller, !strcmp(method, "crypto"), path, plan, e);
}

int purge_nvme_send(const struct nvme_admin *writer, const struct purge_plan *plan,
                    const char *path, struct err *e)
{
    char words[120];
    int status = nvme_purge_send(writer, (enum nvme_purge)plan->which, plan->nsid, plan->bits);
    if (!status)
        return 0;
    if (status < 0)
        return err_set(e, status == -EPERM || status == -EACCES ? ERR_MACHINE : ERR_TARGET,
                       "%.200s: the command could not be sent: %s", path, strerror(-status));
    return err_set(e, ERR_TARGET, "%.200s: the drive refused it: %s", path,
                   nvme_status_words((uint16_t)status, words, sizeof words));
}

int purge_nvme_poll(const struct nvme_admin *reader, const char *path, double *share, struct err *e)
{
    unsigned char log[512];
    *share = NAN;
    if (ask(reader, NVME_SANITIZE_LOG, 0, log, sizeof log, path, e))
        return -1;
    switch (load_le16(log + SSTAT) & 7) {
    case SANITIZED:
    case SANITIZED_NOT_FREED:
        return 0;
    case SANITIZING:
        *share = load_le16(log + SPROG) / 65536.0;
        return 1;
    case SANITIZE_FAILED:
        return err_set(e, ERR_TARGET, "%.200s: the drive says that Sanitize has failed", path);
    default:
        return err_set(e, ERR_TARGET, "%.200s: the drive knows nothing of a Sanitize", path);
    }
}

/* Purges ATA drives by SECURITY ERASE UNIT, which needs a password that is set for it. */

#define DATA_BYTES     512
#define SHORT_MS       15000
#define PASS_THROUGH   0x85 /* ATA PASS-THROUGH (16), SAT-4 12.2 */
#define ERASE_ENHANCED 2    /* bit of word 0 of the data of SECURITY ERASE UNIT */

enum {
    ATA_IDENTIFY = 0xec,
    ATA_SET_PASSWORD = 0xf1,
    ATA_ERASE_PREPARE = 0xf3,
    ATA_ERASE_UNIT = 0xf4,
    ATA_DISABLE_PASSWORD = 0xf6,
};
enum { PROTOCOL_NONE = 3, PROTOCOL_IN = 4, PROTOCOL_OUT = 5 };
/* bits of word 128 of IDENTIFY DEVICE */
enum { SUPPORTED = 1, ENABLED = 2, LOCKED = 4, FROZEN = 8, EXPIRED = 16, HAS_ENHANCED = 32 };

static int submit_to_device(const struct purge_device *device, struct sg_io_hdr *command)
{
    return syscall(SYS_ioctl, device->fd, SG_IO, command) ? -errno : 0;
}

static void purge_device_attach(struct purge_device *device, int fd)
{
    *device = (struct purge_device){.submit = submit_to_device, .fd = fd};
}

static int send(const struct purge_device *device, uint8_t which, void *data, unsigned milliseconds,
                const char *path, struct err *e)
{
    bool in = which == ATA_IDENTIFY;
    unsigned char sense[64] = {0};
    unsigned char cdb[16] = {PASS_THROUGH,
                             (unsigned char)((!data ? PROTOCOL_NONE
                                              : in  ? PROTOCOL_IN
                                                    : PROTOCOL_OUT)
                                             << 1),
                             /* The length is in blocks, in the count field; the direction is a
                                bit. */
                             data ? (unsigned char)((in ? 8 : 0) | 4 | 2) : 0};
    cdb[6] = data ? 1 : 0;
    cdb[14] = which;
    struct sg_io_hdr command = {.interface_id = 'S',
                                .dxfer_direction = !data ? SG_DXFER_NONE
                                                   : in  ? SG_DXFER_FROM_DEV
                                                         : SG_DXFER_TO_DEV,
                                .cmd_len = sizeof cdb,
                                .cmdp = cdb,
                                .dxfer_len = data ? DATA_BYTES : 0,
                                .dxferp = data,
                                .mx_sb_len = sizeof sense,
                                .sbp = sense,
                                .timeout = milliseconds};
    int status = device->submit(device, &command);
    if (status == -ENOTTY || status == -EINVAL)
        return err_set(e, ERR_MACHINE, "%.200s: it takes no ATA commands; nothing was sent", path);
    if (status)
        return err_set(e, status == -EPERM || status == -EACCES ? ERR_MACHINE : ERR_TARGET,
                       "%.200s: ATA command %02Xh could not be sent: %s", path, which,
                       strerror(-status));
    if (command.status || command.host_status || (command.driver_status & 0xf & ~8))
        return err_set(e, ERR_TARGET, "%.200s: the drive refused ATA command %02Xh (sense key %u)",
                       path, which, sense[0] & 2 ? sense[1] & 0xfu : sense[2] & 0xfu);
    return 0;
}

/* Decodes words 89 and 90: twice the number in bits 7:0, or with bit 15 in bits 14:0, in
   minutes. */
static double minutes(uint16_t word)
{
    unsigned count = word & 0x8000 ? word & 0x7fffu : word & 0xffu;
    return count ? 2.0 * count : (double)NAN;
}

int purge_ata_plan(const struct purge_device *device, bool ours, const char *path,
                   struct purge_plan *plan, struct err *e)
{
    unsigned char data[DATA_BYTES] = {0};
    *plan = (struct purge_plan){.seconds = NAN};
    if (send(device, ATA_IDENTIFY, data, SHORT_MS, path, e))
        return -1;
    uint16_t security = load_le16(data + (size_t)2 * 128);
    if (!(load_le16(data + (size_t)2 * 82) & 2) || !(security & SUPPORTED))
        return err_set(e, ERR_MACHINE,
                       "%.200s: the drive cannot do a secure erase; nothing was sent", path);
    if (security & FROZEN)
        return err_set(e, ERR_MACHINE,
                       "%.200s: its security is frozen, as firmware does at power-on: suspend the "
                       "machine and wake it, or plug the drive in again; nothing was sent",
                       path);
    if ((security & ENABLED) && !ours)
        return err_set(e, ERR_MACHINE,
                       "%.200s: a password is set that is not known here; nothing was sent", path);
    if (security & EXPIRED)
        return err_set(e, ERR_MACHINE,
                       "%.200s: too many passwords were tried: switch it off and on; nothing was "
                       "sent",
                       path);
    plan->has_password = security & ENABLED;
    plan->which = (security & HAS_ENHANCED) != 0;
    plan->seconds = 60 * minutes(load_le16(data + (size_t)2 * (plan->which ? 90 : 89)));
    return 0;
}

int purge_ata_erase(const struct purge_device *device, const struct purge_plan *plan,
                    const char *path, struct err *e)
{
    unsigned char data[DATA_BYTES] = {0};
    struct err none;
    /* Waits three times the stated time plus half an hour, or a day if none is stated. */
    double seconds = isnan(plan->seconds) ? 86400 : 3 * plan->seconds + 1800;
    /* The password is in words 1 to 16. Word 0 stays 0, so it is the user password. */
    memcpy(data + 2, PURGE_PASSWORD, strlen(PURGE_PASSWORD));
    if (!plan->has_password && send(device, ATA_SET_PASSWORD, data, SHORT_MS, path, e))
        return -1;
    data[0] = plan->which ? ERASE_ENHANCED : 0;
    if (!send(device, ATA_ERASE_PREPARE, NULL, SHORT_MS, path, e) &&
        !send(device, ATA_ERASE_UNIT, data, (unsigned)(fmin(seconds, 2e6) * 1000), path, e))
        return 0;
    /* No password may remain on the drive. If the drive refuses to remove it, the message states
       the password. */
    data[0] = 0;
    if (send(device, ATA_DISABLE_PASSWORD, data, SHORT_MS, path, &none))
        err_context(e, "its password is \"" PURGE_PASSWORD "\" still");
    return -1;
}

#define ATA_METHOD "secure-erase"

struct purging {
    struct accept_disk *disk;
    struct purge_plan plan;
    struct nvme_admin reader, writer;
    struct purge_device device; /* for ATA and SCSI drives */
    enum { PURGE_NVME, PURGE_ATA, PURGE_SCSI } way;
    bool at_work; /* the command of a call that was cut off is still running */
    int done;     /* set by the thread that sends; atomic */
    int status;
    struct err why;
};

static double purge_estimate(const struct accept_disk *d)
{
    (void)d;
    return NAN; /* the drive states its time only when the stage asks it */
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
    switch (p->way) {
    case PURGE_NVME:
        p->status = purge_nvme_send(&p->writer, &p->plan, path, &p->why);
        break;
    case PURGE_ATA:
        p->status = purge_ata_erase(&p->device, &p->plan, path, &p->why);
        break;
    case PURGE_SCSI:
        p->status = purge_scsi_send(&p->device, &p->plan, p->disk->serial, path, &p->why);
        break;
    }
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

static int poll_drive(const struct purging *p, double *share, struct err *e)
{
    const char *path = p->disk->path;
    return p->way == PURGE_SCSI ? purge_scsi_poll(&p->device, path, share, e)
                                : purge_nvme_poll(&p->reader, path, share, e);
}

/* Waits while the drive works by itself. The work continues after a reset or a power loss. */
static int wait_for_log(struct purging *p, struct err *e)
{
    const struct timespec pause = {.tv_sec = 1};
    uint64_t began = clock_raw_ns();
    double share;
    int state;
    while ((state = poll_drive(p, &share, e)) > 0) {
        if (accept_disk_stopped(p->disk))
            return err_set(e, ERR_UNDECIDED,
                           "%.200s: stopped; the drive goes on with its purge by itself",
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
        return err_set(e, ERR_MACHINE,
                       "%.200s: --purge %s is for NVMe and SCSI drives; nothing was sent", d->path,
                       method);
    return purge_nvme_plan(&p->reader, (uint32_t)nsid, method, d->path, &p->plan, e);
}

/* Plans a purge by SCSI commands. A drive behind a USB bridge is refused, because the bridge
   replaces the commands that it gets. */
static int plan_scsi(struct purging *p, const char *method, const struct accept_line *before,
                     struct err *e)
{
    const struct accept_disk *d = p->disk;
    struct purge_plan kept = {.which = (unsigned)accept_line_count(before, "scsi"),
                              .bits = (uint32_t)accept_line_count(before, "bits"),
                              .seconds = NAN,
                              .runs_by_itself = true};
    double share;
    struct err none;
    if (disk_kind_is(d->kind, DISK_BEHIND_BRIDGE))
        return err_set(e, ERR_MACHINE, "%.200s: a USB drive cannot be purged; nothing was sent",
                       d->path);
    if (purge_scsi_check(&p->device, d->serial, d->path, e))
        return -1;
    p->plan = kept;
    p->at_work = before && purge_scsi_poll(&p->device, d->path, &share, &none) > 0;
    return p->at_work
               ? 0
               : purge_scsi_plan(&p->device, method, before ? &kept : NULL, d->path, &p->plan, e);
}

static int plan_purge(struct purging *p, const char *method, const struct accept_line *before,
                      struct err *e)
{
    const int fd = p->disk->target.fd;
    uint32_t id[2];
    double share;
    struct err none;
    purge_device_attach(&p->device, fd);
    if (!strcmp(method, ATA_METHOD)) {
        p->way = PURGE_ATA;
        return purge_ata_plan(&p->device, before != NULL, p->disk->path, &p->plan, e);
    }
    if (!syscall(SYS_ioctl, fd, SCSI_IOCTL_GET_IDLUN, id)) {
        p->way = PURGE_SCSI;
        return plan_scsi(p, method, before, e);
    }
    if (plan_nvme(p, method, e))
        return -1;
    p->at_work = before && p->plan.runs_by_itself && poll_drive(p, &share, &none) > 0;
    return 0;
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
    struct purging p = {.disk = d, .way = PURGE_NVME};
    if (purge_check(d, e))
        return -1;
    if (plan_purge(&p, method, before, e))
        return -1;
    if (accept_disk_stopped(d))
        return err_set(e, ERR_UNDECIDED, "%.200s: stopped before it was purged", d->path);
    char fields[64] = "";
    if (p.way == PURGE_ATA)
        snprintf(fields, sizeof fields, " password=" PURGE_PASSWORD);
    else if (p.way == PURGE_SCSI)
        snprintf(fields, sizeof fields, " scsi=%u bits=%u", p.plan.which, p.plan.bits);
    if (accept_journal_add(d->journal, d->number, e, "purge", "method=%s%s", method, fields))
        return -1;
    if (!p.at_work && send_and_show(&p, e))
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
