/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which disk may be destroyed: the only way to a write test in the appliance, from the menu
   and from commands. The device that is opened in the end is compared with the serial number once
   more (hw/disk/disk_serial.h). */
#include <stdio.h>
#include <string.h>

#include "appliance/menu/internal.h"
#include "base/span.h"
#include "base/units.h"

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

int init_may_destroy(struct appliance *a, const struct command_effect *effect, struct err *e)
{
    struct menu_disk disk;
    for (size_t i = 0; effect->writes && i < effect->serial_count; i++)
        if (init_disk_to_destroy(a, effect->serials[i], &disk, e))
            return -1;
    return 0;
}

/* ---- the page shown before ---- */

void init_describe_destruction(struct appliance *a, struct text *out)
{
    static const char bar[] =
        "*******************************************************************************\n";
    text_addf(out, "\n%s\n     THIS DESTROYS ALL DATA ON A DISK, with nobody asked again\n\n", bar);
    for (size_t i = 0; i < a->commands.count; i++) {
        const struct stick_command *c = &a->commands.list[i];
        if (!c->effect.writes)
            continue;
        text_addf(out, "     command   %.*s\n", c->length, c->text);
        for (size_t s = 0; s < c->effect.serial_count; s++) {
            struct menu_disk d = {0};
            struct err why = {0};
            char size[UNITS_BUFFER];
            if (init_disk_to_destroy(a, c->effect.serials[s], &d, &why))
                text_addf(out, "     disk      serial number %s: ! %s\n", c->effect.serials[s],
                          why.msg);
            else
                text_addf(out, "     disk      %s, %s, serial number %s, %s\n", d.name,
                          *d.model ? d.model : "model unknown", d.serial,
                          format_size(size, sizeof size, (double)d.size));
        }
    }
    text_addf(
        out, "\n     It comes from %s.\n     ANY KEY STOPS IT; nothing is written then.\n\n%s\n",
        a->command_of_stick ? "cupel.cfg on the stick" : "the kernel's command line or its initrd",
        bar);
}
