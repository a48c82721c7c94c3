/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash table of I/Os in flight compared with a plain list, with keys that collide. */
#include "base/random.h"
#include "program/observe/internal.h"
#include "tests/unit/check.h"

enum { SLOTS = 64, KEYS = 40 };

static struct flight_table table;

static void test_against_list(struct random *random)
{
    uint64_t offset_of[KEYS] = {0}; /* 0: not in flight */
    size_t count = 0;
    for (int step = 1; step < 200000; step++) {
        size_t key = (size_t)random_below(random, KEYS);
        struct flight *f = flight_find(&table, (key + 1) << 40);
        CHECK((f != NULL) == (offset_of[key] != 0));
        if (f && f->offset != offset_of[key])
            CHECK_INT(f->offset, offset_of[key]);
        if (f && random_below(random, 2)) {
            flight_remove(&table, f);
            offset_of[key] = 0;
            count--;
        } else {
            count += !f;
            f = flight_begin(&table, (key + 1) << 40);
            CHECK(f != NULL && f->offset == 0 && f->file < 0); /* cleared */
            if (f)
                offset_of[key] = f->offset = (uint64_t)step;
        }
        CHECK_INT(table.count, count);
    }
    for (size_t key = 0; key < KEYS; key++)
        if (offset_of[key])
            flight_remove(&table, flight_find(&table, (key + 1) << 40));
    CHECK_INT(table.count, 0);
}

static void test_full(void)
{
    size_t taken = 0;
    while (taken < SLOTS && flight_begin(&table, taken + 1))
        taken++;
    CHECK(taken >= SLOTS / 2 && taken < SLOTS); /* never so full that a search would not end */
    CHECK(flight_find(&table, 1000) == NULL);
    CHECK(flight_begin(&table, 1) != NULL); /* an existing key needs no room */
    flight_remove(&table, flight_find(&table, 1));
    CHECK(flight_begin(&table, 1000) != NULL);
}

int main(void)
{
    struct arena arena;
    struct random random;
    struct err e;
    random_seed(&random, 1, 0);
    CHECK_INT(arena_init(&arena, flight_table_bytes(SLOTS), &e), 0);
    CHECK_INT(flight_table_init(&table, &arena, SLOTS, &e), 0);
    test_against_list(&random);
    test_full();
    arena_free(&arena);
    return check_result();
}
