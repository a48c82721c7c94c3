/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The menu's table of disks, the selection of disks, and the write test of one. */
#include <stdio.h>
#include <string.h>

#include "appliance/menu/internal.h"
#include "base/units.h"

enum { ROWS = 16 };

/* Writes the text before a name in the table, at most 9 characters. */
typedef void disk_mark(const struct menu_disk *d, size_t number, char *to, size_t size);

/* Draws disks from `first` on, as many as fit. */
static void draw_disks(struct menu *m, size_t first, disk_mark *mark)
{
    size_t end = first + ROWS < m->disk_count ? first + ROWS : m->disk_count;
    console_print(m->console, "%9s %-12s %-24s %-20s %s\n", "", "name", "model", "serial number",
                  "size");
    for (size_t i = first; i < end; i++) {
        const struct menu_disk *d = &m->disks[i];
        char size[UNITS_BUFFER], before[16];
        mark(d, i + 1, before, sizeof before);
        console_print(m->console, "%9.9s %-12.12s %-24.24s %-20.20s %s\n", before, d->name,
                      *d->model ? d->model : "-", *d->serial ? d->serial : "-",
                      format_size(size, sizeof size, (double)d->size));
    }
    if (m->disk_count == 0)
        console_print(m->console, "\n         There is no disk.\n");
    if (m->disk_count > ROWS)
        console_print(m->console, "\n%zu to %zu of %zu disks; + and - turn the page.\n", first + 1,
                      end, m->disk_count);
}

/* Returns where the table begins after "+" or "-" was typed. */
static size_t turn_disks(const struct menu *m, size_t first, const char *word)
{
    if (!strcmp(word, "+") && first + ROWS < m->disk_count)
        return first + ROWS;
    if (!strcmp(word, "-"))
        return first > ROWS ? first - ROWS : 0;
    return first;
}

/* Returns the disk with that number in the table, from 1, or NULL. */
static struct menu_disk *disk_of_number(struct menu *m, const char *text)
{
    uint64_t number;
    if (parse_unsigned(text, &number, NULL) || number < 1 || number > m->disk_count)
        return NULL;
    return &m->disks[number - 1];
}

void menu_show_chosen(const struct menu *m, char *to, size_t size)
{
    size_t chosen = 0, all = 0;
    for (size_t i = 0; i < m->disk_count; i++) {
        chosen += m->disks[i].chosen;
        all += !m->disks[i].skipped;
    }
    if (chosen == all)
        snprintf(to, size, all == 1 ? "the only disk" : "all %zu disks", all);
    else
        snprintf(to, size, "%zu of %zu disks", chosen, all);
}

static void mark_chosen(const struct menu_disk *d, size_t number, char *to, size_t size)
{
    if (d->skipped)
        snprintf(to, size, "stick");
    else
        snprintf(to, size, "%3zu [%c]", number, d->chosen ? 'x' : ' ');
}

enum menu_end menu_choose_disks(struct menu *m)
{
    char line[32] = "";
    size_t first = 0;
    do {
        char *rest = NULL;
        for (char *word = strtok_r(line, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
            struct menu_disk *disk = disk_of_number(m, word);
            if (disk && !disk->skipped)
                disk->chosen = !disk->chosen;
            bool all = !strcmp(word, "a"), none = !strcmp(word, "n");
            for (size_t i = 0; (all || none) && i < m->disk_count; i++)
                m->disks[i].chosen = all && !m->disks[i].skipped;
            first = turn_disks(m, first, word);
        }
        console_clear(m->console);
        console_print(m->console, "Disks to be qualified\n\n");
        draw_disks(m, first, mark_chosen);
        console_print(m->console, "\n");
        if (!console_read_line(
                m->console, "Numbers to change, a: all, n: none, Enter: done: ", line, sizeof line))
            break;
    } while (*line);
    return MENU_GO_ON;
}

/* ---- a write test ---- */

/* A write test destroys the data of a disk, so it is for one disk at a time, and begins only after
   that disk's serial number was typed letter by letter. */

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

/* Returns NULL when no disk was chosen. */
static struct menu_disk *choose_writable_disk(struct menu *m)
{
    char line[8];
    size_t first = 0;
    for (;;) {
        console_clear(m->console);
        console_print(m->console, "Write test: everything on the disk will be lost\n\n");
        draw_disks(m, first, mark_writable);
        console_print(m->console, "\n");
        if (!console_read_line(m->console, "Number of the one disk, Enter: back: ", line,
                               sizeof line) ||
            !*line)
            return NULL;
        struct menu_disk *disk = disk_of_number(m, line);
        if (disk && !*why_not(disk))
            return disk;
        first = turn_disks(m, first, line);
    }
}

/* Returns whether the serial number was typed. *end is the end that another key requests. */
static bool confirm_serial(struct menu *m, const struct menu_disk *d, enum menu_end *end)
{
    char typed[sizeof d->serial + 1]; /* has room for one letter more */
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
    const struct menu_disk *disk = choose_writable_disk(m);
    if (!disk || !confirm_serial(m, disk, &end))
        return end;
    const struct menu_order order = {.names = {disk->name},
                                     .name_count = 1,
                                     .preset = m->preset,
                                     .destroy_serial = disk->serial};
    return menu_qualify(m, &order);
}
