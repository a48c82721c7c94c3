/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides the number of a session's workers, the work of each, and where workers and memory are
   placed: near to the target, and apart from other targets. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "run/loop/numa_node.h"
#include "run/loop/placement.h"
#include "run/loop/target_processors.h"
#include "run/plan/plan_iozone_mode.h"
#include "run/session/running.h"

#define MEMORY_PIECE ((size_t)32 << 20)
#define MEMORY_PAGE  4096

/* Lists the processors of this process: the workers run on this machine, even if --sysroot
   describes another. */
static size_t processors_here(struct spread_processor list[PLAN_CPUS_MAX])
{
    return numa_processors("", list, PLAN_CPUS_MAX);
}

/* Finds the NUMA node of the target from its data path. */
static void find_node(struct session *s)
{
    struct spread_processor list[PLAN_CPUS_MAX];
    const size_t count = processors_here(list);
    const bool here = !s->root->prefix[0] && numa_is_divided(list, count);
    s->numa_node = here ? data_path_numa_node(&s->path, &s->contents.hardware) : -1;
}

/* Returns true if other ranks run on this host: they share its processors by another rule
   (keep_off_other_ranks). */
static bool has_other_ranks(const struct session *s)
{
    return s->start && s->start->launcher.local_max > 1;
}

/* Reduces the list to the processors of --cpus, so that several targets share only these. Returns 0
   if this process may not use some of them; placement_choose then refuses the plan. */
static size_t keep_given(const struct plan *plan, struct spread_processor list[], size_t count)
{
    size_t kept = 0, wanted = 0;
    for (size_t i = 0; i < PLAN_CPUS_MAX / 64; i++)
        wanted += (size_t)__builtin_popcountll(plan->cpus[i]);
    for (size_t i = 0; i < count; i++)
        if (plan->cpus[list[i].cpu / 64] >> (list[i].cpu % 64) & 1)
            list[kept++] = list[i];
    return kept == wanted ? kept : 0;
}

/* Leaves out the processors of --sqthread_poll_cpu, which workers must not use. */
static size_t leave_out_kernel(const struct plan *plan, struct spread_processor list[],
                               size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!plan_mask_has(plan->sqpoll_cpus, (unsigned)list[i].cpu))
            list[kept++] = list[i];
    return kept;
}

/* Returns true if one thread can issue the requests of many workers: they are due at instants, and
   no call waits for the target. */
static bool can_be_carried(const struct session *s)
{
    const struct plan *p = &s->arranged;
    return s->meeting && s->meeting->carriers && plan_is_timed(p) && !s->ops->serial &&
           s->sqpoll != IO_ON && !(plan_is_replay(p) && p->replay.speed <= 0);
}

/*
 * Chooses processors for the workers of s->arranged: near to the target, apart from other targets'.
 */
static void place(struct session *s)
{
    const struct meeting *m = s->meeting;
    struct plan *arranged = &s->arranged;
    struct spread_processor list[PLAN_CPUS_MAX], *first = list;
    struct spread_target targets[MEETING_MEMBERS];
    unsigned uses[PLAN_CPUS_MAX];
    int own[PLAN_JOBS_MAX], others[PLAN_JOBS_MAX];
    const bool given = arranged->cpus_given;
    if (has_other_ranks(s) || (!m && (given || s->numa_node < 0)))
        return;
    size_t count = leave_out_kernel(arranged, list, processors_here(list));
    size_t target_count = m ? m->count : 1;
    if (given)
        count = keep_given(arranged, list, count);
    if (!count)
        return;
    size_t wanted = 0;
    for (size_t i = 0; i < target_count; i++) {
        const bool is_own = !m || i == s->member;
        targets[i] =
            (struct spread_target){.node = given    ? -1
                                           : is_own ? s->numa_node
                                                    : m->members[i].numa_node,
                                   .workers = is_own ? arranged->jobs : m->members[i].workers,
                                   .cpus = is_own ? own : others};
        wanted += targets[i].workers;
    }
    s->carried = wanted > count && can_be_carried(s);
    /* the first processor is left to the collectors of all targets */
    if (s->carried && count > 1 && !given) {
        first++;
        count--;
    }
    processor_spread(first, uses, count, targets, target_count);
    const struct spread_target *self = &targets[m ? s->member : 0];
    memset(arranged->cpus, 0, sizeof arranged->cpus);
    for (unsigned i = 0; i < self->workers; i++)
        arranged->cpus[self->cpus[i] / 64] |= UINT64_C(1) << self->cpus[i] % 64;
    arranged->cpus_given = true;
    /* If workers share a processor, real-time priority for some of them would slow down the others.
     */
    for (size_t i = 0; i < target_count && !s->carried; i++)
        s->shares_processors |= targets[i].shares;
    arranged->realtime &= !s->shares_processors;
    if (m && self->shares && !s->carried)
        contents_note(&s->contents, true,
                      "there are more workers than processors (%zu) for all targets: what is slow "
                      "may be this machine, not the target",
                      count);
}

/* Binds the memory that the workers will get to the target's node. */
static void bind_memory(struct session *s)
{
    if (s->numa_node < 0 || s->contents.plan.memory_policy[0])
        return;
    s->memory_bound = numa_bind_memory(s->arena.base + s->arena.used,
                                       s->arena.capacity - s->arena.used, s->numa_node);
}

/*
 * Reports the placement of workers and memory as settings; warns if workers or memory are far from
 * the target.
 */
static void settings_of_nodes(struct session *s)
{
    struct spread_processor list[PLAN_JOBS_MAX];
    char nodes[80] = "";
    unsigned distant = 0;
    size_t used = 0;
    if (s->numa_node < 0)
        return;
    for (unsigned i = 0; i < s->group.count; i++)
        list[i] = (struct spread_processor){s->group.workers[i].cpu, -1};
    numa_nodes_of("", list, s->group.count);
    for (unsigned i = 0; i < s->group.count; i++) {
        bool is_new = true;
        distant += list[i].node != s->numa_node;
        for (unsigned k = 0; k < i; k++)
            is_new &= list[k].node != list[i].node;
        if (is_new && used + 8 < sizeof nodes)
            used += (size_t)snprintf(nodes + used, sizeof nodes - used, "%s%d", used ? ", " : "",
                                     list[i].node);
    }
    char value[160];
    snprintf(value, sizeof value, "%s; of the target: %d%s", nodes, s->numa_node,
             s->memory_bound ? "; of the buffers: the target's" : "");
    facts_add(&s->contents.settings, "workers", "NUMA node", value, "", "", FACT_OK);
    if (distant)
        contents_note(&s->contents, true,
                      "%u of %u workers run on another NUMA node than the target's (node %d): all "
                      "they read or write goes between the nodes",
                      distant, s->group.count, s->numa_node);
}

/* ---- nodes that the plan names; they are of this machine, even with --sysroot ---- */

static int refuse_node(const char *option, unsigned node, struct err *e)
{
    char nodes[160];
    if (!numa_list_nodes("", nodes, sizeof nodes))
        return err_set(e, ERR_USAGE, "--%s: this machine has no NUMA nodes", option);
    return err_set(e, ERR_USAGE, "--%s: this machine has no NUMA node %u; it has %s", option, node,
                   nodes);
}

/* Keeps the processors on the plan's nodes, without those of the kernel's threads. */
static size_t keep_on_nodes(const struct plan *p, struct spread_processor list[], size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].node >= 0 && plan_mask_has(p->numa_nodes, (unsigned)list[i].node) &&
            !plan_mask_has(p->sqpoll_cpus, (unsigned)list[i].cpu))
            list[kept++] = list[i];
    return kept;
}

/* Gives the workers the processors of --numa_cpu_nodes. ERR_USAGE, here and in the functions below:
   there is no such node. */
static int use_nodes(struct plan *arranged, struct err *e)
{
    struct spread_processor list[PLAN_CPUS_MAX];
    if (plan_mask_is_empty(arranged->numa_nodes))
        return 0;
    for (unsigned node = 0; node < PLAN_CPUS_MAX; node++)
        if (plan_mask_has(arranged->numa_nodes, node) && !numa_node_exists("", node))
            return refuse_node("numa_cpu_nodes", node, e);
    const size_t count = keep_on_nodes(arranged, list, numa_processors("", list, PLAN_CPUS_MAX));
    if (!count)
        return err_set(
            e, ERR_USAGE, "--numa_cpu_nodes: this process may use none of their processors%s",
            plan_mask_is_empty(arranged->sqpoll_cpus) ? "" : ", but those of --sqthread_poll_cpu");
    /* The first processor is left to the collector, if no worker needs it. */
    for (size_t i = count > arranged->jobs; i < count; i++)
        arranged->cpus[list[i].cpu / 64] |= UINT64_C(1) << list[i].cpu % 64;
    arranged->cpus_given = true;
    return 0;
}

/* Reads the policy and its nodes, which must all exist. */
static int find_policy(const struct plan *p, struct memory_policy *policy, uint64_t *nodes,
                       struct err *e)
{
    *nodes = 0;
    if (plan_memory_policy(p, policy, e))
        return -1;
    for (unsigned node = 0; node < PLAN_CPUS_MAX; node++) {
        const bool exists = numa_node_exists("", node);
        if (plan_mask_has(policy->nodes, node) && !exists)
            return refuse_node("numa_mem_policy", node, e);
        if (exists && (policy->all || plan_mask_has(policy->nodes, node)))
            *nodes |= UINT64_C(1) << node;
    }
    return policy->kind < MEMORY_PREFER || *nodes ? 0 : refuse_node("numa_mem_policy", 0, e);
}

/* Applies --numa_mem_policy to the free part of the arena, before it is touched. ERR_MACHINE: the
   kernel refuses, or the nodes do not have enough memory. */
static int use_policy(struct session *s, struct err *e)
{
    static const enum numa_policy modes[] = {[MEMORY_PREFER] = NUMA_PREFERRED,
                                             [MEMORY_BIND] = NUMA_BOUND,
                                             [MEMORY_INTERLEAVE] = NUMA_INTERLEAVED};
    const struct plan *p = &s->contents.plan;
    struct memory_policy policy;
    uint64_t nodes, room;
    char need[UNITS_BUFFER], have[UNITS_BUFFER];
    const size_t length = s->arena.capacity - s->arena.used;
    if (find_policy(p, &policy, &nodes, e))
        return -1;
    if (policy.kind < MEMORY_PREFER)
        return 0;
    /* The kernel kills a program that uses more bound memory than there is. */
    room = numa_free_bytes("", nodes);
    if (policy.kind == MEMORY_BIND && length > room)
        return err_set(e, ERR_MACHINE, "--numa_mem_policy %s: %s are needed, and %s are free there",
                       p->memory_policy, format_size(need, sizeof need, (double)length),
                       format_size(have, sizeof have, (double)room));
    if (!numa_set_policy(s->arena.base + s->arena.used, length, modes[policy.kind], nodes))
        return err_set(e, ERR_MACHINE, "--numa_mem_policy %s: the kernel refuses it: %s",
                       p->memory_policy, strerror(errno));
    return 0;
}

/* Has the system allocate the workers' memory now, piece by piece: buffers of many GiB take
   seconds, in which a signal must end the session. ERR_UNDECIDED: a signal did. */
static int take_memory(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    size_t bytes = (plan_is_timed(plan) ? 1 : 2) * group_bytes(plan), piece;
    size_t left = s->arena.capacity - s->arena.used;
    unsigned char *at = s->arena.base + s->arena.used, *end = at + (bytes < left ? bytes : left);
    for (unsigned char *begin = at; at < end; at += piece) {
        piece = (size_t)(end - at) < MEMORY_PIECE ? (size_t)(end - at) : MEMORY_PIECE;
        for (size_t page = 0; page < piece; page += MEMORY_PAGE)
            ((volatile unsigned char *)at)[page] = 0;
        if (session_stopped(s))
            return err_set(e, ERR_UNDECIDED, "stopped while memory was set up");
        session_show_share(s, "setting up memory",
                           (double)(at + piece - begin) / (double)(end - begin));
    }
    s->progress.done_share = NAN;
    return 0;
}

static int prepare_memory(struct session *s, struct err *e)
{
    return use_policy(s, e) || take_memory(s, e) ? -1 : 0;
}

const struct session_part part_memory = {.prepare[AT_PLAN] = prepare_memory};

/* For the policy `local`: places the buffers of the group's workers before they are started. */
static void use_local_memory(struct session *s)
{
    const struct plan *p = &s->contents.plan;
    struct memory_policy policy;
    struct err ignored;
    if (plan_memory_policy(p, &policy, &ignored) || policy.kind != MEMORY_LOCAL)
        return;
    for (unsigned i = 0; i < s->group.count; i++) {
        struct worker *w = &s->group.workers[i];
        struct spread_processor own = {w->cpu, -1};
        numa_nodes_of("", &own, 1);
        numa_bind_memory(w->setup.buffers, w->setup.iodepth * w->setup.buffer_stride, own.node);
    }
}

static void settings_of_policy(struct session *s)
{
    const struct plan *p = &s->contents.plan;
    if (p->memory_policy[0])
        facts_add(&s->contents.settings, "workers", "NUMA memory policy", p->memory_policy, "", "",
                  FACT_OK);
}

/* ---- how many, and what each does ---- */

/* Several ranks on a host take consecutive processors. If they must share them, a rank that spins
   with real-time priority would leave none to the others. */
static void keep_off_other_ranks(struct session *s, unsigned processors)
{
    const struct launcher *rank = s->start ? &s->start->launcher : NULL;
    const unsigned jobs = s->arranged.jobs;
    if (!rank)
        return;
    s->first_processor = rank->local_rank > 0 ? (unsigned)rank->local_rank * jobs : 0;
    s->shares_processors = processors >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN) &&
                           (uint64_t)rank->local_max * jobs > processors;
    s->arranged.realtime &= !s->shares_processors;
}

int session_arrange(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    struct plan *arranged = &s->arranged;
    bool timed = plan_is_timed(plan);
    /*
     * Requests with due times need a thread that is awake when they are due; with more jobs than
     * processors, threads would hinder each other. If the backend supports many requests in flight,
     * one thread then does the work of several jobs.
     */
    *arranged = *plan;
    find_node(s);
    if (use_nodes(arranged, e))
        return -1;
    unsigned processors = placement_processors(arranged);
    if (s->meeting) /* the members share the processors */
        processors = (processors + (unsigned)s->meeting->count - 1) / (unsigned)s->meeting->count;
    if (timed && !s->ops->serial && plan->jobs > processors) {
        unsigned iodepth = plan->iodepth * ((plan->jobs + processors - 1) / processors);
        arranged->jobs = processors;
        arranged->iodepth = iodepth < IO_DEPTH_MAX ? iodepth : IO_DEPTH_MAX;
    }
    keep_off_other_ranks(s, processors);
    /* Calls that never wait for a device do not leave the processor to another job. So workers that
       share processors get no real-time priority. */
    if (s->ops->action && plan->jobs > processors) {
        s->shares_processors = true;
        arranged->realtime = false;
    }
    return 0;
}

static int start_group(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    struct plan *arranged = &s->arranged;
    bool timed = plan_is_timed(plan);
    const size_t used_before = s->arena.used;
    session_show(s, "starting workers");
    place(s);
    bind_memory(s);
    if (timed && session_make_sources(s, e))
        return -1;
    struct group_setup setup = {.plan = arranged,
                                .ops = s->ops,
                                .clock = &s->clock,
                                .fd = s->target.fd,
                                .pass = s->target.fd < 0 ? IO_PASS_AS_IT_IS : plan_pass(plan),
                                .direct = s->target.direct,
                                .block_device = s->target.kind == TARGET_BLOCK_DEVICE,
                                .nvme = &s->target.nvme,
                                .scsi = &s->target.scsi,
                                .heartbeat = &s->heartbeat,
                                .carriers = s->carried ? s->meeting->carriers : NULL,
                                .region = s->region,
                                .sqpoll = s->sqpoll,
                                .iopoll = s->iopoll,
                                .first_processor = s->first_processor};
    SESSION_PARTS_CALL(s, set_up, s, &setup);
    if (heartbeat_start(&s->heartbeat, &s->clock, e) || group_init(&s->group, &setup, &s->arena, e))
        return -1;
    /* Worker i does the work of jobs i, i + workers, ... */
    for (unsigned i = 0; timed && i < s->group.count; i++) {
        unsigned jobs = (plan->jobs - i + s->group.count - 1) / s->group.count;
        unsigned in_flight = plan->iodepth * jobs;
        s->group.workers[i].in_flight_max =
            in_flight < arranged->iodepth ? in_flight : arranged->iodepth;
    }
    use_local_memory(s);
    if (group_start(&s->group, e))
        return -1;
    s->group_started = true; /* from here on the workers must be stopped before their memory is
                                freed */
    /* If there are several targets, each session locks only its workers' memory. Locking all memory
       for each of them would take time that grows with the square of their number. */
    const void *workers = s->meeting ? s->arena.base + used_before : NULL;
    /* In a program that uses the library, the memory would stay locked afterwards. */
    if (!plan->filament && !placement_lock_memory(workers, s->arena.used - used_before))
        contents_note(&s->contents, false,
                      "memory could not be locked in place (see ulimit -l): a page fault may add "
                      "to a latency");
    return 0;
}

static void stop_group(struct session *s)
{
    if (s->group_started)
        group_stop(&s->group);
}

static void end(struct session *s)
{
    stop_group(s);
    heartbeat_stop(&s->heartbeat);
}

/* ---- facts ---- */

static void settings_of_workers(struct session *s)
{
    const struct worker *w = s->group.workers;
    char cpus[120] = "";
    size_t used = 0;
    for (unsigned i = 0; i < s->group.count && used + 8 < sizeof cpus; i++)
        used += (size_t)snprintf(cpus + used, sizeof cpus - used, "%s%d", i ? "," : "", w[i].cpu);
    session_setting(s, "workers", "workers", "%u", s->group.count);
    session_setting(s, "workers", "pinned to CPU", "%s", cpus);
    settings_of_nodes(s);
    settings_of_policy(s);
    session_setting(s, "workers", "seed", "%llu", (unsigned long long)s->contents.plan.seed);
    if (w[0].placement_note[0])
        contents_note(&s->contents, true, "%s", w[0].placement_note);
}

const struct session_part part_workers = {.prepare[AT_BEGIN] = start_group,
                                          .on[ON_START] = settings_of_workers,
                                          .of_workers = true,
                                          .after = stop_group,
                                          .end = end};
