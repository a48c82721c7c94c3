/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures requests that come from a function of the calling program, with its settings, and gives
   it the values of the result. */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/result.h"
#include "hw/sysroot/sysroot.h"
#include "io/io.h"
#include "library/internal.h"
#include "run/session/session.h"
#include "source/generator/callback_stream.h"

#define IODEPTH   256
#define QUEUE_MAX 65535

struct cupel_run {
    struct plan plan;
    bool depth_given;
    struct cupel_filament filament;
    struct filament inner;
    struct workload_spec workload;
    volatile sig_atomic_t stop;
    atomic_flag refused; /* a request was refused; `refusal` is the error */
    struct err refusal;
    struct session *session; /* or NULL */
    struct result result;
};

/* ---- settings ---- */

static int begin_run(struct cupel_run *r, const char *target, struct err *e)
{
    plan_init(&r->plan);
    atomic_flag_clear(&r->refused);
    r->plan.filament = true;
    r->plan.compare_block_layer = r->plan.measure_overhead = false;
    r->plan.watch.cost = 0;
    if (!target || !*target || strlen(target) >= sizeof r->plan.target)
        return err_set(e, ERR_USAGE, "%.40s: a target's name has 1 to %zu bytes",
                       target ? target : "NULL", sizeof r->plan.target - 1);
    snprintf(r->plan.target, sizeof r->plan.target, "%s", target);
    return 0;
}

struct cupel_run *cupel_run_new(const char *target, struct cupel_error *error)
{
    struct err e;
    struct cupel_run *r = calloc(1, sizeof *r);
    if (!r)
        err_no_memory(&e, "a run");
    if (r && !begin_run(r, target, &e))
        return r;
    library_fail(error, &e);
    free(r);
    return NULL;
}

void cupel_run_free(struct cupel_run *run)
{
    if (!run)
        return;
    session_free(run->session);
    free(run);
}

/* Returns true for options that are settings of a run. Options about the size of requests are no
   settings, because the program's function (the filament) determines the size. Nor are options
   about the cost of measuring and about watching a session. */
static bool is_setting(const struct option_row *row)
{
    switch (row->group) {
    case PLAN_WORKLOAD:
        return row->offset != offsetof(struct plan, block_size) &&
               row->offset != offsetof(struct plan, mode) &&
               row->offset != offsetof(struct plan, entries);
    case PLAN_TIMING:
        return row->offset == offsetof(struct plan, spin);
    case PLAN_ENDING:
        return row->offset == offsetof(struct plan, ending.runtime_seconds) ||
               row->offset == offsetof(struct plan, ending.precise);
    case PLAN_REGION:
    case PLAN_ENGINE:
    case PLAN_SAFETY:
    case PLAN_SLA:
    case PLAN_STATISTICS:
    case PLAN_DURATION:
    case PLAN_MACHINE:
        return true;
    default:
        return false;
    }
}

static int is_there(const struct cupel_run *run, struct err *e)
{
    return run ? 0 : err_set(e, ERR_USAGE, "the run is NULL: cupel_run_new makes one");
}

static int set(struct plan *plan, const char *name, const char *value, struct err *e)
{
    const struct option_row *row = plan_field(name);
    if (!row || !is_setting(row))
        return err_set(e, ERR_USAGE, "\"%.40s\" is no setting of a run; see cupel.h for them",
                       name);
    if (row->kind == OPTION_FLAG) {
        if (strcmp(value, "1") != 0)
            return err_set(e, ERR_USAGE, "%s %.40s: the only value is 1", name, value);
        *((bool *)plan + row->offset) = true;
        return 0;
    }
    if (option_store_value(row, value, plan, e))
        return err_context(e, "%s %.40s", name, value);
    plan->cpus_given |= row->offset == offsetof(struct plan, cpus);
    plan->statistics.width_given |= row->offset == offsetof(struct plan, statistics.target_width) ||
                                    row->offset == offsetof(struct plan, ending.precise);
    return row->offset == offsetof(struct plan, statistics.preset)
               ? plan_apply_preset(plan, value, e)
               : 0;
}

int cupel_run_set(struct cupel_run *run, const char *name, const char *value,
                  struct cupel_error *error)
{
    struct err e;
    if (is_there(run, &e))
        return library_fail(error, &e);
    struct plan changed = run->plan;
    if (set(&changed, name, value, &e))
        return library_fail(error, &e);
    run->plan = changed;
    run->depth_given |= plan_field(name)->offset == offsetof(struct plan, iodepth);
    return 0;
}

/* ---- the filament ---- */

struct cupel_actor {
    struct cupel_run *run;
    struct stream *stream;
    uint64_t region;
};

static void handle(void *context, struct stream *stream, const struct filament_event *event)
{
    static const enum cupel_event_kind kinds[] = {[FILAMENT_BEGIN] = CUPEL_BEGIN,
                                                  [FILAMENT_TIMER] = CUPEL_TIMER,
                                                  [FILAMENT_COMPLETION] = CUPEL_COMPLETION};
    struct cupel_run *run = context;
    struct cupel_actor actor = {run, stream, event->region};
    const struct cupel_event given = {.actor = &actor,
                                      .kind = kinds[event->kind],
                                      .now_ns = event->now_ns,
                                      .tag = event->tag,
                                      .error = event->error,
                                      .copy = event->copy,
                                      .copies = event->copies,
                                      .size = event->region};
    run->filament.handle(run->filament.context, &given);
}

int cupel_request(struct cupel_actor *actor, const struct cupel_request *request)
{
    struct cupel_run *run = actor->run;
    const struct filament_request asked = {.due_ns = request->due_ns,
                                           .offset = request->offset,
                                           .length = request->length,
                                           .op = request->write != 0,
                                           .tag = request->tag};
    switch (filament_request(actor->stream, &asked)) {
    case FILAMENT_TAKEN:
        return 0;
    case FILAMENT_FULL:
        return 1;
    case FILAMENT_INVALID:
        break;
    }
    if (!atomic_flag_test_and_set(&run->refused))
        err_set(&run->refusal, ERR_USAGE,
                "a request to %s %u bytes at byte %llu: offsets and lengths are multiples of %u, "
                "the largest has %u bytes, the last byte is %llu%s",
                request->write ? "write" : "read", request->length,
                (unsigned long long)request->offset, run->filament.granularity,
                run->filament.largest, (unsigned long long)actor->region - 1,
                run->filament.writes ? "" : ", and the filament said that it does not write");
    run->stop = 1;
    return -1;
}

int cupel_timer(struct cupel_actor *actor, uint64_t at_ns)
{
    return filament_timer(actor->stream, at_ns) ? 0 : -1;
}

/* ---- measuring ---- */

static int set_filament(struct cupel_run *r, const struct cupel_filament *f, struct err *e)
{
    if (!f || !f->handle)
        return err_set(e, ERR_USAGE, "the filament, or its function, is NULL");
    if (!f->granularity || !f->largest || f->largest % f->granularity)
        return err_set(e, ERR_USAGE,
                       "a filament has a granularity, and a largest request that is a multiple of "
                       "it, not %u and %u",
                       f->granularity, f->largest);
    if (!f->queue || f->queue > QUEUE_MAX)
        return err_set(e, ERR_USAGE, "a filament's queue has room for 1 to %d requests, not %u",
                       QUEUE_MAX, f->queue);
    r->filament = *f;
    r->inner = (struct filament){.handle = handle, .context = r, .queue = f->queue};
    r->plan.block_size = f->largest;
    r->plan.write_share = f->writes ? 0.5 : 0;
    const struct io_ops *ops = io_backend_by_name(r->plan.engine);
    if (!r->depth_given)
        r->plan.iodepth = ops && ops->serial ? 1 : IODEPTH;
    r->workload.stream_count = 1;
    struct stream_spec *stream = &r->workload.streams[0];
    *stream = (struct stream_spec){.name = "filament",
                                   .kind = STREAM_FILAMENT,
                                   .write_share = r->plan.write_share,
                                   .region_to = 1,
                                   .sizes = {{f->largest, 1}},
                                   .size_count = 1,
                                   .align = f->granularity,
                                   .filament = &r->inner};
    return 0;
}

/* Converts the verdict to an error, as the exit status of `cupel run` does. */
static int judge_run(const struct cupel_run *r, struct err *e)
{
    const struct result *result = &r->result;
    char words[LEVEL_CLAIM_WORDS];
    switch (result->verdict) {
    case VERDICT_PRECISE:
    case VERDICT_MEASURED:
    case VERDICT_COMPLETE:
    case VERDICT_DECIDED:
        return 0;
    case VERDICT_BEST_POSSIBLE:
        return result->width_given
                   ? err_set(e, ERR_UNDECIDED,
                             "%s: it is as precise as the target allows; the width asked for would "
                             "take %s",
                             result->target,
                             level_claim_span(words, sizeof words, &result->claim,
                                              result->claim.needed_readings))
                   : 0;
    case VERDICT_UNSETTLED:
        return result->width_given
                   ? err_set(e, ERR_UNDECIDED, "%s: precise for this stretch of time only: %s",
                             result->target, level_doubt_words(words, sizeof words, &result->claim))
                   : 0;
    case VERDICT_NO_LEVEL:
    case VERDICT_MOVES:
    case VERDICT_CYCLES:
        return err_set(e, ERR_UNDECIDED, "%s: %s", result->target,
                       level_claim_words(words, sizeof words, &result->claim));
    case VERDICT_FAILED:
        return err_set(e, ERR_TARGET, "%s", result->failure);
    case VERDICT_SATURATED:
        return err_set(e, ERR_UNDECIDED,
                       "%s: it does not keep up with what falls due; response times grow for as "
                       "long as it goes on",
                       result->target);
    case VERDICT_INTERRUPTED:
        return err_set(e, ERR_UNDECIDED, "%s: stopped before it was precise", result->target);
    default:
        return err_set(e, ERR_UNDECIDED, "%s: the limit came before the precision", result->target);
    }
}

static int measure(struct cupel_run *r, const struct cupel_filament *f, struct err *e)
{
    struct sysroot machine;
    if (r->session)
        return err_set(e, ERR_USAGE, "%s: this run was measured; a further one needs its own",
                       r->plan.target);
    if (set_filament(r, f, e) || plan_take_width(&r->plan, e) || sysroot_open(&machine, NULL, e) ||
        session_run_workload(&r->session, &r->plan, &r->workload, &machine, &r->stop, e))
        return -1;
    session_result(r->session, &r->result);
    if (r->refusal.code) {
        *e = r->refusal;
        return -1;
    }
    return judge_run(r, e);
}

int cupel_run_measure(struct cupel_run *run, const struct cupel_filament *filament,
                      struct cupel_error *error)
{
    struct err e;
    return is_there(run, &e) || measure(run, filament, &e) ? library_fail(error, &e) : 0;
}

void cupel_run_stop(struct cupel_run *run)
{
    if (run)
        run->stop = 1;
}

/* ---- values ---- */

int cupel_run_value(const struct cupel_run *run, const char *metric, const char *op,
                    struct cupel_value *value, struct cupel_error *error)
{
    struct err e;
    for (size_t i = 0; run && run->session && i < run->result.row_count; i++) {
        const struct result_row *row = &run->result.rows[i];
        if (strcmp(metric_of(row->metric)->name, metric) != 0 || strcmp(row->op, op) != 0)
            continue;
        *value = (struct cupel_value){.value = row->value,
                                      .low = row->low,
                                      .high = row->high,
                                      .next_low = row->next_low,
                                      .next_high = row->next_high,
                                      .effective_n = row->effective_n,
                                      .n = row->n};
        snprintf(value->unit, sizeof value->unit, "%s", metric_of(row->metric)->unit);
        snprintf(value->note, sizeof value->note, "%s", row->note);
        return 0;
    }
    err_set(&e, ERR_USAGE, "the result has no \"%.40s\" of \"%.10s\"", metric, op);
    return library_fail(error, &e);
}

int cupel_run_limits(const struct cupel_run *run, struct cupel_limit to[], size_t capacity,
                     struct cupel_error *error)
{
    static const enum cupel_verdict verdicts[] = {[CLAUSE_UNDECIDED] = CUPEL_LIMIT_OPEN,
                                                  [CLAUSE_PASSED] = CUPEL_LIMIT_KEPT,
                                                  [CLAUSE_FAILED] = CUPEL_LIMIT_BROKEN};
    struct err e;
    if (is_there(run, &e))
        return library_fail(error, &e);
    size_t count = 0;
    for (size_t i = 0; run->session && i < run->result.clause_count; i++) {
        const struct result_clause *c = &run->result.clauses[i];
        if (c->is_width)
            continue;
        if (count < capacity) {
            to[count] = (struct cupel_limit){.verdict = verdicts[c->verdict],
                                             .value = c->value,
                                             .limit = c->limit,
                                             .more = c->more_seconds};
            snprintf(to[count].text, sizeof to->text, "%s", c->text);
            snprintf(to[count].note, sizeof to->note, "%s", c->note);
        }
        count++;
    }
    return (int)count;
}
