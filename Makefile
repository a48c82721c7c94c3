# SPDX-License-Identifier: GPL-3.0-or-later
# What is made from what. build.sh runs this file for one variant. O is the folder of the variant (build, build/asan,
# build/host, build/aarch64). build.sh writes three .mk files there, each only when its content changes:
#
#   flags.mk    the compiler, its flags, the libraries
#   sources.mk  the files to compile, found by a search: a new file needs no entry
#   version.mk  the version
#
# Besides the program there are targets for libcupel, objects, tests, fuzzers and the checks of clang-tidy.
ifndef O
$(error ./build.sh builds: it installs what is missing and calls this with the folder of a variant, O)
endif
include $(O)/flags.mk $(O)/sources.mk $(O)/version.mk
PROGRAMS := $(filter-out $(PRELOADS),$(PROGRAMS))
HARNESSES := $(patsubst %.c,$(O)/%,$(filter tests/fuzz/fuzz_%,$(PROGRAMS)))
FUZZERS := $(HARNESSES:$(O)/tests/fuzz/%=$(O)/fuzzer/%)
comma := ,

OBJECTS := $(SOURCES:%.c=$(O)/obj/%.o)
MAIN := $(O)/obj/src/cmd/main.o
VERSIONED := $(O)/obj/src/base/version.o

.PHONY: binary library unit guest bench corpus fuzz
.DELETE_ON_ERROR:
.SECONDARY:
binary: $(O)/cupel
library: $(O)/library/libcupel.a $(O)/library/libcupel-run.a
unit: $(patsubst %.c,$(O)/%,$(filter tests/unit/test_%,$(PROGRAMS)))
guest: $(patsubst %.c,$(O)/%,$(filter tests/guest/%,$(PROGRAMS)))
bench: $(patsubst %.c,$(O)/%,$(filter tests/bench/%,$(PROGRAMS))) $(PRELOADS:%.c=$(O)/%.so)
corpus: $(HARNESSES)
fuzz: $(FUZZERS)

$(OBJECTS): CFLAGS += $(FRAMES)
$(O)/obj/tests/unit/%.o: CFLAGS += $(TESTS)

# The assembler's .incbin makes the profiles part of the program. The compiler does not report that dependency to make.
$(patsubst %.c,$(O)/obj/%.o,$(filter src/source/generator/profile%,$(SOURCES))): $(wildcard tables/profiles/*.profile)

# The same holds for page.gz, the text that all HTML pages share (embed_page makes it).
$(O)/obj/src/report/html/html_page.o: $(O)/page.gz
$(O)/obj/src/report/html/html_page.o: CFLAGS += -Wa,-I$(O)

$(O)/obj/%.o: %.c $(O)/flags.mk
	@mkdir -p $(@D)
	@echo "compiling $<"
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MT $@ -MT $(O)/tidy/$*.ok -MT $(O)/analysis/$*.ok -MT $(O)/whole/$*.ok -c $< -o $@

# Only this file contains the version: after a commit nothing else is compiled again.
$(VERSIONED): $(O)/version.mk
$(VERSIONED): CPPFLAGS += -DCUPEL_VERSION='"$(VERSION)"'

# The archive is made anew each time, so that it has no object of a source that was deleted. q, because file names occur in
# several folders, and r would replace one by the other.
$(O)/parts.a: $(filter-out $(MAIN),$(OBJECTS)) $(O)/sources.mk
	@rm -f $@
	ar qcs $@ $(filter-out $(MAIN),$(OBJECTS))

# The library: everything that its functions reach, linked into one object in which all other names are local. The functions
# that do I/O reach the most and have an archive of their own.
RUNS := 'cupel_\(run_\|request\|timer\)'
$(O)/library/libcupel.names: GREP := grep -v $(RUNS)
$(O)/library/libcupel-run.names: GREP := grep $(RUNS)
$(O)/library/%.names: include/cupel.h Makefile
	@mkdir -p $(@D)
	@grep -o 'cupel_[a-z_]*(' $< | tr -d '(' | sort -u | $(GREP) >$@

$(O)/library/%.a: $(O)/library/%.names $(O)/parts.a $(LIBS)
	@$(CC) -r -nostdlib -Wl,--gc-sections $$(sed 's/^/-Wl,-u,/' $<) -o $(@:.a=.o) $(O)/parts.a $(LIBS)
	@objcopy --strip-unneeded --keep-global-symbols=$< $(@:.a=.o)
	@rm -f $@
	ar qcsD $@ $(@:.a=.o)
	@echo "built $@ ($$(($$(wc -c <$@) / 1024)) KiB)"

# The map lists what the linker took from which archive; tools/package/spdx.sh reads it.
$(O)/cupel.debug: $(MAIN) $(O)/parts.a $(LIBS)
	$(CC) $(LDFLAGS) -Wl,-Map=$(O)/cupel.map -o $@ $^ -lm

$(O)/cupel: $(O)/cupel.debug
	$(STRIP) $< $@.new
	@mv $@.new $@
	@echo "built $@ ($$(($$(wc -c <$@) / 1024)) KiB)"

$(O)/tests/%: $(O)/obj/tests/%.o $(O)/parts.a $(LIBS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lm

# A harness feeds one reader with inputs; its files are in memory (tests/fuzz/memory_file.c). As a test it reads a corpus
# once. As a fuzzer (in the variant with the sanitizers) it has libFuzzer's main().
FUZZ_PARTS := $(patsubst %,$(O)/obj/tests/fuzz/memory_%.o,file folder) $(O)/parts.a $(LIBS)
wrap = $(patsubst %,-Wl$(comma)--wrap=%,$(1))
FUZZ_WRAPS := $(call wrap,open openat read pread write fstat stat fstatat close fopen mkdirat symlinkat)
$(HARNESSES): $(O)/tests/fuzz/%: $(O)/obj/tests/fuzz/%.o $(O)/obj/tests/fuzz/corpus_main.o $(FUZZ_PARTS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(FUZZ_WRAPS) -o $@ $^ -lm

$(FUZZERS): $(O)/fuzzer/%: $(O)/obj/tests/fuzz/%.o $(O)/obj/tests/fuzz/memory_reuse.o $(FUZZ_PARTS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -fsanitize=fuzzer $(FUZZ_WRAPS) $(call wrap,malloc calloc realloc free) -o $@ $^ -lm

# Preloaded objects are linked with no C library, so that programs with any C library can load them.
$(O)/tests/%.so: tests/%.c $(O)/flags.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -nostdlib -MMD -MP -MT $@ -MF $(O)/tests/$*.d -o $@ $<

# clang-tidy runs in three depths. Files that changed: with path analysis up to 40,000 states (of 66 inserted faults it found
# the 50 that the full analysis finds, in a quarter of the time). Files that use changed ones: without path analysis. All
# files, for ./build.sh check --all: with the full analysis.
TIDY = clang-tidy --quiet $(1) $< -- -std=c17 $(CPPFLAGS) $(TIDYFLAGS) -DCUPEL_VERSION='"check"' $(2) 2>$@.err || \
	{ sed '/ generated\.$$/d' $@.err; false; }

$(O)/analysis/%.ok: %.c .clang-tidy $(O)/flags.mk
	@mkdir -p $(@D)
	@$(call TIDY,,-Xclang -analyzer-config -Xclang max-nodes=40000)
	@touch $@

$(O)/tidy/%.ok: %.c .clang-tidy $(O)/flags.mk
	@mkdir -p $(@D)
	@$(call TIDY,--checks=-clang-analyzer-*)
	@touch $@

$(O)/whole/%.ok: %.c .clang-tidy $(O)/flags.mk
	@mkdir -p $(@D)
	@$(call TIDY)
	@touch $@

-include $(OBJECTS:.o=.d) $(PROGRAMS:%.c=$(O)/obj/%.d) $(PRELOADS:%.c=$(O)/%.d)
