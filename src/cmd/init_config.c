/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The appliance's configuration, put together from the initrd, the stick and the command line. What
   cannot be read never stops it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/init_parts.h"
#include "tables/boot_image.h"

enum { CONFIG_MOST = 1 << 20 };

static const char config_of_initrd[] = "/" CONFIG_FILE;

void init_problem(struct appliance *a, bool fails, const char *format, ...)
{
    struct init_problem problem = {.fails = fails};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem.text, sizeof problem.text, format, arguments);
    va_end(arguments);
    console_print(a->console, "! %s\n", problem.text);
    if (a->problem_count < INIT_PROBLEMS)
        a->problems[a->problem_count++] = problem;
}

/* `name` is what people know it by. */
static void read_file(struct appliance *a, const char *path, const char *name)
{
    struct err e;
    char *text;
    size_t length;
    if (file_read_all(path, CONFIG_MOST, &text, &length, &e)) {
        init_problem(a, false, "%s", e.msg);
        return;
    }
    if (boot_config_read(&a->config, text, length, name, &e))
        init_problem(a, false, "%s", e.msg);
    free(text);
}

void init_read_first_config(struct appliance *a)
{
    struct err e;
    boot_config_init(&a->config);
    if (access(config_of_initrd, F_OK) == 0)
        read_file(a, config_of_initrd, config_of_initrd);
    if (boot_config_read_command_line(&a->config, a->command_line.data, &e))
        init_problem(a, false, "%s", e.msg);
}

void init_read_config_of_stick(struct appliance *a)
{
    char path[sizeof a->data.folder + sizeof CONFIG_FILE + 1];
    snprintf(path, sizeof path, "%s/%s", a->data.folder, CONFIG_FILE);
    if (access(path, F_OK) != 0)
        return;
    read_file(a, path, CONFIG_FILE);
    /* Its mistakes were told when it was read first. */
    boot_config_read_command_line(&a->config, a->command_line.data, NULL);
}
