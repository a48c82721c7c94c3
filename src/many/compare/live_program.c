/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the rounds of a comparison as executions of a program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many/compare/internal.h"
#include "many/compare/live_rounds.h"

struct program_state {
    struct exec *exec;
    struct exec_program program; /* a copy, whose seconds_left is set before each round */
    double work;
    uint64_t rounds;
};

void program_metric(char to[PROGRAM_METRIC_MAX], const char *op, const char *name)
{
    bool of_all = !strcmp(op, "all") || !op[0];
    snprintf(to, PROGRAM_METRIC_MAX, "%.8s%s%.48s", of_all ? "" : op, of_all ? "" : ".", name);
}

static void add_value(struct live_round *round, const char *metric, const char *unit, bool higher,
                      bool harmonic, double value)
{
    if (round->count == LIVE_VALUES)
        return;
    struct live_value *v = &round->values[round->count++];
    *v = (struct live_value){.higher_is_better = higher, .harmonic = harmonic, .value = value};
    snprintf(v->metric, sizeof v->metric, "%s", metric);
    snprintf(v->unit, sizeof v->unit, "%s", unit);
}

/* Runs a round. Takes the program's indices or, if it prints none, its duration in s. */
static int program_round(void *state, uint64_t number, uint64_t seed, double seconds,
                         struct live_round *round, struct err *e)
{
    (void)number;
    (void)seed;
    (void)seconds;
    struct program_state *s = state;
    struct exec_reading reading;
    s->program.seconds_left = round->seconds_left;
    if (exec_round(s->exec, ++s->rounds, s->work, &reading, e)) {
        round->stopped = e->code == ERR_UNDECIDED; /* preparing the round took until the limit */
        return round->stopped ? 0 : -1;
    }
    round->stopped = reading.stopped || reading.out_of_time;
    round->left_out = reading.left_out;
    round->measured_seconds = reading.seconds;
    if (!reading.why)
        reading.why = reading.left_folder;
    if (reading.why)
        snprintf(round->why, sizeof round->why, "%.190s", reading.why);
    if (reading.why || round->stopped)
        return 0;
    for (size_t i = 0; i < s->program.index_count; i++) {
        const struct exec_index *index = &s->program.indices[i];
        char name[PROGRAM_METRIC_MAX];
        program_metric(name, index->op, index->name);
        add_value(round, name, index->unit, index->better != METRIC_BETTER_LOWER,
                  index->type == INDEX_RATIO, reading.values[i]);
    }
    if (!s->program.index_count) {
        add_value(round, "duration", "s", false, false, reading.duration);
        add_value(round, "cpu_time", "s", false, false,
                  reading.user_seconds + reading.system_seconds);
    }
    return 0;
}

static int program_end(void *state, struct err *e)
{
    struct program_state *s = state;
    int status = exec_close(s->exec, e);
    free(s);
    return status;
}

int live_program_source(struct live_source *source, const struct exec_program *program, double work,
                        const volatile sig_atomic_t *stop, struct err *e)
{
    struct program_state *s = calloc(1, sizeof *s);
    if (!s)
        return err_no_memory(e, "a program");
    s->program = *program;
    s->work = work;
    if (exec_open(&s->exec, &s->program, stop, e)) {
        free(s);
        return -1;
    }
    source->round = program_round;
    source->end = program_end;
    source->state = s;
    return 0;
}
