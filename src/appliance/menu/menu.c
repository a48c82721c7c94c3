/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The menu's first page: a table of keys, and the loop around it. The other pages are in
   menu_disks.c and menu_pager.c. */
#include "appliance/menu/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "tables/presets.h"

enum { COLUMNS = 79, CONFIRM_MS = 30000, QUIET_MS = 300 };

struct menu_row {
    char key;
    const char *text;
    void (*show)(const struct menu *m, char *to,
                 size_t size); /* writes the row's present setting; NULL: it has none */
    enum menu_end (*run)(struct menu *m);
};

/* ---- rows ---- */

static bool all_chosen(const struct menu *m)
{
    for (size_t i = 0; i < m->disk_count; i++)
        if (!m->disks[i].chosen && !m->disks[i].skipped)
            return false;
    return true;
}

static enum menu_end qualify_chosen(struct menu *m)
{
    struct menu_order order = {.preset = m->preset};
    for (size_t i = 0; !all_chosen(m) && i < m->disk_count; i++)
        if (m->disks[i].chosen)
            order.names[order.name_count++] = m->disks[i].name;
    if (order.name_count > 0 || all_chosen(m))
        return menu_qualify(m, &order);
    console_clear(m->console);
    console_print(m->console, "No disk is chosen.\n");
    return menu_wait(m);
}

static enum menu_end next_preset(struct menu *m)
{
    size_t next = 0;
    for (size_t i = 0; i < PRESET_COUNT; i++)
        if (!strcmp(m->preset, presets[i].name))
            next = (i + 1) % PRESET_COUNT;
    snprintf(m->preset, sizeof m->preset, "%s", presets[next].name);
    return MENU_GO_ON;
}

static void show_preset(const struct menu *m, char *to, size_t size)
{
    snprintf(to, size, "%s", m->preset);
}

static enum menu_end show_text(struct menu *m, const char *title,
                               void (*fill)(void *context, struct text *out))
{
    struct text text = {0};
    console_clear(m->console);
    console_print(m->console, "One moment ...\n");
    fill(m->context, &text);
    int key = menu_pager(m, title, &text, false, CONSOLE_NONE, "");
    text_free(&text);
    return menu_end_of_key(key);
}

static enum menu_end show_machine(struct menu *m)
{
    return show_text(m, "The machine", m->actions->machine);
}

static enum menu_end show_results(struct menu *m)
{
    return show_text(m, "Results", m->actions->results);
}

static enum menu_end keep_again(struct menu *m)
{
    console_clear(m->console);
    console_keep_log(m->console, true);
    m->actions->keep(m->context);
    console_keep_log(m->console, false);
    return menu_wait(m);
}

/* Confirms with Enter, followed by a short silence: a serial port whose far end echoes everything
   also sends digits and line ends, but does not fall silent. */
static enum menu_end confirmed(struct menu *m, const char *what, enum menu_end end)
{
    console_print(m->console, "%s? Enter: yes; any other key: no. ", what);
    int key = menu_key_within(m, CONFIRM_MS);
    if (key != CONSOLE_ENTER)
        return menu_end_of_key(key);
    key = menu_key_within(m, QUIET_MS);
    return key == CONSOLE_NONE || key == CONSOLE_END_OF_INPUT ? end : menu_end_of_key(key);
}

static enum menu_end power_off(struct menu *m)
{
    return confirmed(m, "power off", MENU_POWER_OFF);
}

static enum menu_end reboot(struct menu *m)
{
    return confirmed(m, "reboot", MENU_REBOOT);
}

static const struct menu_row rows[] = {
    {'1', "qualify: look, measure, judge; nothing is written", menu_show_chosen, qualify_chosen},
    {'2', "choose the disks", NULL, menu_choose_disks},
    {'3', "preset: quick, normal, strict", show_preset, next_preset},
    {'4', "write test of one disk, which DESTROYS what is on it", NULL, menu_write_test},
    {'5', "look at the machine", NULL, show_machine},
    {'6', "the results again", NULL, show_results},
    {'7', "the log, and the kernel's messages", NULL, menu_show_log},
    {'8', "keep and send the report again", NULL, keep_again},
    {'9', "power off", NULL, power_off},
    {'0', "reboot", NULL, reboot},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* ---- the page ---- */

static void draw(struct menu *m)
{
    console_clear(m->console);
    char left[40], rule[COLUMNS + 1];
    memset(rule, '-', COLUMNS);
    rule[COLUMNS] = '\0';
    snprintf(left, sizeof left, "cupel %s", cupel_version);
    int room = COLUMNS - (int)strlen(left) - 2;
    console_print(m->console, "%s  %*.*s\n%s\n", left, room, room, m->machine, rule);
    struct text state = {0};
    m->actions->state(m->context, &state);
    const char *line = state.data ? state.data : "";
    while (*line) {
        size_t length = strcspn(line, "\n");
        console_print(m->console, "%.*s\n", (int)(length < COLUMNS ? length : COLUMNS), line);
        line += length + (line[length] == '\n');
    }
    text_free(&state);
    console_print(m->console, "\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        char value[40] = "";
        if (rows[i].show)
            rows[i].show(m, value, sizeof value);
        if (*value)
            console_print(m->console, "  %c  %-54s [%s]\n", rows[i].key, rows[i].text, value);
        else
            console_print(m->console, "  %c  %s\n", rows[i].key, rows[i].text);
    }
    if (m->idle_seconds > 0)
        console_print(m->console, "\nAfter %u minutes without a key %s by itself.",
                      (m->idle_seconds + 59) / 60, m->idle_words);
    console_print(m->console, "\nKey: ");
}

void menu_refresh_disks(struct menu *m)
{
    struct menu_disk before[MENU_DISKS];
    size_t count = m->disk_count;
    memcpy(before, m->disks, sizeof before);
    m->disk_count = m->actions->disks(m->context, m->disks, MENU_DISKS);
    for (size_t i = 0; i < m->disk_count; i++) {
        struct menu_disk *d = &m->disks[i];
        for (size_t k = 0; k < count; k++)
            if (!strcmp(before[k].name, d->name) && !strcmp(before[k].serial, d->serial))
                d->chosen = before[k].chosen;
        d->chosen = d->chosen && !d->skipped;
    }
}

/* Returns the chosen row; NULL when the page must be drawn again, or *end was set. */
static const struct menu_row *wait_for_row(struct menu *m, enum menu_end *end)
{
    for (;;) {
        int key = menu_key_within(m, MENU_LOOK_MS);
        *end = menu_is_left_alone(m) ? MENU_LEFT_ALONE : menu_end_of_key(key);
        const struct menu_row *row = NULL;
        for (size_t i = 0; i < ROW_COUNT && !row; i++)
            if (rows[i].key == key)
                row = &rows[i];
        bool changed = key == CONSOLE_NONE && m->actions->changed(m->context);
        if (row || changed || key == CONSOLE_ENTER || *end != MENU_GO_ON)
            return row;
    }
}

enum menu_end menu_run(struct menu *m)
{
    enum menu_end end = MENU_GO_ON;
    while (end == MENU_GO_ON) {
        console_keep_log(m->console, false);
        menu_refresh_disks(m);
        draw(m);
        const struct menu_row *row = wait_for_row(m, &end);
        if (row && end == MENU_GO_ON)
            end = row->run(m);
    }
    console_keep_log(m->console, true);
    console_clear(m->console);
    return end;
}
