/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The history of a target: the sessions of one workload on it over time, what each session
 * predicted for the next one, and when the level changed. Plain data; src/run/history and
 * src/many/history fill it, src/report prints it.
 */
#ifndef CUPEL_FACTS_HISTORY_HISTORY_H
#define CUPEL_FACTS_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tables/metrics.h"

/* Whether a session's mean agrees with the prediction of the session before. */
enum prediction_check {
    /* no prediction: the session before made none, or this is the first session */
    PREDICTION_NONE,
    PREDICTION_HELD,   /* the mean lies inside the predicted interval */
    PREDICTION_MISSED, /* the mean lies outside the predicted interval */
    /* not checked, as this session does not repeat the one before: their lengths differ by more
       than PREDICTION_LENGTHS_MAX, their metrics differ, or other programs used the machine in only
       one of them */
    PREDICTION_LEFT_OUT,
};

#define PREDICTION_LENGTHS_MAX 4.0
#define PREDICTIONS_COUNTED    20 /* maximum of counted predictions */

/* Returns "", "held", "missed" or "left out". */
const char *prediction_check_name(enum prediction_check check);

/* A session that measured a mean. */
struct history_session {
    char date[32];   /* start: ISO 8601 with the time zone */
    double seconds;  /* duration of its measured rounds */
    char metric[24]; /* metric of the headline (tables/metrics.h), and its operation */
    char op[8];
    double mean;
    double low, high; /* confidence interval of the mean; NaN: none */
    /* Prediction interval for a repetition of the same length; NaN: no prediction. */
    double next_low, next_high;
    double memory; /* long-memory parameter d of the mean; 0: none */
    double confidence;
    /* name of the verdict; a later version of cupel may write names that this version does not
       have */
    char verdict[24];
    char busy[160];   /* which other programs used the machine, as in struct result; "": none */
    char version[32]; /* version of cupel */

    /* What the session before predicted for a session of this length. Set by history_judge. */
    enum prediction_check check;
    double predicted_low, predicted_high; /* NaN: there is no prediction to check */
    /* number of the level that this session belongs to, from 0; set by history_judge */
    size_t level;
};

/* How many predictions were checked, and how many held. */
struct prediction_count {
    /* number of checked predictions, of which at most the last PREDICTIONS_COUNTED are counted; how
       many of the counted ones held */
    uint64_t checked, held;
    uint64_t left_out; /* number of unchecked sessions since the first checked one */
};

/* A level: the sessions between two changes. */
struct history_level {
    size_t begin, end; /* indices of the level's sessions: from begin to before end */
    /* mean over the level's sessions, and its interval by Student's t (NaN for a single session) */
    double mean, low, high;
};
#define HISTORY_LEVELS_MAX 32

/* The answer to "is the target still as fast as at first?", and the comparison that gave it. */
enum history_answer {
    HISTORY_ONE,  /* no answer: there is only one session */
    HISTORY_SAME, /* the target is as fast as in the first sessions */
    HISTORY_FASTER,
    HISTORY_SLOWER,
    HISTORY_OPEN, /* no answer: the sessions do not repeat one another */
};
enum history_ground {
    /* the last session's mean is compared with the interval that the first session predicted */
    GROUND_FIRST_SESSION,
    GROUND_TREND,  /* the level rises or falls steadily from session to session */
    GROUND_LEVELS, /* the last level is compared with the first one */
    /* only the last session lies outside the range that the level before it predicts */
    GROUND_LAST_SESSION,
};

#define HISTORY_SESSIONS_MAX 1000

struct history {
    char key[20];     /* identifies the disk and the workload (run/history/history.h) */
    char target[256]; /* target, named as in the report of a session */
    char workload[200];
    struct history_session *sessions; /* [count], the oldest first */
    size_t count;
    size_t damaged; /* number of lines in the history's file that could not be read */
    struct prediction_count predictions;
    struct history_level levels[HISTORY_LEVELS_MAX];
    size_t level_count; /* 0: fewer than `needed` sessions, or sessions with different metrics */
    size_t needed;      /* minimum number of sessions that can show a change of the level */
    enum history_answer answer;
    enum history_ground ground;
    /* fewer than `needed` sessions ran without other programs, so the levels are those of the
       sessions with other programs */
    bool of_busy;
    double trend; /* total change of the level from the first session to the last; 0: no trend */
    /* The range that the last session was compared with; NaN: not compared. */
    double expected_low, expected_high;
};

/* Several histories: all of a machine, or of a folder of results. */
struct histories {
    struct history *rows;
    size_t count;
    const char *source; /* the folder of the records */
    size_t unreadable;  /* records or files that could not be read */
    bool of_machine;    /* histories of this machine; false: of results in folders */
};

#endif
