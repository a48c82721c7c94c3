/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command lines are read up to the plan, and nothing is run: the first byte chooses the command;
 * words are ended by NUL.
 */
#include <string.h>

#include "base/err.h"
#include "base/span.h"
#include "cmd/exec/exec_options.h"
#include "cmd/internal.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/probe/internal.h"
#include "cmd/qualify/internal.h"
#include "cmd/run/session_options.h"
#include "tests/fuzz/fuzz.h"

#define WORDS_MAX 80

static int read_run(const struct option_set *set, struct err *e)
{
    static struct run_options o;
    return run_options_read(set, &o, e);
}

static int read_replay(const struct option_set *set, struct err *e)
{
    static struct replay_options o;
    return set->operand_count ? replay_options_read(set, &o, e) : 0;
}

static int read_record(const struct option_set *set, struct err *e)
{
    static struct record_options o;
    return record_options_read(set, &o, e);
}

static int read_exec(const struct option_set *set, struct err *e)
{
    static struct exec_options o;
    return exec_options_read(set, &o, e);
}

static int read_qualify(const struct option_set *set, struct err *e)
{
    static struct qualify_options o;
    return qualify_options_read(set, &o, e);
}

static int read_probe(const struct option_set *set, struct err *e)
{
    static struct probe_options o;
    return probe_options_read(set, &o, e);
}

static const struct {
    const struct command *command;
    int (*read)(const struct option_set *set, struct err *e);
} readers[] = {{&command_run, read_run},       {&command_replay, read_replay},
               {&command_record, read_record}, {&command_qualify, read_qualify},
               {&command_probe, read_probe},   {&command_exec, read_exec}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[WORDS_MAX + 1]; /* ended by NULL, as those of main */
    int count = 0;
    struct option_set set;
    struct err e = {0};
    if (size == 0)
        return 0;
    size_t row = data[0] % (sizeof readers / sizeof *readers);
    char *text = malloc(size);
    if (!text)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (char *at = text; at < text + size && count < WORDS_MAX; at += strlen(at) + 1)
        words[count++] = at;
    words[count] = NULL;
    if (options_scan(&set, readers[row].command->options, words, count, &e) ||
        readers[row].read(&set, &e))
        FUZZ_CHECK((e.code == ERR_USAGE || e.code == ERR_UNSAFE || e.code == ERR_MACHINE) && *e.msg,
                   "a command line refused without a reason");
    free(text);
    return 0;
}
