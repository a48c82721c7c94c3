/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of the block layer become requests: operations, parts, merges, their owners, a partition.
 */
#include <unistd.h>

#include "tests/unit/recording_fixture.h"

static struct recorder *r;
static uint64_t now;

/* The event layout of these tests; the kernel's own has the same fields at other offsets. */
struct raw {
    uint32_t number, device;
    uint64_t sector;
    uint32_t sectors;
    int32_t error;
    char kind[12];
};
#define FIELD(member, sign)                                                                        \
    {                                                                                              \
        .offset = offsetof(struct raw, member), .size = sizeof(((struct raw *)0)->member),         \
        .is_signed = (sign)                                                                        \
    }
static const struct block_fields fields = {.device = FIELD(device, false),
                                           .sector = FIELD(sector, false),
                                           .sectors = FIELD(sectors, false),
                                           .error = FIELD(error, true),
                                           .kind = FIELD(kind, false)};

enum { DISK = 4095u << 20 | 5, OTHER = 4095u << 20 | 6 };

static void start(const struct recording_plan *plan)
{
    r = fixture_recorder(plan);
    blocks_requests(plan->command ? NULL : &r->device, r->filter, sizeof r->filter, r->requests,
                    &r->request_count);
    for (size_t i = 0; i < r->request_count; i++)
        r->fields[i] = fields;
    now = 0;
}

static void send(const char *name, uint32_t process, struct raw raw)
{
    struct tracepoint_event event = {.tracepoint = TRACEPOINT_REQUESTS_MAX,
                                     .time_ns = now += 1000,
                                     .process = process,
                                     .raw = (const unsigned char *)&raw,
                                     .raw_size = sizeof raw};
    for (unsigned i = 0; i < r->request_count; i++)
        if (!strcmp(r->requests[i].name, name))
            event.tracepoint = i;
    CHECK(event.tracepoint < r->request_count);
    if (event.tracepoint < r->request_count)
        blocks_event(r, &event);
}

static void issue(const char *kind, uint64_t sector, uint32_t sectors)
{
    struct raw raw = {.device = DISK, .sector = sector, .sectors = sectors};
    snprintf(raw.kind, sizeof raw.kind, "%s", kind);
    send("block_rq_issue", 1, raw);
}

static void complete(const char *kind, uint64_t sector, uint32_t sectors, int error)
{
    struct raw raw = {.device = DISK, .sector = sector, .sectors = sectors, .error = error};
    snprintf(raw.kind, sizeof raw.kind, "%s", kind);
    send("block_rq_complete", 0, raw);
}

static const struct level *disk(void)
{
    return r->devices.rows[0].level;
}

static void test_operations(void)
{
    static const struct {
        const char *kind;
        uint32_t sectors;
        enum recording_op op;
    } rows[] = {
        {"R", 8, RECORDING_READ},      {"RAM", 8, RECORDING_READ},   {"WS", 8, RECORDING_WRITE},
        {"FWFSM", 8, RECORDING_WRITE}, {"D", 64, RECORDING_DISCARD}, {"FF", 0, RECORDING_FLUSH},
        {"F", 0, RECORDING_FLUSH},     {"FWS", 0, RECORDING_FLUSH},  {"N", 8, RECORDING_ALL},
        {"", 8, RECORDING_ALL},
    };
    start(&fixture_of_program);
    uint64_t expected[RECORDING_OPS] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        issue(rows[i].kind, 1000 * i, rows[i].sectors);
        complete(rows[i].kind, 1000 * i, rows[i].sectors, 0);
        expected[rows[i].op]++;
        for (int op = 0; op < RECORDING_ALL; op++)
            CHECK_INT(disk()->response[op].n, expected[op]);
    }
    CHECK_INT(disk()->bytes[RECORDING_WRITE], 2 * 4096);
    CHECK_INT(disk()->bytes[RECORDING_DISCARD], 64 * 512);
    CHECK_INT(disk()->asked, 4 * 4096); /* discarded bytes are not data */
    CHECK_INT(disk()->response[RECORDING_READ].max, 1000);
    CHECK_INT(disk()->in_flight, 0);
    CHECK_INT(r->devices.count, 1);
    recorder_free(r);
}

static void test_parts_and_failures(void)
{
    start(&fixture_of_program);
    issue("R", 100, 32);
    issue("R", 200, 8);
    CHECK_INT(disk()->depth_max, 2);
    complete("R", 100, 8, 0); /* a quarter, then the rest */
    CHECK_INT(disk()->response[RECORDING_READ].n, 0);
    complete("R", 108, 24, 0);
    CHECK_INT(disk()->response[RECORDING_READ].n, 1);
    CHECK_INT(disk()->response[RECORDING_READ].max, 3000);
    complete("R", 200, 8, -5);
    CHECK_INT(disk()->failed[RECORDING_READ], 1);
    CHECK_INT(disk()->asked, 40 * 512); /* requested all the same */
    CHECK_INT(disk()->bytes[RECORDING_READ], 32 * 512);
    CHECK_INT(disk()->in_flight, 0);
    complete("R", 300, 8, 0); /* issued before the recording began */
    CHECK_INT(disk()->response[RECORDING_READ].n, 2);
    issue("W", 400, 8);
    issue("W", 400, 8); /* requeued and issued again */
    CHECK_INT(disk()->in_flight, 1);
    complete("W", 400, 8, 0);
    CHECK_INT(disk()->response[RECORDING_WRITE].n, 1);
    CHECK_INT(disk()->response[RECORDING_WRITE].max, 1000);
    recorder_free(r);
}

/* Process 1 is the program; 2 is a kernel thread that issues requests for others. */
static void test_owners(void)
{
    start(&fixture_of_program);
    r->processes[1] = 1;
    r->process_count = 1;
    struct raw raw = {.device = DISK, .sector = 100, .sectors = 8, .kind = "R"};
    send("block_getrq", 1, raw);
    send("block_rq_issue", 2, raw);
    send("block_rq_complete", 0, raw);
    CHECK_INT(disk()->own_count, 1);
    raw.sector = 200;
    send("block_getrq", 2, raw);
    send("block_rq_issue", 1, raw); /* inserted by another process, and issued by the program */
    send("block_rq_complete", 0, raw);
    CHECK_INT(disk()->own_count, 1);
    raw.sector = 300;
    send("block_rq_issue", 1, raw); /* its submitter is unknown */
    send("block_rq_complete", 0, raw);
    CHECK_INT(disk()->own_count, 2);
    CHECK_INT(disk()->own_bytes, 2 * 4096);
    send("block_bio_backmerge", 1, raw);
    send("block_rq_merge", 1, raw);
    CHECK_INT(disk()->merged, 2);
    raw.device = OTHER;
    send("block_rq_issue", 1, raw);
    CHECK_INT(r->devices.count, 2);
    CHECK_INT(r->requests_in_flight.count, 1); /* the same sector of another device */
    recorder_free(r);
}

/* The trace says which of two requests the program submitted. */
static void test_owners_in_trace(void)
{
    char path[] = "/tmp/cupel-owners.XXXXXX";
    const char *const paths[] = {path};
    struct trace *trace = NULL;
    struct trace_event events[3];
    struct err e = {0};
    int fd = mkstemp(path);
    if (fd < 0)
        exit(CHECK_SKIPPED);
    close(fd);
    unlink(path);
    start(&fixture_of_program);
    CHECK_INT(trace_writer_create(&r->trace, path, &e), 0);
    r->processes[1] = 1;
    r->process_count = 1;
    for (uint32_t process = 1; process <= 2; process++) {
        struct raw raw = {.device = DISK, .sector = 100 * process, .sectors = 8, .kind = "WF"};
        send("block_rq_issue", process, raw);
        send("block_rq_complete", 0, raw);
    }
    CHECK_INT(trace_writer_close(r->trace, &e), 0);
    r->trace = NULL;
    recorder_free(r);
    CHECK_INT(trace_open(&trace, paths, 1, &(struct trace_options){0}, &e), 0);
    CHECK_INT(trace ? trace_read(trace, events, 3, &e) : 0, 2);
    CHECK_INT(events[0].process, 1);
    CHECK_INT(events[0].foreign, 0);
    CHECK_INT(events[0].durable, 1);
    CHECK_INT(events[1].process, 2);
    CHECK_INT(events[1].foreign, 1);
    trace_close(trace);
    unlink(path);
}

static void test_many_devices(void)
{
    start(&fixture_of_program);
    for (uint32_t i = 0; i < 100; i++)
        send("block_rq_issue", 1,
             (struct raw){.device = 4095u << 20 | i, .sectors = 8, .kind = "W"});
    CHECK_INT(r->devices.count, RECORDING_DEVICES_MAX);
    CHECK_INT(r->devices.others, 100 - RECORDING_DEVICES_MAX);
    recorder_free(r);
}

static void begin_device(bool has_requests)
{
    static const struct recording_plan of_device = {.device = "/dev/part2"};
    r = fixture_recorder(&of_device);
    r->device = (struct device_named){
        .disk = DISK, .begin = 1000, .end = 2000, .has_requests = has_requests};
    blocks_requests(&r->device, r->filter, sizeof r->filter, r->requests, &r->request_count);
    for (size_t i = 0; i < r->request_count; i++)
        r->fields[i] = fields;
    CHECK_INT(recorded_device(&r->devices, DISK), 0);
    r->devices.closed = true;
    r->devices.rows[0].begin = 1000 * 512;
}

static void test_one_partition(void)
{
    char expected[32];
    begin_device(true);
    snprintf(expected, sizeof expected, "dev == %u", (unsigned)DISK);
    CHECK_STR(r->requests[0].filter, expected);
    issue("R", 999, 1);
    issue("R", 1000, 8);
    issue("W", 1999, 1);
    issue("W", 2000, 8);
    CHECK_INT(r->requests_in_flight.count, 2);
    complete("R", 1000, 8, 0);
    complete("W", 1999, 1, 0);
    complete("W", 2000, 8, 0);
    CHECK_INT(disk()->response[RECORDING_READ].n + disk()->response[RECORDING_WRITE].n, 2);
    send("block_bio_backmerge", 1, (struct raw){.device = DISK, .sector = 1500, .sectors = 8});
    send("block_bio_backmerge", 1, (struct raw){.device = DISK, .sector = 2500, .sectors = 8});
    send("block_bio_backmerge", 1, (struct raw){.device = OTHER, .sector = 1500, .sectors = 8});
    CHECK_INT(disk()->merged, 1);
    CHECK_INT(disk()->own_count, 0);
    CHECK_INT(series_rates(&r->series, 1000000000, r->iops, r->bandwidth), 1000);
    CHECK_NEAR(r->iops[0], 2000, 1e-9);
    fixture_report(r);
    const struct recording *a = recording_of(r);
    CHECK_INT(a->device_count, 1);
    CHECK_INT(result_find(&a->result, METRIC_BPS, "all")->n, 9);
    recorder_free(r);
}

/* A bio's sector advances while it is processed: both kinds of completion are matched. */
static void test_bios(void)
{
    begin_device(false);
    CHECK_INT(r->request_count, 2);
    struct raw raw = {.device = DISK, .sector = 1000, .sectors = 8, .kind = "R"};
    send("block_bio_queue", 1, raw);
    send("block_bio_complete", 1, raw);
    raw.sector = 1100;
    send("block_bio_queue", 1, raw);
    raw.sector += raw.sectors;
    raw.sectors = 0;
    send("block_bio_complete", 1, raw);
    CHECK_INT(disk()->response[RECORDING_READ].n, 2);
    CHECK_INT(disk()->bytes[RECORDING_READ], 2 * 4096);
    CHECK_INT(disk()->in_flight, 0);
    recorder_free(r);
}

int main(void)
{
    test_operations();
    test_parts_and_failures();
    test_owners();
    test_owners_in_trace();
    test_many_devices();
    test_one_partition();
    test_bios();
    return check_result();
}
