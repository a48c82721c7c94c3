/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program whose allocations fail, the first, the second and so on: each time the library says so
 * (CUPEL_MACHINE), keeps what it had, and gives back all of it. Linked with
 *
 *     -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=mmap
 */
#include <cupel.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef __cplusplus
extern "C" {
#endif
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
#ifdef __cplusplus
}
#endif

static long left; /* allocations that succeed before one fails */
static int failed;

static int fails(void)
{
    failed |= left == 0;
    return left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return fails() ? MAP_FAILED : __real_mmap(at, size, protection, flags, fd, offset);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d, allocation %ld: %s\n", __LINE__, number, #condition);        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* One call of each kind that may allocate. What fails is tried again, and then works. */
static void use_everything(long number)
{
    struct cupel_error error = {CUPEL_OK, ""};
    struct cupel_result r;
    struct cupel_percentile p;
    struct cupel_limit limit;
    struct cupel_speed speed;
    struct cupel_comparison c;
    struct cupel_session *s = cupel_session_new(&error);
    double x[3000];
    size_t i;
    for (i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = 100 + (double)(i * 7919 % 101);
    if (!s) {
        CHECK(failed && error.code == CUPEL_MACHINE);
        s = cupel_session_new(&error);
    }
    CHECK(s && cupel_metric(s, "time", 0, &error) == 0);
    CHECK(cupel_work_range(s, 1, 1000, 0.001, 0, &error) == 0);
#define TWICE(call)                                                                                \
    do {                                                                                           \
        if ((call) < 0) {                                                                          \
            CHECK(failed &&error.code == CUPEL_MACHINE && error.message[0]);                       \
            CHECK((call) >= 0);                                                                    \
        }                                                                                          \
    } while (0)
    TWICE(cupel_set_limits(s, 0, "mean<200, p99<300", &error));
    TWICE(cupel_push(s, 0, x, 1000, &error));
    TWICE(cupel_result(s, 0, &r, &error));
    CHECK(r.readings == 1000);
    TWICE(cupel_push(s, 0, x + 1000, 1000, &error));
    TWICE(cupel_limits(s, 0, &limit, 1, &error));
    CHECK(limit.verdict == CUPEL_LIMIT_KEPT);
    TWICE(cupel_percentile(s, 0, 0.9, &p, &error));
    TWICE(cupel_reserve(s, 100000, &error));
    TWICE(cupel_push(s, 0, x + 2000, 1000, &error));
    for (i = 0; i < 300; i++)
        TWICE(cupel_push_round(s, cupel_next_work(s), 0.001 * (double)(i % 7 + 10), &error));
    TWICE(cupel_speed(s, &speed, &error));
    CHECK(speed.rounds == 300);
    TWICE(cupel_enough(s, &error));
    {
        struct cupel_side side = {s, 0, NULL, NULL};
        TWICE(cupel_compare(&side, &side, 0, 0, &c, &error));
    }
    TWICE(cupel_result(s, 0, &r, &error));
    CHECK(r.readings == 3000);
    cupel_session_free(s);
}

int main(void)
{
    long number = 0;
    do {
        failed = 0;
        left = number;
        use_everything(number);
        number++;
    } while (failed);
    printf("%ld allocations\n", number - 1);
    return 0;
}
