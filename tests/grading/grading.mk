# Exercises, their grading, and the mutants that prove the suites: make exercise-N, grade, handout, mutants.

# what finds the likely cause
LIKELY    := mistakes probes signs merge_mistakes
# What is linked with a student's file: the suites, and for all other stages the exercises as they are given out.
C_EXERCISES := $(STAGES) 4-flash 4-merge
EXERCISES := $(C_EXERCISES) $(if $(CUDA),5)
exercise   = $(call folder,$(firstword $(subst -, ,$(1))))/exercise/$(or \
                 $(if $(filter %-flash,$(1)),flash.c),$(if $(filter %-merge,$(1)),decode.c),attention.c)
GRADED = $(patsubst %,build/tests/suites/%.o,test_cases test_contracts test_merge test_mistakes test_policy \
           test_properties test_sizes expect reference counted) \
           $(patsubst %,build/tests/grading/%.o,$(LIKELY)) build/graded/versions.o \
           $(C_EXERCISES:%=build/stubs/%.o)
# programs that run in the box of a file
RUN        = tests/grading/run.sh tests/grading/run_cuda.sh
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
build/tests/grading/graded.o: TEST_CFLAGS = $(shell pkg-config --cflags check)
build/graded/versions.o: tests/suites/versions.c build/flags # without version 5
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(filter-out -DHAVE_CUDA,$(TEST_FLAGS)) -c $< -o $@
build/graded/graded.a: $(GRADED) build/tests/grading/graded.o tests/suites/counted.h $(RUN)
	@mkdir -p '$(@D)'
	@cp build/tests/grading/graded.o tests/suites/counted.h $(RUN) '$(@D)' && : >'$(@D)/nothing.sh'
	$(call say,AR   $@) rm -f $@; $(AR) rc $@ $(GRADED)
else
build/graded/graded.a:
	$(error Grading needs the library Check and pkg-config, which were not found: make setup installs them)
endif
build/report: build/tests/grading/report.o
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
build/graded/05_cuda/ready: $(wildcard 05_cuda/*.* 05_cuda/Makefile 05_cuda/*/*.*) tests/suites/counted.h \
                             build/graded/graded.a
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
exercise-%:                                   ## write it yourself: grade your copy of exercise N, or any FILE=path
	$(error There is no exercise '$*'. The exercises are: $(EXERCISES))

grade: build/graded/graded.a build/report     ## teach: grade a class: DIR=submissions OUT=grades.csv; TAP=folder JUNIT=file
	$(if $(and $(DIR),$(OUT)),,$(error usage: make grade DIR=submissions OUT=grades.csv))
	@TAP='$(TAP)' JUNIT='$(JUNIT)' tests/grading/grade.sh class '$(DIR)' '$(OUT)'

handout:                                      ## teach: the exercises, their lessons and the grader for a class: DIR=folder
	$(if $(DIR),,$(error usage: make handout DIR=folder))
	@tests/grading/handout.sh '$(DIR)' tests/suites/article.h $(wildcard $(patsubst build/%.o,%.[ch],$(filter build/tests/%,$(GRADED)) \
	    $(patsubst %,build/tests/%.o,suites/versions grading/graded grading/report)))
# in a handout there is no ladder to build
ifeq ($(wildcard 00_loop/attention.c),)
.DEFAULT_GOAL := help
endif

.PHONY: mutants grade handout
mutants: build/graded/graded.a build/report   ## check: put typical mistakes in, and see that the suites and the hints notice
	@tests/grading/mutants.sh
