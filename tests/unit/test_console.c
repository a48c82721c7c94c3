/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The consoles on pseudo terminals of the test's own: keys, lines, output, and a terminal that
   nobody reads.
   Timed: how long a console waits that nobody reads. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "appliance/console/console.h"
#include "tree.h"

/* ---- a terminal whose other end is the test ---- */

struct pty {
    int master, slave; /* the slave is kept open to inspect its settings */
    char name[64];
};

static bool pty_open(struct pty *p)
{
    p->slave = -1;
    p->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (p->master < 0)
        return false;
    const char *name = grantpt(p->master) || unlockpt(p->master) ? NULL : ptsname(p->master);
    if (!name)
        return false;
    snprintf(p->name, sizeof p->name, "%s", name);
    p->slave = open(p->name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    return p->slave >= 0;
}

static void pty_close(struct pty *p)
{
    close(p->slave);
    close(p->master);
}

static void type(int fd, const char *keys)
{
    CHECK_INT(write(fd, keys, strlen(keys)), strlen(keys));
}

/* Reads the output until there is none for 200 ms. */
static char *shown(int fd, char *to, size_t size)
{
    size_t used = 0;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    while (used + 1 < size && poll(&ready, 1, 200) > 0) {
        ssize_t got = read(fd, to + used, size - 1 - used);
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    to[used] = '\0';
    return to;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void pause_ms(long ms)
{
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static struct console *open_on(struct pty *p)
{
    struct console *c = NULL;
    struct err e = {0};
    CHECK_INT(console_open_on(&c, p->slave, p->slave, &e), 0);
    return c;
}

/* ---- keys ---- */

static void test_key_timing(struct pty *p)
{
    struct console *c = open_on(p);
    double begin = seconds();
    CHECK_INT(console_key(c, 0), CONSOLE_NONE);
    CHECK_INT(console_key(c, 120), CONSOLE_NONE);
    double waited = seconds() - begin;
    CHECK(waited >= 0.12 && waited < 2);

    type(p->master, "\033");
    begin = seconds();
    CHECK_INT(console_key(c, -1), CONSOLE_ESCAPE);
    waited = seconds() - begin;
    CHECK(waited >= 0.04 && waited < 2);

    /* The rest of the sequence comes late; a read in between must not take its beginning for the
       escape key. */
    type(p->master, "\033");
    CHECK_INT(console_key(c, 0), CONSOLE_NONE);
    type(p->master, "[B");
    CHECK_INT(console_key(c, 1000), CONSOLE_DOWN);
    type(p->master, "ab");
    CHECK_INT(console_key(c, 0), 'a');
    CHECK_INT(console_key(c, 0), 'b');
    CHECK_INT(console_key(c, 0), CONSOLE_NONE);
    console_close(c);
}

static void test_read_line(struct pty *p)
{
    char line[32], small[4], out[512], log[512];
    struct console *c = open_on(p);
    type(p->master, "\bS4X\177\1775X1Y\r");
    CHECK(console_read_line(c, "Serial number: ", line, sizeof line));
    CHECK_STR(line, "S5X1Y");
    CHECK_STR(shown(p->master, out, sizeof out), "Serial number: S4X\b \b\b \b5X1Y\r\n");
    type(p->master, "123456\n");
    CHECK(console_read_line(c, "", small, sizeof small));
    CHECK_STR(small, "123");
    type(p->master, "ab\033");
    CHECK(!console_read_line(c, "? ", line, sizeof line));
    type(p->master, "ab\003");
    CHECK(!console_read_line(c, "? ", line, sizeof line));
    console_log(c, log, sizeof log);
    CHECK_STR(log, "Serial number: S5X1Y\n123\n? ab\n? ab\n");

    /* The input stays on one line. */
    char prompt[80] = "", typed[33] = "0123456789012345678901234567890\r";
    memset(prompt, '.', 70);
    type(p->master, typed);
    CHECK(console_read_line(c, prompt, line, sizeof line));
    CHECK_STR(line, "012345678");
    console_close(c);
}

/* ---- output ---- */

static void test_text(struct pty *p)
{
    char out[1024], log[1024];
    struct console *c = open_on(p);
    console_print(c, "one %d\ntwo\n", 1);
    CHECK_STR(shown(p->master, out, sizeof out), "one 1\r\ntwo\r\n");
    const char *odd = "5 \302\265s \342\200\246 \377 \033[2J\a\t.\r\n";
    console_write(c, odd, strlen(odd));
    CHECK_STR(shown(p->master, out, sizeof out), "5 ?s ? ? ?[2J?\t.\r\r\n");
    console_write(c, "\302", 1);
    console_write(c, "\265|\n", 3);
    CHECK_STR(shown(p->master, out, sizeof out), "?|\r\n");
    console_write(c, "10%\r20%\r30%\n", 12);
    CHECK_STR(shown(p->master, out, sizeof out), "10%\r20%\r30%\r\n");
    console_log(c, log, sizeof log);
    CHECK_STR(log, "one 1\ntwo\n5 ?s ? ? ?[2J?\t.\n?|\n30%\n");
    console_close(c);
}

static void test_progress_line(struct pty *p)
{
    char out[1024], log[256], wide[200] = "";
    struct console *c = open_on(p);
    console_line(c, "%d s", 10);
    CHECK_STR(shown(p->master, out, sizeof out), "\r10 s\033[K");
    console_line(c, "9 s\n");
    CHECK_STR(shown(p->master, out, sizeof out), "\r9 s \033[K");
    console_print(c, "now\n");
    CHECK_STR(shown(p->master, out, sizeof out), "\r\033[Know\r\n");
    memset(wide, '#', 150);
    console_line(c, "%s", wide);
    shown(p->master, out, sizeof out);
    CHECK_INT(strspn(out + 1, "#"), 79);
    CHECK_STR(out + 80, "\033[K");
    console_clear(c);
    CHECK_STR(shown(p->master, out, sizeof out), "\033[2J\033[H");
    console_log(c, log, sizeof log);
    CHECK_STR(log, "now\n");
    console_close(c);
}

/* ---- several terminals, as the kernel lists them ---- */

static struct console *open_machine(struct tree *t, const struct pty *all, unsigned count)
{
    char sys[TREE_PATH], dev[TREE_PATH], active[256] = "";
    struct console *c = NULL;
    struct err e = {0};
    tree_begin(t);
    for (unsigned i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "/dev/ttyS%u", i);
        tree_link(t, name, all[i].name);
        snprintf(active + strlen(active), sizeof active - strlen(active), "ttyS%u ", i);
    }
    tree_filef(t, "/sys/class/tty/console/active", "%sttyS77\n", active);
    int status = console_open(&c, tree_path(t, sys, "/sys"), tree_path(t, dev, "/dev"), &e);
    CHECK_INT(status, count > 0 ? 0 : -1);
    if (status) {
        CHECK_INT(e.code, ERR_MACHINE);
        CHECK(strstr(e.msg, "no console of ") == e.msg);
    }
    return c;
}

static void test_all_consoles(struct pty *all)
{
    struct tree t;
    char out[256];
    struct termios before, raw, after;
    CHECK_INT(tcgetattr(all[0].slave, &before), 0);
    cfsetospeed(&before, B9600);
    cfsetispeed(&before, B9600);
    CHECK_INT(tcsetattr(all[0].slave, TCSANOW, &before), 0);
    CHECK_INT(tcgetattr(all[0].slave, &before), 0);

    struct console *c = open_machine(&t, all, 2);
    CHECK_INT(tcgetattr(all[0].slave, &raw), 0);
    CHECK_INT(raw.c_lflag & (tcflag_t)(ICANON | ECHO | ISIG), 0);
    CHECK_INT(cfgetospeed(&raw), B9600);
    console_print(c, "hello\n");
    CHECK_STR(shown(all[0].master, out, sizeof out), "hello\r\n");
    CHECK_STR(shown(all[1].master, out, sizeof out), "hello\r\n");
    type(all[1].master, "\033[");
    CHECK_INT(console_key(c, 0), CONSOLE_NONE);
    type(all[0].master, "A");
    CHECK_INT(console_key(c, 1000), 'A');
    type(all[1].master, "z");
    pause_ms(60);
    while (console_key(c, 0) != CONSOLE_NONE)
        ;
    console_close(c);
    tree_end(&t);

    CHECK_INT(tcgetattr(all[0].slave, &after), 0);
    CHECK_INT(after.c_lflag, before.c_lflag);
    CHECK_INT(after.c_iflag, before.c_iflag);
    CHECK_INT(after.c_oflag, before.c_oflag);

    CHECK(open_machine(&t, all, 0) == NULL);
    tree_end(&t);
    struct err e = {0};
    CHECK_INT(console_open(&c, "/nonexistent", "/dev", &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
}

struct reader {
    int fd;
    size_t bytes; /* read after the thread has ended */
    int stop[2];
};

static void *read_on(void *context)
{
    struct reader *r = context;
    char text[4096];
    struct pollfd fds[2] = {{.fd = r->fd, .events = POLLIN}, {.fd = r->stop[0], .events = POLLIN}};
    for (;;) {
        poll(fds, 2, -1);
        if (fds[0].revents & POLLIN) {
            ssize_t got = read(r->fd, text, sizeof text);
            if (got <= 0)
                return NULL;
            r->bytes += (size_t)got;
        } else if (fds[1].revents) {
            return NULL;
        }
    }
}

/* One terminal is read, the other is dead: the first one gets everything, the second one costs 2 s
   once. */
static void test_dead_terminal(struct pty *all)
{
    struct tree t;
    struct reader reader = {.fd = all[1].master};
    pthread_t thread;
    struct console *c = open_machine(&t, all, 2);
    static char text[100000], out[200000];
    CHECK_INT(pipe(reader.stop), 0);
    CHECK_INT(pthread_create(&thread, NULL, read_on, &reader), 0);
    memset(text, 'm', sizeof text);

    double begin = seconds();
    console_write(c, text, sizeof text);
    double took = seconds() - begin;
    CHECK(took >= 1.9 && took < 5);
    begin = seconds();
    console_write(c, text, sizeof text);
    console_line(c, "progress");
    console_print(c, "end of the silence\n");
    CHECK(seconds() - begin < 1.5);

    /* When the dead terminal is read at last, it says that output is missing. */
    shown(all[0].master, out, sizeof out);
    CHECK(strstr(out, "end of the silence") == NULL);
    console_print(c, "and on\n");
    CHECK_STR(shown(all[0].master, out, sizeof out),
              "\r\n[some output was lost here]\r\nand on\r\n");
    pause_ms(100);
    CHECK_INT(write(reader.stop[1], "", 1), 1);
    pthread_join(thread, NULL);
    CHECK_INT(reader.bytes, 2 * sizeof text + strlen("\rprogress\033[K\r\033[K") +
                                strlen("end of the silence\r\nand on\r\n"));
    close(reader.stop[0]);
    close(reader.stop[1]);
    console_close(c);
    tree_end(&t);
}

/* A slow terminal that is read loses nothing, however long it takes. */
static void *read_slowly(void *context)
{
    struct reader *r = context;
    char text[2000];
    while (r->bytes < 40000) {
        pause_ms(50);
        ssize_t got = read(r->fd, text, sizeof text);
        if (got <= 0)
            break;
        r->bytes += (size_t)got;
    }
    return NULL;
}

static void test_slow_terminal(struct pty *p)
{
    struct console *c = open_on(p);
    struct reader reader = {.fd = p->master};
    pthread_t thread;
    char text[400], out[256];
    memset(text, 's', sizeof text);
    CHECK_INT(pthread_create(&thread, NULL, read_slowly, &reader), 0);
    for (int i = 0; i < 100; i++)
        console_write(c, text, sizeof text);
    pthread_join(thread, NULL);
    CHECK_INT(reader.bytes, 40000);
    CHECK_STR(shown(p->master, out, sizeof out), "");
    console_close(c);
}

/* ---- the end ---- */

static void test_restart(const struct pty *all)
{
    struct tree t;
    char line[16];
    sigset_t restart;
    sigemptyset(&restart);
    sigaddset(&restart, SIGINT);
    sigprocmask(SIG_BLOCK, &restart, NULL);
    struct console *c = open_machine(&t, all, 1);
    CHECK_INT(console_key(c, 0), CONSOLE_NONE);
    kill(getpid(), SIGINT);
    CHECK_INT(console_key(c, 1000), CONSOLE_RESTART);
    CHECK_INT(console_key(c, 0), CONSOLE_NONE);
    kill(getpid(), SIGINT);
    CHECK(!console_read_line(c, "? ", line, sizeof line));
    CHECK_INT(console_key(c, 0), CONSOLE_RESTART);
    CHECK_INT(console_key(c, 0), CONSOLE_NONE);
    console_close(c);
    sigprocmask(SIG_UNBLOCK, &restart, NULL);
    tree_end(&t);
}

static void test_end_of_input(void)
{
    int in[2], out[2];
    char line[16], text[64] = "";
    struct console *c;
    CHECK_INT(pipe(in), 0);
    CHECK_INT(pipe(out), 0);
    int flags = fcntl(in[0], F_GETFL);
    CHECK_INT(console_open_on(&c, in[0], out[1], NULL), 0);
    type(in[1], "x\033");
    close(in[1]);
    CHECK_INT(console_key(c, -1), 'x');
    CHECK_INT(console_key(c, -1), CONSOLE_ESCAPE);
    CHECK_INT(console_key(c, -1), CONSOLE_END_OF_INPUT);
    CHECK_INT(console_key(c, 0), CONSOLE_END_OF_INPUT);
    CHECK(!console_read_line(c, "? ", line, sizeof line));
    CHECK_STR(line, "");
    CHECK_INT(read(out[0], text, sizeof text - 1), 4);
    CHECK_STR(text, "? \r\n");
    /* When nobody reads any more, writing fails at once and does no harm. */
    close(out[0]);
    double begin = seconds();
    console_print(c, "nobody\n");
    console_line(c, "nobody");
    CHECK(seconds() - begin < 1);
    console_close(c);
    CHECK_INT(fcntl(in[0], F_GETFL), flags);
    close(in[0]);
    close(out[1]);
}

int main(void)
{
    struct pty all[2];
    signal(SIGPIPE, SIG_IGN);
    test_end_of_input();
    if (!pty_open(&all[0]) || !pty_open(&all[1])) {
        check_part_skipped("no pseudo terminals here");
        return check_result();
    }
    test_key_timing(&all[0]);
    test_read_line(&all[0]);
    shown(all[0].master, (char[4096]){0}, 4096);
    test_text(&all[0]);
    test_progress_line(&all[0]);
    test_all_consoles(all);
    test_slow_terminal(&all[0]);
    test_restart(all);
    shown(all[0].master, (char[4096]){0}, 4096);
    test_dead_terminal(all);
    pty_close(&all[0]);
    pty_close(&all[1]);
    console_close(NULL);
    return check_result();
}
