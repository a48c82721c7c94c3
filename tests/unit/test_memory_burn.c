/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory test: every bit flipped in the tested memory is found, and nothing else; it keeps its
   time and its size; modules with new errors are named. */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "machine/memory/internal.h"
#include "machine/memory/memory_burn.h"
#include "tree.h"

enum { CHUNK_BYTES = 64 << 20, FLIPS = 200 };

/* Flips one bit in each of several words, hidden from the compiler, as a particle does. */
struct flips {
    struct random random;
    int memory; /* /proc/self/mem */
    unsigned done, each;
    volatile sig_atomic_t enough;
};

static void flip(void *context, void *memory, size_t bytes)
{
    struct flips *f = context;
    for (unsigned i = 0; i < f->each && f->done < FLIPS; i++) {
        const uint64_t part = bytes / f->each / sizeof(uint64_t);
        const uint64_t word = i * part + random_below(&f->random, part);
        const off_t at = (off_t)((uintptr_t)memory + word * sizeof(uint64_t));
        uint64_t value;
        if (pread(f->memory, &value, sizeof value, at) != sizeof value)
            return;
        value ^= UINT64_C(1) << random_below(&f->random, 64);
        if (pwrite(f->memory, &value, sizeof value, at) == sizeof value)
            f->done++;
    }
    f->enough = f->done >= FLIPS;
}

/* All 200 flips, each in a different word, in every pattern. */
static void test_flips(void)
{
    struct flips f = {.memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC), .each = 29};
    struct memory_burn_request request = {.seconds = 50,
                                          .bytes_max = CHUNK_BYTES,
                                          .root = "",
                                          .stop = &f.enough,
                                          .written = flip,
                                          .context = &f};
    struct memory_burn result;
    struct err e = {0};
    random_seed(&f.random, 7, 0);
    CHECK(f.memory >= 0);
    if (memory_burn(&request, &result, &e)) {
        CHECK_INT(e.code, ERR_MACHINE);
        return;
    }
    CHECK_INT(f.done, FLIPS);
    CHECK_INT(result.error_count, FLIPS);
    CHECK_INT(result.kept, MEMORY_ERRORS_KEPT);
    for (size_t i = 0; i < result.kept; i++) {
        const struct memory_error *error = &result.errors[i];
        CHECK_INT(__builtin_popcountll(error->expected ^ error->found), 1);
        CHECK(error->address && error->pattern[0]);
    }
    CHECK_INT(result.bytes, CHUNK_BYTES);
    close(f.memory);
}

/* Good memory has no errors, and the test ends in time. */
static void test_sound(void)
{
    const struct memory_burn_request request = {
        .seconds = 0.3, .bytes_max = CHUNK_BYTES, .root = ""};
    struct memory_burn result;
    struct err e = {0};
    if (memory_burn(&request, &result, &e))
        return;
    CHECK_INT(result.error_count, 0);
    CHECK(!result.stopped);
}

static void test_modules(void)
{
    static struct edac_counts before, after;
    char words[120];
    struct tree t;
    tree_begin(&t);
    for (int i = 0; i < 3; i++) {
        char path[96];
        snprintf(path, sizeof path, "/sys/devices/system/edac/mc/mc%d/dimm0/dimm_label", i);
        tree_filef(&t, path, "CPU0_DIMM_%c1\n", 'A' + i);
        snprintf(path, sizeof path, "/sys/devices/system/edac/mc/mc%d/dimm0/dimm_ce_count", i);
        tree_file(&t, path, "3\n");
    }
    edac_counts_read(&before, t.root.prefix);
    CHECK_INT(before.count, 3);
    tree_file(&t, "/sys/devices/system/edac/mc/mc1/dimm0/dimm_ce_count", "4\n");
    tree_file(&t, "/sys/devices/system/edac/mc/mc2/dimm0/dimm_ue_count", "1\n");
    edac_counts_read(&after, t.root.prefix);
    edac_counts_grown(&before, &after, words, sizeof words);
    CHECK_STR(words, "CPU0_DIMM_B1, CPU0_DIMM_C1");
    edac_counts_grown(&after, &after, words, sizeof words);
    CHECK_STR(words, "");
    tree_end(&t);
}

int main(void)
{
    test_flips();
    test_sound();
    test_modules();
    return check_result();
}
