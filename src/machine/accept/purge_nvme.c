/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Purges NVMe drives by Format NVM and Sanitize (NVM Express Base Specification 2.0c, 5.14 and
   5.24). */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/endian.h"
#include "base/nvme/nvme.h"
#include "machine/accept/internal.h"

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
enum { SECONDS_BLOCK = 12, SECONDS_KEY = 16 }; /* FFFFFFFFh: not known */

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

/* No other namespace may lose its data, wherever it is mounted. Namespaces that are attached to
   another controller or to none count, too: a drive that manages namespaces lists them. */
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

/* Keeps the present format, with its metadata and protection (dword 10: LBAF 3:0 and 13:12, MSET 4,
   PI 7:5, PIL 8). */
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
