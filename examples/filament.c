/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload that no option describes: look-ups in a tree of three levels. Each look-up reads the
 * root, then a node that depends on the root, then a leaf of 16 KiB. The next look-up begins a
 * millisecond later.
 *
 *     ./filament TARGET [ENGINE]        reads TARGET: a folder (scratch file), a file, a device
 */
#include <cupel.h>
#include <stdio.h>

#define NODE  4096u
#define LEAF  16384u
#define USERS 8

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29);
}

/* A request's tag is 3 times the number of the look-up, plus the step within it, 0 to 2. */
static void look_up(void *context, const struct cupel_event *event)
{
    struct cupel_request request = {0, 0, NODE, 0, 0};
    uint64_t step = event->tag % 3, number = event->tag / 3;
    (void)context;
    if (event->kind == CUPEL_BEGIN) {
        for (request.tag = 0; request.tag < 3 * USERS; request.tag += 3)
            cupel_request(event->actor, &request);
        return;
    }
    request.due_ns = step < 2 ? event->now_ns : event->now_ns + 1000000;
    request.tag = step < 2 ? event->tag + 1 : 3 * (number + USERS);
    if (step < 2) {
        request.length = step ? LEAF : NODE;
        request.offset = mix(request.tag) % (event->size / LEAF) * LEAF;
    }
    cupel_request(event->actor, &request);
}

int main(int argc, char *argv[])
{
    static const char *const metrics[] = {"iops", "response_time", "lat_p99"};
    const struct cupel_filament filament = {look_up, NULL, LEAF, NODE, 4 * USERS, 0};
    struct cupel_error error;
    struct cupel_run *run = cupel_run_new(argc > 1 ? argv[1] : ".", &error);
    if (!run || cupel_run_set(run, "preset", "quick", &error) ||
        cupel_run_set(run, "size", "64m", &error) || cupel_run_set(run, "limit", "5s", &error) ||
        (argc > 2 && cupel_run_set(run, "ioengine", argv[2], &error)) ||
        (cupel_run_measure(run, &filament, &error) && error.code != CUPEL_UNDECIDED)) {
        fprintf(stderr, "%s\n", error.message);
        return (int)error.code;
    }
    for (int i = 0; i < 3; i++) {
        struct cupel_value v;
        if (cupel_run_value(run, metrics[i], "read", &v, &error))
            return (int)error.code;
        printf("%s %.6g %s, %.6g to %.6g\n", metrics[i], v.value, v.unit, v.low, v.high);
    }
    cupel_run_free(run);
    return 0;
}
