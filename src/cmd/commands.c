/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists all commands, finds a command by its name, and contains cupel help. */
#include <stdio.h>
#include <string.h>

#include "base/text_reader.h"
#include "cmd/options/boot_config.h"
#include "cmd/options/command.h"
#include "cmd/options/completion.h"
#include "cmd/options/help.h"
#include "machine/qualify/expectation.h"
#include "source/generator/profile.h"
#include "tables/boot_image.h"

#define COMMAND(row) &command_##row,
const struct command *const commands[] = {COMMAND_ROWS(COMMAND) NULL};
#undef COMMAND

const struct command *command_find(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (!strcmp((*c)->name, name))
            return *c;
    return NULL;
}

int command_unknown(const char *name, struct err *e)
{
    const char *best = NULL;
    for (const struct command *const *c = commands; *c; c++)
        nearest_offer(name, (*c)->name, &best);
    if (best)
        return err_set(e, ERR_USAGE, "there is no command \"%.60s\"; did you mean %s?", name, best);
    return err_set(e, ERR_USAGE, "there is no command \"%.60s\"; cupel help lists them", name);
}

/* ---- cupel help ---- */

#define PROFILE_TOPIC "profile"
#define RULES_TOPIC   "rules"
#define TOPICS        " " PROFILE_TOPIC " " RULES_TOPIC " " CONFIG_FILE " " EXPECT_FILE

struct help_options {
    bool manual;
    int completion; /* the shell whose completions are printed; 0: none */
};

static const struct option_row help_options[] = {
    {.section = "Output",
     .name = "man",
     .kind = OPTION_FLAG,
     OPTION_FIELD(struct help_options, manual),
     .help = "Print a manual page in troff, of COMMAND or of everything."},
    {.name = "completion",
     .argument = "SHELL",
     .kind = OPTION_CHOICE,
     OPTION_FIELD(struct help_options, completion),
     .choices = OPTION_CHOICES({"bash", 1}, {"zsh", 2}, {"fish", 3}),
     .value_words = "none",
     .help = "Print the completion script of a shell: to be sourced, or for its folder."},
    {0},
};

static completion_script *const completions[] = {NULL, completion_bash, completion_zsh,
                                                 completion_fish};

static int run_help(const struct option_set *set, struct err *e)
{
    struct help_options o = {0};
    const struct command *command = NULL;
    struct text out = {0};
    if (options_store(set, &o, e))
        return -1;
    const char *topic = set->operand_count > 0 ? set->operands[0] : "";
    bool boot_config = !strcmp(topic, CONFIG_FILE), expect = !strcmp(topic, EXPECT_FILE);
    bool profile = !strcmp(topic, PROFILE_TOPIC), rules = !strcmp(topic, RULES_TOPIC);
    if (profile && set->operand_count > 1 && !profile_text(set->operands[1]))
        return err_set(e, ERR_USAGE, "there is no profile %s: cupel help profile lists them",
                       set->operands[1]);
    if (set->operand_count > 1 && !profile)
        return err_set(e, ERR_USAGE, "too many names; usage: cupel help [COMMAND] [options]");
    if (set->operand_count > 0 && !boot_config && !expect && !profile && !rules) {
        command = command_find(topic);
        if (!command)
            return command_unknown(topic, e);
    }
    if (o.completion)
        completions[o.completion](commands, TOPICS, &out);
    else if (boot_config)
        boot_config_write_template(&out);
    else if (expect)
        expectation_help(&out);
    else if (profile && set->operand_count > 1)
        text_add(&out, profile_text(set->operands[1]));
    else if (profile)
        profile_help(&out);
    else if (rules)
        help_rules(commands, &out);
    else if (command)
        help_command(command, o.manual ? PAGE_TROFF : PAGE_PLAIN, &out);
    else if (o.manual)
        help_manual(commands, &out);
    else
        help_overview(commands, &out);
    int status = out.failed ? err_no_memory(e, "the help") : 0;
    if (!out.failed)
        fwrite(out.data, 1, out.length, stdout);
    text_free(&out);
    return status;
}

const struct command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "show what a command does and its options",
    .description =
        (const char *const[]){
            "Prints the page of COMMAND, which cupel COMMAND --help prints as well, or without "
            "COMMAND the overview. Manual pages and the completion script come from the same "
            "source as the pages.",
            "For " CONFIG_FILE " it prints that file as it stands on a new boot stick, where each "
            "setting is explained; for " EXPECT_FILE
            " all that may stand in that file, which cupel "
            "qualify --expect takes as well; for " PROFILE_TOPIC
            " the workloads that cupel run --profile knows, and how to write others; "
            "for " RULES_TOPIC " which options need or exclude each other, and why.",
            NULL},
    .options = help_options,
    .examples =
        (const struct help_item[]){
            {"cupel help run", "All options of cupel run."},
            {"cupel help run --man | man -l -", "The same page through the manual reader."},
            {"source <(cupel help --completion bash)",
             "Completion in this shell; zsh, fish alike."},
            {"cupel help " CONFIG_FILE, "The settings of the boot stick."},
            {"cupel help " EXPECT_FILE, "What may be expected of machines."},
            {"cupel help " PROFILE_TOPIC, "Workloads by name, and the file that describes one."},
            {"cupel help " PROFILE_TOPIC " tpc-b", "One of them, as a file to begin from."},
            {"cupel help " RULES_TOPIC, "Which options need or exclude each other."},
            {0}},
    .statuses = (const struct help_item[]){{"0", "Done."},
                                           {"2", "There is no such command or option."},
                                           {"4", "Standard output could not be written."},
                                           {0}},
    .max_operands = 2, /* "profile NAME" */
    .run = run_help,
    .foresee = command_only_reads,
};
