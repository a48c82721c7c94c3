/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combines the appliance's configuration from the initrd, the stick and the command line. A file
   that cannot be read never stops it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "appliance/menu/internal.h"
#include "base/file/file.h"
#include "base/span.h"
#include "report/layout/layout.h"
#include "tables/boot_image.h"

enum { CONFIG_MAX = 1 << 20, CONSOLE_COLUMNS_WORDS = 79 };

static const char config_of_initrd[] = "/" CONFIG_FILE;
static const char image_of_initrd[] = "/" IMAGE_ID_FILE;

/* ---- problems ---- */

void init_warn(struct console *console, const char *words)
{
    const struct report_style style = {.width = CONSOLE_COLUMNS_WORDS};
    struct text out = {0};
    layout_paragraph(&out, &style, "! ", TONE_PLAIN, words);
    console_write(console, layout_string(&out), out.length);
    text_free(&out);
}

void init_problem(struct appliance *a, bool fails, const char *format, ...)
{
    struct init_problem problem = {.fails = fails};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem.text, sizeof problem.text, format, arguments);
    va_end(arguments);
    init_warn(a->console, problem.text);
    if (a->problem_count < INIT_PROBLEMS) {
        a->problems[a->problem_count++] = problem;
        return;
    }
    /* the list is full: a failure replaces a warning */
    a->problems_left++;
    for (size_t i = INIT_PROBLEMS; fails && i > 0; i--)
        if (!a->problems[i - 1].fails) {
            a->problems[i - 1] = problem;
            return;
        }
    a->left_fails |= fails;
}

/* Reports a mistake in the configuration. Its meaning is then unknown, so no command may begin by
   itself. */
static void mistake(struct appliance *a, const char *words)
{
    a->mistaken = true;
    init_problem(a, false, "%s", words);
}

/* ---- cupel.cfg ---- */

/* Reads a file; `name` is the name in messages. A file that does not exist is not reported. */
static void read_file(struct appliance *a, const char *path, const char *name)
{
    struct err e;
    char *text;
    size_t length;
    if (access(path, F_OK) && errno == ENOENT)
        return;
    if (file_read_all(path, CONFIG_MAX, &text, &length, &e)) {
        mistake(a, e.msg);
        return;
    }
    if (boot_config_read(&a->config, text, length, name, &e))
        mistake(a, e.msg);
    free(text);
}

/* ---- whether the configuration's commands may begin ---- */

/* Refuses commands of a stick that write, unless it is certain that the machine was started from
   this stick: several sticks may have the same image. */
static int check_origin(const struct appliance *a, struct err *e)
{
    if (!a->command_of_stick || !stick_commands_write(&a->commands))
        return 0;
    if (a->config.stick != BOOT_STICK_OWN)
        return err_set(e, ERR_UNSAFE,
                       "it writes, and writing commands are taken only from the stick that the "
                       "machine was started from, or from the kernel's command line");
    if (a->data.several)
        return err_set(e, ERR_UNSAFE,
                       "it writes, and there are several sticks of this image: pull all but the "
                       "one that the machine was started from");
    return 0;
}

bool init_read_commands(struct appliance *a)
{
    struct err e = {0};
    char before[sizeof a->command_refused];
    snprintf(before, sizeof before, "%s", a->command_refused);
    a->command_refused[0] = '\0';
    if (stick_commands_read(&a->commands, a->config.command, &e) == 0 && check_origin(a, &e) == 0)
        return true;
    a->commands.count = 0;
    snprintf(a->command_refused, sizeof a->command_refused, "%.*s",
             (int)sizeof a->command_refused - 1, e.msg);
    if (strcmp(before, a->command_refused) != 0)
        init_problem(a, false, "%s", a->command_refused);
    return false;
}

/* ---- the configuration before the stick is there ---- */

void init_read_first_config(struct appliance *a)
{
    struct err e;
    char *text;
    if (!file_read_all(image_of_initrd, CONFIG_MAX, &text, NULL, NULL)) {
        struct span id = span_trimmed(span_of(text)); /* an image without an identifier has no
                                                         stick */
        if (id.length < sizeof a->image)
            span_copy(a->image, id);
        free(text);
        console_print(a->console, "image %s\n", a->image);
    }
    boot_config_init(&a->config);
    read_file(a, config_of_initrd, config_of_initrd);
    if (boot_config_read_command_line(&a->config, a->command_line.data, &e))
        mistake(a, e.msg);
    a->first_config = a->config;
    init_read_commands(a);
}

/* ---- the stick's cupel.cfg and expectations ---- */

void init_read_config_of_stick(struct appliance *a)
{
    char path[sizeof a->data.folder + sizeof a->config.expect + sizeof CONFIG_FILE + 2];
    struct init_expectation *x = &a->expectation;
    struct err e;
    if (a->first_config.stick == BOOT_STICK_REPORTS) {
        console_print(a->console, "it is for reports: its " CONFIG_FILE " is not read, because the "
                                  "machine was not started from it\n");
        return;
    }
    a->config = a->first_config; /* forgets the values of an earlier stick */
    snprintf(path, sizeof path, "%s/%s", a->data.folder, CONFIG_FILE);
    read_file(a, path, CONFIG_FILE);
    /* a stick must not decide which sticks the configuration is read from */
    if (a->config.stick != a->first_config.stick)
        mistake(a, CONFIG_FILE ": stick: a stick cannot say that; the kernel's command line and "
                               "the initrd can");
    a->config.stick = a->first_config.stick;
    /* mistakes in the command line were reported at the first reading */
    boot_config_read_command_line(&a->config, a->command_line.data, NULL);
    a->command_of_stick = strcmp(a->config.command, a->first_config.command) != 0;
    init_read_commands(a);
    free(x->text);
    *x = (struct init_expectation){0};
    snprintf(path, sizeof path, "%s/%s", a->data.folder, a->config.expect);
    if (access(path, F_OK) && errno == ENOENT)
        return;
    if (file_read_all(path, CONFIG_MAX, &x->text, &x->length, &e))
        snprintf(x->error, sizeof x->error, "%.299s", e.msg);
}
