/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect.txt: a mistake is reported with its place; a file without mistakes judges a machine with
   drives. */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/qualification_fixture.h"

static struct qualified machine;

/* Made once: the machine is only read, and its checks are removed each time. */
static void make_machine(void)
{
    if (machine.q.devices)
        return;
    qualified_begin(&machine);
    for (int i = 0; i < 3; i++)
        qualified_add_nvme(&machine, i, i == 2 ? "8.0 GT/s x4" : "16.0 GT/s x4");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct expectation *x = NULL;
    struct err e = {0};
    if (expectation_parse(&x, (const char *)data, size, "expect", &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && strncmp(e.msg, "expect:", 7) == 0 && x == NULL,
                   "an expectation refused without a place");
        return 0;
    }
    make_machine();
    struct qualification q = machine.q;
    expectation_judge(x, &q);
    FUZZ_CHECK(q.check_count + q.dropped > 0, "an expectation that judges nothing");
    expectation_free(x);
    return 0;
}
