/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The countdown: time for somebody to press a key, and for the stick to come. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/init_parts.h"

enum { TICK_MS = 100, IDLE_SECONDS = 300 };

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* When it begins by itself: what the configuration says can change while it is waited for. */
static double end_of_countdown(const struct appliance *a, double begin)
{
    double stick = a->data.mounted ? 0 : a->config.data_wait_seconds;
    return a->config.start ? begin + most((double)a->config.countdown, stick) : begin;
}

/* Drawn when it changes: a serial line has other things to carry. */
static void show(struct appliance *a, double left, char *shown, size_t size)
{
    char line[100];
    const char *what = a->config.command[0] ? "The command" : "The qualification (reads only)";
    bool awaited = !a->data.mounted && a->config.data_wait_seconds > 0;
    snprintf(line, sizeof line, "%s begins in %.0f s%s; any key: menu.", what, ceil(left),
             awaited ? ", stick awaited" : "");
    if (strcmp(line, shown) != 0)
        console_line(a->console, "%s", line);
    snprintf(shown, size, "%s", line);
}

/* Noise on a serial line is a key too: a machine where nobody sits goes on after a while. But what
   destroys data may be what somebody stopped it for. */
static unsigned idle_seconds(const struct appliance *a)
{
    bool command = a->config.command[0] != '\0';
    bool destroys = strstr(a->config.command, "--destroy") != NULL;
    return command && (destroys || a->mistaken) ? 0 : IDLE_SECONDS;
}

bool init_countdown(struct appliance *a, enum menu_end *end)
{
    double begin = init_seconds();
    char shown[100] = "";
    for (;;) {
        double left = end_of_countdown(a, begin) - init_seconds();
        if (left <= 0)
            break;
        show(a, left, shown, sizeof shown);
        int key = console_key(a->console, TICK_MS);
        if (key != CONSOLE_NONE && key != CONSOLE_END_OF_INPUT) {
            *end = menu_end_of_key(key);
            a->idle_seconds = idle_seconds(a);
            return false;
        }
        init_look_for_devices(a, TICK_MS / 2, TICK_MS);
    }
    return a->config.start;
}
