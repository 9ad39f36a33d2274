# Exercises, their grading, and the mutants that prove the suites: make exercise-N, grade, handout, mutants.

# what finds the likely cause
LIKELY    := mistakes wrong probes signs beyond merge_mistakes
# the exercises, from the table that the grader reads: build/exercise/stage-N.c is a reader's copy
EXERCISES := $(shell awk '/^[0-9]/ && ($$2 !~ /[.]cu$$/ || "$(CUDA)") { print $$1 }' tests/grading/stages)
# in a handout, those that were handed out
given      = $(patsubst answers/stage-%,%,$(basename $(wildcard answers/*)))
EXERCISES := $(if $(given),$(filter $(given),$(EXERCISES)),$(EXERCISES))
C_EXERCISES := $(shell awk '/^[0-9]/ && $$2 !~ /[.]cu$$/ { print $$1 }' tests/grading/stages)
column     = $(shell awk '$$1 == "$(1)" { print $$$(2) }' tests/grading/stages)
version_of = $(call column,$(1),2)
exercise   = $(dir $(call version_of,$(1)))exercise/$(notdir $(call version_of,$(1)))
copy       = stage-$(1)$(suffix $(call version_of,$(1)))
is_fast    = $(filter flash.c decode.c,$(notdir $(call version_of,$(1))))
FAST      := $(foreach stage,$(C_EXERCISES),$(if $(call is_fast,$(stage)),$(stage)))

# where a reader's copies lie: in a handout, answers
COPIES    := $(if $(wildcard answers),answers,build/exercise)
# What is linked with a student's file: the suites, and for all other stages the exercises as they are given out.
GRADED = $(patsubst %,build/tests/suites/%.o,test_cases test_contracts test_merge test_mistakes test_policy \
           test_properties test_sizes expect reference counted) \
           $(patsubst %,build/tests/grading/%.o,$(LIKELY) graded) build/graded/versions.o
STUBS  = $(C_EXERCISES:%=build/stubs/%.o)
# programs that run in the box of a file
RUN    = $(wildcard tests/grading/run*.sh)
# flash.c is graded without this machine's wider vectors, so that no mark depends on who grades; GRADE_ARCH=-mavx2
GRADE_ARCH ?=
export CC
export CUDA_LIBS
export CXX
export SANITIZED = $(if $(SANITIZERS),1)
export GRADER   = $(CURDIR)/build/graded
export COMPILE_ONE = $(CC) -Wall -Wextra $(VERSION_FLAGS) $(CFLAGS) $(SANITIZERS)
export COMPILE_FLASH = $(CC) -Wall -Wextra $(filter-out $(FLASH_ARCH),$(FLASH_FLAGS)) $(GRADE_ARCH) $(CFLAGS) \
                       $(SANITIZERS)
export LINK_ONE    = $(LINK)
export LIBRARIES   = $(shell pkg-config --libs check 2>/dev/null) -lm

$(FAST:%=build/stubs/%.o): VERSION_FLAGS = $(FLASH_FLAGS)
$(STUBS): build/stubs/%.o: $$(call exercise,$$*) build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(VERSION_FLAGS) -I$(<D)/.. -include tests/suites/counted.h -c $< -o $@
ifneq ($(CHECK),)
build/tests/grading/graded.o: TEST_CFLAGS = $(shell pkg-config --cflags check)
build/graded/versions.o: tests/suites/versions.c build/flags # without version 5
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(filter-out -DHAVE_CUDA,$(TEST_FLAGS)) -c $< -o $@
# what a student's file is built and run by
build/graded/nothing.sh: tests/suites/counted.h $(RUN)
	@mkdir -p '$(@D)'
	@cp $^ '$(@D)' && : >$@
# what it is linked with, sealed: one object a stage
build/graded/grader-%.o: $(GRADED) $(STUBS) build/graded/nothing.sh tests/grading/seal.sh
	$(call say,LINK $@) tests/grading/seal.sh $@ '$(@D)/needs-$*' build/stubs/$*.o $(GRADED) \
	    $(filter-out build/stubs/$*.o,$(STUBS))
else
build/graded/grader-%.o:
	$(error Grading needs the library Check and pkg-config, which were not found: make setup installs them)
endif
build/report: $(patsubst %,build/tests/grading/%.o,report said source sentences tables)
	$(call say,LINK $@) $(LINK) $^ -o $@
build/grade-class: $(patsubst %,build/tests/grading/%.o,class class_tables class_summary roster source sentences tables)
	$(call say,LINK $@) $(LINK) $^ -o $@
graders = $(C_EXERCISES:%=build/graded/grader-%.o) build/report build/grade-class
# grades that were kept are those of an older grader
build/graded/fresh: $(C_EXERCISES:%=build/graded/grader-%.o) build/report $(wildcard tests/grading/*.sh) $(RUN)
	@rm -rf build/grades && touch $@

$(foreach stage,$(EXERCISES),$(COPIES)/$(call copy,$(stage))): | build/report
	@mkdir -p '$(@D)'
	@cp $(call exercise,$(patsubst stage-%,%,$(basename $(@F)))) $@
	@build/report --say 'frame.copy|$@'; echo
ifneq ($(CUDA),)
# version 5 with the exercise in the place of its kernel, built up to what a student's file changes
build/graded/05_cuda/ready: $(wildcard 05_cuda/*.* 05_cuda/Makefile 05_cuda/*/*.*) build/graded/nothing.sh \
                             build/graded/grader-5.o
	@rm -rf $(@D) && cp -Rp 05_cuda build/graded/ && cp 05_cuda/exercise/flash.cu $(@D)/flash.cu
	+@$(MAKE) -s --no-print-directory -C $(@D) CC='$(CC)' CXX='$(CXX)' BUILD=build build/check
	+@$(MAKE) -s --no-print-directory -C $(@D) CC='$(CC)' CXX='$(CXX)' BUILD=build/counted \
	    CXXFLAGS='-include ../counted.h' library
	@touch $@
build/graded/versions-cuda.o: tests/suites/versions.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(TEST_FLAGS) -c $< -o $@
build/graded/grader-5.o: $(GRADED) $(STUBS) build/graded/nothing.sh build/graded/versions-cuda.o tests/grading/seal.sh
	$(call say,LINK $@) tests/grading/seal.sh $@ build/graded/needs-5 build/graded/versions-cuda.o \
	    $(filter-out build/graded/versions.o,$(GRADED)) build/graded/versions-cuda.o $(STUBS)
exercise-5 next grade mutants: build/graded/05_cuda/ready
endif
$(EXERCISES:%=exercise-%): exercise-%: build/report \
                                       $$(if $$(filter $$*,$(C_EXERCISES)),build/graded/grader-$$*.o) \
                                       $$(if $$(FILE),,$(COPIES)/$$(call copy,$$*))
	@tests/grading/grade.sh file $* '$(or $(FILE),$(COPIES)/$(call copy,$*))'
exercise-%:                                   ## write it yourself: grade your copy of exercise N, or any FILE=path
	$(error There is no exercise '$*'. The exercises are: $(EXERCISES))

next: $(filter-out %/grade-class,$(graders))         ## write it yourself: the next unsolved exercise; WATCH=1: at every save
	@WATCH='$(WATCH)' tests/grading/next.sh $(COPIES) $(EXERCISES)

grade: $(graders) build/graded/fresh ## teach: grade a class: DIR= OUT=grades.csv; WIDE= FEEDBACK= JUNIT= TAP=
	$(if $(and $(DIR),$(OUT)),,$(error usage: make grade DIR=submissions OUT=grades.csv))
	@export TAP='$(TAP)' JUNIT='$(JUNIT)' WIDE='$(WIDE)' FEEDBACK='$(FEEDBACK)' FRESH='$(FRESH)'; \
	    exec build/grade-class '$(DIR)' '$(OUT)'

handout:                                      ## teach: exercises, lessons, grader for a class: DIR=folder STAGES=0-2
	$(if $(DIR),,$(error usage: make handout DIR=folder))
	@STAGES='$(if $(filter command line,$(origin STAGES)),$(STAGES))' LESSONS='$(LESSONS)' \
	    tests/grading/handout.sh '$(DIR)' tests/suites/article.h $(wildcard $(patsubst build/%.o,%.[ch], \
	    $(filter build/tests/%,$(GRADED)) build/tests/suites/versions.o \
	    $(patsubst %,build/tests/grading/%.o,report said source sentences tables wrong)))
# in a handout there is no ladder to build
ifeq ($(wildcard 00_loop/attention.c),)
.DEFAULT_GOAL := help
endif

.PHONY: mutants grade handout next test-grading
test-grading: build/run-tests $(graders)       ## check: a class graded and interrupted, the handout
	@CK_RUN_SUITE=exercises CK_INCLUDE_TAGS=class CK_TIMEOUT_MULTIPLIER=5 build/run-tests
mutants: $(graders)   ## check: put typical mistakes in, and see that the suites and the hints notice
	@tests/grading/mutants.sh
