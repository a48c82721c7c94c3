/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What cupel (/cupel) makes of each disk and network interface of a virtual machine, for the table
 * of tests/bench/controllers.sh: found, its data path, measured, unplugged in the middle.
 *
 * The drivers are those that the stick loads, by the stick's own loader; /test/modules are loaded
 * before (guest.h). Of /test/disks each line is "MARK SECONDS": the disk begins with "MARK\n",
 * which is looked for in every block device, because the test must not believe what it tests.
 * With SECONDS other than 0 it is unplugged: "guest: unplug MARK" asks the host for that, and so
 * long it may take. /test/interfaces has lines "MAC SECONDS"; they
 * are measured against cupel serve at the address in /test/far-end. The host reads the serial line.
 */
#include <dirent.h>
#include <linux/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "appliance/module/modules.h"
#include "appliance/stick/device_wait.h"
#include "guest.h"

#define OUTPUT "/tmp/output"

enum {
    QUIET_MS = 1500,
    SETTLE_MAX_MS = 60000,
    COMMAND_MAX_MS = 120000,
    MEASURING_MAX_MS = 30000,
    STOP_MAX_MS = 10000
};

static long now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void load_drivers(void)
{
    struct utsname kernel;
    struct modules *m;
    struct device_wait settle;
    struct err e;
    char folder[128], failures[2048];
    long begin = now_ms();
    (void)uname(&kernel);
    (void)snprintf(folder, sizeof folder, "/lib/modules/%s", kernel.release);
    CHECK_INT(device_wait_open(&settle, &e), 0);
    CHECK_INT(modules_open(&m, folder, NULL, &e), 0);
    (void)device_wait_quiet(&settle, m, QUIET_MS, SETTLE_MAX_MS);
    struct modules_counts counts = modules_counts(m);
    modules_failures(m, failures, sizeof failures);
    printf("guest: %u drivers in %ld ms, %u failed %s\n", counts.loaded, now_ms() - begin,
           counts.failed, failures);
    device_wait_close(&settle);
    /* The index is not freed, because a thread may still be loading. */
}

/* Starts /cupel with its output in a file: on a terminal it would draw. */
static pid_t start_cupel(char *const arguments[])
{
    printf("guest: begin cupel");
    for (char *const *argument = arguments + 1; *argument; argument++)
        printf(" %s", *argument);
    printf("\n");
    (void)fflush(NULL);
    (void)unlink(OUTPUT);
    pid_t child = fork();
    if (child == 0) {
        int fd = open(OUTPUT, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        (void)dup2(fd, 1);
        (void)dup2(fd, 2);
        execv("/cupel", arguments);
        _exit(127);
    }
    return child;
}

static void print_output(void)
{
    char line[4096];
    FILE *f = fopen(OUTPUT, "re");
    while (f && fgets(line, sizeof line, f))
        (void)fputs(line, stdout);
    if (f)
        (void)fclose(f);
}

/* Waits for its end and prints its output; kills it after `longest_ms`. */
static void wait_for_cupel(pid_t child, long longest_ms)
{
    int status = 0;
    long begin = now_ms();
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (now_ms() - begin > longest_ms)
            (void)kill(child, SIGKILL);
        guest_sleep(20);
    }
    print_output();
    printf("guest: end status %d after %ld ms\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
           now_ms() - begin);
}

static void run_cupel(char *const arguments[])
{
    wait_for_cupel(start_cupel(arguments), COMMAND_MAX_MS);
}

static bool begins_with(const char *device, const char *mark)
{
    char sector[512];
    size_t length = strlen(mark);
    int fd = open(device, O_RDONLY | O_CLOEXEC);
    bool same = fd >= 0 && pread(fd, sector, sizeof sector, 0) == sizeof sector &&
                !memcmp(sector, mark, length) && sector[length] == '\n';
    if (fd >= 0)
        (void)close(fd);
    return same;
}

/* Finds the name in /sys/block of the disk whose data begins with the mark. */
static bool find_disk(const char *mark, char name[64])
{
    DIR *d = opendir("/sys/block");
    bool found = false;
    for (struct dirent *entry; d && !found && (entry = readdir(d));) {
        char device[300];
        (void)snprintf(device, sizeof device, "/dev/%s", entry->d_name);
        if (*entry->d_name == '.' || !begins_with(device, mark))
            continue;
        (void)snprintf(name, 64, "%.63s", entry->d_name);
        found = true;
    }
    if (d)
        (void)closedir(d);
    return found;
}

/* Finds the interface with that address. */
static bool find_interface(const char *address, char name[64])
{
    DIR *d = opendir("/sys/class/net");
    bool found = false;
    for (struct dirent *entry; d && !found && (entry = readdir(d));) {
        char path[300], text[64] = "";
        (void)snprintf(path, sizeof path, "/sys/class/net/%s/address", entry->d_name);
        FILE *f = fopen(path, "re");
        found = f && fgets(text, sizeof text, f) && !strncmp(text, address, strlen(address));
        (void)snprintf(name, 64, "%.63s", entry->d_name);
        if (f)
            (void)fclose(f);
    }
    if (d)
        (void)closedir(d);
    return found;
}

/* Returns true if a line of progress has a rate already. */
static bool is_measuring(void)
{
    char line[4096];
    bool found = false;
    FILE *f = fopen(OUTPUT, "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, " IOPS") != NULL;
    if (f)
        (void)fclose(f);
    return found;
}

/* Milliseconds until the child has ended, at most `longest_ms`; -1: it has not. *gone_ms becomes
   the time until `file` was no longer there. */
static long wait_for_end(pid_t child, const char *file, long longest_ms, long *gone_ms, int *status)
{
    long begin = now_ms();
    while (now_ms() - begin < longest_ms) {
        bool ended = waitpid(child, status, WNOHANG) != 0;
        if (*gone_ms < 0 && access(file, F_OK) != 0)
            *gone_ms = now_ms() - begin;
        if (ended)
            return now_ms() - begin;
        guest_sleep(10);
    }
    return -1;
}

/* Asks for the unplugging while cupel measures, and reports how long after that the device and
   cupel were gone. A run that continues, because another path leads to the disk, is stopped as by
   Ctrl-C. */
static void unplug(const char *mark, const char *file, const char *const target[2], long longest_ms)
{
    char *const arguments[] = {"cupel",    "run",   "--preset",        "quick",
                               "--ci",     "0.01%", "--min-time",      "100s",
                               "--limit",  "110s",  "--overhead",      "0",
                               "--format", "csv",   (char *)target[0], (char *)target[1],
                               NULL};
    int status = 0;
    long gone = -1, stopped = 0;
    pid_t child = start_cupel(arguments);
    for (long waited = 0; waited < MEASURING_MAX_MS && !is_measuring(); waited += 100)
        guest_sleep(100);
    printf("guest: unplug %s\n", mark);
    long ended = wait_for_end(child, file, longest_ms, &gone, &status);
    if (ended < 0) {
        (void)kill(child, SIGINT);
        stopped = wait_for_end(child, file, STOP_MAX_MS, &stopped, &status);
    }
    if (stopped < 0) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, &status, 0);
    }
    print_output();
    printf("guest: unplugged %s gone %ld ended %ld status %d\n", mark, gone, ended,
           WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void print_kernel_log(void)
{
    static char log[1 << 18];
    int length = klogctl(3, log, sizeof log - 1);
    log[length > 0 ? length : 0] = '\0';
    char *rest = NULL;
    for (char *line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        printf("kernel: %s\n", line);
}

/* Gives the interface the address that QEMU's network for one guest has for it, and waits until it
   has a link. */
static void bring_up(const char *name)
{
    struct ifreq request = {.ifr_flags = 0};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a00020f)};
    char path[128], carrier[8] = "";
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%.15s", name);
    memcpy(&request.ifr_addr, &address, sizeof address);
    if (ioctl(fd, SIOCSIFADDR, &request) != 0)
        printf("guest: %s: no address: %s\n", name, strerror(errno));
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    if (ioctl(fd, SIOCSIFFLAGS, &request) != 0)
        printf("guest: %s: not up: %s\n", name, strerror(errno));
    (void)close(fd);
    (void)snprintf(path, sizeof path, "/sys/class/net/%s/carrier", name);
    for (int tries = 0; tries < 200 && *carrier != '1'; tries++) {
        guest_sleep(50);
        FILE *f = fopen(path, "re");
        if (f && !fgets(carrier, sizeof carrier, f))
            *carrier = '\0';
        if (f)
            (void)fclose(f);
    }
}

/* Returns the address at which cupel serve runs on the host (/test/far-end). */
static void read_far_end(char *to, size_t size)
{
    FILE *f = fopen("/test/far-end", "re");
    if (!f || !fgets(to, (int)size, f))
        *to = '\0';
    to[strcspn(to, "\n")] = '\0';
    if (f)
        (void)fclose(f);
}

static void look_at(const char *mark, bool is_interface, long unplug_seconds)
{
    char name[64], device[80], file[128], far_end[64];
    const char *target[2] = {device, NULL};
    long begin = now_ms();
    if (!(is_interface ? find_interface(mark, name) : find_disk(mark, name))) {
        printf("guest: device %s none\n", mark);
        return;
    }
    (void)snprintf(device, sizeof device, is_interface ? "%s" : "/dev/%s", name);
    (void)snprintf(file, sizeof file, "/sys/class/%s/%s", is_interface ? "net" : "block", name);
    printf("guest: device %s %s\n", mark, name);
    if (is_interface) {
        bring_up(name);
        read_far_end(far_end, sizeof far_end);
        target[0] = "--net";
        target[1] = far_end;
    }
    run_cupel((char *const[]){"cupel", "probe", device, NULL});
    run_cupel((char *const[]){"cupel", "run", "--runtime", "2s", "--overhead", "0", "--format",
                              "csv", (char *)target[0], (char *)target[1], NULL});
    printf("guest: measured %s in %ld ms\n", mark, now_ms() - begin);
    if (unplug_seconds)
        unplug(mark, file, target, unplug_seconds * 1000);
}

static void look_at_all(const char *list, bool is_interface)
{
    char line[128];
    FILE *f = fopen(list, "re");
    while (f && fgets(line, sizeof line, f)) {
        char *rest = line + strcspn(line, " \n");
        long seconds = strtol(rest, NULL, 10);
        *rest = '\0';
        look_at(line, is_interface, seconds);
    }
    if (f)
        (void)fclose(f);
}

static void test(void)
{
    load_drivers();
    run_cupel((char *const[]){"cupel", "probe", "--format", "csv", "--serials", NULL});
    print_kernel_log();
    look_at_all("/test/interfaces", true);
    look_at_all("/test/disks", false);
    printf("guest: done\n");
    CHECK(true);
}

int main(void)
{
    return guest_run(test);
}
