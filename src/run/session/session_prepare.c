/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prepares the first I/O: opens the target, chooses the backend, examines the machine, starts
   workers. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "hw/disk/disk_serial.h"
#include "io/device/block_device.h"
#include "run/loop/placement.h"
#include "run/plan/plan_mode.h"
#include "run/session/internal.h"
#include "run/watch/hardware.h"

/* Address space of the null backend: larger than any cache. */
#define NULL_TARGET_SIZE ((uint64_t)1 << 40)

/*
 * Writing a scratch file takes at most this share of a session's limit, if the file can be smaller.
 */
#define FILL_SHARE_OF_LIMIT 0.25

/* Shows the progress of filling. Its rate is the first known number. */
static void show_filling(void *session, uint64_t done, uint64_t total)
{
    struct session *s = session;
    double seconds = session_seconds(s) - s->stage_began_seconds;
    s->progress.bytes_rate = done && seconds > 0 ? (double)done / seconds : NAN;
    session_show_share(
        s, s->target.kind == TARGET_SCRATCH ? "writing the scratch file" : "writing the file",
        total ? (double)done / (double)total : 1);
}

/* ---- the disk that --destroy-serial names ---- */

/* The disk is identified by the number of the open block device, not by a name, because names are
   reused. The number is looked up in sysfs of this machine, even with --sysroot. */

static int refuse_no_disk(const char *path, struct err *e)
{
    return err_set(e, ERR_UNSAFE,
                   "%s: it is no block device, and --destroy-serial is for disks; nothing was "
                   "written",
                   path);
}

/* Checks, before the target is opened, that it is a device: otherwise a file would be created and
   filled. */
static int expect_disk(const struct plan *plan, struct err *e)
{
    struct stat st;
    if (!plan->destroy_serial[0])
        return 0;
    if (stat(plan->target, &st))
        return err_set(e, ERR_USAGE, "%s: %s", plan->target, strerror(errno));
    return S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode) ? 0 : refuse_no_disk(plan->target, e);
}

/* Checks the open target before its first write. */
static int check_serial(const struct plan *plan, const struct target *t, struct err *e)
{
    struct sysroot machine;
    if (!plan->destroy_serial[0])
        return 0;
    if ((t->kind != TARGET_BLOCK_DEVICE && t->kind != TARGET_NVME_GENERIC) || !t->device)
        return refuse_no_disk(t->path, e);
    if (sysroot_open(&machine, NULL, e))
        return -1;
    return disk_serial_check(&machine, t->device, plan->destroy_serial, t->path, e);
}

/* ---- the target ---- */

/*
 * Keeps a device or a scratch file open between sessions. A named file may be used by others in the
 * meantime, as swap or for a loop device: every session examines it anew, and it must be the same
 * file.
 */
static int share_target(struct session_shared *shared, const struct target *t, struct err *e)
{
    struct stat st;
    if (t->kind != TARGET_FILE) {
        shared->target = *t;
        shared->target_open = true;
        return 0;
    }
    if (fstat(t->fd, &st))
        return err_set(e, ERR_TARGET, "%s: %s", t->path, strerror(errno));
    if (shared->has_file && (shared->device != st.st_dev || shared->inode != st.st_ino))
        return err_set(e, ERR_UNSAFE,
                       "%s: it is another file than in the session before; nothing was written",
                       t->path);
    shared->has_file = true;
    shared->device = st.st_dev;
    shared->inode = st.st_ino;
    return 0;
}

static int open_target(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    struct target *t = &s->target;
    const struct io_ops *asked = io_backend_by_name(plan->engine);
    if (asked && !asked->needs_target) {
        *t = TARGET_NONE;
        t->logical_block = 1;
        t->size = plan->size ? plan->offset + plan->size : NULL_TARGET_SIZE;
        snprintf(t->path, sizeof t->path, "%s", asked->connects ? plan->target : asked->name);
        return asked->connects ? session_find_peer(s, e) : 0;
    }
    const bool without_data = io_is_without_data(asked); /* the backend changes files without
                                                            reading data */
    bool in_folder = asked && asked->action && asked->action->in_folder;
    struct target_request request = {
        .path = plan->target,
        .read = (plan->write_share < 1) && !without_data,
        .write = (plan->write_share > 0) || without_data,
        .direct = plan->direct,
        .synchronous = session_open_flag(plan),
        .destroy = plan->destroy || plan->destroy_serial[0],
        .overwrite = plan->overwrite,
        .allow_unwritten = plan->allow_unwritten || without_data,
        .allow_unseen = plan->allow_unseen,
        .zones = plan->zones,
        .shared = s->meeting && !plan->verify,
        .fresh = plan_pass(plan) == IO_PASS_NEW_FILE,
        .size =
            plan->size ? plan->offset + plan->size + plan->offset_increment * (plan->jobs - 1) : 0,
        .fill_seconds = FILL_SHARE_OF_LIMIT * plan->limit_seconds,
        .entries = in_folder ? plan->entries : 0,
        .folders = plan->jobs,
        .seed = plan->seed};
    if (s->shared && s->shared->target_open) {
        *t = s->shared->target;
        s->target_open = true;
        /* Through the page cache, every session starts like the first one after the filling. */
        if (!t->direct && t->kind == TARGET_SCRATCH)
            posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
    } else {
        session_show(s, "opening the target");
        s->stage_began_seconds = session_seconds(s);
        if (expect_disk(plan, e) || session_expect_recognised(s, e) ||
            target_open(t, &request, show_filling, s, (const volatile int *)s->stop, e))
            return -1;
        s->target_open = true;
        if (s->shared && share_target(s->shared, t, e))
            return -1;
    }
    if (check_serial(plan, t, e))
        return -1;
    s->progress.done_share = s->progress.bytes_rate = NAN;
    if (t->note[0])
        contents_note(&s->contents, t->in_memory || in_folder || t->unseen, "%s", t->note);
    return 0;
}

/*
 * Finds the region [offset, offset + size) that the workload covers, in bytes from the offset on.
 */
static int find_region(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct target *t = &s->target;
    char have[UNITS_BUFFER], want[UNITS_BUFFER];
    bool timed = plan_is_timed(plan);
    if (t->kind == TARGET_FOLDER) { /* each entry has a block in the region */
        s->region = plan->entries * plan->block_size;
        return 0;
    }
    /* The requests of a replay are fitted to the target's blocks. */
    uint32_t granule = !timed                 ? plan->block_size
                       : plan_is_replay(plan) ? t->logical_block
                                              : workload_spec_granularity(&s->workload);
    if (t->direct && t->logical_block && granule % t->logical_block)
        return err_set(e, ERR_USAGE,
                       "%s: %s of %u bytes are no multiple of its logical block of %u bytes",
                       t->path, timed ? "requests" : "--bs: blocks", granule, t->logical_block);
    if (t->direct && t->logical_block && plan->offset % t->logical_block)
        return err_set(e, ERR_USAGE, "%s: --offset is no multiple of its logical block of %u bytes",
                       t->path, t->logical_block);
    uint64_t smallest = plan_is_replay(plan) ? granule : plan->block_size;
    const uint64_t others =
        plan->offset_increment * (plan->jobs - 1); /* sum of the increments of later jobs */
    const uint64_t begin = plan->offset + others;
    if (begin + plan->size > t->size || begin + smallest > t->size)
        return err_set(
            e, ERR_USAGE, "%s: it has %s; --offset%s and --size reach to %s", t->path,
            format_size(have, sizeof have, (double)t->size), others ? ", --offset_increment" : "",
            format_size(want, sizeof want, (double)(begin + (plan->size ? plan->size : smallest))));
    if (t->direct && t->logical_block && plan->offset_increment % t->logical_block)
        return err_set(e, ERR_USAGE,
                       "%s: --offset_increment is no multiple of its logical block of %u bytes",
                       t->path, t->logical_block);
    s->region = plan->size ? plan->size : t->size - begin;
    if (others && !plan->size && s->region > plan->offset_increment)
        s->region = plan->offset_increment;
    if (s->region < smallest)
        return err_set(e, ERR_USAGE, "--offset_increment is smaller than one block (--bs)");
    bool own = plan_pass(plan) == IO_PASS_NEW_FILE; /* each job has its own file of that size */
    if (!timed && !own && !others && s->region / plan->block_size < plan->jobs)
        return err_set(e, ERR_USAGE, "%s: %s is less than one block of --bs for each of %u jobs",
                       t->path, format_size(have, sizeof have, (double)s->region), plan->jobs);
    return 0;
}

/* Checks that the target can do writes of this size atomically. */
static int check_atomic(const struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    uint32_t least, most;
    if (!plan->atomic)
        return 0;
    if (atomic_write_sizes(s->target.fd, &least, &most, e))
        return err_context(e, "%.200s: --atomic 1", s->target.path);
    return plan->block_size >= least && plan->block_size <= most
               ? 0
               : err_set(e, ERR_USAGE,
                         "%s: --atomic 1: its atomic writes have %u to %u bytes, and --bs is %u",
                         s->target.path, least, most, plan->block_size);
}

/* ---- the backend ---- */

/* A file that is cut at a write's offset loses everything after it, even outside of the region, and
   must get its size again. */
static int check_resize(const struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct target *t = &s->target;
    const uint64_t end = plan->offset + plan->offset_increment * (plan->jobs - 1) + s->region;
    char size[UNITS_BUFFER];
    struct rlimit limit;
    struct stat st;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && !fstat(t->fd, &st) &&
        limit.rlim_cur < (uint64_t)st.st_size)
        return err_set(e, ERR_USAGE,
                       "%s: --ioengine %s: a limit of this shell (ulimit -f) would not let it have "
                       "its size again; nothing was written",
                       t->path, s->ops->name);
    if (t->made_by_us || end >= t->size)
        return 0;
    return err_set(
        e, ERR_UNSAFE,
        "%s: --ioengine %s cuts off what is after its writes, and the last %s are not in "
        "the region (--offset, --size): leave --size out; nothing was written",
        t->path, s->ops->name, format_size(size, sizeof size, (double)(t->size - end)));
}

/* Chooses the requested backend, unless it cannot use the target. */
static int choose_backend(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    s->sqpoll = (enum io_choice)(plan->sqpoll + 1);
    s->iopoll = (enum io_choice)(plan->iopoll + 1);
    if (strcmp(plan->engine, "auto") != 0) {
        const struct target *t = &s->target;
        const char *name = plan->engine;
        s->ops = io_backend_by_name(name);
        snprintf(s->chosen, sizeof s->chosen, "as asked for");
        if (!s->ops)
            return err_set(e, ERR_USAGE, "--ioengine %s: there is no such backend", name);
        if (io_is_without_data(s->ops) && t->kind != TARGET_FILE && t->kind != TARGET_SCRATCH)
            return err_set(e, ERR_USAGE, "%s: --ioengine %s is about files, and this is none",
                           t->path, name);
        if (s->ops->resizes && check_resize(s, e))
            return -1;
        if (s->ops->needs_namespace && nvme_namespace_check(&t->nvme, e))
            return err_context(e, "%s: --ioengine %s", t->path, name);
        if (s->ops->needs_target && !s->ops->bypasses_block_layer && t->kind == TARGET_NVME_GENERIC)
            return err_set(e, ERR_USAGE,
                           "%s: --ioengine %s goes through the block layer, and this device past "
                           "it; name its block device, or use nvme-uring",
                           t->path, name);
        return 0;
    }
    /* auto: probe with a setup like a worker's, on one page of memory */
    size_t mark = arena_mark(&s->arena);
    /* If there are only trims, workers have no memory for a block: one sector is read instead. */
    const size_t block = plan->trims == TRIMS_ALONE ? s->target.logical_block : plan->block_size;
    size_t stride = (block + 4095) / 4096 * 4096;
    unsigned char *memory = arena_alloc(&s->arena, plan->iodepth * stride + 4096, 1);
    if (!memory)
        return err_no_memory(e, "trying backends");
    int kernel_cpu = placement_kernel_cpu(plan, 0);
    const struct priority_kinds kinds = plan_request_kinds(plan);
    const uint16_t values[PRIORITY_KINDS_MAX] = {0}; /* a trial read has no priority */
    struct io_setup setup = {.clock = &s->clock,
                             .fd = s->target.fd,
                             .direct = s->target.direct,
                             .trims = plan->trims != TRIMS_NONE,
                             .block_device = s->target.kind == TARGET_BLOCK_DEVICE,
                             /* --sync applies to opened files and block devices only. */
                             .nvme = plan->sync == SYNC_NONE ? &s->target.nvme : NULL,
                             .iodepth = plan->iodepth,
                             .priorities = kinds.count ? values : NULL,
                             .block_layer = kinds.count || plan_priority(plan) || plan->atomic,
                             .buffers = memory + (4096 - (uintptr_t)memory % 4096) % 4096,
                             .buffer_stride = stride,
                             .sqpoll = s->sqpoll,
                             .sqpoll_placed = kernel_cpu >= 0,
                             .sqpoll_cpu = kernel_cpu >= 0 ? (unsigned)kernel_cpu : 0,
                             .iopoll = s->iopoll,
                             .workers = plan->jobs};
    s->ops = io_choose(&setup, s->chosen, sizeof s->chosen);
    s->sqpoll = setup.sqpoll;
    s->iopoll = setup.iopoll;
    arena_reset(&s->arena, mark);
    return s->ops ? 0 : err_set(e, ERR_MACHINE, "%s: %s", s->target.path, s->chosen);
}

/* ---- the workers ---- */

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

/* Decides the number of workers and the work of each. */
static int arrange(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    struct plan *arranged = &s->arranged;
    bool timed = plan_is_timed(plan);
    /*
     * Requests with due times need a thread that is awake when they are due; with more jobs than
     * processors, threads would hinder each other. If the backend can have many requests in flight,
     * one thread then does the work of several jobs.
     */
    *arranged = *plan;
    if (session_use_nodes(arranged, e))
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
    /* Calls that never wait for a device do not leave the processor to another job. */
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
    session_place(s);
    session_bind_memory(s);
    if (timed && session_make_sources(s, e))
        return -1;
    struct group_setup setup = {.plan = arranged,
                                .source = timed ? session_source : NULL,
                                .source_context = s,
                                .ops = s->ops,
                                .clock = &s->clock,
                                .fd = s->target.fd,
                                .fds = s->job_file_count ? s->job_files : NULL,
                                .pass = s->target.fd < 0 ? IO_PASS_AS_IT_IS : plan_pass(plan),
                                .direct = s->target.direct,
                                .block_device = s->target.kind == TARGET_BLOCK_DEVICE,
                                .nvme = &s->target.nvme,
                                .peer = s->ops->connects ? &s->peer : NULL,
                                .content = session_content(s),
                                .ledger = session_ledger(s),
                                .heartbeat = &s->heartbeat,
                                .traced = s->trace != NULL,
                                .region = s->region,
                                .zones = s->zones.count ? &s->zones : NULL,
                                .sqpoll = s->sqpoll,
                                .iopoll = s->iopoll,
                                .first_processor = s->first_processor};
    if (heartbeat_start(&s->heartbeat, &s->clock, e) || group_init(&s->group, &setup, &s->arena, e))
        return -1;
    /* Worker i does the work of jobs i, i + workers, ... */
    for (unsigned i = 0; timed && i < s->group.count; i++) {
        unsigned jobs = (plan->jobs - i + s->group.count - 1) / s->group.count;
        unsigned in_flight = plan->iodepth * jobs;
        s->group.workers[i].in_flight_max =
            in_flight < arranged->iodepth ? in_flight : arranged->iodepth;
    }
    session_use_local_memory(s);
    if (group_start(&s->group, e))
        return -1;
    s->group_started = true; /* from here on the workers must be stopped before their memory is
                                freed */
    if (session_trace_start(s, e))
        return -1;
    if (!plan->filament && !placement_lock_memory()) /* the memory would stay locked in the
                                                        calling program */
        contents_note(&s->contents, false,
                      "memory could not be locked in place (see ulimit -l): a page fault may add "
                      "to a latency");
    return 0;
}

/* Checks that clauses about an efficiency have a limit to compare with. */
static int check_path_limits(const struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    const struct watch *watch = &s->contents.watch;
    struct clauses limits = {0};
    if (plan->sla[0] && clauses_parse_limits(&limits, plan->sla, e))
        return -1;
    for (size_t i = 0; i < limits.count; i++) {
        const struct clause *c = &limits.clause[i];
        bool writes = c->op[0] ? !strcmp(c->op, "write") : plan->write_share > 0;
        if (c->subject == CLAUSE_EFFICIENCY &&
            !((writes ? watch->limit_write : watch->limit_read) > 0))
            return err_set(e, ERR_USAGE,
                           "--sla %s: the limit of the data path to %.100s is not known here; "
                           "judge its bandwidth, as in %s.bandwidth>500MB/s",
                           c->text, s->target.path, writes ? "write" : "read");
    }
    return 0;
}

/* Opens the counters of the user's components. Their commands avoid the workers' processors. */
static int open_components(struct session *s, struct err *e)
{
    const struct plan *plan = &s->contents.plan;
    int cpus[PLAN_JOBS_MAX];
    for (unsigned i = 0; i < s->group.count; i++)
        cpus[i] = s->group.workers[i].cpu;
    struct component_watch watch = {.components = &s->components,
                                    .root = s->root,
                                    .avoid = cpus,
                                    .avoid_count = s->group.count,
                                    .cost = plan->monitor_rate ? 0 : plan->monitor_cost};
    return component_sources_open(&s->component_sources, &watch, e);
}

int session_prepare(struct session *s, struct err *e)
{
    struct contents *c = &s->contents;
    session_log_begin(s);
    if (verify_expect_written(&s->verify, e) || open_target(s, e) || find_region(s, e) ||
        session_open_zones(s, e) || check_atomic(s, e) || choose_backend(s, e) ||
        session_check_trims(s, e) || session_check_write_modes(s, e) || session_prepare_files(s, e))
        return -1;
    session_show(s, "looking at the machine");
    /* A program that uses the library does not want a report of the machine, and its environment
       and locale must not change, which libsensors does for a moment. */
    const struct hardware_target target = session_hardware_target(s);
    if (!c->plan.filament && hardware_see(s->shared ? s->shared->seen : NULL, &c->hardware,
                                          &s->path, s->root, &target, &s->remote, e))
        return -1;
    if (s->root->prefix[0])
        contents_note(c, true,
                      "what the machine is was read below %.100s: it is not the one that measured",
                      s->root->prefix);
    if (components_join(&s->components, &c->hardware, &s->path, e))
        return -1;
    watch_path(&c->watch, &c->hardware, &s->path);
    session_log_names(s);
    session_find_node(s);
    if (arrange(s, e) || session_prepare_data(s, e) || session_prepare_verify(s, e) ||
        check_path_limits(s, e) || session_list_disks(s, e) || session_meet(s, e))
        return -1;
    session_writeback_begin(s);
    session_show(s, "starting workers");
    return session_set_knobs(s, e) || start_group(s, e) || open_components(s, e) ? -1 : 0;
}
