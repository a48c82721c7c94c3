/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dependent settings: the files that the kernel resets along with a knob, and their values. */
#include "hw/knob/internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GOVERNORS_FOLDER "/sys/devices/system/cpu/cpufreq"
#define PATH_BYTES       560

/* Files in the order in which they are written back: the number of requests limits the depths after
   it. */
static const char *const of_queue[] = {"nr_requests", "wbt_lat_usec", "async_depth", NULL};
static const char *const of_range[] = {"scaling_max_freq", "scaling_min_freq", NULL};
static const char *const of_policy[] = {"energy_performance_preference", "scaling_setspeed", NULL};

static int append_dependent(struct knobs *k, struct knob_dependent c, struct err *e)
{
    size_t count = k->dependent_count;
    if (!(count & (count - 1))) { /* make room for twice as many at each power of two */
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
        if (!strcmp(k->dependents[i].path, path)) /* listed for another change as well */
            return append_dependent(k, k->dependents[i], e);
    /* Decided by its mode, because root may open anything. */
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

/* Saves every file of ABOVE/NAME, if there is such a folder. */
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

int dependents_of_scheduler(struct knobs *k, const char *disk, struct err *e)
{
    char queue[PATH_BYTES];
    snprintf(queue, sizeof queue, "/sys/block/%.255s/queue", disk);
    return save_settings_listed(k, queue, of_queue, e) ? -1 : save_folder(k, queue, "iosched", e);
}

/* Frequency limits are per policy, which several processors share: the folders of
   GOVERNORS_FOLDER. */
int dependents_of_turbo(struct knobs *k, struct err *e)
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

/* A governor has tunables for each policy or for all. */
int dependents_of_governor(struct knobs *k, const char *policy, const char *governor, struct err *e)
{
    if (save_settings_listed(k, policy, of_policy, e) || save_folder(k, policy, governor, e))
        return -1;
    return save_folder(k, GOVERNORS_FOLDER, governor, e);
}
