/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the knobs (settings of the machine) of a run one after the other, and restores them. */
#include "hw/knob/knob.h"

#include "hw/knob/internal.h"
#include "hw/machine/cpu_list.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/machine/permission.h"

/* ---- idle states ---- */

/* Writes "; try as root" after a permission error, "" after other errors. */
static const char *knob_remedy(int error, char to[PERMISSION_BYTES])
{
    char words[PERMISSION_BYTES];
    to[0] = '\0';
    if (error == EACCES || error == EPERM)
        snprintf(to, PERMISSION_BYTES, "; %.*s", PERMISSION_BYTES - 3,
                 permission_remedy(NULL, words));
    return to;
}

/* Limits the latency of idle states. The kernel applies the lowest limit of any process that has
   the file open. */
static int hold_latency(struct knobs *k, struct err *e)
{
    char full[PATH_MAX], before[24] = "no limit", remedy[PERMISSION_BYTES];
    const int32_t none = 0;
    int32_t now;
    struct stat s;
    int fd = open(sysroot_path(&k->root, full, sizeof full, KNOB_LATENCY_FILE),
                  O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return err_set(e, ERR_MACHINE,
                       "cannot hold off idle states with %s: %s%s; or leave out "
                       "--cpu-idle",
                       KNOB_LATENCY_FILE, strerror(errno), knob_remedy(errno, remedy));
    k->latency = fd;
    if (fstat(fd, &s) || !(S_ISCHR(s.st_mode) || S_ISREG(s.st_mode)))
        return err_set(e, ERR_MACHINE, "%s is not what it should be: leave out --cpu-idle",
                       KNOB_LATENCY_FILE);
    if (pread(fd, &now, sizeof now, 0) == (ssize_t)sizeof now)
        snprintf(before, sizeof before, "%" PRId32 " us", now);
    if (pwrite(fd, &none, sizeof none, 0) != (ssize_t)sizeof none)
        return err_set(e, ERR_MACHINE, "cannot write %s: %s; leave out --cpu-idle",
                       KNOB_LATENCY_FILE, strerror(errno));
    return knob_add_change(k, KNOB_LATENCY_FILE, before, "0 us", e);
}

/* ---- set and restore ---- */

static int gather(struct knobs *k, const struct knob_request *request, struct err *e)
{
    struct processors online = {0};
    char remedy[PERMISSION_BYTES];
    bool wanted = request->governor || request->frequency_khz || request->turbo != KNOB_LEFT;
    enum fact_status status = wanted ? processors_online(&k->root, &online) : FACT_OK;
    if (status != FACT_OK)
        return err_set(e, ERR_MACHINE, "cannot read %s: %s%s", PROCESSORS_ONLINE_FILE,
                       status == FACT_DENIED ? "Permission denied"
                                             : "leave out --governor, --frequency and --turbo",
                       knob_remedy(status == FACT_DENIED ? EACCES : 0, remedy));
    bool of_disks = request->scheduler || request->nr_requests || request->read_ahead_kb;
    size_t disks = of_disks ? request->disk_count : 0;
    size_t files =
        KNOB_FILES_OF_PROCESSOR * online.count + KNOB_FILES_OF_DISK * disks + KNOB_FILES_OF_MACHINE;
    k->changes = calloc(files, sizeof *k->changes);
    if (!k->changes)
        return err_no_memory(e, "the settings of this machine");
    return knob_locks_reserve(k, wanted || of_disks ? files : 0, e)
               ? -1
               : knob_wish_all(k, request, &online, disks, e);
}

static int set_everything(struct knobs *k, const struct knob_request *request, struct err *e)
{
    if (gather(k, request, e))
        return -1;
    if (k->change_count)
        knob_note_write(k);
    if (k->change_count && knob_keeper_start(k, e))
        return -1;
    for (size_t i = 0; i < k->change_count; i++) {
        const struct knob_change *c = &k->changes[i];
        char remedy[PERMISSION_BYTES];
        int result = knob_value_write(&k->root, c->path, c->after);
        if (result)
            return err_set(e, ERR_MACHINE, "cannot set %s to %s: %s%s", c->path, c->after,
                           knob_value_problem(result), knob_remedy(result, remedy));
    }
    return request->cpu_idle_off ? hold_latency(k, e) : 0;
}

int knobs_set(struct knobs *k, const struct sysroot *root, const struct knob_request *request,
              struct err *e)
{
    *k = (struct knobs){.set = true, .root = *root, .pipe = -1, .latency = -1};
    k->root.watcher = NULL;
    k->complete = !set_everything(k, request, e);
    if (k->complete)
        return 0;
    struct err undoing;
    if (knobs_restore(k, &undoing) && e)
        err_context(e, "%s; and before that", undoing.msg);
    knobs_free(k);
    return -1;
}

/* ---- the result ---- */

int knobs_restore(struct knobs *k, struct err *e)
{
    struct knob_restored restored;
    int result = 0;
    if (!k->set)
        return 0;
    if (k->latency >= 0)
        close(k->latency);
    k->latency = -1;
    if (k->keeper > 0) {
        result = knob_keeper_finish(k, &restored, e);
        if (!result)
            result = knob_report_restored(k, &restored, e);
    } else {
        knob_note_remove(k); /* nothing was changed */
    }
    knob_note_close(k);
    knob_locks_close(k);
    return result;
}

void knobs_free(struct knobs *k)
{
    knob_locks_close(k);
    free(k->changes);
    free(k->dependents);
    pool_free(&k->strings);
    k->changes = NULL;
    k->dependents = NULL;
    k->change_count = k->dependent_count = 0;
}
