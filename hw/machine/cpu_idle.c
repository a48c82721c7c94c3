/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors' idle states and their exit latencies. */
#include <stdio.h>
#include <string.h>

#include "hw/machine/internal.h"
#include "hw/sysroot/attribute.h"

#define STATES_TEXT 256

static const struct attribute idle_rows[] = {
    {.key = "idle_driver", .files = {"current_driver"}},
    {.key = "idle_governor",
     .files = {"current_governor", "current_governor_ro"},
     .optional = true},
};

struct idle_states {
    char names[STATES_TEXT];     /* "POLL C1 [C6]" */
    char latencies[STATES_TEXT]; /* "POLL 0, C1 2, C6 133" */
    enum fact_status trouble;    /* FACT_OK: all states show their name and latency */
};

static void append_state(char *text, const char *between, const char *more)
{
    size_t length = strlen(text);
    snprintf(text + length, STATES_TEXT - length, "%s%s", length ? between : "", more);
}

/* Reads one of the folders "state0", "state1" ... */
static void read_state(const struct cpu_survey *s, const char *folder, struct idle_states *all)
{
    char path[CPU_PATH], name[24], shown[64];
    uint64_t disabled, microseconds;
    snprintf(path, sizeof path, "%s/name", folder);
    enum fact_status status = sysroot_line(s->root, path, name, sizeof name);
    if (status != FACT_OK || !*name) {
        all->trouble = status == FACT_OK ? FACT_INVALID : status;
        return;
    }
    for (char *blank = strchr(name, ' '); blank; blank = strchr(blank, ' '))
        *blank = '_'; /* blanks separate the names */
    snprintf(path, sizeof path, "%s/disable", folder);
    bool off = counter_read(s->root, path, &disabled) == FACT_OK && disabled;
    snprintf(shown, sizeof shown, off ? "[%s]" : "%s", name);
    append_state(all->names, " ", shown);

    snprintf(path, sizeof path, "%s/latency", folder);
    status = counter_read(s->root, path, &microseconds);
    if (status != FACT_OK) {
        all->trouble = status;
        return;
    }
    snprintf(shown, sizeof shown, "%s %llu", name, (unsigned long long)microseconds);
    append_state(all->latencies, ", ", shown);
}

void cpu_idle_add(struct cpu_survey *s)
{
    char folder[CPU_PATH], state[CPU_PATH - 16];
    struct sysroot_names names;
    struct idle_states all = {0};
    attributes_add(s->root, s->inventory, s->node, CPU_FOLDER "/cpuidle", idle_rows,
                   ATTRIBUTE_COUNT(idle_rows));
    cpu_path(folder, s->online.count ? s->online.numbers[0] : 0, "cpuidle");
    enum fact_status status = sysroot_list(s->root, folder, &names);
    for (size_t i = 0; i < names.count; i++) {
        if (strncmp(names.names[i], "state", 5) != 0)
            continue;
        snprintf(state, sizeof state, "%.80s/%.24s", folder, names.names[i]);
        read_state(s, state, &all);
    }
    sysroot_names_free(&names);
    if (status == FACT_ABSENT || (status == FACT_OK && !*all.names && all.trouble == FACT_OK))
        return;
    if (status == FACT_OK)
        status = *all.names ? FACT_OK : all.trouble;
    inventory_add(s->inventory, s->node, "idle_states", all.names, "", folder, status);
    if (status == FACT_OK)
        inventory_add(s->inventory, s->node, "idle_latency", all.latencies, "us", folder,
                      *all.latencies ? FACT_OK : all.trouble);
}
