/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A harness without a fuzzer: every file named is read once.  fuzz_NAME FILE... */
#include "tests/fuzz/fuzz.h"

#define BYTES_MAX (1u << 20)

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "r");
        uint8_t *bytes = malloc(BYTES_MAX);
        if (f == NULL || bytes == NULL) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return EXIT_FAILURE;
        }
        size_t length = fread(bytes, 1, BYTES_MAX, f);
        fclose(f);
        /* Of exactly that size, for the sanitizer to see a byte too far. */
        uint8_t *exact = malloc(length ? length : 1);
        for (size_t k = 0; exact && k < length; k++)
            exact[k] = bytes[k];
        free(bytes);
        fprintf(stderr, "%s\n", argv[i]); /* the last one is at fault */
        if (exact)
            LLVMFuzzerTestOneInput(exact, length);
        free(exact);
    }
    printf("%d inputs\n", argc - 1);
    return EXIT_SUCCESS;
}
