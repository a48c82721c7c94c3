/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On a machine with two NUMA nodes and a drive at each: cupel's workers run on processors of their
   drive's node, their memory is requested from it, and the report says so. /cupel is the program.
   */
#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "guest.h"

#define NODES 2

static char drives[NODES][32]; /* "/dev/nvme1n1": the one at that node */

/* Reads the whole file, up to the room there is. */
static char *contents_of(const char *path, char *to, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    for (ssize_t got; fd >= 0 && (got = read(fd, to + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    if (fd >= 0)
        close(fd);
    to[used] = '\0';
    return to;
}

/* Finds drives by their serial numbers, because their kernel names come in no fixed order. */
static void find_drives(void)
{
    for (int i = 0; i < NODES; i++) {
        char path[96], text[64], serial[16];
        (void)snprintf(path, sizeof path, "/dev/nvme%dn1", i);
        CHECK(guest_wait_for(path, 20000));
        (void)snprintf(path, sizeof path, "/sys/class/nvme/nvme%d/serial", i);
        contents_of(path, text, sizeof text);
        for (int node = 0; node < NODES; node++) {
            (void)snprintf(serial, sizeof serial, "NODE%d", node);
            if (!strncmp(text, serial, strlen(serial)))
                (void)snprintf(drives[node], sizeof drives[node], "/dev/nvme%dn1", i);
        }
        (void)snprintf(path, sizeof path, "/sys/class/nvme/nvme%d/device/numa_node", i);
        printf("nvme%d: %s node %s", i, strtok(text, " \n"),
               contents_of(path, serial, sizeof serial));
    }
    for (int node = 0; node < NODES; node++)
        CHECK(drives[node][0] != '\0');
}

static pid_t start(char *const arguments[], const char *output)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    (void)dup2(fd, 1);
    (void)dup2(fd, 2);
    execv("/cupel", arguments);
    _exit(127);
}

/* Counts threads bound to one processor each, by its node. Returns -1 if a file of a thread is
   gone. */
static void count_threads(pid_t process, int threads[NODES])
{
    char path[300], status[4096];
    (void)snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    for (struct dirent *at; tasks && (at = readdir(tasks));) {
        if (!isdigit((unsigned char)at->d_name[0]))
            continue;
        (void)snprintf(path, sizeof path, "/proc/%d/task/%s/status", process, at->d_name);
        const char *list = strstr(contents_of(path, status, sizeof status), "Cpus_allowed_list:");
        if (!list)
            continue;
        list += strcspn(list, "0123456789");
        char *end;
        const long cpu = strtol(list, &end, 10);
        if (*end == '\n' && cpu < 2L * NODES) /* one alone */
            threads[cpu / 2]++;
    }
    if (tasks)
        (void)closedir(tasks);
}

/* Counts ranges of memory that are requested from a node. */
static void count_memory(pid_t process, int ranges[NODES])
{
    static char maps[1 << 18];
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/numa_maps", process);
    contents_of(path, maps, sizeof maps);
    for (int node = 0; node < NODES; node++) {
        char prefer[24];
        (void)snprintf(prefer, sizeof prefer, " prefer:%d", node);
        ranges[node] = 0;
        for (const char *at = maps; (at = strstr(at, prefer)); at++)
            ranges[node]++;
    }
}

struct placement {
    int threads[NODES], ranges[NODES]; /* the largest numbers seen at once */
};

/* Runs cupel to its end and checks meanwhile where its threads and its memory are. */
static struct placement watch(char *const arguments[], const char *output, int *status)
{
    struct placement most = {{0}, {0}};
    pid_t child = start(arguments, output);
    CHECK(child > 0);
    for (int looks = 0; waitpid(child, status, WNOHANG) == 0; looks++) {
        struct placement now = {{0}, {0}};
        guest_sleep(100);
        count_threads(child, now.threads);
        count_memory(child, now.ranges);
        for (int node = 0; node < NODES; node++) {
            most.threads[node] =
                now.threads[node] > most.threads[node] ? now.threads[node] : most.threads[node];
            most.ranges[node] =
                now.ranges[node] > most.ranges[node] ? now.ranges[node] : most.ranges[node];
        }
        if (looks == 1200) /* 2 minutes, more on a slow host */
            (void)kill(child, SIGKILL);
    }
    printf("threads on node 0: %d, 1: %d; memory of node 0: %d, 1: %d\n", most.threads[0],
           most.threads[1], most.ranges[0], most.ranges[1]);
    return most;
}

static void check_says(const char *path, const char *words)
{
    static char report[1 << 20];
    contents_of(path, report, sizeof report);
    /* Returns the text with line breaks as blanks. */
    char *to = report;
    for (const char *from = report; *from; from++)
        if (!isspace((unsigned char)*from) || (to > report && to[-1] != ' '))
            *to++ = isspace((unsigned char)*from) ? ' ' : *from;
    *to = '\0';
    if (!check_that(strstr(report, words) != NULL, __FILE__, __LINE__, words))
        for (const char *at = report; (at = strstr(at, "NUMA")); at++)
            printf("it says: %.160s\n", at);
}

/* Everything is on the drive's node, nothing on the other one. */
static void test_one(int node)
{
    char says[80];
    int status = -1;
    char *const arguments[] = {"cupel",      "run", drives[node], "--numjobs", "2",
                               "--iodepth",  "2",   "--runtime",  "1s",        "--full",
                               "--overhead", "0",   "--realtime", "0",         NULL};
    struct placement at = watch(arguments, "/tmp/one", &status);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 5));
    CHECK_INT(at.threads[node], 2);
    CHECK_INT(at.threads[!node], 0);
    CHECK(at.ranges[node] >= 1);
    CHECK_INT(at.ranges[!node], 0);
    (void)snprintf(says, sizeof says, "%d; of the target: %d; of the buffers: the target's", node,
                   node);
    check_says("/tmp/one", says);
}

/* Each at home. */
static void test_both(void)
{
    int status = -1;
    char *const arguments[] = {"cupel", "run",        drives[0], drives[1], "--iodepth",
                               "2",     "--runtime",  "1s",      "--full",  "--overhead",
                               "0",     "--realtime", "0",       NULL};
    struct placement at = watch(arguments, "/tmp/both", &status);
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 5));
    for (int node = 0; node < NODES; node++) {
        char says[80];
        CHECK_INT(at.threads[node], 1);
        CHECK(at.ranges[node] >= 1);
        (void)snprintf(says, sizeof says, "%d; of the target: %d; of the buffers", node, node);
        check_says("/tmp/both", says);
    }
}

/* --cpus takes precedence, and the report warns of the path between the nodes. */
static void test_given(void)
{
    int status = -1;
    char *const arguments[] = {"cupel",      "run", drives[1],    "--cpus", "0",
                               "--iodepth",  "2",   "--runtime",  "1s",     "--full",
                               "--overhead", "0",   "--realtime", "0",      NULL};
    struct placement at = watch(arguments, "/tmp/given", &status);
    CHECK_INT(at.threads[1], 0);
    check_says("/tmp/given", "1 of 1 workers run on another NUMA node");
}

static void test(void)
{
    find_drives();
    for (int node = 0; node < NODES; node++)
        test_one(node);
    test_both();
    test_given();
}

int main(void)
{
    return guest_run(test);
}
