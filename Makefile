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
# $(call links,FLAG): FLAG, if a program that calls OpenMP can be built with it
links    = $(shell printf '\043include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' | \
             $(CC) $(1) -x c - -o /dev/null 2>/dev/null && echo '$(1)')
version  = $(shell pkg-config --modversion $(1) 2>/dev/null)
program  = $(shell command -v $(1) 2>/dev/null)

CHECK    := $(call version,check)
OPENBLAS := $(call version,openblas)
GNUPLOT  := $(call program,gnuplot)
NVCC_VERSION := $(shell nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')

# ---- flags ----
# Versions 0 to 4 print the same numbers everywhere: no -march, no contraction of a * b + c.
VERSION_FLAGS := -std=c11 -O3 $(call accepts,-ffp-contract=off)
# flash.c and decode.c are built for this machine, and for all its cores where the compiler has OpenMP.
# make FLASH_ARCH='-mavx2 -mfma' OPENMP= : for another machine, without threads
FLASH_ARCH    ?= $(call accepts,-march=native)
OPENMP        ?= $(call links,-fopenmp)
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
CUDA          := $(if $(SANITIZE),,$(shell echo 'int x;' | $(CXX) -std=c++17 -x c++ -c - -o /dev/null 2>/dev/null && \
                 echo yes))
IN_CUDA        = $(MAKE) -s --no-print-directory -C 05_cuda CC='$(CC)' CXX='$(CXX)' WERROR='$(WERROR)' V='$(V)'
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
suites          = $(patsubst %.c,build/%.o,$(wildcard tests/test*.c)) \
                  $(patsubst %,build/tests/%.o,expect mistakes merge_mistakes)

.PHONY: all test test-folders test-flash test-cuda stage-5 traffic-5 check-5 cuda gpu-report bench peers ledger \
    setup setup-dev fuzz clean help summary FORCE
all: $(STAGES:%=build/stage-%) build/ledger build/experiment   ## build and run the ladder, then the ledger
	@for n in $(STAGES); do build/stage-$$n && echo || exit; done; build/ledger

$(STAGES:%=stage-%): stage-%: build/stage-% build/ledger build/experiment
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
	@CXX='$(CXX)' tests/checks/cuda.sh
$(CUDA_LIBRARY): FORCE
	+@$(IN_CUDA) BUILD=../build/05_cuda/counted CXXFLAGS='-include ../tests/suites/counted.h' library
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
	@ASAN_OPTIONS=allocator_may_return_null=1 CK_TIMEOUT_MULTIPLIER=5 build/run-tests # a busy machine is no failure

test-folders: | summary                       ## every numbered folder, copied out, builds alone
	@tests/checks/folders.sh $(FOLDERS) $(if $(CUDA),05_cuda)

test-flash: build/run-tests build/stage-4     ## attention_flash in every build: compilers, vector widths, threads
	@tests/checks/flash_builds.sh $(call folder,4) $(filter %.o,$(suites) $(support))

bench: build/bench                            ## times of all versions over n; QUICK=1: half a minute; CSV=FILE
	@build/bench $(if $(QUICK),--quick) $(if $(CSV),--csv '$(CSV)')

peers: build/peers/libflash.so                ## attention_flash beside NumPy, PyTorch, ONNX Runtime; YES=1: don't ask
	@YES='$(YES)' tests/peers/install.sh build/peers/venv
	@build/peers/venv/bin/python tests/peers/peers.py

fuzz: build/fuzz_npy                          ## feed the .npy reader broken files for SECONDS=60 (needs clang)
	@mkdir -p build/corpus
	build/fuzz_npy -max_total_time=$(SECONDS) -max_len=12288 -timeout=5 -malloc_limit_mb=1 -artifact_prefix=build/ \
	    build/corpus tests/data/npy

setup:                                        ## install compiler, make, Check, gnuplot, OpenBLAS where missing
	@tests/tools/setup.sh
setup-dev:                                    ## also what .ci/run needs: clang, sanitizers, valgrind
	@tests/tools/setup.sh --dev

clean:                                        ## remove build/, but for your own work in build/exercise
	@for entry in build/*; do [ "$$entry" = build/exercise ] || rm -rf "$$entry"; done

help:                                         ## this list
	@sed -n 's/^\([a-z][a-z-]*\)\(%\{0,1\}\):.*## \(.*\)/  make \1\2|\3/p' Makefile | sed 's/%/N/' | \
	    while IFS='|' read -r target text; do printf '%-22s %s\n' "$$target" "$$text"; done

# Found and not found, said at the start of every build
summary:
	@echo "compiler  $$($(CC) --version 2>/dev/null | head -n 1): versions 0 to 4 are ready, built with"
	@echo "          $(CC) $(VERSION_FLAGS) $(CFLAGS) $(SANITIZERS)"
	@echo "OpenMP    $(if $(OPENMP),found: attention_flash uses all cores,left out: attention_flash uses one core)"
	@echo "C++       $(if $(CUDA),$$($(CXX) --version | head -n 1): version 5 runs on the CPU,left out: without version 5)"
	@echo "nvcc      $(or $(NVCC_VERSION),not found: version 5 is not compiled for a GPU)"
	@echo "Check     $(or $(CHECK),not found: make test is left out (make setup installs it))"
	@echo "OpenBLAS  $(or $(OPENBLAS),not found: stage 1 runs without its twin (make setup installs it))"
	@echo "gnuplot   $(if $(GNUPLOT),found,not found: no figures are drawn (make setup installs it))"
	@echo

# The flags of this build. Every object depends on it, so that changed flags rebuild them.
build/flags: FORCE | summary
	@mkdir -p build
	@echo '$(COMPILE) $(VERSION_FLAGS) $(FLASH_FLAGS) $(TEST_FLAGS) $(LDFLAGS)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

flash_objects = $(foreach kind,plain counted,$(patsubst %,build/$(kind)/$(call folder,4)/%.o,flash decode))
$(flash_objects): VERSION_FLAGS = $(FLASH_FLAGS)

build/plain/%.o: %.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(VERSION_FLAGS) -c $< -o $@
build/counted/%.o: %.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(VERSION_FLAGS) -include tests/suites/counted.h -c $< -o $@
build/tests/%.o: tests/%.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(TEST_FLAGS) $(TEST_CFLAGS) -c $< -o $@

.SECONDEXPANSION:
$(STAGES:%=build/stage-%): build/stage-%: $$(call plain_objects,%)
	$(call say,LINK $@) $(LINK) $^ -lm -o $@

build/ledger: build/tests/ledger.o $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(CUDA_LIBS) -lm -o $@

build/experiment: build/tests/experiment.o $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(CUDA_LIBS) -lm -o $@

ifneq ($(CHECK),)
$(suites) build/tests/graded.o: TEST_CFLAGS = $(shell pkg-config --cflags check)
build/run-tests: $(suites) $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(shell pkg-config --libs check) $(CUDA_LIBS) -lm -o $@
else
build/run-tests:
	@echo 'The tests need the library Check and pkg-config, which were not found: make setup installs them.' >&2; exit 2
endif

# ---- exercises, grading, mutants ----
# What is linked with a student's file: the suites, and for all other stages the exercises as they are given out.
C_EXERCISES := $(STAGES) 4-flash 4-merge
EXERCISES := $(C_EXERCISES) $(if $(CUDA),5)
exercise   = $(call folder,$(firstword $(subst -, ,$(1))))/exercise/$(or \
                 $(if $(filter %-flash,$(1)),flash.c),$(if $(filter %-merge,$(1)),decode.c),attention.c)
GRADED = $(patsubst %,build/tests/%.o,test_cases test_contracts test_flash test_mistakes test_policy test_properties \
           test_sizes expect mistakes merge_mistakes reference counted) build/graded/versions.o \
           $(C_EXERCISES:%=build/stubs/%.o)
export CUDA_LIBS
export CXX
export GRADER   = $(CURDIR)/build/graded
export COMPILE_ONE = $(CC) -Wall -Wextra $(VERSION_FLAGS) $(CFLAGS) $(SANITIZERS)
export COMPILE_FLASH = $(CC) -Wall -Wextra $(FLASH_FLAGS) $(CFLAGS) $(SANITIZERS)
export LINK_ONE    = $(LINK)
export LIBRARIES   = $(shell pkg-config --libs check 2>/dev/null) -lm

build/stubs/4-flash.o build/stubs/4-merge.o: VERSION_FLAGS = $(FLASH_FLAGS)
$(C_EXERCISES:%=build/stubs/%.o): build/stubs/%.o: $$(call exercise,$$*) build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(VERSION_FLAGS) -I$(<D)/.. -include tests/suites/counted.h -c $< -o $@
ifneq ($(CHECK),)
build/graded/versions.o: tests/suites/versions.c build/flags # without version 5
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(filter-out -DHAVE_CUDA,$(TEST_FLAGS)) -c $< -o $@
build/graded/graded.a: $(GRADED) build/tests/graded.o tests/suites/counted.h
	@mkdir -p '$(@D)'
	@cp build/tests/graded.o tests/suites/counted.h '$(@D)'
	$(call say,AR   $@) rm -f $@; $(AR) rc $@ $(GRADED)
else
build/graded/graded.a:
	@echo 'Grading needs the library Check and pkg-config, which were not found: make setup installs them.' >&2; exit 2
endif
build/report: build/tests/report.o
	$(call say,LINK $@) $(LINK) $^ -o $@

build/exercise/stage-5.cu: 05_cuda/exercise/flash.cu |
	@mkdir -p '$(@D)'
	@[ -e $@ ] || { cp $< $@; echo 'Your copy is $@: write your lines there, then call this again.'; echo; }
$(C_EXERCISES:%=build/exercise/stage-%.c): build/exercise/stage-%.c:
	@mkdir -p '$(@D)'
	@cp $(call exercise,$*) $@
	@echo 'Your copy is $@: write your lines there, then call this again.'; echo
copy = stage-$(1).c$(if $(filter 5,$(1)),u)
ifneq ($(CUDA),)
# version 5 with the exercise in the place of its kernel, built up to what a student's file changes
build/graded/05_cuda/ready: $(wildcard 05_cuda/*.* 05_cuda/Makefile 05_cuda/*/*.*) tests/suites/counted.h build/graded/graded.a
	@rm -rf $(@D) && cp -Rp 05_cuda build/graded/ && cp 05_cuda/exercise/flash.cu $(@D)/flash.cu
	@$(COMPILE) $(TEST_FLAGS) -c tests/suites/versions.c -o build/graded/versions-cuda.o
	+@$(MAKE) -s --no-print-directory -C $(@D) CC='$(CC)' CXX='$(CXX)' BUILD=build build/check
	+@$(MAKE) -s --no-print-directory -C $(@D) CC='$(CC)' CXX='$(CXX)' BUILD=build/counted \
	    CXXFLAGS='-include ../counted.h' library
	@touch $@
exercise-5 grade mutants: build/graded/05_cuda/ready
endif
$(EXERCISES:%=exercise-%): exercise-%: build/graded/graded.a build/report \
                                       $$(if $$(FILE),,build/exercise/$$(call copy,$$*))
	@tests/grading/grade.sh file $* '$(or $(FILE),build/exercise/$(call copy,$*))'
exercise-%:                                   ## grade your copy of exercise N, or any FILE=path
	@echo "There is no exercise '$*'. The exercises are: $(EXERCISES)." >&2; exit 2

grade: build/graded/graded.a build/report     ## grade a class: DIR=submissions OUT=grades.csv; TAP=folder JUNIT=file
	@$(if $(and $(DIR),$(OUT)),TAP='$(TAP)' JUNIT='$(JUNIT)' tests/grading/grade.sh class '$(DIR)' '$(OUT)', \
	    echo 'usage: make grade DIR=submissions OUT=grades.csv' >&2; exit 2)

handout:                                      ## the exercises, their lessons and the grader for a class: DIR=folder
	@$(if $(DIR),tests/grading/handout.sh '$(DIR)' $(wildcard $(patsubst build/%.o,%.[ch],$(filter build/tests/%,$(GRADED)) \
	    $(patsubst %,build/tests/%.o,versions graded report))),echo 'usage: make handout DIR=folder' >&2; exit 2)
# in a handout there is no ladder to build
ifeq ($(wildcard 00_loop/attention.c),)
.DEFAULT_GOAL := help
endif

.PHONY: mutants grade handout
mutants: build/graded/graded.a build/report   ## put typical mistakes in, and see that the suites and the hints notice
	@tests/grading/mutants.sh

build/tests/blas_twin.o: TEST_FLAGS = $(VERSION_FLAGS) -D_POSIX_C_SOURCE=200809L $(shell pkg-config --cflags openblas)
build/blas-twin: build/tests/blas_twin.o build/plain/00_loop/attention.o build/plain/01_matrix/attention.o
	$(call say,LINK $@) $(LINK) $^ $(shell pkg-config --libs openblas) -lm -o $@

build/fuzz_npy: tests/checks/fuzz_npy.c tests/tools/npy.c tests/tools/npy.h build/flags
	$(call say,LINK $@) clang -std=c11 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	    $(filter %.c,$^) -lm -o $@

build/tests/bench.o: TEST_FLAGS = $(FLASH_FLAGS) -D_POSIX_C_SOURCE=200809L \
    -DFLAGS='"$(shell $(CC) --version | head -n 1), $(FLASH_FLAGS) $(CFLAGS)"'
build/bench: build/tests/bench.o $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(CUDA_LIBS) -lm -o $@

build/peers/libflash.so: $(patsubst %,$(call folder,4)/%,flash.c decode.c flash.h common.h) build/flags
	@mkdir -p build/peers
	$(call say,LINK $@) $(COMPILE) $(FLASH_FLAGS) -fPIC -shared $(filter %.c,$^) -lm -o $@

-include $(wildcard build/*/*.d build/*/*/*.d)

# ---- the texts and their pictures ----
TEXTS   := $(wildcard *.md 0*/README.md docs/*.md docs/data/README.md tests/data/*/README.md)
FIGURES := $(patsubst docs/plots/%.gp,%,$(filter-out %/style.gp %/tiles.gp,$(wildcard docs/plots/*.gp)))
WALKS   := dense causal
TABLES  := hot blocks account storage tokens weights overflow size bench traffic $(WALKS)
DATA    := $(TABLES:%=build/data/%.csv)
# make watch WALK=dense SPEED=10
WALK    ?= causal

.PHONY: test-lessons test-figures plots figures record animation watch
# The commands in the texts are run as a reader types them: without the options of this make.
test-lessons: $(STAGES:%=build/stage-%) build/ledger build/experiment   ## run what the texts show, and compare
	+@$(if $(CUDA),$(IN_CUDA) BUILD=../build/05_cuda programs)
	@MAKEFLAGS= MAKELEVEL=0 awk -f tests/checks/lessons.awk $(TEXTS)

test-figures: $(DATA)                          ## the figures are drawn without a display, whatever the data
	@tests/checks/figures.sh $(GNUPLOT)

plots: $(FIGURES:%=build/plots/%.svg)         ## draw all figures from this machine's runs into build/plots
figures: $(FIGURES:%=docs/figures/%.svg) $(WALKS:%=docs/figures/%.gif)   ## draw docs/figures from the recorded runs
record: $(DATA)                                ## make this machine's runs the recorded ones (minutes)
	cp $(filter-out %/bench.csv,$(DATA)) docs/data/
	@tests/checks/record.sh docs/data/*.txt

animation: $(WALKS:%=build/plots/%.gif)       ## draw attention_flash's tiles as moving pictures
watch: build/watch build/data/$(WALK).csv     ## the same in this terminal: SPEED=4 tiles a second, WALK=dense
	@SPEED='$(SPEED)' build/watch build/data/$(WALK).csv

# $(call draw,FOLDER): the script $< reads the CSV files of FOLDER and writes $@
draw = $(if $(GNUPLOT),$(GNUPLOT) -e "data='$(1)'; name='$(*F)'; picture='$@'" $<,\
    echo 'Figures are drawn by gnuplot, which was not found: make setup installs it.' >&2; exit 2)
$(FIGURES:%=build/plots/%.svg): build/plots/%.svg: docs/plots/%.gp docs/plots/style.gp $(DATA)
	@mkdir -p build/plots
	$(call say,PLOT $@) $(call draw,build/data)
$(FIGURES:%=docs/figures/%.svg): docs/figures/%.svg: docs/plots/%.gp docs/plots/style.gp $(wildcard docs/data/*.csv)
	$(call say,PLOT $@) $(call draw,docs/data)

$(WALKS:%=build/plots/%.gif): build/plots/%.gif: docs/plots/tiles.gp docs/plots/style.gp build/data/%.csv
	@mkdir -p build/plots
	$(call say,PLOT $@) $(call draw,build/data)
$(WALKS:%=docs/figures/%.gif): docs/figures/%.gif: docs/plots/tiles.gp docs/plots/style.gp docs/data/%.csv
	$(call say,PLOT $@) $(call draw,docs/data)
build/watch: build/tests/watch.o
	$(call say,LINK $@) $(LINK) $^ -o $@

# A table is there whole or not at all.
build/data/%.csv: build/experiment
	@mkdir -p build/data
	@build/experiment $* >$@.part && mv $@.part $@
# minutes, so it is not run by itself
build/data/bench.csv: docs/data/bench.csv
	@mkdir -p build/data
	@echo '  The recorded bench is drawn. make bench CSV=$@ puts your own in its place.'
	@cp $< $@
ifneq ($(CUDA),)
build/data/traffic.csv: $(wildcard 05_cuda/* 05_cuda/cuda_on_cpu/*)
	@mkdir -p build/data
	+@$(IN_CUDA) BUILD=../build/05_cuda bytes | awk '/^(naive|flash)/ {print $$1 " " $$2 "," $$3 "," $$5 + $$6}' >$@
else
build/data/traffic.csv: docs/data/traffic.csv
	@mkdir -p build/data
	@cp $< $@
endif
# the same numbers that the stages print
build/data/weights.csv: build/stage-1
	@mkdir -p build/data
	@$< | awk -v OFS=, '/^P = / {rows = 2; next} rows-- > 0 {$$1 = $$1; print}' >$@
build/data/overflow.csv: build/stage-2
	@mkdir -p build/data
	@$< | awk -v OFS=, '/^  b?float[0-9]/ {$$1 = $$1; print}' >$@
build/data/size.csv: build/stage-3
	@mkdir -p build/data
	@$< | awk '/n = m =/ {print $$5 "," $$6 * 1000 ^ index("kMGT", substr($$7, 1, 1))}' >$@
