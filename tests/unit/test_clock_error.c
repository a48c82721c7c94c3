/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of the wall clock's error, from the kernel and from chronyd, and the host's identity. */
#include "check.h"

#include <sys/stat.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "base/machine/clock_error.h"
#include "base/machine/host_identity.h"
#include "tree.h"

static void check_kernel(void)
{
    struct timex t = {.maxerror = 1500, .offset = -20, .status = STA_PLL};
    CHECK_INT(clock_error_of_kernel(&t, TIME_OK), 1520000);
    t.status |= STA_NANO;
    CHECK_INT(clock_error_of_kernel(&t, TIME_OK), 1500020);
    CHECK_INT(clock_error_of_kernel(&t, TIME_ERROR), CLOCK_ERROR_UNKNOWN);
    CHECK_INT(clock_error_of_kernel(&t, -1), CLOCK_ERROR_UNKNOWN);
    t.status |= STA_UNSYNC;
    CHECK_INT(clock_error_of_kernel(&t, TIME_OK), CLOCK_ERROR_UNKNOWN);

    struct clock_error c;
    clock_error_read(&c, "");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    CHECK(c.wall_ns / 1000000000u + 2 > (uint64_t)now.tv_sec);
    CHECK_STR(c.source, "adjtimex");
    int state = adjtimex(&(struct timex){.modes = 0});
    CHECK_INT(c.error_ns == CLOCK_ERROR_UNKNOWN, state == TIME_ERROR || state < 0);
}

#define TRACKING                                                                                   \
    "A9FEA97B,169.254.169.123,4,1700000000.123456789,-0.000001500,0.000000200,0.000003000,"        \
    "-12.5,0.001,0.05,0.000400000,0.000090000,16.2,"

static void check_chrony_line(void)
{
    /* 400 us / 2 + 90 us + 1.5 us */
    CHECK_INT(clock_error_of_chrony(TRACKING "Normal\n"), 291500);
    CHECK_INT(clock_error_of_chrony(TRACKING "Insert second\n"), 291500);
    CHECK_INT(clock_error_of_chrony(TRACKING "Not synchronised\n"), CLOCK_ERROR_UNKNOWN);
    CHECK_INT(clock_error_of_chrony(""), CLOCK_ERROR_UNKNOWN);
    CHECK_INT(clock_error_of_chrony("506 Cannot talk to daemon\n"), CLOCK_ERROR_UNKNOWN);
    CHECK_INT(clock_error_of_chrony("a,b,0,0,0,0,0,0,0,0,0,0,0,Normal"), CLOCK_ERROR_UNKNOWN);
    CHECK_INT(clock_error_of_chrony("a,b,3,0,x,0,0,0,0,0,0,0,0,Normal"), CLOCK_ERROR_UNKNOWN);
    CHECK_INT(clock_error_of_chrony("a,b,3,0,0,0,0,0,0,0,nan,0,0,Normal"), CLOCK_ERROR_UNKNOWN);
    CHECK_INT(clock_error_of_chrony("a,b,3,0,0,0,0,0,0,0,1,1e30,0,Normal"), CLOCK_ERROR_UNKNOWN);
}

static void make_chronyc(const struct tree *t, const char *script)
{
    char path[TREE_PATH];
    tree_file(t, "/usr/bin/chronyc", script);
    CHECK_INT(chmod(tree_path(t, path, "/usr/bin/chronyc"), 0755), 0);
}

/* A machine in a folder, with a script as its chronyc. */
static void check_chrony(const struct tree *t)
{
    struct clock_error c;
    clock_error_read(&c, t->folder);
    CHECK_INT(c.error_ns, CLOCK_ERROR_UNKNOWN); /* another machine's */
    make_chronyc(t, "#!/bin/sh\ntest \"$*\" = '-n -c tracking' && echo '" TRACKING "Normal'\n");
    clock_error_ask_chrony(&c, t->folder);
    CHECK_INT(c.error_ns, CLOCK_ERROR_UNKNOWN); /* chronyd does not run */
    tree_file(t, "/run/chrony/chronyd.pid", "1\n");
    clock_error_ask_chrony(&c, t->folder);
    CHECK_INT(c.error_ns, 291500);
    CHECK_STR(c.source, "chrony");

    c.error_ns = 1000; /* the kernel's bound is tighter */
    snprintf(c.source, sizeof c.source, "adjtimex");
    clock_error_ask_chrony(&c, t->folder);
    CHECK_INT(c.error_ns, 1000);
    CHECK_STR(c.source, "adjtimex");

    c.error_ns = CLOCK_ERROR_UNKNOWN; /* a chronyc that does not end is killed */
    make_chronyc(t, "#!/bin/sh\nexec sleep 1000\n");
    clock_error_ask_chrony(&c, t->folder);
    CHECK_INT(c.error_ns, CLOCK_ERROR_UNKNOWN);
}

static void check_host(const struct tree *t)
{
    struct host_identity here, h, same;
    host_identity_read(&here, "");
    CHECK(here.boot_known && here.name[0]);
    host_identity_read(&h, t->folder);
    CHECK(!h.boot_known && !h.name[0]);
    tree_file(t, "/proc/sys/kernel/hostname", "store-7\n");
    tree_file(t, "/proc/sys/kernel/random/boot_id", "00112233-4455-6677-8899-aabbccddeeff\n");
    host_identity_read(&h, t->folder);
    CHECK_STR(h.name, "store-7");
    CHECK(h.boot_known && h.boot[0] == 0 && h.boot[1] == 0x11 && h.boot[15] == 0xff);
    host_identity_read(&same, t->folder);
    CHECK(!memcmp(h.boot, same.boot, sizeof h.boot) && memcmp(h.boot, here.boot, sizeof h.boot));
    tree_file(t, "/proc/sys/kernel/random/boot_id", "00112233-4455-6677-8899-aabbccddeeff0\n");
    host_identity_read(&h, t->folder);
    CHECK(!h.boot_known && !h.boot[1]);
    tree_file(t, "/proc/sys/kernel/random/boot_id", "0011223x\n");
    host_identity_read(&h, t->folder);
    CHECK(!h.boot_known);
}

int main(void)
{
    check_kernel();
    check_chrony_line();
    struct tree t;
    tree_begin(&t);
    check_chrony(&t);
    check_host(&t);
    tree_end(&t);
    return check_result();
}
