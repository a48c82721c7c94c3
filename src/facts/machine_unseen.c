/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes in words which parts of the machine could not be examined. */
#include "facts/machine_unseen.h"

#include <stdio.h>
#include <string.h>

static const char *const keys[] = {UNSEEN_DEVICES, UNSEEN_MACHINE, UNSEEN_LOAD};
#define KEY_COUNT (sizeof keys / sizeof *keys)

/* Why a path cannot be seen. HIDDEN: something is mounted over a path below the mount point. */
enum how { NOT_MOUNTED, NOT_PERMITTED, HIDDEN, HOW_COUNT };
static const char *const how_words[HOW_COUNT][2] = {
    [NOT_MOUNTED] = {"is not mounted", "are not mounted"},
    [NOT_PERMITTED] = {"may not be read", "may not be read"},
    [HIDDEN] = {"is hidden", "are hidden"},
};

static const struct inventory_fact *fault_of(const struct inventory *v, const char *key)
{
    int node = inventory_find(v, "machine");
    return node == INVENTORY_NONE ? NULL : inventory_fact(v, node, key);
}

static enum how how_of(const struct inventory_fact *fault)
{
    if (fault->status == FACT_DENIED)
        return NOT_PERMITTED;
    return strchr(fault->source + 1, '/') ? HIDDEN : NOT_MOUNTED;
}

bool unseen(const struct inventory *v, const char *key)
{
    return fault_of(v, key);
}

/* Writes the paths that cannot be seen for this reason, each once: "/sys and /proc". Returns their
   number. */
static size_t paths_of(const struct inventory *v, const char *key, enum how how,
                       char to[UNSEEN_BYTES])
{
    const char *last = "";
    size_t count = 0, used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < KEY_COUNT; i++) {
        const struct inventory_fact *fault = fault_of(v, keys[i]);
        if (!fault || (key && strcmp(key, keys[i]) != 0) || how_of(fault) != how ||
            !strcmp(last, fault->source))
            continue;
        last = fault->source;
        used +=
            (size_t)snprintf(to + used, UNSEEN_BYTES - used, "%s%.40s", count ? " and " : "", last);
        count++;
    }
    return count;
}

char *unseen_words(const struct inventory *v, const char *key, char to[UNSEEN_BYTES])
{
    char paths[UNSEEN_BYTES];
    size_t used = 0;
    to[0] = '\0';
    for (enum how how = 0; how < HOW_COUNT; how++) {
        size_t count = paths_of(v, key, how, paths);
        if (count && used < UNSEEN_BYTES)
            used += (size_t)snprintf(to + used, UNSEEN_BYTES - used, "%s%s %s", used ? ", " : "",
                                     paths, how_words[how][count > 1]);
    }
    return to;
}

char *unseen_remedy(const struct inventory *v, char to[UNSEEN_BYTES])
{
    char sys[UNSEEN_BYTES] = "", proc[UNSEEN_BYTES] = "";
    const struct inventory_fact *devices = fault_of(v, UNSEEN_DEVICES),
                                *machine = fault_of(v, UNSEEN_MACHINE);
    to[0] = '\0';
    if (devices && how_of(devices) == NOT_MOUNTED)
        snprintf(sys, sizeof sys, "mount -t sysfs sys /sys");
    if (machine && how_of(machine) == NOT_MOUNTED)
        snprintf(proc, sizeof proc, "mount -t proc proc /proc");
    if (*sys || *proc)
        snprintf(to, UNSEEN_BYTES,
                 "mount what is missing (%.60s%s%.60s), or use cupel outside of "
                 "this jail",
                 sys, *sys && *proc ? ", " : "", proc);
    else if (devices || machine || fault_of(v, UNSEEN_LOAD))
        snprintf(to, UNSEEN_BYTES, "use cupel as root and outside of this jail or container");
    return to;
}

char *unseen_note(const struct inventory *v, bool load_unknown, char to[UNSEEN_NOTE_BYTES])
{
    char words[UNSEEN_BYTES];
    const bool load = load_unknown || unseen(v, UNSEEN_LOAD), devices = unseen(v, UNSEEN_DEVICES);
    unseen_words(v, NULL, words);
    to[0] = '\0';
    if (load || devices)
        snprintf(to, UNSEEN_NOTE_BYTES, "%s%s%s cannot be seen here%s%s",
                 load ? "whether other programs ran" : "", load && devices ? " and " : "",
                 devices ? "what disks and links did" : "", *words ? ": " : "", words);
    return to;
}
