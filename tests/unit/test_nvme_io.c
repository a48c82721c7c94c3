/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests as NVMe commands, and the backend that sends them, with a scripted namespace. */
#include "check.h"
#include "nvme_io_script.h"

#include <fcntl.h>
#include <unistd.h>

#include "io/nvme/device_failures.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

enum { STRIDE = 1 << 20, SLOTS = 4, KIB = 1024 };

static _Alignas(4096) unsigned char buffers[SLOTS * STRIDE];
static unsigned char beside[64 * KIB];

static int perform(const struct nvme_namespace *n, struct nvme_io_script *script,
                   const struct io_req *request, struct io_statuses *statuses)
{
    script->buffers = buffers;
    script->nsid = n->nsid;
    script->block_size = n->block_size;
    return nvme_perform(n, nvme_io_script_send, script, request, buffers, STRIDE,
                        nvme_metadata_bytes(n, STRIDE) ? beside : NULL, statuses);
}

static void check_sent(const struct nvme_namespace *n, const struct io_req *request,
                       const struct nvme_io_step *steps, size_t count)
{
    struct nvme_io_script script = {.steps = steps, .count = count};
    struct io_statuses statuses = {0};
    CHECK_INT(perform(n, &script, request, &statuses), 0);
    CHECK_INT(nvme_parts(n, request->command, request->length), count);
    CHECK_INT(statuses.count, 0);
    nvme_io_script_end(&script);
}

static void one_command(void)
{
    struct nvme_namespace n = nvme_io_namespace();
    struct io_req request = {.offset = 1 << 20, .length = 4096, .command = REQUEST_READ};
    check_sent(&n, &request, &(struct nvme_io_step){.opcode = 2, .lba = 2048, .length = 4096}, 1);
    request.command = REQUEST_WRITE;
    check_sent(&n, &request, &(struct nvme_io_step){.opcode = 1, .lba = 2048, .length = 4096}, 1);

    /* The last LBA of the namespace, and an LBA number of more than 32 bits. */
    request = (struct io_req){.offset = (1ull << 30) - 512, .length = 512};
    check_sent(&n, &request,
               &(struct nvme_io_step){.opcode = 2, .lba = (1 << 21) - 1, .length = 512}, 1);
    n.blocks = 1ull << 40;
    n.block_size = 4096;
    request = (struct io_req){.offset = (1ull << 52) - 4096, .length = 4096};
    check_sent(&n, &request,
               &(struct nvme_io_step){.opcode = 2, .lba = (1ull << 40) - 1, .length = 4096}, 1);
}

static void split(void)
{
    struct nvme_namespace n = nvme_io_namespace();
    struct io_req request = {.offset = 512, .length = 300 * KIB, .command = REQUEST_WRITE};
    const struct nvme_io_step steps[] = {
        {.opcode = 1, .lba = 1, .length = 100 * KIB},
        {.opcode = 1, .lba = 1 + 200, .length = 100 * KIB, .data_at = 100 * KIB},
        {.opcode = 1, .lba = 1 + 400, .length = 100 * KIB, .data_at = 200 * KIB},
    };
    check_sent(&n, &request, steps, 3);
    request.length = 200 * KIB;
    check_sent(&n, &request, steps, 2);
    CHECK_INT(nvme_part_bytes(&n, 300 * KIB, 2), 100 * KIB);
    /* Parts begin at multiples of 4 KiB, so that only the last one may be smaller, ... */
    CHECK_INT(nvme_part_bytes(&n, 129 * KIB, 0), 68 * KIB);
    CHECK_INT(nvme_part_bytes(&n, 129 * KIB, 1), 61 * KIB);
    /* ... unless blocks are larger, or there is no limit. */
    n.block_size = 64 * KIB;
    CHECK_INT(nvme_part_bytes(&n, 192 * KIB, 0), 128 * KIB);
    CHECK_INT(nvme_part_bytes(&n, 192 * KIB, 1), 64 * KIB);
    n.block_size = 512;
    n.transfer_max = 5 * 512;
    CHECK_INT(nvme_part_bytes(&n, 4096, 0), 2048);
    CHECK_INT(nvme_part_bytes(&n, 4096, 1), 2048);
    n.transfer_max = 128 * KIB;
    CHECK_INT(nvme_part_bytes(&n, 300 * KIB, 3), 0);
    CHECK_INT(nvme_part_bytes(&n, 300 * KIB, 0xffffffff), 0);
    CHECK_INT(nvme_parts(&n, REQUEST_WRITE, 0), 0);
    CHECK_INT(nvme_parts(&n, REQUEST_WRITE, 128 * KIB), 1);
    CHECK_INT(nvme_parts(&n, REQUEST_WRITE, 128 * KIB + 512), 2);
    n.transfer_max = 512;
    CHECK_INT(nvme_parts(&n, REQUEST_WRITE, 0xfffffe00), 0x7fffff);

    /* A command has room for 65536 LBAs. */
    n.transfer_max = 65536 * 512;
    request = (struct io_req){.length = 512 * KIB};
    check_sent(&n, &request, &(struct nvme_io_step){.opcode = 2, .length = 512 * KIB}, 1);
    struct nvme_passthru_cmd64 command;
    request.length = 65536 * 512;
    CHECK_INT(nvme_build(&n, &request, 0, buffers, 65536 * 512, NULL, &command), 0);
    CHECK_INT(command.cdw12, 0xffff);
    CHECK_INT(nvme_build(&n, &request, 1, buffers, 65536 * 512, NULL, &command), -1);
}

/* ---- metadata ---- */

static void separate_metadata(void)
{
    struct nvme_namespace n = nvme_io_namespace();
    n.metadata_size = 16;
    CHECK_INT(nvme_metadata_bytes(&n, 4096), 128);
    struct io_req request = {.offset = 4096, .length = 200 * KIB};
    const struct nvme_io_step steps[] = {
        {.opcode = 2, .lba = 8, .length = 100 * KIB, .metadata_length = 200 * 16},
        {.opcode = 2,
         .lba = 8 + 200,
         .length = 100 * KIB,
         .data_at = 100 * KIB,
         .metadata_length = 200 * 16,
         .metadata_at = 200 * 16},
    };
    check_sent(&n, &request, steps, 2);
    /* Without a metadata buffer the controller would write to address 0. */
    struct nvme_passthru_cmd64 command;
    CHECK_INT(nvme_build(&n, &request, 0, buffers, STRIDE, NULL, &command), -1);
}

static void protection(void)
{
    const uint32_t action = 1u << 29, guard = 1u << 28, reference = 1u << 26;
    struct nvme_namespace n = nvme_io_namespace();
    n.metadata_size = 8;
    n.blocks = 1ull << 40;
    struct io_req request = {.offset = 0x123456789aull * 512, .length = 512};
    CHECK_INT(nvme_metadata_bytes(&n, 4096), 64); /* 8 bytes that are not protection information */
    for (uint8_t type = 1; type <= 3; type++) {
        const struct nvme_io_step step = {
            .opcode = 2,
            .lba = 0x123456789aull,
            .length = 512,
            .control = action | guard | (type < 3 ? reference : 0),
            .reference = type < 3 ? 0x3456789a : 0,
        };
        n.protection = type;
        CHECK_INT(nvme_metadata_bytes(&n, 4096), 0);
        check_sent(&n, &request, &step, 1);
    }
    n.protection = 1;
    request = (struct io_req){.offset = 0, .length = 256 * KIB, .command = REQUEST_WRITE};
    const struct nvme_io_step steps[] = {
        {.opcode = 1, .length = 128 * KIB, .control = action | guard | reference},
        {.opcode = 1,
         .lba = 256,
         .length = 128 * KIB,
         .data_at = 128 * KIB,
         .control = action | guard | reference,
         .reference = 256},
    };
    check_sent(&n, &request, steps, 2);
}

/* ---- durable writes and flushes ---- */

static void durable(void)
{
    const uint32_t force_unit_access = 1u << 30;
    struct nvme_namespace n = nvme_io_namespace();
    struct io_req request = {.offset = 4096, .length = 200 * KIB, .command = REQUEST_WRITE_DURABLE};
    const struct nvme_io_step parts[] = {
        {.opcode = 1, .lba = 8, .length = 100 * KIB, .control = force_unit_access},
        {.opcode = 1,
         .lba = 8 + 200,
         .length = 100 * KIB,
         .data_at = 100 * KIB,
         .control = force_unit_access},
    };
    check_sent(&n, &request, parts, 2);
    n.metadata_size = 8; /* which a flush does not have */
    request = (struct io_req){.command = REQUEST_FLUSH};
    struct io_statuses statuses = {0};
    const struct nvme_io_step flush = {.opcode = 0};
    struct nvme_io_script script = {
        .steps = &flush, .count = 1, .buffers = buffers, .nsid = 3, .block_size = 512};
    CHECK_INT(perform(&n, &script, &request, &statuses), 0);
    nvme_io_script_end(&script);
}

/* ---- commands that are never sent ---- */

static void refused(void)
{
    static const struct io_req wrong[] = {
        {.offset = 1, .length = 512},
        {.offset = 256, .length = 512},
        {.offset = 0, .length = 0},
        {.offset = 0, .length = 513},
        {.offset = 0, .length = STRIDE + 512}, /* more than the buffer holds */
        {.offset = 1 << 30, .length = 512},
        {.offset = (1 << 30) - 512, .length = 1024},
        {.offset = UINT64_MAX - 511, .length = 1024}, /* the sum is small */
        {.offset = 0, .length = 512, .command = 4},
    };
    struct nvme_namespace n = nvme_io_namespace();
    struct nvme_io_script none = {0};
    struct io_statuses statuses = {0};
    struct nvme_passthru_cmd64 command;
    for (size_t i = 0; i < COUNT(wrong); i++)
        CHECK_INT(perform(&n, &none, &wrong[i], &statuses), EINVAL);

    struct io_req request = {.length = 4096};
    CHECK_INT(nvme_build(&n, &request, 0, buffers, 4095, NULL, &command), -1);
    CHECK_INT(nvme_build(&n, &request, 0, buffers, 4096, NULL, &command), 0);
    CHECK_INT(nvme_build(&n, &request, 0, NULL, 4096, NULL, &command), -1);
    CHECK_INT(nvme_build(&n, &request, 1, buffers, 4096, NULL, &command), -1);
    n.usable = false;
    CHECK_INT(perform(&n, &none, &request, &statuses), EINVAL);
    n = nvme_io_namespace();
    n.writable = false;
    for (uint8_t op = REQUEST_WRITE; op <= REQUEST_WRITE_DURABLE; op++) {
        request.command = op;
        CHECK_INT(perform(&n, &none, &request, &statuses), EINVAL);
    }
    CHECK_INT(none.sent, 0);
    CHECK_INT(statuses.count, 0);
}

/* The real system call: a command without a row in the table does not reach the kernel. */
static void not_listed(void)
{
    /* Write Uncorrectable, Write Zeroes, Dataset Management, Verify */
    static const uint8_t listed[] = {4, 8, 9, 0xc};
    struct nvme_device device = {.fd = open("/dev/null", O_RDWR | O_CLOEXEC)};
    for (unsigned opcode = 3; opcode < 256; opcode++) {
        struct nvme_passthru_cmd64 command = {.opcode = (uint8_t)opcode, .nsid = 1};
        if (!memchr(listed, (int)opcode, sizeof listed))
            CHECK_INT(nvme_send(&device, &command), -EPERM);
    }
    CHECK(!device.old_kernel);
    if (check_is_emulated()) {
        check_part_skipped("an emulator passes no NVMe command to the kernel");
        close(device.fd);
        return;
    }
    /* A listed command does, and is also tried in the older form. */
    struct nvme_passthru_cmd64 flush;
    struct nvme_namespace n = nvme_io_namespace();
    nvme_build_flush(&n, &flush);
    CHECK_INT(nvme_send(&device, &flush), -ENOTTY);
    CHECK(device.old_kernel);
    CHECK_INT(nvme_send(&device, &flush), -ENOTTY);
    close(device.fd);
    device = (struct nvme_device){.fd = -1};
    CHECK_INT(nvme_send(&device, &flush), -EBADF);
    CHECK(!device.old_kernel);
}

/* ---- failures ---- */

static void failures(void)
{
    struct nvme_namespace n = nvme_io_namespace();
    struct io_statuses statuses = {0};
    struct io_req request = {.length = 256 * KIB};
    const struct nvme_io_step second_fails[] = {
        {.opcode = 2, .length = 128 * KIB},
        {.opcode = 2, .lba = 256, .length = 128 * KIB, .data_at = 128 * KIB, .status = 0x4281},
    };
    struct nvme_io_script script = {.steps = second_fails, .count = 2};
    CHECK_INT(perform(&n, &script, &request, &statuses), ENODATA);
    nvme_io_script_end(&script);
    /* After the first failure no other command is sent. */
    const struct nvme_io_step first_fails = {.opcode = 2, .length = 128 * KIB, .status = 0x281};
    script = (struct nvme_io_script){.steps = &first_fails, .count = 1};
    CHECK_INT(perform(&n, &script, &request, &statuses), ENODATA);
    /* Aborted by the kernel; and refused by it, which is not a status of the device. */
    const struct nvme_io_step taken_back = {.opcode = 2, .length = 128 * KIB, .status = -EINTR};
    script = (struct nvme_io_script){.steps = &taken_back, .count = 1};
    CHECK_INT(perform(&n, &script, &request, &statuses), EIO);
    const struct nvme_io_step denied = {.opcode = 2, .length = 128 * KIB, .status = -EACCES};
    script = (struct nvme_io_script){.steps = &denied, .count = 1};
    CHECK_INT(perform(&n, &script, &request, &statuses), EACCES);

    CHECK_INT(statuses.count, 3);
    CHECK_INT(statuses.rows[0].status, 0x4281);
    CHECK_INT(statuses.rows[1].status, 0x281);
    CHECK_INT(statuses.rows[2].status, 0x371);
    CHECK_INT(io_statuses_total(&statuses), 3);
    CHECK_INT(io_statuses_of(&statuses, NVME_STATUS_MEDIA), 2);
    CHECK_INT(io_statuses_of(&statuses, NVME_STATUS_ABORTED), 1);

    CHECK_INT(nvme_errno(0), 0);
    CHECK_INT(nvme_errno(-ENODEV), ENODEV);
    CHECK_INT(nvme_errno(0x4080), EREMOTEIO);
    CHECK_INT(nvme_status_of(-EINTR), 0x371);
    CHECK_INT(nvme_status_of(-EIO), -EIO);
    CHECK_INT(nvme_status_of(0x281), 0x281);
}

/* ---- the backend ---- */

static struct io_setup setup_for(const struct clock *clock, const struct nvme_namespace *n)
{
    return (struct io_setup){.clock = clock,
                             .fd = -1,
                             .iodepth = SLOTS,
                             .buffers = buffers,
                             .buffer_stride = STRIDE,
                             .nvme = n};
}

static void backend(const struct clock *clock)
{
    struct nvme_namespace n = nvme_io_namespace();
    n.write_cache = NVME_CACHE_ON;
    const struct io_setup setup = setup_for(clock, &n);
    struct io_backend b = {0};
    struct err e = {0};
    const struct nvme_io_step steps[] = {
        {.opcode = 2, .lba = 8, .length = 4096, .data_at = 3 * (size_t)STRIDE},
        {.opcode = 1, .lba = 16, .length = 4096, .data_at = STRIDE},
        {.opcode = 2, .lba = 24, .length = 4096, .status = 0x281},
        {.opcode = 2, .lba = 0, .length = 512, .data_at = 2 * (size_t)STRIDE},
        {.opcode = 0}, /* the flush of close */
    };
    struct nvme_io_script script = {
        .steps = steps, .count = COUNT(steps), .buffers = buffers, .nsid = 3, .block_size = 512};
    const struct io_req requests[] = {
        {.offset = 4096, .length = 4096, .slot = 3, .command = REQUEST_READ},
        {.offset = 8192, .length = 4096, .slot = 1, .command = REQUEST_WRITE},
        {.offset = 12288, .length = 4096, .slot = 0, .command = REQUEST_READ},
        {.offset = 0, .length = 512, .slot = 2, .command = REQUEST_READ},
    };
    struct io_done done[4];
    CHECK_INT(nvme_open_through(&b, &setup, nvme_io_script_send, &script, &e), 0);
    CHECK(b.ops == &io_nvme && strstr(b.description, "namespace 3"));
    CHECK_INT(b.ops->reap(&b, done, 1, 4, &e), 0);
    CHECK_INT(b.ops->submit(&b, requests, 3, &e), 3);
    CHECK_INT(b.ops->reap(&b, done, 0, 4, &e), 1); /* it cannot wait, so it does one request */
    CHECK_INT(done[0].slot, 3);
    CHECK_INT(done[0].bytes, 4096);
    CHECK(done[0].t_cpl > done[0].t_sub);
    CHECK_INT(b.ops->submit(&b, requests + 3, 1, &e), 1);
    CHECK_INT(b.ops->reap(&b, done + 1, 4, 3, &e), 3);
    CHECK_INT(done[1].op, REQUEST_WRITE);
    CHECK_INT(done[1].error, 0);
    CHECK(done[1].t_sub >= done[0].t_cpl); /* each has its own timestamps */
    CHECK_INT(done[2].error, ENODATA);
    CHECK_INT(done[2].bytes, 0);
    CHECK_INT(done[3].bytes, 512);
    CHECK_INT(b.statuses.count, 1);
    CHECK_INT(b.statuses.rows[0].count, 1);
    CHECK_INT(b.ops->submit(&b, requests, 4, &e), 4);
    CHECK_INT(b.ops->submit(&b, requests, 1, &e), 0); /* full */
    CHECK(!b.flush.needed);
    b.ops->close(&b);
    CHECK(b.state == NULL);
    CHECK(b.flush.needed);
    CHECK_INT(b.flush.error, 0);
    nvme_io_script_end(&script);
}

/* Does one I/O and closes the backend; `flush` is the answer to a flush, if one is sent. */
static struct io_backend do_one(const struct clock *clock, enum nvme_write_cache cache,
                                enum request_command op, size_t commands, int flush)
{
    struct nvme_namespace n = nvme_io_namespace();
    n.write_cache = cache;
    const struct io_setup setup = setup_for(clock, &n);
    const struct nvme_io_step steps[] = {
        {.opcode = op == REQUEST_WRITE ? 1 : 2, .length = 512},
        {.opcode = 0, .status = flush},
    };
    struct nvme_io_script script = {
        .steps = steps, .count = commands, .buffers = buffers, .nsid = 3, .block_size = 512};
    struct io_req request = {.length = 512, .command = (uint8_t)op};
    struct io_done done;
    struct err e = {0};
    struct io_exchange x = {
        .requests = &request, .n = 1, .min = 1, .max = 1, .done = &done, .e = &e};
    struct io_backend b = {.flush = {.needed = true, .error = EIO}}; /* of another run */
    CHECK_INT(nvme_open_through(&b, &setup, nvme_io_script_send, &script, &e), 0);
    CHECK_INT(b.ops->exchange(&b, &x), 1);
    CHECK_INT(done.error, 0);
    b.ops->close(&b);
    nvme_io_script_end(&script);
    CHECK_INT(b.flush.needed, commands == 2);
    return b;
}

/* A flush is sent only after writes, and not if the drive has no volatile cache. Its result is
   reported. */
static void flushes(const struct clock *clock)
{
    do_one(clock, NVME_CACHE_ON, REQUEST_READ, 1, 0);
    do_one(clock, NVME_CACHE_UNKNOWN, REQUEST_READ, 1, 0);
    do_one(clock, NVME_CACHE_OFF, REQUEST_WRITE, 1, 0);
    do_one(clock, NVME_CACHE_ABSENT, REQUEST_WRITE, 1, 0);
    CHECK_INT(do_one(clock, NVME_CACHE_ON, REQUEST_WRITE, 2, 0).flush.error, 0);
    CHECK_INT(do_one(clock, NVME_CACHE_UNKNOWN, REQUEST_WRITE, 2, 0).flush.error, 0);
    struct io_backend b = do_one(clock, NVME_CACHE_ON, REQUEST_WRITE, 2, 0x4006);
    CHECK_INT(b.flush.error, EIO);
    CHECK_INT(b.statuses.rows[0].status, 0x4006);
    b = do_one(clock, NVME_CACHE_ON, REQUEST_WRITE, 2, -ENODEV);
    CHECK_INT(b.flush.error, ENODEV);
    CHECK_INT(b.statuses.count, 0);
    CHECK_INT(do_one(clock, NVME_CACHE_ON, REQUEST_WRITE, 2, -EINTR).flush.error, EIO);
}

static void backend_with_metadata(const struct clock *clock)
{
    struct nvme_namespace n = nvme_io_namespace();
    n.metadata_size = 64;
    const struct io_setup setup = setup_for(clock, &n);
    n.write_cache = NVME_CACHE_ABSENT;
    const struct nvme_io_step steps[] = {
        {.opcode = 2, .length = 4096, .metadata_length = 512},
        {.opcode = 1, .length = 4096, .metadata_length = 512, .metadata_apart = true},
        {.opcode = 2, .length = 4096, .metadata_length = 512},
        {.opcode = 1, .length = 4096, .metadata_length = 512, .metadata_apart = true},
    };
    struct nvme_io_script script = {
        .steps = steps, .count = COUNT(steps), .buffers = buffers, .nsid = 3, .block_size = 512};
    struct io_backend b = {0};
    struct io_done done;
    struct err e = {0};
    CHECK_INT(nvme_open_through(&b, &setup, nvme_io_script_send, &script, &e), 0);
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct io_req request = {.length = 4096, .command = i % 2 ? REQUEST_WRITE : REQUEST_READ};
        CHECK_INT(b.ops->submit(&b, &request, 1, &e), 1);
        CHECK_INT(b.ops->reap(&b, &done, 1, 1, &e), 1);
        CHECK_INT(done.error, 0);
    }
    b.ops->close(&b);
    nvme_io_script_end(&script);
}

static void cannot_open(const struct clock *clock)
{
    struct nvme_namespace n = NVME_NAMESPACE_NONE;
    struct io_setup setup = setup_for(clock, NULL);
    struct io_backend b = {0};
    struct err e = {0};
    CHECK_INT(io_nvme.open(&b, &setup, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    setup.nvme = &n;
    snprintf(n.why_not, sizeof n.why_not, "it is a partition");
    CHECK_INT(io_nvme.open(&b, &setup, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "it is a partition") != NULL);
    n.is_nvme = true;
    snprintf(n.why_not, sizeof n.why_not, "passthrough is not permitted (CAP_SYS_ADMIN)");
    CHECK_INT(io_nvme.open(&b, &setup, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK(strstr(e.msg, "CAP_SYS_ADMIN") != NULL);
    CHECK(b.state == NULL);
}

int main(void)
{
    struct clock clock;
    clock_calibrate(&clock, 10, false);
    one_command();
    split();
    separate_metadata();
    protection();
    durable();
    refused();
    not_listed();
    failures();
    backend(&clock);
    flushes(&clock);
    backend_with_metadata(&clock);
    cannot_open(&clock);
    return check_result();
}
