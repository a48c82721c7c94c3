/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Handles one disk of an acceptance: identifies it, asks whether it may be destroyed, and checks
 * that it is still the same one. Finds disks that share a part of the machine which could slow
 * them, as qualify --together does.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/span.h"
#include "hw/disk/disk_serial.h"
#include "hw/path/data_path.h"
#include "hw/prober.h"
#include "io/target/target_identity.h"
#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"
#include "machine/qualify/disk_selection.h"
#include "machine/qualify/shared/shared.h"

_Static_assert(ACCEPT_DISKS_MAX <= SHARING_DRIVES, "all of them have a group");

static void find_groups(struct accept_disk disks[], size_t count, struct inventory *v,
                        struct sharing *s, struct data_path paths[])
{
    for (size_t i = 0; i < count; i++) {
        shared_add_drive(s, disks[i].name, (int)i);
        data_path_find(&paths[i], disks[i].root, v, disks[i].device, NULL);
    }
    shared_find_parts(s, v, paths);
    shared_find_groups(s);
    for (size_t i = 0; i < count; i++) {
        disks[i].group = s->drives[i].group;
        disks[i].numa_node = data_path_numa_node(&paths[i], v);
    }
}

/* Sets d->group and d->numa_node, which decide which disks measure at the same time. */
static int accept_groups_find(struct accept_disk disks[], size_t count, struct inventory *v,
                              struct err *e)
{
    struct sharing *s = calloc(1, sizeof *s);
    struct data_path *paths = calloc(count + 1, sizeof *paths);
    const bool room = s && paths;
    if (room)
        find_groups(disks, count, v, s, paths);
    free(paths);
    free(s);
    return room ? 0 : err_no_memory(e, "the paths of %zu disks", count);
}

/* ---- identity ---- */

/* Returns the rate of sequential writes, in bytes/s, for an estimate before measurements: rotating
   disks have a typical rate, others a share of their link's rate. */
static double usual_rate(const struct accept_disk *d, const struct inventory *v, int node)
{
    double limit = inventory_number(v, disk_link(v, node), "limit");
    if (d->rotates)
        return 1.8e8;
    return limit > 0 ? 0.5 * limit : 5e8;
}

static void find_thermometer(struct accept_disk *d, const struct inventory *v, int node)
{
    int sensor = disk_thermometer(v, node);
    const struct inventory_fact *fact = inventory_fact(v, sensor, "temperature");
    d->celsius_max = inventory_number(v, sensor, "temperature_critical");
    if (isnan(d->celsius_max))
        d->celsius_max = inventory_number(v, sensor, "temperature_max");
    if (fact && fact->status == FACT_OK && strstr(fact->source, "_input"))
        snprintf(d->thermometer, sizeof d->thermometer, "%s", fact->source);
}

static int describe(struct accept_disk *d, const struct inventory *v, int node, const char *name,
                    struct err *e)
{
    struct qualification_device q;
    struct stat st;
    disk_describe(v, node, &q);
    snprintf(d->name, sizeof d->name, "%s", q.name);
    snprintf(d->kind, sizeof d->kind, "%s", q.kind);
    snprintf(d->model, sizeof d->model, "%s", q.model);
    snprintf(d->serial, sizeof d->serial, "%s", q.serial);
    snprintf(d->firmware, sizeof d->firmware, "%s", q.firmware);
    const char *rotates = inventory_value(v, node, "rotational");
    d->rotates = rotates && !strcmp(rotates, "yes");
    if (strchr(name, '/'))
        snprintf(d->path, sizeof d->path, "%s", name);
    else
        snprintf(d->path, sizeof d->path, "/dev/%s", q.name);
    for (char *c = d->path; !strchr(name, '/') && *c; c++)
        *c = *c == '!' ? '/' : *c;
    const int look = open(d->path, O_PATH | O_CLOEXEC);
    if (look < 0 || fstat(look, &st)) {
        const int error = errno;
        if (look >= 0)
            close(look);
        return err_set(e, ERR_USAGE, "%.200s: %s", d->path, strerror(error));
    }
    char identity[TARGET_IDENTITY_BYTES];
    d->is_known = target_identity(look, identity);
    snprintf(d->identity, sizeof d->identity, "%.*s", (int)sizeof d->identity - 1, identity);
    close(look);
    if (!S_ISBLK(st.st_mode))
        return err_set(e, ERR_USAGE, "%.200s: it is no disk", d->path);
    d->device = st.st_rdev;
    d->is_volume = !disk_is_own(v, node);
    double block = inventory_number(v, node, "logical_block_size");
    d->logical_block = block >= 512 ? (uint32_t)block : 512;
    d->size = q.size - q.size % d->logical_block;
    d->rate = usual_rate(d, v, node);
    find_thermometer(d, v, node);
    if (d->logical_block > STAMP_MAX_SECTOR)
        return err_set(e, ERR_MACHINE, "%.200s: its blocks of %u bytes are too large to be stamped",
                       d->path, d->logical_block);
    return d->size ? 0 : err_set(e, ERR_TARGET, "%.200s: it has no capacity", d->path);
}

/* Refuses a second name of the same drive: the same device, or the same serial number over another
   path or as another namespace. */
static int refuse_second_name(const struct accept_disk *d, const struct accept_disk *other,
                              struct err *e)
{
    if (d->device != other->device && (!d->serial[0] || strcmp(d->serial, other->serial) != 0))
        return 0;
    return err_set(e, ERR_UNSAFE,
                   "%.200s and %.200s are two names of one drive%s%.60s; nothing was written",
                   other->path, d->path, d->serial[0] ? ", serial number " : "", d->serial);
}

/* ---- identity in the journal ---- */

int accept_disk_keep(struct accept_disk *d, struct err *e)
{
    char name[ACCEPT_QUOTED], path[ACCEPT_QUOTED], kind[ACCEPT_QUOTED], serial[ACCEPT_QUOTED],
        model[ACCEPT_QUOTED], firmware[ACCEPT_QUOTED], identity[ACCEPT_QUOTED];
    if (getrandom(&d->salt, sizeof d->salt, 0) != (ssize_t)sizeof d->salt)
        return err_set(e, ERR_MACHINE, "the kernel has no random number: %s", strerror(errno));
    return accept_journal_add(
        d->journal, d->number, e, "disk",
        "name=%s path=%s kind=%s serial=%s model=%s firmware=%s size=%llu block=%u salt=%llu "
        "identity=%s",
        accept_journal_quote(name, d->name), accept_journal_quote(path, d->path),
        accept_journal_quote(kind, d->kind), accept_journal_quote(serial, d->serial),
        accept_journal_quote(model, d->model), accept_journal_quote(firmware, d->firmware),
        (unsigned long long)d->size, d->logical_block, (unsigned long long)d->salt,
        accept_journal_quote(identity, d->identity));
}

/* Compares serial number, model, size and block size; other properties may change. */
static int compare_identity(struct accept_disk *d, const struct accept_line *line, struct err *e)
{
    char serial[sizeof d->serial], model[sizeof d->model];
    accept_line_text(line, "serial", serial, sizeof serial);
    accept_line_text(line, "model", model, sizeof model);
    uint64_t size = accept_line_count(line, "size"), block = accept_line_count(line, "block");
    d->salt = accept_line_count(line, "salt");
    if (strcmp(serial, d->serial) != 0 || strcmp(model, d->model) != 0)
        return err_set(e, ERR_UNSAFE,
                       "%.100s: it is %.60s with serial number %.60s, and the state in %.100s is "
                       "of %.60s with %.60s; nothing was written",
                       d->path, d->model, d->serial[0] ? d->serial : "(none)", d->request->folder,
                       model, serial[0] ? serial : "(none)");
    if (size != d->size || block != d->logical_block)
        return err_set(e, ERR_UNSAFE,
                       "%.100s: it reports %llu bytes in blocks of %u, and had %llu in blocks of "
                       "%llu when the work began; nothing was written",
                       d->path, (unsigned long long)d->size, d->logical_block,
                       (unsigned long long)size, (unsigned long long)block);
    return 0;
}

/* Writes the name by which the disk is searched for: its serial number, since names change, or its
   path if it has none. */
static void name_of_journal(const struct accept_line *line, char *name, size_t size)
{
    if (!accept_line_text(line, "serial", name, size) || !*name)
        accept_line_text(line, "path", name, size);
}

static const struct accept_line *line_of(const struct accept_journal *journal, size_t number)
{
    return journal ? accept_journal_last(journal, (unsigned)number, "disk") : NULL;
}

static int choose(struct accept_disk *d, const struct inventory *v, size_t number, struct err *e)
{
    const struct accept_request *r = d->request;
    char name[1024];
    int node;
    const struct accept_line *line = r->resume ? line_of(d->journal, number) : NULL;
    if (line)
        name_of_journal(line, name, sizeof name);
    else
        snprintf(name, sizeof name, "%s", r->names[number]);
    if (disk_find(v, d->root, name, &node, e)) {
        if (line) {
            e->code = ERR_TARGET;
            err_context(e, "the drive of %.100s", r->folder);
        }
        return -1;
    }
    return describe(d, v, node, name, e) || (line && compare_identity(d, line, e)) ? -1 : 0;
}

static size_t count_of(const struct accept_request *r, const struct accept_journal *journal)
{
    size_t count = 0;
    if (!r->resume)
        return r->name_count;
    while (line_of(journal, count))
        count++;
    return count;
}

static int choose_all(struct accept_disk disks[], size_t *count, const struct accept_request *r,
                      struct accept_journal *journal, const struct inventory *v, struct err *e)
{
    *count = count_of(r, journal);
    if (*count > ACCEPT_DISKS_MAX) {
        *count = 0;
        return err_set(e, ERR_USAGE, "more than %d disks", ACCEPT_DISKS_MAX);
    }
    if (!*count)
        return err_set(e, ERR_USAGE, "%.200s: its state names no disk", r->folder);
    for (size_t i = 0; i < *count; i++)
        /* so that all targets can be released, even after a refusal */
        disks[i].target = TARGET_NONE;
    for (size_t i = 0; i < *count; i++) {
        disks[i] = (struct accept_disk){.request = r,
                                        .root = r->root,
                                        .journal = journal,
                                        .number = (unsigned)i,
                                        .target = TARGET_NONE,
                                        .stop = r->stop,
                                        .observer = r->observer};
        /* when resuming with named disks, the others may be missing */
        disks[i].left_out = choose(&disks[i], v, i, e) != 0;
        if (disks[i].left_out && !(r->resume && r->name_count))
            return -1;
        for (size_t k = 0; k < i && !disks[i].left_out; k++)
            if (!disks[k].left_out && refuse_second_name(&disks[i], &disks[k], e))
                return -1;
    }
    return 0;
}

/* When resuming, names limit the work to these disks of the journal. A name of another disk is a
   mistake. */
static int compare_names(struct accept_disk disks[], size_t count, const struct accept_request *r,
                         const struct inventory *v, struct err *e)
{
    bool named[ACCEPT_DISKS_MAX] = {false};
    for (size_t i = 0; i < r->name_count && r->resume; i++) {
        int node;
        size_t k = 0;
        if (disk_find(v, r->root, r->names[i], &node, e))
            return -1;
        while (k < count && (disks[k].left_out || strcmp(disks[k].name, v->nodes[node].name) != 0))
            k++;
        for (size_t other = 0; other < count && k == count; other++)
            if (!strcmp(disks[other].name, v->nodes[node].name) &&
                /* called only for its error, the reason why that disk was left out */
                choose(&disks[other], v, other, e))
                return -1;
        if (k == count)
            return err_set(e, ERR_UNSAFE,
                           "%.200s: the state in %.200s is of other disks; nothing was written",
                           r->names[i], r->folder);
        named[k] = true;
    }
    for (size_t k = 0; k < count && r->resume && r->name_count; k++)
        disks[k].left_out = !named[k];
    return 0;
}

int accept_disks_choose(struct accept_disk disks[], size_t *count, const struct accept_request *r,
                        struct accept_journal *journal, struct err *e)
{
    struct inventory v = {0};
    struct probe probe = {.root = r->root, .inventory = &v, .commands = true, .serials = true};
    int status = probe_all(&probe, e);
    if (!status)
        status = choose_all(disks, count, r, journal, &v, e);
    if (!status)
        status = compare_names(disks, *count, r, &v, e);
    if (!status)
        status = accept_groups_find(disks, *count, &v, e);
    inventory_free(&v);
    return status;
}

/* ---- permission to destroy ---- */

bool accept_disk_is_given(const struct accept_disk *d)
{
    for (const char *const *serial = d->request->serials; serial && *serial; serial++) {
        char text[sizeof d->serial] = "";
        struct span given = span_trimmed(span_of(*serial));
        if (given.length < sizeof text)
            span_copy(text, given);
        if (!strcmp(text, d->serial))
            return true;
    }
    return false;
}

int accept_disk_permit(struct accept_disk *d, struct err *e)
{
    const struct accept_request *r = d->request;
    char typed[sizeof d->serial] = "";
    if (!d->serial[0])
        return r->destroy ? 0
                          : err_set(e, ERR_UNSAFE,
                                    "%.200s: all that it holds is destroyed, and it has no serial "
                                    "number that could be given; --destroy says that you mean it",
                                    d->path);
    /* If the journal says that bytes of this drive were written, its serial number was given at
       that time. */
    if (accept_disk_is_given(d) || (r->resume && accept_resume_covered(d)))
        return 0;
    if (r->destroy && r->ask && r->ask(r->context, d->path, typed, sizeof typed)) {
        if (!strcmp(typed, d->serial))
            return 0;
        return err_set(e, ERR_UNSAFE, "%.200s: its serial number is not %.60s; nothing was written",
                       d->path, typed);
    }
    return err_set(e, ERR_UNSAFE,
                   "%.200s: all that it holds is destroyed; --destroy-serial %.60s says that you "
                   "mean this drive",
                   d->path, d->serial);
}

/* ---- open ---- */

static void make_plan(struct accept_disk *d)
{
    plan_init(&d->plan);
    snprintf(d->plan.target, sizeof d->plan.target, "%s", d->path);
    snprintf(d->plan.destroy_serial, sizeof d->plan.destroy_serial, "%s", d->serial);
    d->plan.destroy = true;
    d->plan.allow_unwritten = true;
    d->plan.measure_overhead = d->plan.compare_block_layer = false;
}

/* Opens the disk; a process that was killed may hold the drive for a moment, until its last write
   has ended. */
static int open_held(struct accept_disk *d, const struct target_request *request, struct err *e)
{
    const struct timespec pause = {.tv_nsec = 200000000};
    int status = target_open(&d->target, request, NULL, NULL, NULL, e);
    for (int i = 0; i < 50 && status && e->code == ERR_UNSAFE && d->request->resume; i++) {
        if (accept_disk_stopped(d))
            break;
        nanosleep(&pause, NULL);
        status = target_open(&d->target, request, NULL, NULL, NULL, e);
    }
    return status;
}

int accept_disk_hold(struct accept_disk *d, struct err *e)
{
    const struct target_request request = {.path = d->path,
                                           .read = true,
                                           .write = !d->request->reads_only,
                                           .direct = true,
                                           .destroy = !d->request->reads_only,
                                           .allow_unwritten = true,
                                           .allow_unseen = d->request->allow_unseen,
                                           .seed = 1};
    make_plan(d);
    accept_log_begin(d);
    if (open_held(d, &request, e))
        return -1;
    if (d->target.kind != TARGET_BLOCK_DEVICE || d->target.device != d->device)
        return err_set(e, ERR_UNSAFE, "%.200s: another device took its place; nothing was written",
                       d->path);
    d->shared = session_shared_new();
    if (!d->shared)
        return err_no_memory(e, "sessions");
    session_shared_hold(d->shared, &d->target);
    return accept_disk_check(d, e);
}

void accept_disk_release(struct accept_disk *d)
{
    accept_log_end(d);
    if (d->shared)
        session_shared_end(d->shared, NULL);
    else
        target_close(&d->target);
    d->shared = NULL;
    d->target = TARGET_NONE;
}

/* ---- still the same drive? ---- */

int accept_disk_check(const struct accept_disk *d, struct err *e)
{
    struct stat st;
    uint64_t size = 0;
    if (syscall(SYS_ioctl, d->target.fd, BLKGETSIZE64, &size) || !size)
        return err_set(e, ERR_TARGET, "%.200s: the drive is gone", d->path);
    if (size - size % d->logical_block != d->size)
        return err_set(e, ERR_UNSAFE,
                       "%.200s: it reports %llu bytes now, and had %llu when the work began",
                       d->path, (unsigned long long)size, (unsigned long long)d->size);
    if (stat(d->path, &st) || !S_ISBLK(st.st_mode) || st.st_rdev != d->device)
        return err_set(e, ERR_UNSAFE, "%.200s: the name leads to another device now", d->path);
    return d->serial[0] ? disk_serial_check(d->root, d->device, d->serial, d->path, e) : 0;
}

double accept_disk_celsius(const struct accept_disk *d)
{
    char line[32], *end;
    if (!d->thermometer[0] || !file_first_line(d->thermometer, line, sizeof line))
        return NAN;
    double value = strtod(line, &end);
    return end == line ? (double)NAN : value / 1000;
}

const char *accept_drive_state(int fd, int error)
{
    int read_only = 0;
    uint64_t size = 0;
    if (error == ENODEV || error == ENXIO || error == ENOMEDIUM ||
        (!syscall(SYS_ioctl, fd, BLKGETSIZE64, &size) && !size))
        return "; the drive is gone";
    return !syscall(SYS_ioctl, fd, BLKROGET, &read_only) && read_only
               ? "; the drive has become read-only"
               : "";
}
