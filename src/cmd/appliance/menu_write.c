/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A write test from the menu. It destroys what the disk holds, so it is for one disk at a time, and
   begins only when that disk's serial number was typed, letter by letter. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cmd/appliance/internal.h"

static const char *why_not(const struct menu_disk *d)
{
    return *d->no_write ? d->no_write : *d->serial ? "" : "no serial";
}

static void mark_writable(const struct menu_disk *d, size_t number, char *to, size_t size)
{
    const char *why = why_not(d);
    if (*why)
        snprintf(to, size, "%s", why);
    else
        snprintf(to, size, "%3zu", number);
}

/* NULL: nobody wants one. */
static struct menu_disk *choose_disk(struct menu *m)
{
    char line[8];
    size_t first = 0;
    for (;;) {
        console_clear(m->console);
        console_print(m->console, "Write test: everything on the disk will be lost\n\n");
        menu_draw_disks(m, first, mark_writable);
        console_print(m->console, "\n");
        if (!console_read_line(m->console, "Number of the one disk, Enter: back: ", line,
                               sizeof line) ||
            !*line)
            return NULL;
        struct menu_disk *disk = menu_disk_of_number(m, line);
        if (disk && !*why_not(disk))
            return disk;
        first = menu_turn_disks(m, first, line);
    }
}

static void warn(struct menu *m, const struct menu_disk *d)
{
    static const char bar[] =
        "*******************************************************************************";
    char size[UNITS_BUFFER];
    console_clear(m->console);
    console_print(m->console, "%s\n%s\n\n", bar, bar);
    console_print(m->console, "     ALL DATA ON THIS DISK WILL BE DESTROYED\n\n");
    console_print(m->console, "     name            %s\n", d->name);
    console_print(m->console, "     model           %s\n", *d->model ? d->model : "-");
    console_print(m->console, "     serial number   %s\n", d->serial);
    console_print(m->console, "     size            %s\n\n",
                  format_size(size, sizeof size, (double)d->size));
    console_print(m->console, "     There is no way to get it back. No other disk is written.\n\n");
    console_print(m->console, "%s\n%s\n\n", bar, bar);
    console_print(m->console, "To begin, type the disk's serial number exactly as it stands above, "
                              "then Enter.\nEnter alone, or Escape, goes back.\n\n");
}

/* *end: what another key than those of the serial number means. */
static bool confirm(struct menu *m, const struct menu_disk *d, enum menu_end *end)
{
    char typed[sizeof d->serial + 1]; /* room for one letter too many */
    warn(m, d);
    if (!console_read_line(m->console, "Serial number: ", typed, sizeof typed) || !*typed)
        return false;
    if (!strcmp(typed, d->serial))
        return true;
    console_print(m->console, "\nThat is not this disk's serial number. Nothing was written.\n"
                              "Press a key for the menu.");
    *end = menu_end_of_key(menu_key(m));
    return false;
}

enum menu_end menu_write_test(struct menu *m)
{
    enum menu_end end = MENU_GO_ON;
    const struct menu_disk *disk = choose_disk(m);
    if (!disk || !confirm(m, disk, &end))
        return end;
    const struct menu_order order = {.names = {disk->name},
                                     .name_count = 1,
                                     .preset = m->preset,
                                     .destroy_serial = disk->serial};
    return menu_qualify(m, &order);
}
