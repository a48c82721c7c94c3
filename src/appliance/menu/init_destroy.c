/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which disk may be destroyed. Both ways to a write test in the appliance, from the menu
   and from commands, lead through here. The serial number of the device that is opened in the end
   is compared once more (hw/disk/disk_serial.h). */
#include <string.h>

#include "appliance/menu/internal.h"
#include "base/span.h"

bool init_destroys(const struct appliance *a)
{
    return stick_commands_write(&a->commands) && !a->mistaken;
}

bool init_needs_countdown(const struct appliance *a)
{
    return init_destroys(a) && strcmp(a->counted_down, a->config.command) != 0;
}

int init_disk_to_destroy(struct appliance *a, const char *serial, struct menu_disk *disk,
                         struct err *e)
{
    static struct menu_disk disks[MENU_DISKS];
    struct span wanted = span_trimmed(span_of(serial));
    const struct menu_disk *found = NULL;
    size_t count = init_disks(a, disks, MENU_DISKS);
    for (size_t i = 0; i < count; i++) {
        const char *own = disks[i].serial;
        if (!wanted.length || strlen(own) != wanted.length ||
            memcmp(own, wanted.text, wanted.length) != 0)
            continue;
        if (found)
            return err_set(e, ERR_UNSAFE,
                           "%.60s is the serial number of %.60s and of %.60s: it does not tell "
                           "which of them may be destroyed",
                           serial, found->name, disks[i].name);
        found = &disks[i];
    }
    if (!found)
        return err_set(e, ERR_UNSAFE, "no disk of this machine has the serial number %.60s",
                       serial);
    if (found->skipped || data_disk_is_image("/dev", found->name))
        return err_set(e, ERR_UNSAFE, "%.60s is the serial number of a cupel stick (%.60s)", serial,
                       found->name);
    if (found->no_write[0])
        return err_set(e, ERR_UNSAFE, "the disk with the serial number %.60s (%.60s) is %.20s",
                       serial, found->name, found->no_write);
    *disk = *found;
    return 0;
}

/* ---- the page shown before ---- */
