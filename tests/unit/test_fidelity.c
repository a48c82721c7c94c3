/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace's shape compared with one counted by hand and by brute force, and the rows that compare
   it with a replay. */
#include "base/random.h"
#include "run/replay/fidelity.h"
#include "stat/basic/distance.h"
#include "tests/unit/check.h"

#define MS     1000000ull
#define SECOND 1000000000ull
#define EVENTS 20000

static struct fidelity f;
static struct result result;
static struct slice_timing slices[MEASUREMENT_SLICES];
static struct histogram response[OPERATIONS];
static struct arena arena;
static struct {
    uint64_t due, response;
} events[EVENTS];

static void tell(uint64_t time_ns, uint64_t due_ns, int op, uint64_t response_ns)
{
    struct trace_event event = {
        .time_ns = time_ns, .op = (uint8_t)op, .length = 4096, .response_ns = response_ns};
    fidelity_event(&f, &event, due_ns);
}

static const struct result_fidelity *row_of(const char *name)
{
    for (size_t i = 0; i < result.fidelity_count; i++)
        if (!strcmp(result.fidelity[i].name, name))
            return &result.fidelity[i];
    fprintf(stderr, "no row \"%s\"\n", name);
    CHECK(false);
    static const struct result_fidelity none;
    return &none;
}

static bool has_row(const char *name)
{
    for (size_t i = 0; i < result.fidelity_count; i++)
        if (!strcmp(result.fidelity[i].name, name))
            return true;
    return false;
}

/* Slices of 100 ms from 100 ms on; three requests, one of which is in flight during four slices. */
static void test_slices_by_hand(void)
{
    fidelity_begin(&f, 100 * MS, 100 * MS, 1);
    tell(0, 0, OPERATION_READ, 130 * MS); /* 30 ms in slice 0 */
    /* until 450 ms: 50, 100, 100 and 50 ms in the slices */
    tell(150 * MS, 150 * MS, OPERATION_WRITE, 300 * MS);
    tell(199 * MS, 199 * MS, OPERATION_READ, 1 * MS);  /* 1 ms, ends where slice 1 begins */
    tell(350 * MS, 350 * MS, OPERATION_SYNC, 10 * MS); /* 10 ms in slice 2 */
    tell(350 * MS, 340 * MS, OPERATION_READ,
         TRACE_UNKNOWN); /* a due time after the last one: at once */
    fidelity_end(&f, 2 * SECOND);
    CHECK_INT(f.events, 5);
    CHECK_INT(f.before, 1);
    CHECK_INT(f.with_response, 4);
    CHECK_INT(f.last_ns, 350 * MS);
    CHECK_INT(f.requests[0], 2);
    CHECK_INT(f.requests[1], 0);
    CHECK_INT(f.requests[2], 2);
    CHECK_INT(f.in_flight_ns[0], (130 - 100 + 50 + 1) * MS);
    CHECK_INT(f.in_flight_ns[1], 100 * MS);
    CHECK_INT(f.in_flight_ns[2], 110 * MS);
    CHECK_INT(f.in_flight_ns[3], 50 * MS);
    CHECK_INT(f.in_flight_ns[4], 0);
    CHECK_INT(f.in_flight.count, 0);
    CHECK_INT(f.response[OPERATION_READ].n, 2);
    CHECK_INT(f.response[OPERATION_WRITE].n, 1);
    CHECK_INT(f.response[OPERATION_WRITE].max, 300 * MS);
}

/* Twice as fast: half as long in flight, the same queue length, the same response times. */
static void test_speed(void)
{
    fidelity_begin(&f, 10 * MS, 0, 2);
    for (uint64_t i = 0; i < 100; i++)
        tell(i * 10 * MS, i * 5 * MS, OPERATION_READ, 4 * MS);
    fidelity_end(&f, SECOND);
    CHECK_INT(f.requests[10], 2);
    CHECK_INT(f.in_flight_ns[10], 2 * 2 * MS); /* in flight for 4 of 10 ms, as in the trace */
    CHECK_INT(f.response[OPERATION_READ].min, 4 * MS);

    /* As fast as possible: due times have no meaning. */
    fidelity_begin(&f, 10 * MS, 0, 0);
    for (uint64_t i = 0; i < 100; i++)
        tell(i * 10 * MS, 0, OPERATION_READ, 4 * MS);
    CHECK_INT(f.last_ns, 990 * MS);
    CHECK_INT(f.requests[10], 1);
    CHECK_INT(f.in_flight_ns[10], 4 * MS);
}

static uint64_t overlap(uint64_t begin, uint64_t end, uint64_t from, uint64_t to)
{
    uint64_t low = begin > from ? begin : from, high = end < to ? end : to;
    return high > low ? high - low : 0;
}

/* Bursts over 3 hours, so that slices are merged; each kept slice is compared with all events. */
static void test_folds_against_brute_force(void)
{
    struct random random;
    uint64_t at = 0, end = 0, faults = 0, total = 0;
    random_seed(&random, 7, 0);
    fidelity_begin(&f, 100 * MS, 100 * MS, 1);
    for (size_t i = 0; i < EVENTS; i++) {
        at += random_below(&random, 40) ? random_below(&random, MS)
                                        : random_below(&random, 40 * SECOND);
        events[i].due = at;
        events[i].response = random_below(&random, 100) ? random_below(&random, 9 * MS)
                                                        : random_below(&random, 30 * SECOND);
        tell(at, at, OPERATION_READ, events[i].response);
    }
    end = at + 60 * SECOND;
    fidelity_end(&f, end);
    CHECK_INT(f.crowded, 0);
    uint64_t length = (100 * MS) << f.fold;
    /* The fold that the measurement has after that many slices, or the first sufficient one. */
    CHECK(f.fold > 0 && (end - 100 * MS) / length < MEASUREMENT_SLICES);
    CHECK((end - 100 * MS) / (length / 2) >= MEASUREMENT_SLICES);
    for (size_t s = 0; s < MEASUREMENT_SLICES; s += s < 100 ? 1 : 97) {
        uint64_t begin = 100 * MS + s * length, requests = 0, flight = 0;
        for (size_t i = 0; i < EVENTS; i++) {
            requests += events[i].due >= begin && events[i].due < begin + length;
            flight +=
                overlap(begin, begin + length, events[i].due, events[i].due + events[i].response);
        }
        faults += requests != f.requests[s] || flight != f.in_flight_ns[s];
    }
    CHECK_INT(faults, 0);
    for (size_t s = 0; s < MEASUREMENT_SLICES; s++)
        total += f.requests[s];
    CHECK_INT(total + f.before, EVENTS);
}

/* Invalid times and response times crash nothing and take no extra memory. */
static void test_senseless_times(void)
{
    fidelity_begin(&f, 1, 0, 1e-6);
    tell(0, 0, OPERATION_READ, UINT64_MAX - 1);
    tell(5, 5, OPERATION_READ, UINT64_MAX / 2);
    tell(UINT64_MAX, UINT64_MAX, OPERATION_READ, 1);
    tell(6, 6, OPERATION_READ, 1);
    fidelity_end(&f, UINT64_MAX);
    CHECK_INT(f.events, 4);

    fidelity_begin(&f, 100 * MS, 0, 1);
    for (uint64_t i = 0; i < FIDELITY_IN_FLIGHT + 10; i++)
        tell(i, i, OPERATION_WRITE, 3600 * SECOND);
    CHECK_INT(f.in_flight.count, FIDELITY_IN_FLIGHT);
    CHECK_INT(f.crowded, 10);
    CHECK_INT(f.fold, 0);
}

static void test_numbers_for_the_record(void)
{
    static struct fidelity copy;
    fidelity_begin(&f, 100 * MS, 0, 0.5);
    for (uint64_t i = 0; i < 1000; i++)
        tell(i * MS, 2 * i * MS, OPERATION_READ, i * 1000);
    fidelity_end(&f, 3 * SECOND);
    memset(&copy, 0xa5, sizeof copy);
    for (size_t i = 0; i < FIDELITY_NUMBERS; i++)
        fidelity_set_number(&copy, i, fidelity_number(&f, i));
    CHECK_INT(copy.speed_millionths, 500000);
    CHECK(!memcmp(&copy, &f, offsetof(struct fidelity, now_ns)));
}

/* The same events as a replay that issues each one `late_ns` later. */
static struct fidelity_replay replay_of(size_t n, size_t count, uint64_t slice_ns, uint64_t late_ns)
{
    memset(slices, 0, sizeof slices);
    for (int op = 0; op < OPERATIONS; op++)
        histogram_clear(&response[op]);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = events[i].due + late_ns;
        if (at / slice_ns < count) {
            slices[at / slice_ns].issued++;
            slices[at / slice_ns].in_flight_ns += events[i].response;
        }
        histogram_add(&response[OPERATION_READ], events[i].response);
    }
    return (struct fidelity_replay){.slices = slices,
                                    .slice_count = count,
                                    .slice_seconds = (double)slice_ns * 1e-9,
                                    .requests = n,
                                    .seconds = (double)(count * slice_ns) * 1e-9,
                                    .response = response};
}

static void compare(const struct fidelity_replay *replay)
{
    arena_reset(&arena, 0);
    fidelity_rows(&f, replay, &result, &arena);
}

/* 20 s in which every other second has five times as many requests. */
static void make_events(size_t n)
{
    struct random random;
    uint64_t at = 0;
    random_seed(&random, 3, 1);
    for (size_t i = 0; i < n; i++) {
        events[i].due = at;
        events[i].response = MS + random_below(&random, MS);
        at += (at / SECOND) % 2 ? 2 * MS : 10 * MS;
    }
}

static void tell_events(size_t n, uint64_t slice_ns, int op)
{
    fidelity_begin(&f, slice_ns, 0, 1);
    for (size_t i = 0; i < n; i++)
        tell(events[i].due, events[i].due, op, events[i].response);
}

static void test_rows_of_the_same(void)
{
    memset(&result, 0, sizeof result);
    make_events(6000);
    tell_events(6000, 100 * MS, OPERATION_READ);
    fidelity_end(&f, 20 * SECOND);
    struct fidelity_replay replay = replay_of(6000, 200, 100 * MS, 0);
    result_add(&result, METRIC_ISSUED_10US, "all", 0.987);
    result_add(&result, METRIC_ISSUE_ERROR_P50, "all", 300);
    compare(&replay);
    CHECK_NEAR(row_of("requests")->original, 6000, 0);
    CHECK_NEAR(row_of("requests")->replay, 6000, 0);
    CHECK_NEAR(row_of("duration")->original, (double)events[5999].due * 1e-9, 1e-12);
    CHECK_NEAR(row_of("requests per 1 s: most")->original, 500, 0);
    CHECK_NEAR(row_of("requests per 1 s: most")->replay, 500, 0);
    CHECK_NEAR(row_of("requests per 1 s")->original, 300, 1e-12);
    /* Ten values of 100 and ten of 500: variance 20/19 * 200^2, divided by 300. */
    CHECK_NEAR(row_of("requests per 1 s: dispersion")->original, 40000.0 * 20 / 19 / 300, 1e-12);
    CHECK_NEAR(row_of("requests per 1 s: distribution")->distance, 0, 0);
    CHECK_INT(row_of("requests per 1 s: distribution")->measure, FIDELITY_KS);
    CHECK_NEAR(row_of("requests per 1 s: over time")->distance, 1, 1e-12);
    CHECK_NEAR(row_of("requests per 100 ms: most")->replay, 50, 0);
    CHECK_NEAR(row_of("queue length")->original, row_of("queue length")->replay, 1e-12);
    CHECK(row_of("queue length")->original > 0.4 && row_of("queue length")->original < 0.5);
    CHECK_NEAR(row_of("queue length: over time")->distance, 1, 1e-3);
    CHECK_NEAR(row_of("response time, read")->distance, 0, 0);
    CHECK_INT(row_of("response time, read")->measure, FIDELITY_EARTH_MOVER);
    CHECK_NEAR(row_of("response time, read: p50")->original, 1.5e6, 0.02);
    CHECK_NEAR(row_of("response time, read: distribution")->distance, 0, 0);
    CHECK_NEAR(row_of("issue error: within 10 us")->replay, 0.987, 0);
    CHECK(isnan(row_of("issue error: p50")->original));
    CHECK_INT(result.original_count, 2);
    CHECK_STR(result.original[0].name, "issued");
    CHECK_INT(result.original[0].count, 200);
    CHECK_NEAR(result.original[0].values[10], 500, 0);
    CHECK_NEAR(result.original[0].values[20], 100, 0);
    CHECK_INT(result.original_histogram_count, 1);
    CHECK_STR(result.original_histograms[0].op, "read");
    for (size_t i = 0; i < result.fidelity_count; i++)
        CHECK(strcmp(result.fidelity[i].name, "") != 0);
}

/* A replay that flattens the bursts and is three times as slow. */
static void test_rows_of_another(void)
{
    struct fidelity_replay replay = replay_of(6000, 200, 100 * MS, 0);
    uint64_t sum = 0;
    for (size_t i = 0; i < 200; i++) {
        slices[i].issued = 30;
        sum += slices[i].in_flight_ns *= 3;
    }
    histogram_clear(&response[OPERATION_READ]);
    for (size_t i = 0; i < 6000; i++)
        histogram_add(&response[OPERATION_READ], 3 * events[i].response);
    replay.split = 7;
    compare(&replay);
    CHECK_NEAR(row_of("requests per 1 s: dispersion")->replay, 0, 0);
    CHECK_NEAR(row_of("requests per 1 s: distribution")->distance, 0.5, 1e-12);
    CHECK(!has_row("requests per 1 s: over time")); /* constant: no correlation */
    CHECK_NEAR(row_of("queue length")->replay, 3 * row_of("queue length")->original, 1e-9);
    CHECK_NEAR(row_of("response time, read")->distance, 3e6, 0.02);
    CHECK_NEAR(row_of("response time, read: distribution")->distance, 1, 1e-12);
    CHECK(strstr(row_of("requests")->note, "7 of the trace were too long") != NULL);
}

/* Writes issued as reads are compared as requests. */
static void test_turned_writes(void)
{
    tell_events(6000, 100 * MS, OPERATION_WRITE);
    fidelity_end(&f, 20 * SECOND);
    struct fidelity_replay replay = replay_of(6000, 200, 100 * MS, 0);
    compare(&replay);
    CHECK_NEAR(row_of("response time")->distance, 0, 0);
    CHECK(!has_row("response time, read"));
    CHECK_STR(result.original_histograms[0].op, "write");
}

static void test_no_response_times(void)
{
    fidelity_begin(&f, 100 * MS, 0, 1);
    for (size_t i = 0; i < 6000; i++)
        tell(events[i].due, events[i].due, OPERATION_READ, TRACE_UNKNOWN);
    fidelity_end(&f, 20 * SECOND);
    struct fidelity_replay replay = replay_of(6000, 200, 100 * MS, 0);
    compare(&replay);
    CHECK_STR(row_of("response time")->note, "the trace has no response times");
    CHECK(isnan(row_of("response time")->original));
    CHECK(row_of("response time")->replay > 1e6);
    CHECK_INT(row_of("response time")->measure, FIDELITY_NONE);
    CHECK(isnan(row_of("queue length")->original));
    CHECK(!has_row("queue length: over time"));
    CHECK_INT(result.original_count, 1);
    CHECK_INT(result.original_histogram_count, 0);

    /* Some have them. */
    tell(SECOND * 20, SECOND * 20, OPERATION_READ, 5 * MS);
    compare(&replay);
    CHECK_STR(row_of("response time, read")->note,
              "the trace has those of 0.0167 % of its requests");
    CHECK(isnan(row_of("response time, read: p99")->original));
}

/* A signal came while the reader was ahead: the original up to then, in coarser slices than the
   replay's. */
static void test_ended_early(void)
{
    make_events(6000);
    fidelity_begin(&f, MS, 0, 1);
    for (size_t i = 0; i < 6000; i++)
        tell(events[i].due, events[i].due, OPERATION_READ, events[i].response);
    CHECK_INT(f.fold, 2); /* 20 s in slices of 4 ms */
    struct fidelity_replay replay = replay_of(6000, 6000, MS, 0);
    replay.ended_early = true;
    compare(&replay);
    CHECK_NEAR(row_of("requests")->original, 1800, 0.01);
    CHECK_NEAR(row_of("requests")->replay, row_of("requests")->original, 0.002);
    CHECK_NEAR(row_of("duration")->original, 6, 1e-12);
    CHECK_NEAR(row_of("requests per 1 s: most")->original, 500, 0);
    CHECK_NEAR(row_of("requests per 1 s: distribution")->distance, 0, 0);
    CHECK_NEAR(row_of("requests per 100 ms: over time")->distance, 1, 1e-9);
    CHECK_INT(result.original[0].count, 6000);
    /* finer than the replay's slices: they are added up */
    replay = replay_of(6000, 625, 32 * MS, 0);
    compare(&replay);
    CHECK_NEAR(row_of("requests")->original, 6000, 0);
    CHECK_NEAR(row_of("requests per 992 ms: over time")->distance, 1, 1e-9);
}

/* 3000 requests at random times in 3.11 s, whose replay took longer or less long: the original is
   unchanged. */
static void test_lengths_differ(void)
{
    static const size_t lengths[] = {3110, 6000, 1500};
    struct random random;
    uint64_t at = 0;
    random_seed(&random, 11, 0);
    for (size_t i = 0; i < 3000; i++) {
        events[i].due = at;
        events[i].response = 2345 * 1000;
        at += (uint64_t)(-log(1 - random_unit(&random)) * 3.11e9 / 3000);
    }
    double seconds = (double)events[2999].due * 1e-9;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        tell_events(3000, MS, OPERATION_READ);
        fidelity_end(&f, 10 * SECOND);
        struct fidelity_replay replay = replay_of(3000, lengths[l], MS, 0);
        compare(&replay);
        CHECK_NEAR(row_of("requests per 100 ms")->original, 300 / seconds, 0.03);
        CHECK(row_of("requests per 100 ms: dispersion")->original < 2);
        CHECK_NEAR(row_of("queue length")->original, 3000 / seconds * 0.002345, 0.03);
        CHECK_INT(result.original[0].count, lengths[l]);
        if (l == 1) { /* the replay is the original followed by as much idle time */
            CHECK_NEAR(row_of("requests per 100 ms")->replay, 50, 1e-9);
            CHECK(row_of("requests per 100 ms: distribution")->distance > 0.4);
        }
    }
}

static void test_what_cannot_be_compared(void)
{
    tell_events(6000, 100 * MS, OPERATION_READ);
    fidelity_end(&f, 20 * SECOND);
    struct fidelity_replay replay = replay_of(6000, 200, 100 * MS, 0);
    replay.gaps = true;
    compare(&replay);
    CHECK(!has_row("requests per 1 s") && has_row("response time, read"));
    CHECK_INT(result.original_count, 0);

    /* as fast as possible: times cannot be compared */
    fidelity_begin(&f, 100 * MS, 0, 0);
    for (size_t i = 0; i < 6000; i++)
        tell(events[i].due, 0, OPERATION_READ, events[i].response);
    replay.gaps = false;
    compare(&replay);
    CHECK(!has_row("requests per 1 s"));
    CHECK_NEAR(row_of("duration")->original, (double)events[5999].due * 1e-9, 1e-12);

    /* an empty replay, no response times, and values as in damaged records */
    fidelity_begin(&f, 100 * MS, 0, 1);
    replay = replay_of(0, 0, 100 * MS, 0);
    compare(&replay);
    CHECK_NEAR(row_of("requests")->replay, 0, 0);
    for (size_t i = 0; i < FIDELITY_NUMBERS; i++)
        fidelity_set_number(&f, i, UINT64_MAX);
    compare(&replay);
    CHECK_INT(result.fidelity_count, 0);
    f.fold = f.before = f.with_response = 0;
    compare(&replay);
    replay.slice_count = 9;
    compare(&replay);
}

int main(void)
{
    struct err e;
    if (arena_init(&arena, fidelity_bytes(), &e))
        return 1;
    test_slices_by_hand();
    test_speed();
    test_folds_against_brute_force();
    test_senseless_times();
    test_numbers_for_the_record();
    test_rows_of_the_same();
    test_rows_of_another();
    test_turned_writes();
    test_no_response_times();
    test_ended_early();
    test_lengths_differ();
    test_what_cannot_be_compared();
    arena_free(&arena);
    return check_result();
}
