/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk is the bottleneck only of a program that used one. */
#include "check.h"
#include "program/exec/internal.h"

static struct program_watch_result machine;

/* Returns the disk's verdict after rounds of 1 s with that many blocks each. */
static bool is_blamed(const double blocks[], size_t count)
{
    struct execution_round rounds[8] = {0};
    for (size_t i = 0; i < count; i++)
        rounds[i] = (struct execution_round){.seconds = 1, .io_blocks = blocks[i]};
    const struct round_series series = {.rounds = rounds, .round_count = count};
    machine = (struct program_watch_result){.part_count = 2};
    machine.parts[0] = (struct result_part){.under_test = true, .bottleneck = true, .name = "sda"};
    machine.parts[1] = (struct result_part){.bottleneck = true, .name = PROGRAM_WATCH_BUSIEST};
    own_io_judge(&series, &machine);
    CHECK(machine.parts[1].bottleneck);
    return machine.parts[0].bottleneck;
}

int main(void)
{
    /* The program reads a file from the page cache while others use the disk. */
    CHECK(!is_blamed((double[]){0, 0, 0, 0}, 4));
    /* Only its first start read from the disk. */
    CHECK(!is_blamed((double[]){2048, 0, 0, 0, 0, 0, 0, 0}, 8));
    CHECK(is_blamed((double[]){8, 8, 8, 8}, 4));
    CHECK(is_blamed((double[]){NAN, NAN}, 2));
    return check_result();
}
