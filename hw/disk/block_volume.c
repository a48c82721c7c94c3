/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block devices made of other block devices: md arrays, device mapper volumes, bcache. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "hw/disk/internal.h"

typedef void member_function(const struct block_device *d, const char *member);

/* Adds the fact "sda1, sdb1", then the facts that `each` adds for every member. */
static void add_members(const struct block_device *d, member_function *each)
{
    char path[BLOCK_FILE];
    struct sysroot_names members;
    struct text list = {0};
    enum fact_status status = sysroot_list(d->probe->root, block_file(d, path, "slaves"), &members);
    for (size_t i = 0; i < members.count; i++)
        text_addf(&list, "%s%s", i ? ", " : "", members.names[i]);
    if (status == FACT_OK && !members.count)
        status = FACT_ABSENT;
    if (list.failed)
        d->probe->inventory->failed = true;
    inventory_add(d->probe->inventory, d->node, "members", list.data, "", path, status);
    for (size_t i = 0; each && i < members.count; i++)
        if (block_is_name(members.names[i]))
            each(d, members.names[i]);
    text_free(&list);
    sysroot_names_free(&members);
}

/* ---- md (admin-guide/md.rst of the kernel's documentation) ---- */

static void add_raid_member(const struct block_device *d, const char *member)
{
    char key[BLOCK_FILE / 2], file[BLOCK_FILE / 2];
    snprintf(key, sizeof key, "member_%s", member);
    snprintf(file, sizeof file, "md/dev-%s/state", member);
    const struct attribute row = {key, ATTRIBUTE_TEXT, {file}, 0, NULL, false};
    attributes_add(d->probe->root, d->probe->inventory, d->node, d->path, &row, 1);
}

void block_add_raid(const struct block_device *d)
{
    char path[BLOCK_FILE], text[64], *end = text;
    sysroot_line(d->probe->root, block_file(d, path, "md/sync_completed"), text, sizeof text);
    /* "1000 / 4000" sectors while members are synchronised, else "none". A number that is too large
       becomes the largest one. */
    unsigned long long done = 0, all = 0;
    if (isdigit((unsigned char)text[0]))
        done = strtoull(text, &end, 10);
    if (end != text && !strncmp(end, " / ", 3) && isdigit((unsigned char)end[3]))
        all = strtoull(end + 3, &end, 10);
    if (all && !*end && done <= all)
        inventory_addf(d->probe->inventory, d->node, "sync_progress", "%", path, "%.1f",
                       100.0 * (double)done / (double)all);
    add_members(d, add_raid_member);
}

/* ---- device mapper ---- */

/* "running, active/optimized": the kernel's state of the path's device; multipathd's own state is
   not in /sys. */
static void add_mapper_path(const struct block_device *d, const char *member)
{
    static const char *const access_files[] = {"device/access_state", "ana_state"};
    char key[BLOCK_FILE / 2], source[BLOCK_FILE], path[BLOCK_FILE], state[64], access[64];
    snprintf(key, sizeof key, "path_%s", member);
    snprintf(source, sizeof source, BLOCK_CLASS "/%s/device/state", member);
    enum fact_status status = sysroot_line(d->probe->root, source, state, sizeof state);
    enum fact_status known = FACT_ABSENT;
    for (size_t i = 0; known == FACT_ABSENT && i < ATTRIBUTE_COUNT(access_files); i++) {
        snprintf(path, sizeof path, BLOCK_CLASS "/%s/%s", member, access_files[i]);
        known = sysroot_line(d->probe->root, path, access, sizeof access);
    }
    if (status == FACT_OK && known == FACT_OK)
        inventory_addf(d->probe->inventory, d->node, key, "", source, "%s, %s", state, access);
    else
        inventory_add(d->probe->inventory, d->node, key, state, "", source, status);
}

void block_add_mapper(const struct block_device *d)
{
    /* The kind of a volume is the beginning of its UUID; the rest may identify the disk, and is not
       shown. */
    char path[BLOCK_FILE], uuid[256];
    enum fact_status status =
        sysroot_line(d->probe->root, block_file(d, path, "dm/uuid"), uuid, sizeof uuid);
    size_t head = strcspn(uuid, "-");
    const char *rest = uuid[head] ? uuid + head + 1 : uuid + head;
    uuid[head] = '\0';
    if (status == FACT_OK && !uuid[0])
        status = FACT_ABSENT;
    inventory_add(d->probe->inventory, d->node, "type", uuid, "", path, status);
    /* The middle of "CRYPT-LUKS2-..." shows the format of encryption or verification. */
    if (!strcmp(uuid, "CRYPT") && *rest)
        inventory_addf(d->probe->inventory, d->node, "format", "", path, "%.*s",
                       (int)strcspn(rest, "-"), rest);
    /* LVM writes "LVM-", two identifiers of 32 characters, and for the volumes below a volume their
       role: "-tpool", "-real", "-cow". */
    if (!strcmp(uuid, "LVM") && strlen(rest) > 64 + 1 && rest[64] == '-')
        inventory_add(d->probe->inventory, d->node, "layer", rest + 65, "", path, FACT_OK);
    bool multipath = !strcmp(uuid, "mpath");
    add_members(d, multipath ? add_mapper_path : NULL);
}

/* ---- bcache ---- */

void block_add_bcache(const struct block_device *d)
{
    inventory_add(d->probe->inventory, d->node, "type", "bcache", "", d->path, FACT_OK);
    add_members(d, NULL);
}
