/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the memory that a session needs with the available memory. */
#include "run/session/running.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/units.h"
#include "run/session/memory_need.h"

#define TEXT_MAX_BYTES ((size_t)64 << 10)
#define BLOCK_SMALL    4096
#define LARGE_SHARE    4 /* a need above 1 / LARGE_SHARE of the available memory is reported */

static const char limit_of_space[] = "ulimit -v";

/* Returns the whole text of ROOT PATH, which the caller frees; NULL: it cannot be read. */
static char *read_text(const char *root, const char *path)
{
    char whole[PATH_MAX], *text = NULL;
    int length = snprintf(whole, sizeof whole, "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof whole)
        return NULL;
    (void)file_read_all(whole, TEXT_MAX_BYTES, &text, NULL, NULL);
    return text;
}

/* Reads the number after a label at the begin of a line. Returns false if there is none. */
static bool number_after(const char *text, const char *label, uint64_t *number)
{
    size_t length = strlen(label);
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, label, length) != 0)
            continue;
        char *end;
        *number = strtoull(line + length, &end, 10);
        return end != line + length;
    }
    return false;
}

/* Reads the number that a file consists of. Returns false for "max" and for an unreadable file. */
static bool number_of(const char *root, const char *folder, const char *name, uint64_t *number)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = length > 0 && (size_t)length < sizeof path ? read_text(root, path) : NULL;
    bool found = text && number_after(text, "", number);
    free(text);
    return found;
}

static void take_lower(struct memory_room *room, uint64_t bytes, const char *limit)
{
    if (bytes < room->bytes)
        *room = (struct memory_room){bytes, limit};
}

struct group_files {   /* files of one version of control groups */
    const char *mark;  /* text in /proc/self/cgroup before the group's path */
    const char *mount; /* where the tree of groups is mounted */
    const char *limit, *used;
};

static const struct group_files group_files[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current"},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"},
};

/* Lowers the available memory to the limits of the group and of each group above it. */
static void look_at_groups(struct memory_room *room, const char *root, const char *lines,
                           const struct group_files *files)
{
    const char *at = strstr(lines, files->mark);
    if (!at)
        return;
    at += strlen(files->mark);
    char folder[PATH_MAX - sizeof "/memory.stat"], path[PATH_MAX];
    int length =
        snprintf(folder, sizeof folder, "%s%.*s", files->mount, (int)strcspn(at, "\n"), at);
    if (length < 0 || (size_t)length >= sizeof folder)
        return;
    while (strlen(folder) >= strlen(files->mount)) {
        uint64_t limit, used = 0, inactive = 0;
        if (number_of(root, folder, files->limit, &limit)) {
            number_of(root, folder, files->used, &used);
            /* The kernel frees unused file pages before it enforces a limit. */
            snprintf(path, sizeof path, "%s/memory.stat", folder);
            char *text = read_text(root, path);
            if (text && !number_after(text, "total_inactive_file ", &inactive))
                number_after(text, "inactive_file ", &inactive);
            free(text);
            used -= inactive < used ? inactive : used;
            take_lower(room, limit > used ? limit - used : 0, "memory.max of its control group");
        }
        char *slash = strrchr(folder, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

struct memory_room memory_room_find(const char *root)
{
    struct memory_room room = {UINT64_MAX, ""};
    uint64_t kilobytes, pages = 0;
    char *text = read_text(root, "/proc/meminfo");
    if (text && number_after(text, "MemAvailable:", &kilobytes))
        take_lower(&room, kilobytes * 1024, "MemAvailable");
    free(text);

    char *lines = read_text(root, "/proc/self/cgroup");
    for (size_t i = 0; lines && i < sizeof group_files / sizeof *group_files; i++)
        look_at_groups(&room, root, lines, &group_files[i]);
    free(lines);

    struct rlimit space;
    if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY) {
        number_of(root, "/proc/self", "statm", &pages);
        uint64_t used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
        take_lower(&room, space.rlim_cur > used ? space.rlim_cur - used : 0, limit_of_space);
    }
    return room;
}

/* Returns advice for a plan that does not fit: "lower --iodepth or --bs, or raise the limit". Only
   options that can be lower are named. */
static const char *remedy_of(const struct plan *plan, const struct memory_room *room, char *to,
                             size_t size)
{
    const char *const lower[] = {plan->jobs > 1 ? "--numjobs" : NULL,
                                 plan->iodepth > 1 ? "--iodepth" : NULL,
                                 plan->block_size > BLOCK_SMALL ? "--bs" : NULL};
    const bool raised = !strcmp(room->limit, limit_of_space);
    size_t used = 0, left = 0;
    for (size_t i = 0; i < 3; i++)
        left += lower[i] != NULL;
    for (size_t i = 0; i < 3; i++)
        if (lower[i]) {
            left--;
            used += (size_t)snprintf(to + used, size - used, "%s%s",
                                     !used  ? "lower "
                                     : left ? ", "
                                            : " or ",
                                     lower[i]);
        }
    if (raised || !used)
        snprintf(to + used, size - used, "%s%s", used ? ", or " : "",
                 raised ? "raise the limit (ulimit -v unlimited)" : "end other programs");
    return to;
}

int memory_need_check(uint64_t bytes, const struct plan *plan, const struct memory_room *room,
                      char *words, size_t size, struct err *e)
{
    char need[UNITS_BUFFER], have[UNITS_BUFFER], block[UNITS_BUFFER];
    char remedy[100], buffers[80]; /* text such as "32 jobs x iodepth 1024 x 16 MiB" */
    *words = '\0';
    if (room->bytes == UINT64_MAX || bytes <= room->bytes / LARGE_SHARE)
        return 0;
    snprintf(buffers, sizeof buffers, "%u job%s x iodepth %u x %s", plan->jobs,
             plan->jobs == 1 ? "" : "s", plan->iodepth,
             format_size(block, sizeof block, plan->block_size));
    format_size(need, sizeof need, (double)bytes);
    format_size(have, sizeof have, (double)room->bytes);
    if (bytes > room->bytes)
        return err_set(e, ERR_MACHINE, "%s take %s of memory, and %s are there (%s): %s", buffers,
                       need, have, room->limit, remedy_of(plan, room, remedy, sizeof remedy));
    snprintf(words, size, "%s take %s of memory; %s are there (%s)", buffers, need, have,
             room->limit);
    return 0;
}
