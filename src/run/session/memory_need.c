/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory needed and memory there is. */
#include "run/session/internal.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/units.h"

#define TEXT_MAX_BYTES ((size_t)64 << 10)
#define LARGE_SHARE    4 /* one part in so many of what there is: worth saying */

/* The whole text of ROOT PATH, to be freed; NULL: it cannot be read. */
static char *read_text(const char *root, const char *path)
{
    char whole[PATH_MAX], *text = NULL;
    int length = snprintf(whole, sizeof whole, "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof whole)
        return NULL;
    (void)file_read_all(whole, TEXT_MAX_BYTES, &text, NULL, NULL);
    return text;
}

/* The number after a label at the begin of a line. False: there is none. */
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

/* The number that a file consists of; "max" and what cannot be read is none. */
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

static void look_at_machine(struct memory_room *room, const char *root)
{
    uint64_t kilobytes;
    char *text = read_text(root, "/proc/meminfo");
    if (text && number_after(text, "MemAvailable:", &kilobytes))
        take_lower(room, kilobytes * 1024, "MemAvailable");
    free(text);
}

/* ---- control groups ---- */

struct group_files {
    const char *mark;  /* in /proc/self/cgroup, before the group's path */
    const char *mount; /* where its tree is */
    const char *limit, *used;
};

static const struct group_files group_files[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current"},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"},
};

/* Pages of files that nobody uses are given back before a limit is enforced. */
static uint64_t given_back(const char *root, const char *folder)
{
    char path[PATH_MAX];
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    char *text = read_text(root, path);
    if (text && !number_after(text, "total_inactive_file ", &bytes))
        number_after(text, "inactive_file ", &bytes);
    free(text);
    return bytes;
}

static void look_at_folder(struct memory_room *room, const char *root, const char *folder,
                           const struct group_files *files)
{
    uint64_t limit, used = 0;
    if (!number_of(root, folder, files->limit, &limit))
        return;
    number_of(root, folder, files->used, &used);
    uint64_t back = given_back(root, folder);
    used -= back < used ? back : used;
    take_lower(room, limit > used ? limit - used : 0, "memory.max of its control group");
}

/* The group and all above it, each of which may have a limit. */
static void look_at_groups(struct memory_room *room, const char *root, const char *lines,
                           const struct group_files *files)
{
    const char *at = strstr(lines, files->mark);
    if (!at)
        return;
    at += strlen(files->mark);
    char folder[PATH_MAX];
    int length =
        snprintf(folder, sizeof folder, "%s%.*s", files->mount, (int)strcspn(at, "\n"), at);
    if (length < 0 || (size_t)length >= sizeof folder)
        return;
    for (size_t mount = strlen(files->mount); strlen(folder) >= mount;) {
        look_at_folder(room, root, folder, files);
        char *slash = strrchr(folder, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* ---- the address space ---- */

static void look_at_address_space(struct memory_room *room, const char *root)
{
    struct rlimit most;
    uint64_t pages = 0;
    if (getrlimit(RLIMIT_AS, &most) || most.rlim_cur == RLIM_INFINITY)
        return;
    number_of(root, "/proc/self", "statm", &pages);
    uint64_t used = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    take_lower(room, most.rlim_cur > used ? most.rlim_cur - used : 0, "ulimit -v");
}

struct memory_room memory_room_find(const char *root)
{
    struct memory_room room = {UINT64_MAX, ""};
    look_at_machine(&room, root);
    char *lines = read_text(root, "/proc/self/cgroup");
    for (size_t i = 0; lines && i < sizeof group_files / sizeof *group_files; i++)
        look_at_groups(&room, root, lines, &group_files[i]);
    free(lines);
    look_at_address_space(&room, root);
    return room;
}

/* ---- the judgement ---- */

/* "32 jobs x iodepth 1024 x 16 MiB" */
static void describe_buffers(const struct plan *plan, char *to, size_t size)
{
    char block[UNITS_BUFFER];
    snprintf(to, size, "%u job%s x iodepth %u x %s", plan->jobs, plan->jobs == 1 ? "" : "s",
             plan->iodepth, format_size(block, sizeof block, plan->block_size));
}

int memory_need_check(uint64_t bytes, const struct plan *plan, const struct memory_room *room,
                      char *words, size_t size, struct err *e)
{
    char need[UNITS_BUFFER], have[UNITS_BUFFER], buffers[80];
    *words = '\0';
    if (room->bytes == UINT64_MAX || bytes <= room->bytes / LARGE_SHARE)
        return 0;
    describe_buffers(plan, buffers, sizeof buffers);
    format_size(need, sizeof need, (double)bytes);
    format_size(have, sizeof have, (double)room->bytes);
    if (bytes > room->bytes)
        return err_set(e, ERR_MACHINE,
                       "%s take %s of memory, and %s are there (%s): lower --numjobs, --iodepth "
                       "or --bs",
                       buffers, need, have, room->limit);
    snprintf(words, size, "%s take %s of memory; %s are there (%s)", buffers, need, have,
             room->limit);
    return 0;
}
