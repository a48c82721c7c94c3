/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parsers for the values of options and profiles that describe a workload; the results are values
 * of workload_spec.h. Each function returns 0, or -1 with ERR_USAGE and the place: "column 7:
 * ..." counts from 1 in `text`.
 *
 *   arrival   uniform | poisson | normal[:SD] | pareto[:SHAPE] | burst[:N]
 *   phases    RATE:TIME | FROM-TO:TIME | RATE/ON/OFF:TIME, separated by commas; without :TIME the
 *             last one never ends: 5k:10s,5k-50k:1m,50k. RATE: 500, 5k, 1.5m
 *   duration  TIME | exponential:TIME | uniform:TIME
 *   address   random | sequential | zipf:THETA | pareto:H | hotspot:REGION/REQUESTS | streams:N |
 *             stride:SIZE | sequence:NUMBER,NUMBER...[/STEP] | walk[:CLIMB] | same[:STEP]
 *             (shares as 10% or 0.1)
 *   sizes     SIZE/WEIGHT:SIZE/WEIGHT..., fio's bssplit; sizes without a weight share what is left
 *             of 100; after a comma those of writes, if they differ from those of reads
 *   splits    SIZE/PERCENT[/CLASS/LEVEL[/HINT]]:..., fio's cmdprio_bssplit; a SIZE of any is every
 *             size; CLASS: rt, be, idle, none or fio's 1, 2, 3, 0; after a comma those of writes,
 *             if they differ from those of reads, or nothing if writes have none
 *   modes     MODE | MODE/PERCENT:MODE/PERCENT..., fio's write_mode; the percentages sum to 100
 */
#ifndef CUPEL_SOURCE_GENERATOR_WORKLOAD_SPEC_TEXT_H
#define CUPEL_SOURCE_GENERATOR_WORKLOAD_SPEC_TEXT_H

#include "base/err.h"
#include "source/generator/phases.h"
#include "source/generator/workload_spec.h"

int arrival_parse(const char *text, struct arrival_spec *arrival, struct err *e);
int phases_parse(const char *text, struct phases *phases, struct err *e);
int duration_parse(const char *text, struct duration_spec *duration, struct err *e);
int address_parse(const char *text, struct address_spec *address, struct err *e);
/* Reads the sizes of the stream's requests. */
int sizes_parse(const char *text, struct stream_spec *stream, struct err *e);
/* Reads the stream's splits. `usual` is the priority of splits for which the text gives none. */
int priorities_parse(const char *text, uint16_t usual, struct stream_spec *stream, struct err *e);
/* Reads the commands of the stream's writes as splits. */
int write_modes_parse(const char *text, struct stream_spec *stream, struct err *e);

#endif
