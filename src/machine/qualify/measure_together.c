/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures all disks alone and together. */
#include <stdlib.h>

#include "hw/path/data_path.h"
#include "machine/qualify/internal.h"
#include "machine/qualify/measure_disk.h"
#include "machine/qualify/shared/shared.h"

/* ---- disks that can be measured ---- */

/* Returns true if the disk can be measured together with others. A disk that was never written
   answers without its medium, and so puts no load on what the disks share. Adds a check that says
   why a disk is not measured. */
static bool is_measurable(struct qualification *q, int device, const struct disk_identity *disk,
                          const struct qualify_request *request)
{
    if (!q->devices[device].size) {
        note_check(q, device, GRADE_UNDECIDED, "together", "", "not measured: it has no bytes");
        return false;
    }
    if (!contents_unwritten(q, device, disk->path, request->allow_unwritten) ||
        request->allow_unwritten)
        return true;
    note_check(q, device, GRADE_UNDECIDED, "together", "",
               "not measured: most of it was never written: write it once, or allow unwritten "
               "disks");
    return false;
}

static int add_disks(struct qualification *q, struct sharing *s, const struct disk_identity disks[],
                     const struct qualify_request *request, struct err *e)
{
    if (q->device_count > SHARING_DRIVES)
        return err_set(e, ERR_USAGE,
                       "--together: there are %zu disks, and %d can be measured at the same time: "
                       "name them",
                       q->device_count, SHARING_DRIVES);
    for (size_t i = 0; i < q->device_count && !*request->stop; i++)
        if (is_measurable(q, (int)i, &disks[i], request))
            shared_add_drive(s, q->devices[i].name, (int)i);
    return 0;
}

static int find_what_is_shared(struct sharing *s, const struct sysroot *root, struct inventory *v,
                               struct err *e)
{
    struct data_path *paths = calloc(s->drive_count + 1, sizeof *paths);
    if (!paths)
        return err_no_memory(e, "the paths of %zu disks", s->drive_count);
    for (size_t i = 0; i < s->drive_count; i++)
        data_path_of_name(&paths[i], root, v, s->drives[i].name);
    shared_find_parts(s, v, paths);
    shared_find_groups(s);
    free(paths);
    return 0;
}

/* ---- the whole measurement ---- */

static const char *path_of(const void *owner, int device)
{
    const struct disk_identity *disks = owner;
    return disks[device].path;
}

/* Seconds that a measurement takes in addition to measuring: the machine is read before and after.
 */
#define AROUND_SECONDS 1.5

int measure_shared(struct qualification *q, struct inventory *v, struct sharing *s,
                   const struct disk_identity disks[], const struct qualify_request *request,
                   struct err *e)
{
    struct err why = {0};
    s->confidence = 0.95;
    if (add_disks(q, s, disks, request, e) || find_what_is_shared(s, request->root, v, e))
        return -1;
    shared_plan_rounds(s, request->limit_seconds, AROUND_SECONDS);
    const struct shared_request shared = {.root = request->root,
                                          .path = path_of,
                                          .owner = disks,
                                          .labels = &request->labels,
                                          .allow_unwritten = request->allow_unwritten,
                                          .stop = request->stop,
                                          .observer = request->observer,
                                          .overall = request->overall,
                                          .stage = request->stage,
                                          .context = request->context};
    if (request->stage && s->drive_count > 1) {
        char words[300];
        request->stage(request->context, shared_announce(s, words, sizeof words));
    }
    /* A round that cannot begin ends the measurement; earlier rounds count. */
    if (s->drive_count > 1 && shared_measure(s, &shared, &why))
        note_check(q, -1, GRADE_UNDECIDED, "together", "", "it ended early: %s", why.msg);
    q->interrupted |= *request->stop != 0;
    judge_sharing(q, s);
    if (request->so_far)
        request->so_far(request->context, q);
    return 0;
}
