/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows the menu's first page: a table of keys, the loop around it, the table of disks, the
 * selection of disks and the write test of one. Pages of text are in menu_pager.c.
 */
#include "appliance/menu/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/version.h"
#include "report/layout/layout.h"
#include "report/layout/screen_fit.h"
#include "tables/presets.h"

enum { ROWS = 16 };

/* Writes the text before a name in the table, at most 9 characters. */
typedef void disk_mark(const struct menu_disk *d, size_t number, char *to, size_t size);

enum {
    COLUMNS = 79,
    STATE_LINES = 2,
    DOTS = sizeof " ..." - 1,
    CONFIRM_MS = 30000,
    QUIET_MS = 300
};

struct menu_row {
    char key;
    const char *text;
    void (*show)(const struct menu *m, char *to,
                 size_t size); /* writes the present setting of the row; NULL: it has none */
    enum menu_end (*run)(struct menu *m);
};

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

/* Returns the first disk that the table shows after "+" or "-" was typed. */
static size_t turn_disks(const struct menu *m, size_t first, const char *word)
{
    if (!strcmp(word, "+") && first + ROWS < m->disk_count)
        return first + ROWS;
    if (!strcmp(word, "-"))
        return first > ROWS ? first - ROWS : 0;
    return first;
}

/* Returns the disk with that number in the table, counted from 1, or NULL. */
static struct menu_disk *disk_of_number(struct menu *m, const char *text)
{
    uint64_t number;
    if (parse_unsigned(text, &number, NULL) || number < 1 || number > m->disk_count)
        return NULL;
    return &m->disks[number - 1];
}

/* Writes "all 4 disks" or "2 of 4 disks". */
static void menu_show_chosen(const struct menu *m, char *to, size_t size)
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

/* Shows the table of disks, and lets the user choose among them. */
static enum menu_end menu_choose_disks(struct menu *m)
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

/* Lets the user choose a disk for a write test. Returns NULL if none was chosen. */
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
    char typed[sizeof d->serial + 1]; /* one letter longer than a serial number can be */
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

/* Runs the qualification on a cleared screen, and shows the verdict. */
static enum menu_end menu_qualify(struct menu *m, const struct menu_order *order)
{
    m->idle_seconds = 0; /* somebody is working here */
    console_clear(m->console);
    console_keep_log(m->console, true);
    m->actions->qualify(m->context, order);
    console_keep_log(m->console, false);
    return menu_verdict(m, "");
}

/* Shows the log, and the kernel's messages. */
static enum menu_end menu_show_log(struct menu *m)
{
    bool kernel = false;
    for (;;) {
        struct text text = {0};
        (kernel ? m->actions->kernel_log : m->actions->log)(m->context, &text);
        int key = menu_pager(m, kernel ? "the kernel's messages" : "the log", &text, true, 'k',
                             kernel ? "; k: the log" : "; k: the kernel's messages");
        text_free(&text);
        if (key != 'k')
            return menu_end_of_key(key);
        kernel = !kernel;
    }
}

/* Runs a write test. Apart from this menu, only the configuration's commands can run one. */
static enum menu_end menu_write_test(struct menu *m)
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

/* Asks for a confirmation: Enter, followed by a short silence. A serial port whose far end echoes
   everything also sends digits and line ends, but does not fall silent. */
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
        const struct report_style style = {.width = COLUMNS - DOTS};
        size_t length = strcspn(line, "\n");
        struct text words = {0}, wrapped = {0};
        text_add_bytes(&words, line, length);
        layout_paragraph(&wrapped, &style, "", TONE_PLAIN, layout_string(&words));
        screen_cut(&wrapped, STATE_LINES);
        console_write(m->console, layout_string(&wrapped), wrapped.length);
        text_free(&words);
        text_free(&wrapped);
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
