/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --metrics while a session measures: the process that writes the file. */
#include "cmd/monitoring/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPS_MAX = 2 };

/* A message fits into a pipe completely or not at all. Names are pointers into this program, which
   are valid in the other process as well. */
struct message {
    size_t count;
    struct exposed_op ops[OPS_MAX];
};
_Static_assert(sizeof(struct message) <= PIPE_BUF, "a message is one write");

/* Writes the file until the measuring process is gone, however it ends. That process reports at the
   end a file that could not be written. */
static _Noreturn void serve(int from, const char *path, const struct labels *labels)
{
    struct message m;
    struct err ignored;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    while (read(from, &m, sizeof m) == (ssize_t)sizeof m) {
        const struct exposition x = {.ops = m.ops, .op_count = m.count, .labels = labels};
        metrics_write(&x, path, &ignored);
    }
    _exit(0);
}

int metrics_writer_begin(struct metrics_writer *w, const char *path, const struct labels *labels,
                         struct err *e)
{
    int ends[2];
    *w = (struct metrics_writer){.pipe = -1};
    if (!*path)
        return 0;
    if (pipe2(ends, O_CLOEXEC))
        return err_set(e, ERR_MACHINE, "--metrics: no pipe can be made: %s", strerror(errno));
    w->process = fork();
    if (w->process == 0) {
        close(ends[1]);
        serve(ends[0], path, labels);
    }
    close(ends[0]);
    if (w->process < 0) {
        close(ends[1]);
        return err_set(e, ERR_MACHINE, "--metrics: no process can be made: %s", strerror(errno));
    }
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    w->pipe = ends[1];
    return 0;
}

void metrics_writer_send(const struct metrics_writer *w, const struct exposed_op ops[],
                         size_t count)
{
    struct message m = {.count = count < OPS_MAX ? count : OPS_MAX};
    if (w->pipe < 0)
        return;
    memcpy(m.ops, ops, m.count * sizeof *ops);
    ssize_t left_out = write(w->pipe, &m, sizeof m);
    (void)left_out;
}

void metrics_writer_end(struct metrics_writer *w)
{
    if (w->pipe < 0)
        return;
    close(w->pipe);
    while (waitpid(w->process, NULL, 0) < 0 && errno == EINTR)
        ;
    w->pipe = -1;
}
