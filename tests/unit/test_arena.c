/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An arena's memory is zero whenever it is handed out; its pages are allocated at once or at first
   use. */
#include "check.h"

#include <sys/mman.h>

#include "base/arena.h"

enum { PAGE = 4096, PAGES = 64, BYTES = PAGES * PAGE };

/* Returns the number of the arena's pages that are resident. */
static int pages_there(const struct arena *a)
{
    unsigned char there[PAGES];
    int count = 0;
    CHECK_INT(mincore(a->base, BYTES, there), 0);
    for (int i = 0; i < PAGES; i++)
        count += there[i] & 1;
    return count;
}

static bool is_zero(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Memory is taken, dirtied and given back: the next allocation is partly dirty and partly
   untouched. */
static void check_is_always_zero(struct arena *a)
{
    static const size_t sizes[] = {1000, 3 * PAGE, 64, 20 * PAGE, PAGE, BYTES};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t mark = arena_mark(a);
        unsigned char *first = arena_alloc(a, 1, sizes[i] / 2),
                      *rest = arena_alloc(a, sizes[i] / 2, 1);
        CHECK(first && rest && is_zero(first, sizes[i] / 2) && is_zero(rest, sizes[i] / 2));
        memset(first, 0xff, sizes[i] / 2);
        memset(rest, 0xff, sizes[i] / 2);
        arena_reset(a, mark);
    }
    CHECK(arena_alloc(a, 1, BYTES + 1) == NULL);
}

int main(void)
{
    struct arena a;
    CHECK_INT(arena_init(&a, BYTES, NULL), 0);
    CHECK(arena_alloc(&a, 1, BYTES / 2) != NULL);
    CHECK(pages_there(&a) >= PAGES / 2);
    arena_reset(&a, 0);
    check_is_always_zero(&a);
    arena_free(&a);

    CHECK_INT(arena_init_untouched(&a, BYTES, NULL), 0);
    CHECK(arena_alloc(&a, 1, BYTES / 2) != NULL);
    CHECK_INT(pages_there(&a), 0);
    arena_reset(&a, 0);
    check_is_always_zero(&a);
    arena_free(&a);
    return check_result();
}
