/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The nvme-uring backend: NVMe commands through io_uring to the generic device of a namespace,
 * without the kernel's block layer. Only commands that nvme_build permits are sent.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "io/nvme/device_failures.h"
#include "io/nvme/internal.h"
#include "io/nvme/nvme_io.h"
#include "io/ring/ring.h"

#define COMMAND_FLAGS (IORING_SETUP_SQE128 | IORING_SETUP_CQE32)

/* Size of the largest ring that the kernel makes. */
#define NVME_URING_COMMANDS_MAX 32768

/* The progress of the request in a slot. A request that is larger than the limit of one command is
   sent as several commands, called parts, which are in flight together. The request is complete
   when its last part is complete. */
struct nvme_uring_slot {
    unsigned count, done;
    unsigned failed_part; /* index of the first part that failed */
    int error;            /* errno of that part, or 0 */
};

struct nvme_uring {
    struct ring ring; /* first, because the functions of ring.h use b->state as a struct ring */
    const struct nvme_namespace *nvme;
    struct io_statuses *statuses;
    bool wrote;

    struct nvme_uring_slot *slots;
    unsigned max_parts; /* number of parts of the largest request */
    unsigned commands;  /* maximum number of commands in flight: all parts of iodepth requests */

    /* `metadata` receives the metadata that reads return, for slot i at i * metadata_stride.
       `metadata_zero` is sent with all writes, which never send metadata that a read returned for
       another LBA. Both are NULL if no metadata is moved. */
    unsigned char *metadata, *metadata_zero;
    size_t metadata_stride;
};

enum { PART_SHIFT = 16 }; /* user_data is part << 16 | slot */

static void note_result(struct nvme_uring *u, unsigned slot, unsigned part, int error)
{
    struct nvme_uring_slot *s = &u->slots[slot];
    if (error && (!s->error || part < s->failed_part)) {
        s->error = error;
        s->failed_part = part;
    }
}

/* Makes the entry use the registered buffer in which the data lie. A registered piece has the size
   of one part of the largest request. A part of a smaller request may cross from one piece into the
   next; its entry then uses no registered buffer. */
static void use_registered_buffer(const struct ring *r, struct io_uring_sqe *sqe, unsigned slot,
                                  const struct nvme_passthru_cmd64 *command)
{
    uint64_t begin = command->addr - (uintptr_t)(r->setup.buffers + slot * r->setup.buffer_stride);
    if (!r->fixed_buffers || !command->data_len || begin % r->piece + command->data_len > r->piece)
        return;
    sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
    sqe->buf_index = (uint16_t)(slot * r->pieces + begin / r->piece);
}

static void fill_entry(const struct nvme_uring *u, struct io_uring_sqe *sqe, unsigned slot,
                       const struct nvme_passthru_cmd64 *from)
{
    const struct ring *r = &u->ring;
    memset(sqe, 0, 2 * sizeof *sqe); /* SQE128 */
    sqe->opcode = IORING_OP_URING_CMD;
    sqe->cmd_op = NVME_URING_CMD_IO;
    sqe->fd = r->fixed_file ? 0 : u->nvme->generic_fd;
    if (r->fixed_file)
        sqe->flags |= IOSQE_FIXED_FILE;
    use_registered_buffer(r, sqe, slot, from);
    const struct nvme_uring_cmd to = {.opcode = from->opcode,
                                      .flags = from->flags,
                                      .nsid = from->nsid,
                                      .cdw2 = from->cdw2,
                                      .cdw3 = from->cdw3,
                                      .metadata = from->metadata,
                                      .addr = from->addr,
                                      .metadata_len = from->metadata_len,
                                      .data_len = from->data_len,
                                      .cdw10 = from->cdw10,
                                      .cdw11 = from->cdw11,
                                      .cdw12 = from->cdw12,
                                      .cdw13 = from->cdw13,
                                      .cdw14 = from->cdw14,
                                      .cdw15 = from->cdw15,
                                      .timeout_ms = from->timeout_ms};
    memcpy(sqe->cmd, &to, sizeof to);
}

static unsigned char *metadata_of(const struct nvme_uring *u, unsigned slot)
{
    if (u->ring.slots[slot].request.command != REQUEST_READ || !u->metadata)
        return u->metadata_zero;
    return u->metadata + slot * u->metadata_stride;
}

/* Puts one command into the submission queue. A command that cannot be built becomes an entry
   that does nothing, so that its failure is reported like any other. Returns false if the queue
   is full. */
static bool nvme_uring_queue_part(struct nvme_uring *u, unsigned slot, unsigned part)
{
    const struct ring *r = &u->ring;
    const struct io_req *request = &r->slots[slot].request;
    struct nvme_passthru_cmd64 command;
    struct io_uring_sqe *sqe = ring_entry(&u->ring, slot);
    if (!sqe)
        return false;
    if (nvme_build(u->nvme, request, part, r->setup.buffers + slot * r->setup.buffer_stride,
                   r->setup.buffer_stride, metadata_of(u, slot), &command)) {
        note_result(u, slot, part, EINVAL);
        io_uring_prep_nop(sqe);
    } else {
        u->wrote |= request_changes_data(request->command);
        fill_entry(u, sqe, slot, &command);
    }
    sqe->user_data = (uint64_t)part << PART_SHIFT | slot;
    return true;
}

/* Queues all parts of a request, or none and returns false. There is always room for them, except
   for short times with SQPOLL. */
static bool nvme_uring_queue_request(struct ring *r, unsigned slot)
{
    struct nvme_uring *u = (struct nvme_uring *)r;
    unsigned parts =
        nvme_parts(u->nvme, r->slots[slot].request.command, r->slots[slot].request.length);
    if (!parts || parts > u->max_parts)
        /* a flush has one part; for a request that cannot be built, one part is enough to report
           the failure */
        parts = 1;
    if (io_uring_sq_space_left(&r->uring) < parts)
        return false;
    u->slots[slot] = (struct nvme_uring_slot){.count = parts};
    for (unsigned part = 0; part < parts; part++)
        if (!nvme_uring_queue_part(u, slot, part))
            return false;
    return true;
}

/* Returns the errno for a command's result (0, an NVMe status, or -errno), and counts a status. */
static int error_of(struct nvme_uring *u, int result)
{
    int status = nvme_status_of(result);
    if (status > 0)
        io_statuses_add(u->statuses, (uint16_t)status);
    return nvme_errno(status);
}

static unsigned nvme_uring_collect(struct ring *r, struct io_done done[], unsigned max)
{
    struct nvme_uring *u = (struct nvme_uring *)r;
    uint64_t now = clock_ticks(r->setup.clock);
    unsigned n = 0, seen = 0, head;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(&r->uring, head, cqe)
    {
        if (n == max)
            break;
        seen++;
        r->entries--;
        unsigned slot = cqe->user_data & ((1u << PART_SHIFT) - 1);
        unsigned part = (unsigned)(cqe->user_data >> PART_SHIFT);
        if (cqe->res == -EAGAIN && nvme_uring_queue_part(u, slot, part))
            continue; /* the kernel did not try the part; it is queued again, and keeps its t_sub */
        note_result(u, slot, part, error_of(u, cqe->res));
        struct nvme_uring_slot *s = &u->slots[slot];
        if (++s->done < s->count)
            continue;
        const struct ring_slot *of = &r->slots[slot];
        io_done_set(&done[n++], &of->request, of->t_sub, now, s->error ? 0 : of->request.length,
                    s->error);
    }
    io_uring_cq_advance(&r->uring, seen);
    r->in_flight -= n;
    return n;
}

/* Returns the least number of completions after which `requests` requests can be done: the number
   of parts that are missing for the request nearest to its end, and one for each further request. A
   request that has failed still waits for its other parts. */
static unsigned nvme_uring_completions_of(const struct ring *r, unsigned requests)
{
    const struct nvme_uring *u = (const struct nvme_uring *)r;
    unsigned fewest = u->max_parts;
    for (unsigned i = 0; fewest > 1 && i < r->setup.iodepth; i++) {
        unsigned left = u->slots[i].count - u->slots[i].done;
        if (left && left < fewest)
            fewest = left;
    }
    unsigned wanted = fewest + requests - 1;
    return wanted < r->entries ? wanted : r->entries;
}

static void nvme_uring_discard(struct ring *r, int result)
{
    (void)error_of((struct nvme_uring *)r, result);
}

unsigned nvme_uring_commands(const struct nvme_namespace *n, unsigned iodepth, uint32_t length,
                             struct err *e)
{
    unsigned parts = nvme_parts(n, REQUEST_WRITE, length);
    uint64_t commands = (uint64_t)iodepth * parts;
    if (commands <= NVME_URING_COMMANDS_MAX)
        return (unsigned)commands;
    err_set(e, ERR_MACHINE,
            "iodepth %u with %u commands for each request is more than the %d that io_uring holds; "
            "lower --iodepth or --bs",
            iodepth, parts, NVME_URING_COMMANDS_MAX);
    return 0;
}

static void nvme_uring_release(struct nvme_uring *u)
{
    ring_release(&u->ring);
    free(u->metadata);
    free(u->metadata_zero);
    free(u->slots);
    free(u);
}

static unsigned char *zeroed_pages(size_t bytes)
{
    size_t whole = (bytes + 4095) / 4096 * 4096;
    unsigned char *pages = aligned_alloc(4096, whole);
    return pages ? memset(pages, 0, whole) : NULL;
}

/* ---- begin and end ---- */

static int nvme_uring_reserve(struct nvme_uring *u, const struct io_setup *setup, struct err *e)
{
    static const struct ring_ops ops = {.queue = nvme_uring_queue_request,
                                        .collect = nvme_uring_collect,
                                        .completions_of = nvme_uring_completions_of,
                                        .discard = nvme_uring_discard};
    const struct nvme_namespace *nvme = setup->nvme;
    uint32_t longest = (uint32_t)setup->buffer_stride;
    u->nvme = nvme;
    u->max_parts = nvme_parts(nvme, REQUEST_WRITE, longest);
    u->commands = nvme_uring_commands(nvme, setup->iodepth, longest, e);
    if (!u->commands || ring_reserve(&u->ring, &ops, setup, u->commands, e))
        return -1;
    u->slots = calloc(setup->iodepth, sizeof *u->slots);
    if (!u->slots)
        return err_no_memory(e, "%u requests", setup->iodepth);
    size_t metadata = nvme_metadata_bytes(nvme, setup->buffer_stride);
    if (!metadata)
        return 0;
    u->metadata_stride = (metadata + 63) / 64 * 64;
    u->metadata = zeroed_pages(setup->iodepth * u->metadata_stride);
    u->metadata_zero = zeroed_pages(u->metadata_stride);
    return u->metadata && u->metadata_zero ? 0 : err_no_memory(e, "metadata");
}

/* Returns true if the result shows that the kernel does not support NVMe commands through a ring.
 */
static bool is_unknown(int result)
{
    return result == -EINVAL || result == -EOPNOTSUPP || result == -ENOTTY;
}

/* Reads one block. Fails also if the read command cannot be built. */
static int probe_read(struct nvme_uring *u)
{
    int result = ring_probe_read(&u->ring, u->nvme->block_size);
    if (u->slots[0].error)
        result = -u->slots[0].error;
    u->slots[0] = (struct nvme_uring_slot){0};
    return result;
}

/*
 * Makes the ring and reads a block. If the device answers with any NVMe status, this counts as
 * success, because it shows that commands reach the device. Kernels before 6.1 refuse registered
 * buffers in commands.
 */
static int nvme_uring_try_ring(struct nvme_uring *u, unsigned flags, struct err *e)
{
    struct ring *r = &u->ring;
    const struct ring_request request = {
        .fd = u->nvme->generic_fd,
        .entries = u->commands,
        .flags = COMMAND_FLAGS | flags,
        .piece = nvme_part_bytes(u->nvme, (uint32_t)r->setup.buffer_stride, 0)};
    if (ring_make(r, &request, e))
        return -1;
    int result = probe_read(u);
    if (is_unknown(result) && r->fixed_buffers) {
        io_uring_unregister_buffers(&r->uring);
        r->fixed_buffers = false;
        r->buffers_error = -result;
        result = probe_read(u);
    }
    if (result >= 0)
        return 0;
    ring_drop(r);
    if (result == -EACCES || result == -EPERM)
        return err_set(e, ERR_MACHINE,
                       "passthrough to %s is not permitted: it needs CAP_SYS_ADMIN (before Linux "
                       "6.2, whoever may open the device)",
                       u->nvme->generic_path);
    if (is_unknown(result))
        return err_set(e, ERR_MACHINE,
                       "%s (%s; Linux 5.19 and later take NVMe commands through io_uring)",
                       nvme_refusal_words(EINVAL), strerror(-result));
    return err_set(e, ERR_MACHINE, "a first NVMe command failed: %s", strerror(-result));
}

bool nvme_uring_may_poll(const char *release)
{
    char *point;
    unsigned long version = strtoul(release, &point, 10);
    unsigned long level = *point == '.' ? strtoul(point + 1, NULL, 10) : 0;
    return version > 6 || (version == 6 && level >= 8);
}

/* Makes a ring that polls. If there are no polled queues, such a ring works by interrupts. */
static int nvme_uring_try_polled(struct nvme_uring *u, struct err *e)
{
    struct utsname name;
    if (!u->nvme->poll_queues)
        return err_set(e, ERR_MACHINE,
                       "the NVMe driver has no poll queues (nvme.poll_queues, queue/io_poll); "
                       "use --iopoll off");
    if (uname(&name) || !nvme_uring_may_poll(name.release))
        return err_set(e, ERR_MACHINE,
                       "this kernel may crash when NVMe commands are polled (those before Linux "
                       "6.8 do); use --iopoll off");
    return nvme_uring_try_ring(u, IORING_SETUP_IOPOLL, e);
}

/* Makes the ring, finds out by a read what this kernel supports, and describes in b->description
   what is in use. ERR_MACHINE: the kernel accepts no commands at all, or none from this process. */
static int nvme_uring_setup_ring(struct nvme_uring *u, struct io_backend *b, struct err *e)
{
    enum io_choice iopoll = u->ring.setup.iopoll;
    bool must_poll = iopoll == IO_ON;
    bool made =
        iopoll != IO_OFF && !u->ring.setup.trims && !nvme_uring_try_polled(u, must_poll ? e : NULL);
    if (!made && (must_poll || nvme_uring_try_ring(u, 0, e)))
        return -1;
    char registered[80], kind[64];
    ring_describe_registered(&u->ring, registered, sizeof registered);
    ring_describe_kind(&u->ring, kind, sizeof kind);
    snprintf(b->description, sizeof b->description, "NVMe commands by io_uring, %s, %s", registered,
             kind);
    b->polls = u->ring.polled;
    return 0;
}

static int nvme_uring_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    const struct nvme_namespace *nvme = setup->nvme;
    if (nvme_namespace_check(nvme, e))
        return -1;
    if (nvme->generic_fd < 0)
        return err_set(e, ERR_MACHINE,
                       "nvme-uring needs the namespace's generic device (/dev/ng*, since Linux "
                       "5.13), and it cannot be opened");
    struct nvme_uring *u = calloc(1, sizeof *u);
    if (!u)
        return err_no_memory(e, "a ring");
    b->statuses = (struct io_statuses){0};
    b->flush = (struct io_flush){0};
    u->statuses = &b->statuses;
    if (nvme_uring_reserve(u, setup, e) || nvme_uring_setup_ring(u, b, e)) {
        nvme_uring_release(u);
        return -1;
    }
    b->ops = &io_nvme_uring;
    b->state = u;
    return 0;
}

static void nvme_uring_close(struct io_backend *b)
{
    struct nvme_uring *u = b->state;
    if (!u)
        return;
    struct nvme_device device = {.fd = u->nvme->generic_fd};
    bool idle = ring_close(&u->ring);
    if (u->wrote && idle)
        nvme_flush(u->nvme, nvme_send, &device, b);
    /* if commands are still in flight, no flush is sent: it would not complete either */
    else if (u->wrote)
        b->flush = (struct io_flush){.needed = true, .error = ETIMEDOUT};
    nvme_uring_release(u);
    b->state = NULL;
}

const struct io_ops io_nvme_uring = {
    .name = "nvme-uring",
    .help = "NVMe commands through io_uring, past the kernel's block layer",
    .needs_target = true,
    .needs_namespace = true,
    .bypasses_block_layer = true,
    .can_poll = true,
    .trims = true,
    .trims_ranges = true,
    .through_block_layer = &io_uring,
    .open = nvme_uring_open,
    .submit = ring_submit,
    .reap = ring_reap,
    .reap_until = ring_reap_until,
    .exchange = io_submit_and_reap,
    .close = nvme_uring_close,
};
