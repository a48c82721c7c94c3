/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel serve: the remote end of cupel run --net. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/units.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/terminal/signals.h"
#include "io/net/address.h"
#include "run/plan/plan.h"
#include "run/serve/serve.h"

struct serve_options {
    struct plan plan; /* the server's processors are a field of it */
    double seconds;
    uint32_t connections, length;
    bool spin;
};

#define SERVE(member) OPTION_FIELD(struct serve_options, member)

static const struct option_row serve_options[] = {
    {.section = "Serving",
     .name = "for",
     .argument = "TIME",
     .kind = OPTION_TIME,
     SERVE(seconds),
     .min = 0.001,
     .max = 30 * 86400,
     .value_words = "until Ctrl-C",
     .help = "How long."},
    {.name = "connections",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     SERVE(connections),
     .min = 1,
     .max = SERVE_CONNECTIONS_MAX,
     .value = "64",
     .help = "Connections at the same time, of all sessions together: each has a thread and 256 "
             "KiB. Others are refused."},
    {.name = "max-bs",
     .argument = "SIZE",
     .kind = OPTION_SIZE,
     SERVE(length),
     .min = 4096,
     .max = NET_LENGTH_MAX,
     .value = "16m",
     .help = "Bytes of the longest request. Sessions with longer ones are refused."},
    {.name = "spin",
     .kind = OPTION_FLAG,
     SERVE(spin),
     .help = "Wait for requests by polling: each connection uses a processor all the time, and no "
             "request waits for one to wake up."},
    {.name = "cpus"},
    {0},
};

static void show_listening(void *context, const char *address, unsigned port)
{
    (void)context;
    bool is_v6 = strchr(address, ':') != NULL;
    fprintf(stderr, "serving at %s%s%s:%u\n", is_v6 ? "[" : "", address, is_v6 ? "]" : "", port);
}

/* Returns true if standard output can take a line now. If nobody reads the pipe, waiting for it
   would delay all sessions, so further lines are only counted. */
static bool takes_a_line(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&p, 1, 0) != 0; /* 0: not ready; printing finds an error of poll */
}

static void show_session(void *context, const struct serve_session *s)
{
    char size[2][UNITS_BUFFER];
    uint64_t *unprinted = context;
    if (!takes_a_line()) {
        ++*unprinted;
        return;
    }
    if (!s->connections) {
        printf("%s: %s\n", s->peer, s->trouble);
        fflush(stdout);
        return;
    }
    for (unsigned op = 0; op < 2; op++)
        format_size(size[op], sizeof size[op], (double)s->seen.bytes[op]);
    printf("%s: %u connection%s, %.1f s: %" PRIu64 " reads, %s sent; %" PRIu64
           " writes, %s received; %" PRIu32 " segments sent again%s%s\n",
           s->peer, s->connections, s->connections == 1 ? "" : "s", s->seconds,
           s->seen.requests[NET_READ], size[NET_READ], s->seen.requests[NET_WRITE], size[NET_WRITE],
           s->seen.resent, s->trouble[0] ? "; " : "", s->trouble);
    fflush(stdout);
}

static int run_serve(const struct option_set *set, struct err *e)
{
    static struct serve_options o;
    o = (struct serve_options){0};
    uint64_t unprinted = 0;
    if (plan_options_store(set, &o.plan, e))
        return -1;
    if (!set->operand_count)
        return err_set(e, ERR_USAGE,
                       "ADDRESS is missing: name the one to listen at, as in cupel serve "
                       "192.0.2.7, or cupel serve :" NET_PORT " for all of this machine");
    o.plan.cpus_given = options_given(set, "cpus") != NULL;
    const struct serve_request request = {.address = set->operands[0],
                                          .seconds = o.seconds,
                                          .connections = o.connections,
                                          .length = o.length,
                                          .spins = o.spin,
                                          .plan = &o.plan,
                                          .stop = signals_install(),
                                          .listening = show_listening,
                                          .ended = show_session,
                                          .context = &unprinted};
    if (serve_run(&request, e))
        return -1;
    return unprinted ? err_set(e, ERR_TARGET,
                               "standard output: nobody read it for a while, and %" PRIu64
                               " sessions are missing there",
                               unprinted)
                     : 0;
}

const struct command command_serve = {
    .name = "serve",
    .operands = "ADDRESS[:PORT]",
    .summary = "be the far end of cupel run --net",
    .description =
        (const char *const[]){
            "Listens at ADDRESS, port " NET_PORT " where none is given, for sessions of cupel run "
            "--net on other hosts, until Ctrl-C. :PORT alone is every address of this machine. "
            "Each session is a line on standard output: what was asked for and moved, which "
            "the other end holds against its own counts.",
            "It opens no file, runs no command and leaves nothing behind. Whoever reaches the port "
            "may use it while it listens: it asks for no password and encrypts nothing.",
            NULL},
    .options = serve_options,
    .examples =
        (const struct help_item[]){
            {"cupel serve 192.0.2.7", "On one host; on the other: cupel run --net 192.0.2.7."},
            {"cupel serve :" NET_PORT " --for 1h --spin",
             "At all addresses, for an hour, without the time that waking up takes."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "It served until Ctrl-C, or as long as asked."},
            {"2", "Wrong options, or an address that is not this machine's."},
            {"4", "Standard output could not be written, or was not read while sessions ended."},
            {"6", "It cannot listen there: the port is taken, or needs root."},
            {0}},
    .max_operands = 1,
    .run = run_serve,
};
