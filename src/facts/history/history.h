/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The history of a target: the sessions of one workload on it over time, what each predicted for
 * the next, and when the level changed. Plain data; src/run/history and src/many/history fill it,
 * src/report prints it.
 */
#ifndef CUPEL_FACTS_HISTORY_HISTORY_H
#define CUPEL_FACTS_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tables/metrics.h"

/* The outcome of a prediction. */
enum prediction_check {
    PREDICTION_NONE,     /* the session before made none, or there is no session before */
    PREDICTION_HELD,     /* the mean lies inside of it */
    PREDICTION_MISSED,   /* the mean lies outside of it */
    PREDICTION_LEFT_OUT, /* not checked: this session does not repeat the one before. Their lengths
                            differ by more than PREDICTION_LENGTHS_MAX, their metrics differ, or
                            other programs used the machine in one of them only */
};

#define PREDICTION_LENGTHS_MAX 4.0
#define PREDICTIONS_COUNTED    20 /* "of the last 20 predictions" */

const char *prediction_check_name(enum prediction_check check); /* "", held, missed, left out */

/* A session that measured a mean. */
struct history_session {
    char date[32];   /* when it began: ISO 8601 with the zone */
    double seconds;  /* duration of its measured rounds */
    char metric[24]; /* name of the headline's metric (tables/metrics.h), and its operation */
    char op[8];
    double mean;
    double low, high; /* interval of the mean; NaN: it has none */
    /* prediction for a repetition of the same length; NaN: it predicts nothing */
    double next_low, next_high;
    double memory; /* struct result_row */
    double confidence;
    char verdict[24]; /* name of the verdict; a later version of cupel may have written one that
                         this one does not know */
    char busy[160];   /* what else used the machine, as in struct result; "": nothing */
    char version[32]; /* of cupel */

    /* The prediction of the session before, for one of this length. Known after judging. */
    enum prediction_check check;
    double predicted_low, predicted_high; /* NaN: nothing to check */
    size_t level;                         /* the number of its level, from 0; known after judging */
};

/* The counts of checked predictions. */
struct prediction_count {
    uint64_t checked, held; /* of the last PREDICTIONS_COUNTED predictions that were checked */
    uint64_t left_out;      /* sessions since the first of these that were not checked */
};

/* Sessions between two changes. */
struct history_level {
    size_t begin, end;      /* indices of its sessions, without `end` */
    double mean, low, high; /* mean over its sessions, with the interval by Student's t (NaN for a
                               single session) */
};
#define HISTORY_LEVELS_MAX 32

/* The answer to "is it still as fast as at first?", and what it comes from. */
enum history_answer {
    HISTORY_ONE,  /* there is one session */
    HISTORY_SAME, /* as fast as at first */
    HISTORY_FASTER,
    HISTORY_SLOWER,
    HISTORY_OPEN, /* no answer: the sessions are no repetitions of one another */
};
enum history_ground {
    GROUND_FIRST_SESSION, /* what the first session predicted for the last one */
    GROUND_TREND,         /* the level rises or falls from session to session */
    GROUND_LEVELS,        /* the first level and the last one */
    GROUND_LAST_SESSION,  /* the last session alone lies outside of what the level before it says */
};

#define HISTORY_SESSIONS_MAX 1000

struct history {
    char key[20];     /* of the disk and the workload (run/history/history.h) */
    char target[256]; /* as the report of a session names it */
    char workload[200];
    struct history_session *sessions; /* in the order of time */
    size_t count;
    size_t damaged; /* lines of its file that could not be read, and were left out */
    struct prediction_count predictions;
    struct history_level levels[HISTORY_LEVELS_MAX];
    size_t level_count; /* 0: fewer than `needed` sessions, or several metrics */
    size_t needed;      /* least number of sessions that can show a change of the level */
    enum history_answer answer;
    enum history_ground ground;
    bool of_busy; /* fewer than `needed` sessions had the machine alone: the levels are of those
                     that had not */
    double trend; /* change of the level from the first session to the last; 0: no trend */
    /* the range that the last session was compared with; NaN: not compared */
    double expected_low, expected_high;
};

/* Several histories: those of a machine, or of a folder of results. */
struct histories {
    struct history *rows;
    size_t count;
    const char *source; /* the folder */
    size_t unreadable;  /* records or files that could not be read */
    bool of_machine;    /* this machine's own history; false: of results in folders */
};

#endif
