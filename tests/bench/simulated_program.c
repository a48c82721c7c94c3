/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One round of a simulated benchmark: prints the seconds that it takes, a comma, and the rate, the
 * inverse of them. It takes none of them really.
 *
 *   simulated_program FILE [WORK]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "simulated_session.h"

int main(int argc, char **argv)
{
    struct simulated_session *s = MAP_FAILED;
    int fd = argc > 1 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;
    if (fd >= 0)
        s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (s == MAP_FAILED) {
        perror("simulated_program FILE");
        return 1;
    }
    double seconds = simulated_round(s, argc > 2 ? strtod(argv[2], NULL) : 1);
    printf("%.9f,%.9f\n", seconds, 1 / seconds);
    return 0;
}
