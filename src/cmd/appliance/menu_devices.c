/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The menu's table of disks, and choosing among them. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cmd/appliance/internal.h"

enum { ROWS = 16 };

size_t menu_draw_disks(struct menu *m, size_t first, menu_mark *mark)
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
    return end;
}

size_t menu_turn_disks(const struct menu *m, size_t first, const char *word)
{
    if (!strcmp(word, "+") && first + ROWS < m->disk_count)
        return first + ROWS;
    if (!strcmp(word, "-"))
        return first > ROWS ? first - ROWS : 0;
    return first;
}

struct menu_disk *menu_disk_of_number(struct menu *m, const char *text)
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

static void choose_all(struct menu *m, bool chosen)
{
    for (size_t i = 0; i < m->disk_count; i++)
        m->disks[i].chosen = chosen && !m->disks[i].skipped;
}

/* One word that was typed. */
static void choose(struct menu *m, const char *word)
{
    struct menu_disk *disk = menu_disk_of_number(m, word);
    if (!strcmp(word, "a") || !strcmp(word, "n"))
        choose_all(m, word[0] == 'a');
    else if (disk && !disk->skipped)
        disk->chosen = !disk->chosen;
}

enum menu_end menu_choose_disks(struct menu *m)
{
    char line[32] = "";
    size_t first = 0;
    do {
        char *rest = NULL;
        for (char *word = strtok_r(line, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
            choose(m, word);
            first = menu_turn_disks(m, first, word);
        }
        console_clear(m->console);
        console_print(m->console, "Disks to be qualified\n\n");
        menu_draw_disks(m, first, mark_chosen);
        console_print(m->console, "\n");
        if (!console_read_line(
                m->console, "Numbers to change, a: all, n: none, Enter: done: ", line, sizeof line))
            break;
    } while (*line);
    return MENU_GO_ON;
}
