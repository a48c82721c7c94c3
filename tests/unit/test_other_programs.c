/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The share of the machine that other programs used, computed from counters, and when it is
   reported. */
#include "run/watch/other_programs.h"

#include <unistd.h>

#include "check.h"
#include "hw/monitor/machine_load.h"
#include "tree.h"

/* Two processors for 100 s: 20,000 jiffies at 100 a second. */
static void check_processors(void)
{
    double second = (double)sysconf(_SC_CLK_TCK);
    struct load_sample before = {.busy_jiffies = 500,
                                 .total_jiffies = 1000,
                                 .interrupt_jiffies = 10,
                                 .kernel_thread_jiffies = 100,
                                 .steal_jiffies = 7};
    struct load_sample after = before;
    after.total_jiffies += (uint64_t)(200 * second);
    struct load_of_others load = load_of_others(&before, &after, 0);
    CHECK(load.programs <= 0);
    CHECK(load.stolen <= 0);

    /* 100 s busy: 15 s by this program, 10 s interrupts, 25 s kernel threads, so 50 s by others. */
    after.busy_jiffies += (uint64_t)(100 * second);
    after.interrupt_jiffies += (uint64_t)(10 * second);
    after.kernel_thread_jiffies += (uint64_t)(25 * second);
    after.steal_jiffies += (uint64_t)(20 * second);
    load = load_of_others(&before, &after, 15);
    CHECK_NEAR(load.programs, 0.25, 1e-12);
    CHECK_NEAR(load.stolen, 0.1, 1e-12);

    /* A kernel thread that ended took its time out of the counters; and own time above the total.
     */
    after.kernel_thread_jiffies = 3;
    CHECK_NEAR(load_of_others(&before, &after, 15).programs, 0.375, 1e-12);
    CHECK(load_of_others(&before, &after, 500).programs <= 0);

    /* In a captured machine counters do not change, and some have no /proc/stat. */
    CHECK(isnan(load_of_others(&after, &after, 1).programs));
    before = after = (struct load_sample){0};
    CHECK(isnan(load_of_others(&before, &after, 1).programs));
}

/* Only kernel threads count as such; a process's name may contain anything. */
static void check_kernel_threads(void)
{
    struct tree tree;
    struct load_sample sample;
    tree_begin(&tree);
    tree_file(&tree, "/proc/stat", "cpu  50 5 25 1000 3 7 8 9 0 0\nintr 12\nctxt 13\n");
    tree_file(&tree, "/proc/2/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 1 2 0 0\n");
    tree_file(&tree, "/proc/17/stat",
              "17 (kworker/0:1) x) I 2 0 0 0 -1 69238880 0 0 0 0 10 20 0 0\n");
    tree_file(&tree, "/proc/99/stat", "99 (a (b) S 1 99 99 0 -1 4194560 1 2 3 4 1000 2000 3 4\n");
    tree_file(&tree, "/proc/100/stat", "100 (sh) S 1 99 99 34816 101 4194560 1 2 3 4 7 7 3 4\n");
    tree_file(&tree, "/proc/101/stat", "101 (cut\n");
    tree_file(&tree, "/proc/self/stat", "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 1 2 0 0\n");
    load_take(&tree.root, &sample);
    CHECK_INT(sample.kernel_thread_jiffies, 33);
    CHECK_INT(sample.interrupt_jiffies, 15);
    CHECK_INT(sample.busy_jiffies, 50 + 5 + 25 + 7 + 8);
    tree_end(&tree);
}

static void check_words_of_busy(void)
{
    char words[160];
    others_words(&(struct result_others){0.4, 0.001, (double)NAN}, words, sizeof words);
    CHECK_STR(words, "other programs used 40 % of the processors");
    others_words(&(struct result_others){0.04, 0.2, (double)NAN}, words, sizeof words);
    CHECK_STR(words, "other virtual machines had 20 % of the processors");
    others_words(&(struct result_others){(double)NAN, (double)NAN, (double)NAN}, words,
                 sizeof words);
    CHECK_STR(words, "");
}

static void check_device(void)
{
    struct device_watch w = {.fd = -1, .moved = 1000, .own = 800};
    CHECK_NEAR(device_watch_others(&w, false), 0.2, 1e-12);
    w.moved = 700; /* merged requests, or answers from a cache of the device below */
    CHECK(device_watch_others(&w, false) <= 0);
    /* Passthrough is in no statistics, or is in them. */
    w.moved = 200;
    CHECK_NEAR(device_watch_others(&w, true), 0.2, 1e-12);
    w.moved = 1000;
    CHECK_NEAR(device_watch_others(&w, true), 0.2, 1e-12);
    w.own = 0;
    CHECK(isnan(device_watch_others(&w, false)));

    device_watch_open(&w, 0);
    CHECK_INT(w.fd, -1);
    device_watch_begin(&w);
    device_watch_end(&w, 4096);
    CHECK(isnan(device_watch_others(&w, false)));
    device_watch_close(&w);
}

static void check_words(const char *processors, const char *device, const char *stolen,
                        const char *words)
{
    static struct result r;
    struct inventory v = {0};
    int node = inventory_add_node(&v, NODE_OTHER, "load", NULL, INVENTORY_NONE);
    inventory_add(&v, node, "processor_others", processors, "%", "", FACT_OK);
    inventory_add(&v, node, "device_others", device, "%", "", FACT_OK);
    inventory_add(&v, node, "processor_stolen", stolen, "%", "", FACT_OK);
    memset(&r, 0, sizeof r);
    others_result(&v, &r);
    CHECK_STR(r.busy, words);
    inventory_free(&v);
}

int main(void)
{
    check_processors();
    check_kernel_threads();
    check_device();
    check_words_of_busy();
    check_words("5.0", "5.0", "5.0", "");
    check_words("40.2", "0", "", "other programs used 40 % of the processors");
    check_words("1", "12.4", "", "other programs moved 12 % of the disk's bytes");
    check_words(
        "99.9", "99.9", "99.9",
        "other programs used 100 % of the processors and moved 100 % of the disk's bytes and "
        "other virtual machines had 100 % of the processors");
    return check_result();
}
