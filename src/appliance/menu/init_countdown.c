/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts down before the appliance begins its work: time to press a key, and for the stick to
   appear. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "appliance/menu/internal.h"
#include "appliance/process/milliseconds.h"
#include "base/units.h"

enum { TICK_MS = 100, IDLE_SECONDS = 300, DESTROY_SECONDS = 10 };

struct countdown {
    double begin;
    char shown[100];    /* the line as drawn last */
    struct text page;   /* the page about data that will be destroyed, as shown last */
    double page_begins; /* when the page was shown */
};

/* Returns when the countdown ends. The configuration can change during it. A page about data that
   will be destroyed stays for some seconds after its last change, even if the stick appears
   late. */
static double end_of_countdown(const struct appliance *a, const struct countdown *c)
{
    double stick = a->data.mounted ? 0 : a->config.data_wait_seconds;
    double seconds = (double)a->config.countdown;
    if (!a->config.start)
        return c->begin;
    double end = c->begin + fmax(seconds, stick);
    return init_destroys(a) ? fmax(end, c->page_begins + fmax(seconds, DESTROY_SECONDS)) : end;
}

/* Describes what the commands will destroy, for the countdown. */
static void init_describe_destruction(struct appliance *a, struct text *out)
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

/* Shows the page again, and restarts its time, when anything in it changes. */
static void show_page(struct appliance *a, struct countdown *c)
{
    struct text page = {0};
    if (init_destroys(a))
        init_describe_destruction(a, &page);
    bool same = page.length == c->page.length &&
                (!page.length || !memcmp(page.data, c->page.data, page.length));
    if (!same && page.length) {
        console_write(a->console, page.data, page.length);
        c->page_begins = boot_seconds();
        c->shown[0] = '\0';
    }
    text_free(&c->page);
    c->page = page;
}

/* Draws the line only when it changes, since a serial line is slow. */
static void show_line(struct appliance *a, struct countdown *c, double left)
{
    char line[sizeof c->shown];
    bool awaited = !a->data.mounted && a->config.data_wait_seconds > 0;
    const char *what = !a->config.command[0] ? "The qualification (reads only)"
                       : a->mistaken || a->command_refused[0]
                           ? "The command is refused, and its report"
                       : init_destroys(a) ? "DESTROYING ALL DATA on the disk above"
                                          : "The command (reads only)";
    snprintf(line, sizeof line, "%s begins in %.0f s%s; any key%s.", what, ceil(left),
             awaited ? ", stick awaited" : "", init_destroys(a) ? " STOPS it" : ": menu");
    if (strcmp(line, c->shown) != 0)
        console_line(a->console, "%s", line);
    snprintf(c->shown, sizeof c->shown, "%s", line);
}

/* Returns whether somebody pressed a key; *end is then the resulting end. */
static bool is_stopped(struct appliance *a, int milliseconds, enum menu_end *end)
{
    int key = console_key(a->console, milliseconds);
    if (key == CONSOLE_NONE || key == CONSOLE_END_OF_INPUT)
        return false;
    *end = menu_end_of_key(key);
    /* Noise on a serial line counts as a key, so an unattended machine continues after a while. If
       its commands destroy data or were refused, it waits for ever, because a person may have
       stopped it for that reason. */
    bool refused = a->mistaken || a->command_refused[0];
    bool waits = a->config.command[0] && (refused || init_destroys(a));
    a->idle_seconds = waits ? 0 : IDLE_SECONDS;
    return true;
}

bool init_countdown(struct appliance *a, enum menu_end *end)
{
    struct countdown c = {.begin = boot_seconds()};
    bool over = false, stopped = false;
    while (!over && !stopped) {
        show_page(a, &c); /* this call may take as long as disks take to answer */
        double left = end_of_countdown(a, &c) - boot_seconds();
        if (left <= 0) {
            stopped = is_stopped(a, 0, end);
            over = !stopped;
            continue;
        }
        show_line(a, &c, left);
        stopped = is_stopped(a, TICK_MS, end);
        if (!stopped)
            init_look_for_devices(a, TICK_MS / 2, TICK_MS);
    }
    text_free(&c.page);
    if (over && a->config.start)
        memcpy(a->counted_down, a->config.command, sizeof a->counted_down);
    return over && a->config.start;
}
