/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a harness without a fuzzer: reads every named file once. fuzz_NAME FILE... */
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
        /* Exactly that size, so that the sanitizer detects reads beyond it. */
        uint8_t *exact = malloc(length ? length : 1);
        for (size_t k = 0; exact && k < length; k++)
            exact[k] = bytes[k];
        free(bytes);
        fprintf(stderr, "%s\n", argv[i]); /* the last file printed is the one that failed */
        if (exact)
            LLVMFuzzerTestOneInput(exact, length);
        free(exact);
    }
    printf("%d inputs\n", argc - 1);
    return EXIT_SUCCESS;
}
