/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of formats 1 to 3 are still read, and damage that can be detected without chunk numbers
   is detected. */
#include "check.h"
#include "record_report.h"

#include "run/record/record_scan.h"

static struct record_bytes changed;

static size_t load_golden(const char *name)
{
    char golden[200];
    snprintf(golden, sizeof golden, "tests/golden/record/%s", name);
    CHECK(record_bytes_load(&changed, golden));
    return changed.size;
}

static double value_of_op(enum metric_id metric, const char *op)
{
    const struct result_row *row = result_find(&result, metric, op);
    return row ? row->value : (double)NAN;
}

static double value_of(enum metric_id metric)
{
    return value_of_op(metric, "read");
}

/* Written by the last version with format 1; the host's hardware was removed from them. */
static void check_old_format(void)
{
    struct err e;
    CHECK_INT(status_of(changed.bytes, load_golden("format1_closed.cupel"), &e), 0);
    CHECK_INT(result.verdict, VERDICT_PRECISE);
    CHECK_NEAR(value_of(METRIC_IOPS), 1856.1752988047808, 1e-12);
    CHECK_NEAR(value_of(METRIC_BANDWIDTH), 7602894.023904382, 1e-12);
    CHECK_NEAR(value_of(METRIC_RESPONSE_TIME), 2154531.3138012453, 1e-12);
    CHECK_INT(result.round_count, 3);
    CHECK(has_note(false, "format 1"));
    CHECK_INT(status_of(changed.bytes, load_golden("format1_open.cupel"), &e), 0);
    CHECK_INT(result.verdict, VERDICT_PRECISE);
    CHECK_NEAR(value_of(METRIC_IOPS), 502.30158730158735, 1e-12);
    CHECK_NEAR(value_of(METRIC_RESPONSE_TIME), 1117604.1393585084, 1e-12);
    CHECK(has_note(false, "format 1"));

    /* Damage detected without numbers: a byte, the end, no rounds at all. */
    size_t size = load_golden("format1_closed.cupel");
    CHECK_INT(status_of(changed.bytes, size - 5, &e), ERR_UNDECIDED);
    CHECK_INT(result.verdict, VERDICT_CUT_SHORT);
    changed.bytes[size / 2] ^= 1;
    CHECK_INT(status_of(changed.bytes, size, &e), ERR_UNDECIDED);
    CHECK_INT(result.verdict, VERDICT_DAMAGED);
    load_golden("format1_closed.cupel");
    changed.bytes[12] = 1;
    CHECK_INT(status_of(changed.bytes, size, &e), ERR_USAGE);
    load_golden("format1_closed.cupel");
    memmove(changed.bytes + size, changed.bytes, size);
    CHECK_INT(status_of(changed.bytes, 2 * size, &e), ERR_UNDECIDED);
    CHECK_INT(result.verdict, VERDICT_DAMAGED);

    enum { OLD_FRAME = 12 };
    size_t to = 16;
    load_golden("format1_closed.cupel");
    for (size_t at = 16; at < size;) {
        size_t bytes = get_le32(changed.bytes + at + 4) + (size_t)OLD_FRAME;
        bool of_round = !memcmp(changed.bytes + at, "RBEG", 4) ||
                        !memcmp(changed.bytes + at, "BTCH", 4) ||
                        !memcmp(changed.bytes + at, "REND", 4);
        memmove(changed.bytes + to, changed.bytes + at, bytes);
        to += of_round ? 0 : bytes;
        at += bytes;
    }
    CHECK_INT(status_of(changed.bytes, to, &e), ERR_UNDECIDED);
    CHECK_INT(result.verdict, VERDICT_UNCONFIRMED);
}

/* Written by the last version with format 2, which had no flushes: on a machine without /sys. */
static void check_format2(void)
{
    static const struct {
        const char *name;
        double all_iops, read_p99, write_p99, write_mean, bps;
    } rows[] = {{"format2_closed.cupel", 3990.1960784313724, 1680724.75, 1765375.25,
                 1003697.0124610593, 31921.571819608158},
                {"format2_open.cupel", 1926.2135922330096, 1699839.25, 1810431.5, 996032.8494809689,
                 18107.6025250641}};
    struct err e;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(status_of(changed.bytes, load_golden(rows[i].name), &e), 0);
        CHECK_INT(result.verdict, VERDICT_MEASURED);
        CHECK_NEAR(value_of_op(METRIC_IOPS, "all"), rows[i].all_iops, 1e-12);
        CHECK_NEAR(value_of_op(METRIC_LATENCY_P99, "read"), rows[i].read_p99, 1e-12);
        CHECK_NEAR(value_of_op(METRIC_LATENCY_P99, "write"), rows[i].write_p99, 1e-12);
        CHECK_NEAR(value_of_op(METRIC_RESPONSE_TIME, "write"), rows[i].write_mean, 1e-12);
        CHECK_NEAR(value_of_op(METRIC_BPS, "all"), rows[i].bps, 1e-12);
        CHECK(!result_find(&result, METRIC_IOPS, "sync"));
    }
    CHECK_NEAR(value_of_op(METRIC_SERVICE_P99, "write"), 1810431.5, 1e-12);
}

/* Written by the last version with format 3, which had no trims: on a machine without /sys. */
static void check_format3(void)
{
    struct err e;
    CHECK_INT(status_of(changed.bytes, load_golden("format3_closed.cupel"), &e), 0);
    CHECK_INT(result.verdict, VERDICT_MEASURED);
    CHECK_NEAR(value_of_op(METRIC_IOPS, "all"), 884.6153846153846, 1e-12);
    CHECK_NEAR(value_of_op(METRIC_RESPONSE_TIME, "sync"), 992215.9736842104, 1e-12);
    CHECK_NEAR(value_of_op(METRIC_LATENCY_P99, "read"), 1318911.5, 1e-12);
    CHECK_NEAR(value_of_op(METRIC_BPS, "all"), 7110.222175334257, 1e-12);
    CHECK(!result_find(&result, METRIC_IOPS, "trim"));
    CHECK_INT(status_of(changed.bytes, load_golden("format3_open.cupel"), &e), 0);
    CHECK_NEAR(value_of_op(METRIC_RESPONSE_TIME, "all"), 1016132.1794871794, 1e-12);
    CHECK_NEAR(value_of_op(METRIC_SERVICE_P99, "read"), 1368063.5, 1e-12);
    CHECK_NEAR(value_of_op(METRIC_SERVICE_P99, "write"), 1384447.5, 1e-12);
}

/* The scan reads it too: all I/Os have latencies but no time of day. */
static void check_scan(const char *name, bool timed)
{
    char golden[200];
    struct record_scan *scan;
    struct record_item item;
    struct err e = {0};
    enum record_scan_state state;
    uint64_t ios = 0, latencies = 0, busy_ns = 0;
    snprintf(golden, sizeof golden, "tests/golden/record/%s", name);
    CHECK_INT(record_scan_open(&scan, golden, true, &e), 0);
    while ((state = record_scan_next(scan, &item, &e)) == RECORD_SCAN_ITEM) {
        const struct record_batch *b = item.batch;
        if (item.kind != RECORD_ITEM_BATCH)
            continue;
        CHECK(!b->begin_ns && !b->stretch_count && (b->timing != NULL) == timed);
        for (unsigned i = 0; i < b->slice_count; i++) {
            ios += b->slices[i].op[OPERATION_READ].ios;
            busy_ns += b->slices[i].busy_ns;
        }
        latencies += b->latency[OPERATION_READ].n;
    }
    CHECK_INT(state, RECORD_SCAN_END);
    CHECK(record_scan_damage(scan).ended && !record_scan_damage(scan).rest);
    CHECK(ios > 1000 && latencies >= ios && busy_ns > 0);
    record_scan_close(scan);
}

int main(void)
{
    test_path(path, sizeof path, "format1");
    check_old_format();
    check_format2();
    check_format3();
    check_scan("format1_closed.cupel", false);
    check_scan("format1_open.cupel", true);
    unlink(path);
    return check_result();
}
