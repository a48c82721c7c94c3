/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast drives are preconditioned, beside plain writes of the same size and depth: for simulated
 * drives of a known rate, whose requests are served one after the other, and for a device.
 *
 *   precondition_cost CUPEL FOLDER [DEVICE]
 *
 * DEVICE is overwritten; its accept.state is kept in FOLDER.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "csv_row.h"
#include "figure.h"
#include "io/io.h"
#include "io/stamp/stamp.h"
#include "machine/accept/internal.h"

#define BLOCK         (128u << 10)
#define DEPTH         32
#define SLOTS         (2 * DEPTH + 2)
#define RATE_AT_LEAST 0.98
#define PASS_SECONDS  1.0

enum { PAIRS = 15, DEVICE_PAIRS = 11 };

/* ---- the simulated drive ---- */

static struct {
    struct io_req queue[SLOTS]; /* a ring, in the order in which they are served */
    uint64_t due[SLOTS];        /* ticks */
    unsigned first, count;
    uint64_t free_at;       /* ticks: when the last of them is done */
    double ticks_of_a_byte; /* of its service */
    const struct clock *clock;
} drive;

static const struct io_ops drive_ops;

static int drive_open(struct io_backend *b, const struct io_setup *setup, struct err *e)
{
    (void)e;
    drive.first = drive.count = 0;
    drive.free_at = 0;
    drive.clock = setup->clock;
    b->ops = &drive_ops;
    return 0;
}

static int drive_submit(struct io_backend *b, const struct io_req requests[], unsigned n,
                        struct err *e)
{
    (void)b, (void)e;
    uint64_t now = clock_ticks(drive.clock);
    unsigned taken = 0;
    for (; taken < n && drive.count < SLOTS; taken++) {
        unsigned at = (drive.first + drive.count++) % SLOTS;
        double service = requests[taken].command == REQUEST_FLUSH ? 0 : requests[taken].length;
        drive.free_at = (drive.free_at > now ? drive.free_at : now) +
                        (uint64_t)(service * drive.ticks_of_a_byte);
        drive.queue[at] = requests[taken];
        drive.due[at] = drive.free_at;
    }
    return (int)taken;
}

static int drive_reap_until(struct io_backend *b, struct io_done done[], unsigned max,
                            uint64_t until, struct err *e)
{
    (void)b, (void)e;
    unsigned count = 0;
    uint64_t now = clock_ticks(drive.clock);
    while (!count && (now < until || now >= drive.due[drive.first])) {
        for (; drive.count && count < max && drive.due[drive.first] <= now; drive.count--) {
            const struct io_req *r = &drive.queue[drive.first];
            io_done_set(&done[count++], r, 0, 0, r->command == REQUEST_FLUSH ? 0 : r->length, 0);
            drive.first = (drive.first + 1) % SLOTS;
        }
        if (!drive.count)
            break;
        now = clock_ticks(drive.clock);
    }
    return (int)count;
}

static void drive_close(struct io_backend *b)
{
    (void)b;
}

static const struct io_ops drive_ops = {.name = "simulated",
                                        .open = drive_open,
                                        .submit = drive_submit,
                                        .reap_until = drive_reap_until,
                                        .close = drive_close};

/* ---- one pass over it ---- */

static const struct stamp_run stamp = {
    .serial_hash = 1, .salt = 2, .generation = 1, .sector_bytes = 512};

static void fill_stamps(void *context, unsigned char *data, size_t length, uint64_t offset)
{
    (void)context;
    stamp_fill(&stamp, data, length, offset / stamp.sector_bytes);
}

static void fill_nothing(void *context, unsigned char *data, size_t length, uint64_t offset)
{
    (void)context, (void)data, (void)length, (void)offset;
}

static int reached(void *context, const struct sequential_reached *r, struct err *e)
{
    (void)context, (void)r, (void)e;
    return 0;
}

static int watch(void *context, uint64_t offset, double rate, struct err *e)
{
    (void)context, (void)offset, (void)rate, (void)e;
    return 0;
}

/* bytes/s; 0 with a message. */
static double simulated_rate(double rate, bool stamps)
{
    struct err e = {0};
    struct clock clock;
    clock_calibrate(&clock, 40, false);
    drive.ticks_of_a_byte = (double)clock_ticks_of_ns(&clock, 1000000000) / rate;
    const struct sequential_write w = {.ops = &drive_ops,
                                       .fd = -1,
                                       .path = "simulated",
                                       .end = (uint64_t)(PASS_SECONDS * rate) / BLOCK * BLOCK,
                                       .block = BLOCK,
                                       .depth = DEPTH,
                                       .sample_bytes = UINT64_MAX,
                                       .flush_seconds = 5,
                                       .answer_seconds = 10,
                                       .fill = stamps ? fill_stamps : fill_nothing,
                                       .reached = reached,
                                       .watch = watch};
    uint64_t begin = clock_raw_ns();
    if (sequential_write(&w, &e)) {
        fprintf(stderr, "%s\n", e.msg);
        return 0;
    }
    return (double)w.end / ((double)(clock_raw_ns() - begin) * 1e-9);
}

static int compare_simulated(const char *name, double rate)
{
    double with[PAIRS], without[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        double first = simulated_rate(rate, i % 2), second = simulated_rate(rate, !(i % 2));
        with[i] = (i % 2 ? first : second) * 1e-9;
        without[i] = (i % 2 ? second : first) * 1e-9;
        if (!(first > 0 && second > 0))
            return -1;
    }
    const struct figure f = {name, "GB/s", 2, "without stamps", FIGURE_AT_LEAST, RATE_AT_LEAST};
    figure_pairs(&f, with, without, PAIRS);
    return 0;
}

/* ---- a device ---- */

static char output[1 << 20];

static double plain_rate(char *cupel, char *device)
{
    char *argv[] = {cupel,        "run",  device,      "--destroy", "--rw",      "write",
                    "--bs",       "128k", "--iodepth", "32",        "--runtime", "4s",
                    "--overhead", "0",    "--format",  "csv",       NULL};
    struct child_cost used;
    return csv_run(argv, output, sizeof output, &used) ? 0 : csv_value(output, "bandwidth");
}

static double precondition_rate(char *cupel, char *device, const char *folder, int number)
{
    char to[512];
    snprintf(to, sizeof to, "%s/accept.%d", folder, number);
    char *argv[] = {cupel,          "accept", device, "--destroy", "--stages",
                    "precondition", "-o",     to,     "--passes",  "2",
                    "--format",     "json",   NULL};
    struct child_cost used;
    if (csv_run(argv, output, sizeof output, &used))
        return 0;
    const char *rate = strstr(output, "\"rate\": ");
    return rate ? strtod(rate + 8, NULL) : 0;
}

static int compare_device(char *cupel, char *device, const char *folder)
{
    double ours[DEVICE_PAIRS], plain[DEVICE_PAIRS];
    for (int i = 0; i < DEVICE_PAIRS; i++) {
        if (i % 2)
            plain[i] = plain_rate(cupel, device) * 1e-9;
        ours[i] = precondition_rate(cupel, device, folder, i) * 1e-9;
        if (i % 2 == 0)
            plain[i] = plain_rate(cupel, device) * 1e-9;
        if (!(ours[i] > 0 && plain[i] > 0))
            return -1;
    }
    const struct figure f = {"precondition, a device", "GB/s",       2, "cupel run",
                             FIGURE_AT_LEAST,          RATE_AT_LEAST};
    figure_pairs(&f, ours, plain, DEVICE_PAIRS);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: precondition_cost CUPEL FOLDER [DEVICE]\n");
        return 1;
    }
    return compare_simulated("precondition, 1 GB/s", 1e9) ||
           compare_simulated("precondition, 3.5 GB/s", 3.5e9) ||
           compare_simulated("precondition, 7 GB/s", 7e9) ||
           (argc > 3 && compare_device(argv[1], argv[3], argv[2]));
}
