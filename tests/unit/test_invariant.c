/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A broken invariant: its message, and that the program ends with its settings restored. */
#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/invariant.h"
#include "hw/knob/knob.h"
#include "hw/sysroot/sysroot.h"
#include "tree.h"

#define POLICY   "/sys/devices/system/cpu/cpufreq/policy0/"
#define GOVERNOR POLICY "scaling_governor"

static void check_holds(void)
{
    int evaluated = 0;
    INVARIANT(++evaluated == 1, "the condition is evaluated once");
    CHECK_INT(evaluated, 1);
}

static void check_broken(void)
{
    int ends[2], status = 0;
    char said[400] = "", place[80];
    CHECK_INT(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    const int line = __LINE__ + 4;
    if (!child) {
        close(ends[0]);
        dup2(ends[1], STDERR_FILENO);
        INVARIANT(line < 0, "no line has a number below 0");
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t used = 0, got;
         (got = read(ends[0], said + used, sizeof said - 1 - (size_t)used)) > 0;)
        used += got;
    close(ends[0]);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    snprintf(place, sizeof place, "test_invariant.c:%d: ", line);
    CHECK(strstr(said, "cupel: this is a defect of cupel, please report it: ") == said);
    CHECK(strstr(said, place) != NULL);
    const char *end = strstr(said, "it does not hold that no line has a number below 0\n");
    CHECK(end && strchr(end, '\n')[1] == '\0');
}

static bool governor_is(const struct tree *t, const char *name)
{
    char path[TREE_PATH], line[32] = "";
    FILE *f = fopen(tree_path(t, path, GOVERNOR), "r");
    bool read = f && fgets(line, sizeof line, f);
    if (f)
        fclose(f);
    line[strcspn(line, "\n")] = '\0';
    return read && !strcmp(line, name);
}

/* A run that has changed a setting; its keeper notices its end. */
static _Noreturn void run_with_defect(const struct tree *t)
{
    struct knobs k;
    struct knob_request request = {.governor = "performance"};
    if (!freopen("/dev/null", "w", stderr) || knobs_set(&k, &t->root, &request, NULL) ||
        !governor_is(t, "performance"))
        _exit(1);
    INVARIANT(governor_is(t, "powersave"), "the governor was not changed");
    _exit(2);
}

static void check_restored(void)
{
    struct tree t = {0};
    int status = 0;
    tree_begin(&t);
    tree_file(&t, "/sys/devices/system/cpu/online", "0\n");
    tree_link(&t, "/sys/devices/system/cpu/cpu0/cpufreq", "../cpufreq/policy0");
    tree_file(&t, GOVERNOR, "powersave\n");
    tree_file(&t, POLICY "scaling_available_governors", "performance powersave \n");
    fflush(NULL);
    pid_t run = fork();
    if (!run)
        run_with_defect(&t);
    CHECK_INT(waitpid(run, &status, 0), run);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    for (int i = 0; i < 1000 && !governor_is(&t, "powersave"); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    CHECK(governor_is(&t, "powersave"));
    tree_end(&t);
}

int main(void)
{
    check_holds();
    check_broken();
    check_restored();
    return check_result();
}
