/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs one command line on many hosts: what differs between ranks, and when all ranks begin. */
#include "cmd/run/launch_options.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/run/session_options.h"
#include "facts/result.h"
#include "run/launch/rank_common_start.h"
#include "run/launch/rank_gathering.h"
#include "run/launch/rank_name.h"
#include "run/launch/start_instant.h"
#include "run/plan/plan.h"

/*
 * Expands templates in the target's name. As nobody sees the expanded names on other hosts, a
 * target that may be destroyed must be named literally. Templates are only for sessions that read,
 * or write to cupel's own files.
 */
static int expand_target(struct plan *plan, const struct launcher *launcher, struct err *e)
{
    char name[sizeof plan->target];
    const char *permits = plan->destroy             ? "destroy"
                          : plan->destroy_serial[0] ? "destroy-serial"
                          : plan->overwrite         ? "overwrite"
                                                    : NULL;
    if (!rank_name_is_template(plan->target))
        return 0;
    if (permits)
        return err_set(e, ERR_UNSAFE,
                       "%.200s: what this name stands for is another target on each host, and with "
                       "--%s its data is lost: name the target itself; nothing was written",
                       plan->target, permits);
    if (rank_name_expand(plan->target, launcher, "TARGET", name, sizeof name, e))
        return -1;
    snprintf(plan->target, sizeof plan->target, "%s", name);
    return 0;
}

static int check_start(const struct option_set *set, const struct launcher *launcher, struct err *e)
{
    const char *together = options_given(set, "start-together");
    if (together && !*together)
        return err_set(e, ERR_USAGE, "--start-together: the folder's name is empty");
    if (together && !launcher->size)
        return err_set(e, ERR_USAGE,
                       "--start-together: %s does not say how many ranks there are: set CUPEL_SIZE",
                       launcher->name);
    return 0;
}

int launch_options_read(const struct option_set *set, struct launch_options *o, char *folder,
                        size_t size, struct err *e)
{
    struct common_start *start = &o->start;
    start->process_began_ns = start_instant_now();
    start->timeout_seconds = o->start_timeout;
    snprintf(start->folder, sizeof start->folder, "%s", o->start_together);
    if (launcher_find(&start->launcher, e) || check_start(set, &start->launcher, e))
        return -1;
    if (o->start_at[0] &&
        start_instant_parse(o->start_at, start->process_began_ns, &start->at_ns, e))
        return -1;
    o->rank_has_folder = rank_name_is_template(folder);
    return rank_name_folder(folder, size, &start->launcher, e);
}

int launch_options_check(const struct option_set *set, struct run_options *o, struct err *e)
{
    const struct launcher *launcher = &o->launch.start.launcher;
    if (launch_options_read(set, &o->launch, o->folder, sizeof o->folder, e))
        return -1;
    /* With the same seed, all ranks would read the same places of a shared file one after the
       other. */
    if (!options_given(set, "seed"))
        o->plan.seed += (uint64_t)launcher->rank * PLAN_JOBS_MAX;
    return expand_target(&o->plan, launcher, e);
}

int launch_output_name(char *name, size_t size, struct err *e)
{
    struct launcher launcher;
    bool is_template = rank_name_is_template(name);
    if (!name[0] || !strcmp(name, "-")) /* nothing is kept, or it goes to standard output */
        return 0;
    if (launcher_find(&launcher, e) || rank_name_folder(name, size, &launcher, e))
        return -1;
    return is_template ? rank_name_make_parent(name, e) : 0;
}

int launch_options_prepare(const struct launch_options *o, const char *folder, struct err *e)
{
    const struct launcher *launcher = &o->start.launcher;
    if (o->rank_has_folder && rank_name_make_parent(folder, e))
        return -1;
    if (!o->start.folder[0])
        return 0;
    if (launcher_is_of_many(launcher))
        return gathering_check(o->start.folder, e);
    fprintf(stderr, "cupel: --start-together: this is the only rank, and begins at once%s\n",
            launcher->name[0] ? ""
                              : " (no launcher is known here that says otherwise: set CUPEL_HOSTS "
                                "to all hosts, with commas between)");
    return 0;
}

int launch_error(const struct launcher *l, struct err *e)
{
    return launcher_is_of_many(l) ? err_context(e, "rank %u on %s", l->rank, l->host) : -1;
}

/* Writes the parent folder, which all ranks share: "/shared/run1" for "/shared/run1/n7-3". */
static void name_parent(const char *folder, char to[], size_t size)
{
    const char *slash = strrchr(folder, '/');
    int length = slash && slash > folder ? (int)(slash - folder) : 1;
    snprintf(to, size, "%.*s", length, slash ? folder : ".");
}

int launch_print_line(const struct result *result, const struct run_options *o, struct err *e)
{
    const struct launcher *l = &o->launch.start.launcher;
    char all[sizeof o->folder];
    struct text out = {0};
    text_addf(&out, "rank %u on %s: ", l->rank, l->host);
    report_line(result, &out);
    if (o->folder[0]) {
        name_parent(o->folder, all, sizeof all);
        text_addf(&out, "; kept in %s; all ranks: cupel %s %s", o->folder, command_merge.name, all);
    }
    text_add(&out, "\n");
    return output_text(&out, e);
}
