/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a part of the work in a process of its own, on any machine; what only process 1 may do is
   refused here, and tried in a virtual machine.
 * Timed: deadlines of seconds are held. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "appliance/process/system.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Values that the parent's callbacks got. */
struct seen {
    size_t bytes;
    uint64_t sum;
    char text[256]; /* the beginning */
    unsigned looks;
    unsigned interrupt_at[2]; /* the calls that request an end; 0: none */
    pid_t grandchild;         /* as the child reported it */
};

static void take_output(void *sink, const char *text, size_t length)
{
    struct seen *s = sink;
    for (size_t i = 0; i < length; i++, s->bytes++) {
        s->sum = s->sum * 31 + (unsigned char)text[i];
        if (s->bytes < sizeof s->text - 1)
            s->text[s->bytes] = text[i];
    }
    if (sscanf(s->text, "grandchild %d", &s->grandchild) != 1)
        s->grandchild = 0;
}

static bool look(void *sink)
{
    struct seen *s = sink;
    s->looks++;
    return s->looks == s->interrupt_at[0] || s->looks == s->interrupt_at[1];
}

static int run(int (*function)(void *), void *context, struct seen *s)
{
    struct err e = {0};
    struct system_child child = {.function = function,
                                 .context = context,
                                 .output = take_output,
                                 .interrupt = look,
                                 .sink = s};
    int status = system_run(&child, &e);
    if (status < 0)
        fprintf(stderr, "%s\n", e.msg);
    return status;
}

static void wait_seconds(double length)
{
    struct timespec pause = {.tv_sec = (time_t)length,
                             .tv_nsec = (long)((length - (double)(time_t)length) * 1e9)};
    while (nanosleep(&pause, &pause) && errno == EINTR)
        ;
}

/* ---- children ---- */

static int say(void *context)
{
    printf("out %s\n", (const char *)context);
    fflush(stdout);
    fprintf(stderr, "err\n");
    printf("no line end");
    return 7;
}

static int read_stdin(void *context)
{
    (void)context;
    char byte;
    return (int)read(STDIN_FILENO, &byte, 1);
}

static int write_much(void *context)
{
    char block[7001];
    size_t left = *(size_t *)context;
    memset(block, 'b', sizeof block);
    for (; left > 0;) {
        ssize_t written = write(1, block, left < sizeof block ? left : sizeof block);
        if (written <= 0)
            return 1;
        left -= (size_t)written;
    }
    return 0;
}

static int die(void *context)
{
    (void)context;
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
    return 0;
}

static int wait_long(void *context)
{
    (void)context;
    wait_seconds(60);
    return 0;
}

static volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static int end_when_asked(void *context)
{
    (void)context;
    struct sigaction action = {.sa_handler = note_interrupt};
    sigaction(SIGINT, &action, NULL);
    printf("ready\n");
    fflush(stdout);
    struct timespec pause = {.tv_nsec = 5000000};
    for (int i = 0; i < 4000 && !interrupted; i++)
        nanosleep(&pause, NULL);
    printf("asked\n");
    return 5;
}

static int ignore_interrupt(void *context)
{
    (void)context;
    signal(SIGINT, SIG_IGN);
    wait_seconds(60);
    return 0;
}

/* Ends at once, but a process that it started holds its output open. */
static int leave_behind(void *context)
{
    (void)context;
    pid_t pid = fork();
    if (pid == 0) {
        wait_seconds(60);
        _exit(0);
    }
    printf("grandchild %d\n", (int)pid);
    return 3;
}

static int close_output(void *context)
{
    (void)context;
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    wait_seconds(0.3);
    return 9;
}

static int tell_signals(void *context)
{
    (void)context;
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    return sigismember(&blocked, SIGINT) || signal(SIGUSR1, SIG_DFL) != SIG_DFL ||
           getsid(0) != getpid();
}

/* ---- */

static void test_status_and_output(void)
{
    struct seen s = {0};
    int before = dup(0);
    close(before);
    CHECK_INT(run(say, "text", &s), 7);
    CHECK_STR(s.text, "out text\nerr\nno line end");
    s = (struct seen){0};
    CHECK_INT(run(read_stdin, NULL, &s), 0);
    CHECK_INT(s.bytes, 0);
    CHECK_INT(run(die, NULL, &s), 128 + SIGTERM);

    size_t much = 3000000;
    s = (struct seen){0};
    CHECK_INT(run(write_much, &much, &s), 0);
    CHECK_INT(s.bytes, much);

    double begin = seconds();
    CHECK_INT(run(close_output, NULL, &s), 9);
    double took = seconds() - begin;
    CHECK(took >= 0.3 && took < 5);

    /* Without callbacks; and no descriptor stays open. */
    struct system_child child = {.function = write_much, .context = &much};
    CHECK_INT(system_run(&child, NULL), 0);
    int after = dup(0);
    CHECK_INT(after, before);
    close(after);
}

static void test_signals_of_child(void)
{
    struct seen s = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR1, SIG_IGN);
    CHECK_INT(run(tell_signals, NULL, &s), 0);
    signal(SIGUSR1, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void test_interrupt(void)
{
    struct seen s = {.interrupt_at = {5}};
    double begin = seconds();
    CHECK_INT(run(end_when_asked, NULL, &s), 5);
    double took = seconds() - begin;
    CHECK_STR(s.text, "ready\nasked\n");
    CHECK(took >= 0.4 && took < 5);
    CHECK(s.looks >= 5 && s.looks < 40);

    s = (struct seen){.interrupt_at = {2}};
    CHECK_INT(run(wait_long, NULL, &s), 128 + SIGINT);

    s = (struct seen){.interrupt_at = {2, 5}};
    begin = seconds();
    CHECK_INT(run(ignore_interrupt, NULL, &s), 128 + SIGKILL);
    took = seconds() - begin;
    CHECK(took >= 0.4 && took < 5);
    CHECK(s.looks >= 5);
}

/* Asked to end when its time is over, and killed if it ignores that. */
static void test_limit(void)
{
    struct err e = {0};
    bool overdue = true;
    struct system_child child = {.function = read_stdin, .seconds = 30, .overdue = &overdue};
    CHECK_INT(system_run(&child, &e), 0);
    CHECK(!overdue);
    child.function = end_when_asked;
    child.seconds = 0.4;
    double begin = seconds();
    CHECK_INT(system_run(&child, &e), 5);
    CHECK(overdue && seconds() - begin >= 0.4 && seconds() - begin < 5);

    /* Asked to end before that: the rest of the 20 s is not waited for. */
    struct seen s = {.interrupt_at = {1, 12}};
    child.function = ignore_interrupt;
    child.interrupt = look;
    child.sink = &s;
    begin = seconds();
    CHECK_INT(system_run(&child, &e), 128 + SIGKILL);
    CHECK(overdue && seconds() - begin < 10);
}

/* ---- questions to a child ---- */

static void answer_number(void *context, void *answer)
{
    *(int *)answer = *(int *)context + 1;
    *(int *)context = 0; /* its own copy */
}

static void answer_never(void *context, void *answer)
{
    (void)context;
    *(int *)answer = 1;
    wait_seconds(60);
}

static void die_instead(void *context, void *answer)
{
    (void)context;
    (void)answer;
    raise(SIGKILL);
}

static void test_aside(void)
{
    static char much[300000];
    int number = 41, answer = 7;
    int before = dup(0);
    close(before);
    CHECK_INT(child_ask(answer_number, &number, &answer, sizeof answer, 10000), CHILD_ANSWERED);
    CHECK_INT(answer, 42);
    CHECK_INT(number, 41);
    much[sizeof much - 1] = 'x'; /* more than a pipe holds */
    CHECK_INT(child_ask(answer_number, &number, much, sizeof much, 10000), CHILD_ANSWERED);
    CHECK(much[0] == 42 && much[sizeof much - 1] == 'x');
    answer = 7;
    double begin = seconds();
    CHECK_INT(child_ask(answer_never, NULL, &answer, sizeof answer, 200), CHILD_SILENT);
    CHECK(seconds() - begin >= 0.2 && seconds() - begin < 5);
    CHECK_INT(child_ask(die_instead, NULL, &answer, sizeof answer, 10000), CHILD_FAILED);
    CHECK_INT(answer, 7);
    CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
    int after = dup(0);
    CHECK_INT(after, before);
    close(after);
}

/* Of the init of this machine it may be a zombie for a moment. */
static bool is_gone(pid_t pid)
{
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    bool read = fgets(line, sizeof line, file);
    fclose(file);
    const char *behind_name = strrchr(line, ')');
    return !read || !behind_name || behind_name[2] == 'Z' || behind_name[2] == 'X';
}

static void test_grandchild(void)
{
    struct seen s = {0};
    double begin = seconds();
    CHECK_INT(run(leave_behind, NULL, &s), 3);
    CHECK(seconds() - begin < 5);
    CHECK(s.grandchild > 0);
    bool gone = false;
    for (int i = 0; i < 100 && !gone; i++) {
        gone = is_gone(s.grandchild);
        wait_seconds(0.02);
    }
    CHECK(gone);
}

/* Outside of process 1, other children are left to their parent. */
static void test_other_children(void)
{
    struct seen s = {0};
    pid_t other = fork();
    if (other == 0)
        _exit(42);
    wait_seconds(0.05);
    CHECK_INT(run(say, "x", &s), 7);
    int status = 0;
    CHECK_INT(waitpid(other, &status, 0), other);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    CHECK_INT(waitpid(-1, &status, WNOHANG), -1);
}

static void test_refusals(void)
{
    struct err e = {0};
    CHECK(!system_is_ours());
    CHECK_INT(system_mount(&e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK_STR(e.msg, "this is not process 1 of the live image: nothing was mounted");
    for (int how = SYSTEM_POWER_OFF; how <= SYSTEM_HALT; how++) {
        CHECK_INT(system_end((enum system_end)how, &e), -1);
        CHECK_INT(e.code, ERR_MACHINE);
        CHECK_STR(e.msg, "this is not process 1 of the live image: the machine is left on");
    }
}

static void test_command_line(void)
{
    struct text text;
    struct err e = {0};
    if (access("/proc/cmdline", R_OK)) {
        check_part_skipped("/proc/cmdline cannot be read");
        return;
    }
    CHECK_INT(system_command_line(&text, &e), 0);
    CHECK(!text.data || !strchr(text.data, '\n'));
    FILE *file = fopen("/proc/cmdline", "r");
    char line[4096] = "";
    if (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        CHECK_STR(text.data, line);
    }
    if (file)
        fclose(file);
    text_free(&text);
}

int main(void)
{
    test_refusals();
    test_command_line();
    test_status_and_output();
    test_signals_of_child();
    test_interrupt();
    test_limit();
    test_aside();
    test_grandchild();
    test_other_children();
    return check_result();
}
