# Attention by hand: `make` builds the ladder and runs it, `make help` lists the targets. Everything built goes to
# build/. The parts of this file lie beside what they build and are included at the end; each says what it is.

include tests/tools/setup.mk # make setup test: setup first, then a make that sees what it has installed
ifeq ($(LATER),)

# ---- what the user may set: make test CC=clang SANITIZE=1 ----
CFLAGS   ?=
LDFLAGS  ?=
# SANITIZE=1: everything under AddressSanitizer and UndefinedBehaviorSanitizer
SANITIZE ?=
# WERROR=1: warnings are errors
WERROR   ?=
# V=1: show the commands
V        ?=

# ---- the ladder ----
STAGES  := 0 1 2 3 4
FOLDERS := $(sort $(wildcard 0[0-4]_*))
folder   = $(filter 0$(1)_%,$(FOLDERS))

# ---- what this machine has ----
# $(call accepts,FLAG): FLAG, if the compiler knows it
accepts  = $(shell echo 'int x;' | $(CC) -Werror $(1) -x c -c - -o /dev/null 2>/dev/null && echo '$(1)')
# $(call links,FLAG): FLAG, if a program that calls OpenMP can be built with it
links    = $(shell printf '\043include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' | \
             $(CC) $(1) -x c - -o /dev/null 2>/dev/null && echo '$(1)')
version  = $(shell $(PKG_CONFIG) --modversion $(1) 2>/dev/null)
program  = $(shell command -v $(1) 2>/dev/null)

CHECK    := $(call version,check)
OPENBLAS := $(call version,openblas)
GNUPLOT  := $(call program,gnuplot)
MPICC    := $(firstword $(MPICC) $(call program,mpicc) $(wildcard /usr/lib64/openmpi/bin/mpicc))
NVCC_VERSION := $(shell nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')

# ---- flags ----
# Versions 0 to 4 print the same numbers everywhere: no -march, no contraction of a * b + c.
VERSION_FLAGS := -std=c11 -O3 $(call accepts,-ffp-contract=off)
# flash.c and decode.c are built for this machine, and for all its cores where the compiler has OpenMP.
# make FLASH_ARCH='-mavx2 -mfma' OPENMP= : for another machine, without threads
FLASH_ARCH    ?= $(call accepts,-march=native)
OPENMP        ?= $(or $(call links,-fopenmp),$(call links,$(BREW_OPENMP)))
FLASH_ARCH    := $(FLASH_ARCH)
OPENMP        := $(OPENMP)
FLASH_FLAGS    = -std=c11 -O3 $(FLASH_ARCH) $(call accepts,-ffp-contract=fast) $(OPENMP)
TEST_FLAGS    := -std=c11 -O2 -D_POSIX_C_SOURCE=200809L
ifneq ($(SANITIZE),)
# clang's vla-bound refuses a size of zero, which is one of our edge cases; and it warns of loops that with all
# these checks in them can't become SIMD
SANITIZERS    := -g -fsanitize=address,undefined -fno-sanitize-recover=all \
                 $(if $(findstring clang,$(shell $(CC) --version)),-fno-sanitize=vla-bound -Wno-pass-failed)
endif
COMPILE        = $(CC) -Wall -Wextra $(if $(WERROR),-Werror) -MMD -MP $(CFLAGS) $(SANITIZERS)
LINK           = $(CC) $(CFLAGS) $(SANITIZERS) $(OPENMP) $(LDFLAGS)
# what also holds version 5 is linked by the C++ compiler
LINK_ALL       = $(if $(CUDA),$(CXX),$(CC)) $(CFLAGS) $(SANITIZERS) $(OPENMP) $(LDFLAGS)

# ---- version 5 has a Makefile of its own; here is how it is called ----
# Its row in the ledger and its tests need a C++ compiler. They are left out without one, and under the sanitizers,
# which do not know its fibers.
ifeq ($(origin CXX)$(findstring clang,$(CC)),defaultclang)
CXX           := clang++
endif
CUDA          := $(if $(or $(SANITIZE),$(if $(wildcard 05_cuda),,none)),,$(shell echo 'int x;' | \
                 $(CXX) -std=c++17 -x c++ -c - -o /dev/null 2>/dev/null && echo yes))
IN_CUDA        = $(MAKE) -s --no-print-directory -C 05_cuda CC='$(CC)' CXX='$(CXX)' WERROR='$(WERROR)' V='$(V)'
ifneq ($(CUDA),)
CUDA_LIBRARY  := build/05_cuda/counted/libattention.a
CUDA_LIBS     := $(shell MAKEFLAGS= MAKELEVEL=0 $(MAKE) -s --no-print-directory -C 05_cuda CXX='$(CXX)' libs)
TEST_FLAGS    += -DHAVE_CUDA
endif

# $(call say,WHAT): one short line instead of the command, unless V=1
say            = $(if $(V),,@echo '  $(1)';)

# ---- the stages ----
.PHONY: all ledger test clean help summary FORCE
all: $(STAGES:%=build/stage-%) build/ledger build/experiment   ## learn: build and run the ladder, then the ledger
	@for n in $(STAGES); do build/stage-$$n && echo || exit; done; build/ledger

$(STAGES:%=stage-%): stage-%: build/stage-% build/ledger build/experiment
	@build/stage-$*
	@echo
	@build/ledger --versions 0-$*
	@$(AFTER)
stage-%:                                      ## learn: run version N's program, then the ledger up to it
	$(error There is no stage '$*'. The stages are: $(STAGES) 5)

# as a reader builds them
.SECONDEXPANSION:
plain_objects = $(patsubst %.c,build/plain/%.o,$(wildcard $(call folder,$(1))/*.c))
$(STAGES:%=build/stage-%): build/stage-%: $$(call plain_objects,%)
	$(call say,LINK $@) $(LINK) $^ -lm -o $@
build/plain/%.o: %.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(VERSION_FLAGS) -c $< -o $@
$(patsubst %,build/%.o,$(foreach kind,plain counted,$(patsubst %,$(kind)/$(call folder,4)/%,flash decode))): \
    VERSION_FLAGS = $(FLASH_FLAGS)

# The flags of this build. Every object depends on it, so that changed flags rebuild them.
build/flags: FORCE | summary
	@mkdir -p build
	@echo '$(COMPILE) $(VERSION_FLAGS) $(FLASH_FLAGS) $(TEST_FLAGS) $(LDFLAGS)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

DIFFS := $(filter-out 0,$(STAGES))
$(DIFFS:%=diff-%): old = $(call folder,$(shell expr $* - 1))/attention.c
$(DIFFS:%=diff-%): new = $(call folder,$*)/attention.c
diff-tiled: old = $(call folder,4)/attention.c
diff-tiled: new = $(call folder,4)/tiled.c
$(DIFFS:%=diff-%) diff-tiled: diff-%:
	@colour=$$(diff --color=auto /dev/null /dev/null 2>/dev/null && echo --color=auto); \
	diff $$colour -u -L $(old) -L $(new) $(old) $(new); test $$? -eq 1
diff-%:                                       ## learn: what version N changes in attention.c of version N-1
	$(error There is no diff '$*'. There are: $(DIFFS) tiled)

ledger: build/ledger                          ## learn: every version on the article's experiment, in one table
	@build/ledger

test: build/run-tests build/ledger $(STAGES:%=build/stage-%)   ## check: the Check suites; SANITIZE=1, CC=clang
	@CK_EXCLUDE_TAGS='class grid' ASAN_OPTIONS=allocator_may_return_null=1 CK_TIMEOUT_MULTIPLIER=5 build/run-tests

# ---- the house ----
clean:                                        ## learn: remove build/, but for your own work in build/exercise
	@for entry in build/*; do [ "$$entry" = build/exercise ] || rm -rf "$$entry"; done

parts = $(filter Makefile %.mk,$(MAKEFILE_LIST))
help:                                         ## learn: this list
	@awk -f tests/tools/targets.awk $(parts)
.DEFAULT:
	$(error There is no target '$@'$(shell awk -v asked='$@' -f tests/tools/targets.awk $(parts)). make help lists them)

# Found and not found, said at the start of every build
summary:
	$(if $(call program,$(firstword $(CC))),,$(error There is no C compiler '$(CC)': make setup installs one))
	@echo "compiler  $$($(CC) --version 2>/dev/null | head -n 1): versions 0 to 4 are ready, built with"
	@echo "          $(CC) $(VERSION_FLAGS) $(CFLAGS) $(SANITIZERS)"
	@echo "OpenMP    $(if $(OPENMP),found: attention_flash uses all cores,left out: attention_flash uses one core)"
	@echo "C++       $(if $(CUDA),$$($(CXX) --version | head -n 1): version 5 runs on the CPU,left out: without version 5)"
	@echo "nvcc      $(or $(NVCC_VERSION),not found: version 5 is not compiled for a GPU)"
	@echo "Check     $(or $(CHECK),not found: make test is left out (make setup installs it))"
	@echo "OpenBLAS  $(or $(OPENBLAS),not found: stage 1 runs without its twin (make setup installs it))"
	@echo "gnuplot   $(if $(GNUPLOT),found,not found: no figures are drawn (make setup installs it))"
	@echo "MPI       $(if $(MPICC),found: make ring runs on several machines,not found: the ring is left out (make setup-ring installs it))"
	@echo

include $(filter-out %/setup.mk,$(wildcard tests/*/*.mk docs/*.mk docs/*/*.mk 0*/*.mk 0*/*/*.mk))
-include $(wildcard $(foreach depth,* */* */*/*,$(foreach kind,plain counted tests stubs graded ring,build/$(kind)/$(depth).d)))
endif
