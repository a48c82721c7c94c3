/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counters of all components: files that stay open, and commands. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hw/component/internal.h"

static void read_counter(const struct component *c, int fd, struct component_reading *to)
{
    char text[COMPONENT_TEXT];
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    *to = (struct component_reading){.number = NAN, .seconds = component_now()};
    if (got < 0) {
        snprintf(to->why, sizeof to->why, "it can no longer be read: %s", strerror(errno));
        return;
    }
    text[got] = '\0';
    if (!component_number(c, text, &to->number, to->why, sizeof to->why))
        to->number = NAN;
}

static int open_counter(const struct component *c, const struct sysroot *root, int *fd,
                        struct err *e)
{
    char path[PATH_MAX];
    struct stat s;
    struct component_reading first;
    *fd = open(sysroot_path(root, path, sizeof path, c->source),
               O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &s))
        return err_set(e, ERR_USAGE, "%s: %s", c->source, strerror(errno));
    if (!S_ISREG(s.st_mode))
        return err_set(e, ERR_USAGE, "%s: it is no regular file", c->source);
    read_counter(c, *fd, &first);
    return first.why[0] ? err_set(e, ERR_USAGE, "%s: %s", c->source, first.why) : 0;
}

int component_sources_open(struct component_sources *sources, const struct component_watch *watch,
                           struct err *e)
{
    const struct components *all = watch->components;
    bool commands = false;
    int failed = 0;
    *sources = (struct component_sources){.components = all};
    for (size_t i = 0; i < all->count; i++)
        sources->files[i] = -1;
    for (size_t i = 0; i < all->count && !failed; i++) {
        const struct component *c = &all->list[i];
        commands |= c->is_command;
        if (c->source[0] && !c->is_command && open_counter(c, watch->root, &sources->files[i], e))
            failed = err_context(e, "%s:%zu: component %s", all->file, c->line, c->name);
    }
    if (!failed && commands && component_commands_start(&sources->commands, watch, e))
        failed = err_context(e, "%s", all->file);
    if (failed)
        component_sources_close(sources);
    return failed;
}

void component_sources_close(struct component_sources *sources)
{
    for (size_t i = 0; sources->components && i < sources->components->count; i++)
        if (sources->files[i] >= 0)
            close(sources->files[i]);
    component_commands_stop(sources->commands);
    *sources = (struct component_sources){0};
}

bool component_read(const struct component_sources *sources, size_t component, double last_seconds,
                    struct component_reading *reading)
{
    const struct component *c = &sources->components->list[component];
    if (c->is_command)
        return component_commands_take(sources->commands, component, last_seconds, reading);
    if (sources->files[component] < 0 || component_now() - last_seconds < c->every_seconds)
        return false;
    read_counter(c, sources->files[component], reading);
    return true;
}
