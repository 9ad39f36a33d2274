# `make help` lists the targets. Everything built goes to build/.

# ---- what the user may set: make test CC=clang SANITIZE=1 ----
CFLAGS   ?=
LDFLAGS  ?=
# SANITIZE=1: everything under AddressSanitizer and UndefinedBehaviorSanitizer
SANITIZE ?=
# WERROR=1: warnings are errors
WERROR   ?=
# V=1: show the commands
V        ?=
# how long make fuzz runs
SECONDS  ?= 60

# ---- the ladder ----
STAGES  := 0 1 2 3 4
FOLDERS := $(sort $(wildcard 0[0-4]_*))
folder   = $(filter 0$(1)_%,$(FOLDERS))

# ---- what this machine has ----
# $(call accepts,FLAG): FLAG, if the compiler knows it
accepts  = $(shell echo 'int x;' | $(CC) -Werror $(1) -x c -c - -o /dev/null 2>/dev/null && echo '$(1)')
version  = $(shell pkg-config --modversion $(1) 2>/dev/null)
program  = $(shell command -v $(1) 2>/dev/null)

CHECK    := $(call version,check)
OPENBLAS := $(call version,openblas)
GNUPLOT  := $(call program,gnuplot)

# ---- flags ----
# Versions 0 to 4 print the same numbers everywhere: no -march, no contraction of a * b + c.
VERSION_FLAGS := -std=c11 -O3 $(call accepts,-ffp-contract=off)
TEST_FLAGS    := -std=c11 -O2 -D_POSIX_C_SOURCE=200809L
ifneq ($(SANITIZE),)
# clang's vla-bound refuses a size of zero, which is one of our edge cases
SANITIZERS    := -g -fsanitize=address,undefined -fno-sanitize-recover=all \
                 $(if $(findstring clang,$(shell $(CC) --version)),-fno-sanitize=vla-bound)
endif
COMPILE        = $(CC) -Wall -Wextra $(if $(WERROR),-Werror) -MMD -MP $(CFLAGS) $(SANITIZERS)
LINK           = $(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS)
# what also holds version 5 is linked by the C++ compiler
LINK_ALL       = $(if $(CUDA),$(CXX),$(CC)) $(CFLAGS) $(SANITIZERS) $(LDFLAGS)
# ---- version 5 has a Makefile of its own; here is how it is called ----
# Its row in the ledger and its tests need a C++ compiler. They are left out without one, and under the sanitizers,
# which do not know its fibers.
ifeq ($(origin CXX)$(findstring clang,$(CC)),defaultclang)
CXX           := clang++
endif
CUDA          := $(if $(SANITIZE),,$(shell echo 'int x;' | $(CXX) -std=c++17 -x c++ -c - -o /dev/null 2>/dev/null && echo yes))
IN_CUDA        = $(MAKE) --no-print-directory -C 05_cuda CC='$(CC)' CXX='$(CXX)' WERROR='$(WERROR)' V='$(V)'
ifneq ($(CUDA),)
CUDA_LIBRARY  := build/05_cuda/counted/libattention.a
CUDA_LIBS     := $(shell $(MAKE) -s --no-print-directory -C 05_cuda CXX='$(CXX)' libs)
TEST_FLAGS    += -DHAVE_CUDA
endif

# $(call say,WHAT): one short line instead of the command, unless V=1
say            = $(if $(V),,@echo '  $(1)';)

# ---- objects: plain, as a reader builds them, and counted, for the tests ----
plain_objects   = $(patsubst %.c,build/plain/%.o,$(wildcard $(call folder,$(1))/*.c))
counted_objects = $(patsubst %.c,build/counted/%.o,$(filter-out %/main.c,$(wildcard $(FOLDERS:=/*.c))))
support         = $(patsubst %,build/tests/%.o,versions reference counted npy) $(counted_objects) $(CUDA_LIBRARY)
suites          = $(patsubst %.c,build/%.o,$(wildcard tests/test*.c)) build/tests/expect.o

.PHONY: all test test-folders test-cuda stage-5 traffic-5 check-5 cuda gpu-report ledger setup setup-dev fuzz clean help summary FORCE
all: $(STAGES:%=build/stage-%) build/ledger   ## build and run the ladder, then the ledger
	@for n in $(STAGES); do build/stage-$$n && echo || exit; done; build/ledger

$(STAGES:%=stage-%): stage-%: build/stage-% build/ledger
	@build/stage-$*
	@echo
	@build/ledger --versions 0-$*
	@$(AFTER)
stage-%:                                      ## run version N's program, then the ledger up to it
	@echo "There is no stage '$*'. The stages are: $(STAGES) 5." >&2; exit 2
ifneq ($(OPENBLAS),)
stage-1: build/blas-twin
stage-1: AFTER = echo; build/blas-twin
else
stage-1: AFTER = echo; echo 'OpenBLAS was not found: the twin of version 1 is left out (make setup installs it).'
endif

# Version 5. Where there is no C++ compiler, each says so in a line.
CUDA_TARGETS := check-5 traffic-5 cuda gpu-report test-cuda
ifneq ($(CUDA),)
stage-5: build/ledger
	+@$(IN_CUDA) BUILD=../build/05_cuda run
	@echo
	+@$(IN_CUDA) BUILD=../build/05_cuda bytes
	@echo
	@build/ledger --versions 0-5
check-5:                                      ## version 5's kernels on the CPU: races, illegal addresses, barriers
	+@$(IN_CUDA) BUILD=../build/05_cuda check
traffic-5:                                    ## the same kernels: sectors per request, bank conflicts
	+@$(IN_CUDA) BUILD=../build/05_cuda traffic
cuda:                                         ## compile version 5 with nvcc, for three GPUs; no warnings, no spills
	+@$(IN_CUDA) BUILD=../build/05_cuda cuda
gpu-report:                                   ## on a GPU: verify, time against PyTorch, write a CSV and a table
	+@$(IN_CUDA) BUILD=../build/05_cuda report
test-cuda:                                    ## check-5, byte counts, planted faults, the PTX
	+@$(IN_CUDA) BUILD=../build/05_cuda programs
	+@$(IN_CUDA) BUILD=../build/05_cuda cuda
	@CXX='$(CXX)' tests/cuda.sh
$(CUDA_LIBRARY): FORCE
	+@$(IN_CUDA) BUILD=../build/05_cuda/counted CXXFLAGS='-include ../tests/counted.h' library
else
stage-5 $(CUDA_TARGETS):
	@echo 'Version 5 needs a C++ compiler, and no sanitizers: left out.'
endif

ledger: build/ledger                          ## every version on the article's experiment, in one table
	@build/ledger

DIFFS := $(filter-out 0,$(STAGES))
$(DIFFS:%=diff-%): diff-%:
	@colour=$$(diff --color=auto /dev/null /dev/null 2>/dev/null && echo --color=auto); \
	old=$(call folder,$(shell expr $* - 1))/attention.c new=$(call folder,$*)/attention.c; \
	diff $$colour -u -L $$old -L $$new $$old $$new; test $$? -eq 1
diff-%:                                       ## what version N changes in attention.c of version N-1
	@echo "There is no diff '$*'. There are: $(DIFFS)." >&2; exit 2

test: build/run-tests build/ledger $(STAGES:%=build/stage-%)   ## the Check suites; SANITIZE=1, CC=clang
	@ASAN_OPTIONS=allocator_may_return_null=1 build/run-tests

test-folders: | summary                       ## every numbered folder, copied out, builds alone
	@tests/folders.sh $(FOLDERS)

fuzz: build/fuzz_npy                          ## feed the .npy reader broken files for SECONDS=60 (needs clang)
	@mkdir -p build/corpus
	build/fuzz_npy -max_total_time=$(SECONDS) -max_len=12288 -timeout=5 -malloc_limit_mb=1 -artifact_prefix=build/ \
	    build/corpus tests/data/npy

setup:                                        ## install compiler, make, Check, gnuplot, OpenBLAS where missing
	@tests/setup.sh
setup-dev:                                    ## also what .ci/run needs: clang, sanitizers, valgrind
	@tests/setup.sh --dev

clean:                                        ## remove build/
	rm -rf build

help:                                         ## this list
	@sed -n 's/^\([a-z][a-z-]*\)\(%\{0,1\}\):.*## \(.*\)/  make \1\2|\3/p' Makefile | sed 's/%/N/' | \
	    while IFS='|' read -r target text; do printf '%-22s %s\n' "$$target" "$$text"; done

# Found and not found, said at the start of every build
summary:
	@echo "compiler  $$($(CC) --version 2>/dev/null | head -n 1): versions 0 to 4 are ready, built with"
	@echo "          $(CC) $(VERSION_FLAGS) $(CFLAGS) $(SANITIZERS)"
	@echo "C++       $(if $(CUDA),$$($(CXX) --version | head -n 1): version 5 runs on the CPU,left out: without version 5)"
	@echo "nvcc      $(or $(shell nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p'),not found: version 5 is not compiled for a GPU)"
	@echo "Check     $(or $(CHECK),not found: make test is left out (make setup installs it))"
	@echo "OpenBLAS  $(or $(OPENBLAS),not found: stage 1 runs without its twin (make setup installs it))"
	@echo "gnuplot   $(if $(GNUPLOT),found,not found: no figures are drawn (make setup installs it))"
	@echo

# The flags of this build. Every object depends on it, so that changed flags rebuild them.
build/flags: FORCE | summary
	@mkdir -p build
	@echo '$(COMPILE) $(VERSION_FLAGS) $(TEST_FLAGS) $(LDFLAGS)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

build/plain/%.o: %.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(VERSION_FLAGS) -c $< -o $@
build/counted/%.o: %.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(VERSION_FLAGS) -include tests/counted.h -c $< -o $@
build/tests/%.o: tests/%.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(TEST_FLAGS) $(TEST_CFLAGS) -c $< -o $@

.SECONDEXPANSION:
$(STAGES:%=build/stage-%): build/stage-%: $$(call plain_objects,%)
	$(call say,LINK $@) $(LINK) $^ -lm -o $@

build/ledger: build/tests/ledger.o $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(CUDA_LIBS) -lm -o $@

ifneq ($(CHECK),)
$(suites): TEST_CFLAGS = $(shell pkg-config --cflags check)
build/run-tests: $(suites) $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(shell pkg-config --libs check) $(CUDA_LIBS) -lm -o $@
else
build/run-tests:
	@echo 'The tests need the library Check and pkg-config, which were not found: make setup installs them.' >&2; exit 2
endif

build/tests/blas_twin.o: TEST_FLAGS = $(VERSION_FLAGS) -D_POSIX_C_SOURCE=200809L $(shell pkg-config --cflags openblas)
build/blas-twin: build/tests/blas_twin.o build/plain/00_loop/attention.o build/plain/01_matrix/attention.o
	$(call say,LINK $@) $(LINK) $^ $(shell pkg-config --libs openblas) -lm -o $@

build/fuzz_npy: tests/fuzz_npy.c tests/npy.c tests/npy.h build/flags
	$(call say,LINK $@) clang -std=c11 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	    $(filter %.c,$^) -lm -o $@

-include $(wildcard build/*/*.d build/*/*/*.d)
