/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the files of the requested settings, their present values, and the possible ones.
 *
 * Dependent settings are saved with them: settings that nobody asked to change, but that the kernel
 * resets along with one that is changed. A new I/O scheduler begins with its own number of requests
 * and its own tunables, even when the old scheduler comes back; a governor begins with its own
 * tunables, and some drivers choose another energy preference with it.
 *
 * Their values are saved before the change and, where they differ, written back after it is undone.
 * A file that cannot be read, or does not hold a single word, is left out: it is not a setting but
 * a command or a statistic, or it is not in use.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "base/units.h"
#include "hw/knob/internal.h"
#include "hw/machine/cpu_list.h"

#define GOVERNORS_FOLDER "/sys/devices/system/cpu/cpufreq"
#define PATH_BYTES       560

#define PROCESSOR_FOLDER "/sys/devices/system/cpu"

/* One file that the user wants changed. */
struct wish {
    const char *option;   /* such as "--governor" */
    char owner[80];       /* what the file belongs to, such as "processor 3" */
    char path[512];       /* path of the file */
    char offer_path[560]; /* path of the file that lists the possible values */
    const char *value;
    /* set the value even if the file has it already, because an earlier change resets the file */
    bool even_if_equal;
    bool with_other; /* copied to knob_change.with_other */
};

/* Names of files in the order in which they are written back: nr_requests limits the depths that
   are written after it. */
static const char *const of_queue[] = {"nr_requests", "wbt_lat_usec", "async_depth", NULL};
static const char *const of_range[] = {"scaling_max_freq", "scaling_min_freq", NULL};
static const char *const of_policy[] = {"energy_performance_preference", "scaling_setspeed", NULL};

static int append_dependent(struct knobs *k, struct knob_dependent c, struct err *e)
{
    size_t count = k->dependent_count;
    /* The array is full whenever the count is a power of two. It then becomes twice as large. */
    if (!(count & (count - 1))) {
        struct knob_dependent *larger =
            realloc(k->dependents, (count ? 2 * count : 1) * sizeof *larger);
        if (!larger)
            return err_no_memory(e, "the settings of this machine");
        k->dependents = larger;
    }
    c.change = k->change_count - 1;
    k->dependents[k->dependent_count++] = c;
    return 0;
}

static int save_setting(struct knobs *k, const char *folder, const char *name, struct err *e)
{
    char path[PATH_BYTES], value[KNOB_VALUE];
    sysroot_join(path, sizeof path, folder, name);
    for (size_t i = 0; i < k->dependent_count; i++)
        if (!strcmp(k->dependents[i].path, path)) /* already saved for another change */
            return append_dependent(k, k->dependents[i], e);
    /* Checks the mode of the file, because root may open any file for writing. */
    char full[PATH_MAX];
    struct stat s;
    if (!(!stat(sysroot_path(&k->root, full, sizeof full, path), &s) && S_ISREG(s.st_mode) &&
          (s.st_mode & S_IWUSR)) ||
        knob_value_read(&k->root, path, value) != FACT_OK)
        return 0;
    struct knob_dependent c = {.path = pool_copy(&k->strings, path, strlen(path)),
                               .value = pool_copy(&k->strings, value, strlen(value))};
    return c.path && c.value ? append_dependent(k, c, e)
                             : err_no_memory(e, "the settings of this machine");
}

static int save_settings_listed(struct knobs *k, const char *folder, const char *const *names,
                                struct err *e)
{
    for (; *names; names++)
        if (save_setting(k, folder, *names, e))
            return -1;
    return 0;
}

/* Saves the settings in all files of ABOVE/NAME, if there is such a folder. */
static int save_folder(struct knobs *k, const char *above, const char *name, struct err *e)
{
    struct sysroot_names files;
    char folder[PATH_BYTES];
    int result = 0;
    sysroot_join(folder, sizeof folder, above, name);
    enum fact_status status = sysroot_list(&k->root, folder, &files);
    if (status != FACT_OK && status != FACT_ABSENT)
        result = err_set(e, ERR_MACHINE, "cannot read %s, whose settings would be lost", folder);
    for (size_t i = 0; !result && i < files.count; i++)
        result = save_setting(k, folder, files.names[i], e);
    sysroot_names_free(&files);
    return result;
}

/*
 * Appends the dependent settings of a disk ("nvme0n1") to k->dependents, before its scheduler
 * changes. They belong to the last of k->changes. ERR_MACHINE: no memory.
 */
static int dependents_of_scheduler(struct knobs *k, const char *disk, struct err *e)
{
    char queue[PATH_BYTES];
    snprintf(queue, sizeof queue, "/sys/block/%.255s/queue", disk);
    return save_settings_listed(k, queue, of_queue, e) ? -1 : save_folder(k, queue, "iosched", e);
}

/*
 * Appends the limits of all frequencies as dependent settings, since the switch of turbo may change
 * them.
 *
 * Frequency limits are per policy, which several processors share: the folders of GOVERNORS_FOLDER.
 */
static int dependents_of_turbo(struct knobs *k, struct err *e)
{
    struct sysroot_names folders;
    char policy[PATH_BYTES];
    int result = 0;
    enum fact_status status = sysroot_list(&k->root, GOVERNORS_FOLDER, &folders);
    if (status != FACT_OK && status != FACT_ABSENT)
        result = err_set(e, ERR_MACHINE, "cannot read %s, whose settings would be lost",
                         GOVERNORS_FOLDER);
    for (size_t i = 0; !result && i < folders.count; i++) {
        sysroot_join(policy, sizeof policy, GOVERNORS_FOLDER, folders.names[i]);
        if (!strncmp(folders.names[i], "policy", 6))
            result = save_settings_listed(k, policy, of_range, e);
    }
    sysroot_names_free(&folders);
    return result;
}

/*
 * Appends the dependent settings of a policy, whose cpufreq folder is `policy` and whose present
 * governor is `governor`.
 *
 * A governor has tunables either for each policy or for all of them.
 */
static int dependents_of_governor(struct knobs *k, const char *policy, const char *governor,
                                  struct err *e)
{
    if (save_settings_listed(k, policy, of_policy, e) || save_folder(k, policy, governor, e))
        return -1;
    return save_folder(k, GOVERNORS_FOLDER, governor, e);
}

/* ---- one request ---- */

int knob_add_change(struct knobs *k, const char *path, const char *before, const char *after,
                    struct err *e)
{
    struct knob_change c = {.path = pool_copy(&k->strings, path, strlen(path)),
                            .before = pool_copy(&k->strings, before, strlen(before)),
                            .after = pool_copy(&k->strings, after, strlen(after))};
    if (!c.path || !c.before || !c.after)
        return err_no_memory(e, "the settings of this machine");
    k->changes[k->change_count++] = c;
    return 0;
}

static int read_value(const struct knobs *k, const struct wish *w, char value[KNOB_VALUE],
                      struct err *e)
{
    enum fact_status status = knob_value_read(&k->root, w->path, value);
    if (status == FACT_OK)
        return 0;
    if (status == FACT_ABSENT)
        return err_set(e, ERR_MACHINE, "%s has no such setting here (%s): leave out %s", w->owner,
                       w->path, w->option);
    return err_set(e, ERR_MACHINE, "cannot read %s (%s): leave out %s", w->path,
                   status == FACT_DENIED ? "permission denied" : "it is not one word", w->option);
}

/* Reads the file and, if its value differs, adds a change. The value is read under the lock: until
   a run that is ending releases its lock, it may still restore its old value. */
static int take_wish(struct knobs *k, const struct wish *w, struct err *e)
{
    char before[KNOB_VALUE], offer[KNOB_OFFER];
    if (knob_is_locked(k, w->path))
        return 0;
    if (knob_lock_share(k, w->path, e) || read_value(k, w, before, e))
        return -1;
    if (!strcmp(before, w->value) && !w->even_if_equal)
        return 0;
    if (knob_lock_alone(k, w->path, e) || read_value(k, w, before, e))
        return -1;
    /* somebody else has set the value meanwhile */
    if (!strcmp(before, w->value) && !w->even_if_equal)
        return 0;
    /* If a driver lists no values, the requested one is written, and the kernel's answer
       decides. */
    bool named =
        w->offer_path[0] && knob_value_offer(&k->root, w->offer_path, offer) == FACT_OK && offer[0];
    if ((named && !knob_value_offered(offer, w->value)) || strlen(w->value) >= KNOB_VALUE)
        return err_set(e, ERR_USAGE, "%s %.64s: %s offers only: %s", w->option, w->value, w->owner,
                       offer);
    if (knob_add_change(k, w->path, before, w->value, e))
        return -1;
    k->changes[k->change_count - 1].with_other = w->with_other;
    return 0;
}

/* ---- processors ---- */

/* Finds the policy folder of a processor. Processors whose frequency is scaled together share one
   folder, to which their links lead. */
static int find_policy(const struct knobs *k, unsigned processor, const char *option, char *folder,
                       size_t size, struct err *e)
{
    char link[96];
    snprintf(link, sizeof link, PROCESSOR_FOLDER "/cpu%u/cpufreq", processor);
    if (sysroot_folder(&k->root, link, folder, size) == FACT_OK)
        return 0;
    return err_set(e, ERR_MACHINE, "processor %u has no frequency driver here (%s): leave out %s",
                   processor, link, option);
}

static struct wish wish_of_policy(const char *option, unsigned processor, const char *folder,
                                  const char *file, const char *value)
{
    struct wish w = {.option = option, .value = value};
    snprintf(w.owner, sizeof w.owner, "processor %u", processor);
    snprintf(w.path, sizeof w.path, "%.480s/%.30s", folder, file);
    return w;
}

static int take_governor(struct knobs *k, unsigned processor, const char *folder,
                         const char *governor, struct err *e)
{
    struct wish w = wish_of_policy("--governor", processor, folder, "scaling_governor", governor);
    snprintf(w.offer_path, sizeof w.offer_path, "%.480s/scaling_available_governors", folder);
    size_t count = k->change_count;
    if (take_wish(k, &w, e))
        return -1;
    return k->change_count == count
               ? 0
               : dependents_of_governor(k, folder, k->changes[count].before, e);
}

static uint64_t khz_of(const struct knobs *k, const char *folder, const char *file)
{
    char path[560], value[KNOB_VALUE];
    uint64_t khz = 0;
    snprintf(path, sizeof path, "%.480s/%.40s", folder, file);
    if (knob_value_read(&k->root, path, value) != FACT_OK || parse_unsigned(value, &khz, NULL))
        return 0;
    return khz;
}

static int check_frequency(const struct knobs *k, unsigned processor, const char *folder,
                           uint64_t khz, struct err *e)
{
    uint64_t least = khz_of(k, folder, "cpuinfo_min_freq");
    uint64_t most = khz_of(k, folder, "cpuinfo_max_freq");
    char path[560], offer[KNOB_OFFER], value[TEXT_DIGITS];
    if ((least && khz < least) || (most && khz > most))
        return err_set(e, ERR_USAGE, "--frequency %g GHz: processor %u goes from %g to %g GHz",
                       (double)khz / 1e6, processor, (double)least / 1e6, (double)most / 1e6);
    snprintf(path, sizeof path, "%.480s/scaling_available_frequencies", folder);
    if (knob_value_offer(&k->root, path, offer) != FACT_OK || !offer[0] ||
        knob_value_offered(offer, text_digits(value, khz)))
        return 0;
    return err_set(e, ERR_USAGE, "--frequency %g GHz: processor %u offers only, in kHz: %s",
                   (double)khz / 1e6, processor, offer);
}

/*
 * Sets both ends of the range, so that every governor keeps the frequency; for the governor
 * userspace also the frequency itself. The kernel never accepts a lower end above the upper one, so
 * the upper end is set first if the new frequency lies above it.
 */
static int take_frequency(struct knobs *k, unsigned processor, const char *folder,
                          const struct knob_request *request, struct err *e)
{
    static const char *const ends[] = {"scaling_min_freq", "scaling_max_freq"};
    char value[TEXT_DIGITS], path[560], governor[KNOB_VALUE];
    uint64_t khz = request->frequency_khz;
    text_digits(value, khz);
    if (check_frequency(k, processor, folder, khz, e))
        return -1;
    bool above = khz > khz_of(k, folder, ends[1]);
    for (size_t i = 0; i < 2; i++) {
        struct wish w =
            wish_of_policy("--frequency", processor, folder, ends[above ? 1 - i : i], value);
        if (take_wish(k, &w, e))
            return -1;
    }
    snprintf(path, sizeof path, "%.480s/scaling_governor", folder);
    if (knob_value_read(&k->root, path, governor) != FACT_OK)
        governor[0] = '\0';
    if (strcmp(request->governor ? request->governor : governor, "userspace") != 0)
        return 0;
    struct wish w = wish_of_policy("--frequency", processor, folder, "scaling_setspeed", value);
    /* Under another governor this file has no value, and its value is lost again when that governor
       is restored. */
    w.even_if_equal = w.with_other = strcmp(governor, "userspace") != 0;
    return take_wish(k, &w, e);
}

static int wish_processor(struct knobs *k, unsigned processor, const struct knob_request *request,
                          struct err *e)
{
    char folder[480];
    const char *option = request->governor ? "--governor" : "--frequency";
    if (!request->governor && !request->frequency_khz)
        return 0;
    if (find_policy(k, processor, option, folder, sizeof folder, e))
        return -1;
    if (request->governor && take_governor(k, processor, folder, request->governor, e))
        return -1;
    return request->frequency_khz ? take_frequency(k, processor, folder, request, e) : 0;
}

/* ---- the machine ---- */

/* Which of these files exists depends on the frequency driver: a machine has at most one. */
static const struct {
    const char *path, *on, *off;
} turbo_switches[] = {
    {PROCESSOR_FOLDER "/intel_pstate/no_turbo", "0", "1"},
    {PROCESSOR_FOLDER "/cpufreq/boost", "1", "0"},
};

static int wish_machine(struct knobs *k, const struct knob_request *request, struct err *e)
{
    struct wish w = {.option = "--turbo", .owner = "this machine"};
    char value[KNOB_VALUE];
    if (request->turbo == KNOB_LEFT)
        return 0;
    for (size_t i = 0; i < sizeof turbo_switches / sizeof *turbo_switches && !w.value; i++) {
        if (knob_value_read(&k->root, turbo_switches[i].path, value) == FACT_ABSENT)
            continue;
        snprintf(w.path, sizeof w.path, "%s", turbo_switches[i].path);
        w.value = request->turbo == KNOB_ON ? turbo_switches[i].on : turbo_switches[i].off;
    }
    if (!w.value)
        return err_set(e, ERR_MACHINE,
                       "this machine has no switch for turbo (%s, %s): leave out --turbo",
                       turbo_switches[0].path, turbo_switches[1].path);
    size_t count = k->change_count;
    if (take_wish(k, &w, e))
        return -1;
    return k->change_count == count ? 0 : dependents_of_turbo(k, e);
}

/* ---- disks ---- */

/* Requests a number in a file of the disk's queue. */
static int take_queue_number(struct knobs *k, const char *disk, const char *option,
                             const char *file, uint64_t number, bool scheduler_changes,
                             struct err *e)
{
    struct wish w = {.option = option};
    char value[TEXT_DIGITS];
    w.value = text_digits(value, number);
    snprintf(w.owner, sizeof w.owner, "%s", disk);
    snprintf(w.path, sizeof w.path, "/sys/block/%.255s/queue/%.30s", disk, file);
    /* A new scheduler resets this number, and the old value comes back together with the old
       scheduler. */
    w.even_if_equal = w.with_other = scheduler_changes;
    size_t count = k->change_count;
    if (take_wish(k, &w, e))
        return -1;
    return k->change_count == count || scheduler_changes ? 0 : dependents_of_scheduler(k, disk, e);
}

static int take_scheduler(struct knobs *k, const char *disk, const char *scheduler, struct err *e)
{
    struct wish w = {.option = "--scheduler", .value = scheduler};
    snprintf(w.owner, sizeof w.owner, "%s", disk);
    snprintf(w.path, sizeof w.path, "/sys/block/%.255s/queue/scheduler", disk);
    snprintf(w.offer_path, sizeof w.offer_path, "%s", w.path);
    size_t count = k->change_count;
    if (take_wish(k, &w, e))
        return -1;
    return k->change_count == count ? 0 : dependents_of_scheduler(k, disk, e);
}

static int wish_disk(struct knobs *k, const char *disk, const struct knob_request *request,
                     struct err *e)
{
    size_t count = k->change_count;
    if (request->scheduler && take_scheduler(k, disk, request->scheduler, e))
        return -1;
    bool changes = k->change_count > count;
    if (request->nr_requests && take_queue_number(k, disk, "--nr-requests", "nr_requests",
                                                  request->nr_requests, changes, e))
        return -1;
    return request->read_ahead_kb ? take_queue_number(k, disk, "--read-ahead", "read_ahead_kb",
                                                      request->read_ahead_kb, false, e)
                                  : 0;
}

int knob_wish_all(struct knobs *k, const struct knob_request *request,
                  const struct processors *online, size_t disks, struct err *e)
{
    if (wish_machine(k, request, e))
        return -1;
    for (size_t i = 0; i < online->count; i++)
        if (wish_processor(k, online->numbers[i], request, e))
            return -1;
    for (size_t i = 0; i < disks; i++)
        if (wish_disk(k, request->disks[i], request, e))
            return -1;
    return 0;
}
