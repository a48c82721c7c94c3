/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The region that is measured (--offset, --size), and the part of it, or the separate region
   (--offset_increment), that each job has: options, rules, checks and description. */
#include "base/units.h"
#include "io/io.h"
#include "run/plan/internal.h"

/* clang-format off */
const struct option_row plan_fields_region[] = {
    {FIELD(SIZE, offset), OPTION(REGION, "offset", "SIZE"), .value = "0",
     .help = "Where in the target the measured region begins."},
    {FIELD(SIZE, size), OPTION(REGION, "size", "SIZE"),
     .value_words = "to the end of the target; 1 GiB for a scratch file",
     .help = "Bytes of the measured region, and of a file that has to be made; with filestat and filedelete "
             "of each file, which is otherwise empty."},
    {FIELD(SIZE, offset_increment), OPTION(REGION, "offset_increment", "SIZE"), .value_words = "all jobs share one region",
     .help = "Each job has a region of its own of --size, which begins so far after that of the job before; without "
             "--size it ends there."},
    {FIELD(UNSIGNED, seed), OPTION(REGION, "seed", "N"), .value = "1",
     .help = "The same seed makes the same requests."},
    {0},
};

const struct option_rule plan_rules_region[] = {
    EXCLUDES("offset_increment", "mode @action", "--offset_increment parts one file or device among the jobs"),
    {0},
};
/* clang-format on */

enum { DIRECT_ALIGNMENT = 512 };

int plan_check_region(const struct plan *p, struct err *e)
{
    char block[UNITS_BUFFER], size[UNITS_BUFFER];
    if (p->direct && p->offset % DIRECT_ALIGNMENT)
        return err_set(
            e, ERR_USAGE,
            "--offset %llu: with --direct 1 it is a multiple of %d bytes; choose another "
            "offset or --direct 0",
            (unsigned long long)p->offset, DIRECT_ALIGNMENT);
    if (p->offset_increment && p->direct && p->offset_increment % DIRECT_ALIGNMENT)
        return err_set(e, ERR_USAGE,
                       "--offset_increment %llu: with --direct 1 it is a multiple of %d bytes",
                       (unsigned long long)p->offset_increment, DIRECT_ALIGNMENT);
    if (p->offset_increment > UINT64_MAX / 1024 / PLAN_JOBS_MAX)
        return err_set(e, ERR_USAGE, "--offset_increment reaches beyond the largest possible file");
    if (p->size && p->size < p->block_size && !plan_is_replay(p) && !plan_action(p))
        return err_set(e, ERR_USAGE, "--size %s is smaller than one block of %s (--bs)",
                       format_size(size, sizeof size, (double)p->size),
                       format_size(block, sizeof block, p->block_size));
    if (p->size > UINT64_MAX >> (REQUEST_OPERATION_BITS + 1) ||
        p->offset > UINT64_MAX >> (REQUEST_OPERATION_BITS + 1))
        return err_set(e, ERR_USAGE, "--offset and --size reach beyond the largest possible file");
    return 0;
}

uint64_t plan_region_begin(const struct plan *p, unsigned job)
{
    return p->offset_increment * job;
}

unsigned plan_jobs_of_region(const struct plan *p)
{
    return p->offset_increment ? 1 : p->jobs;
}

uint64_t plan_regions_extent(const struct plan *p, uint64_t region)
{
    return plan_region_begin(p, p->jobs - 1) + region;
}

int plan_check_region_unit(const struct plan *p, const char *target, uint32_t unit,
                           const char *what, struct err *e)
{
    if (p->offset_increment % unit)
        return err_set(e, ERR_USAGE, "%s: --offset_increment is no multiple of %s of %u bytes",
                       target, what, unit);
    return 0;
}

int plan_find_region(const struct plan *p, const char *target, uint64_t size, uint64_t smallest,
                     uint64_t *region, struct err *e)
{
    char have[UNITS_BUFFER], want[UNITS_BUFFER];
    const uint64_t others = plan_region_begin(p, p->jobs - 1);
    const uint64_t begin = p->offset + others;
    if (begin + p->size > size || begin + smallest > size)
        return err_set(
            e, ERR_USAGE, "%s: it has %s; --offset%s and --size reach to %s", target,
            format_size(have, sizeof have, (double)size), others ? ", --offset_increment" : "",
            format_size(want, sizeof want, (double)(begin + (p->size ? p->size : smallest))));
    *region = p->size ? p->size : size - begin;
    if (others && !p->size && *region > p->offset_increment)
        *region = p->offset_increment;
    if (*region < smallest)
        return err_set(e, ERR_USAGE, "--offset_increment is smaller than one block (--bs)");
    return 0;
}
