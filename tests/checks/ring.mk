# The ring's tests: on 1 to 7 ranks, what happens when a rank dies, and planted faults.

.PHONY: test-ring test-ring-hosts bench-ring exercise-4-ring

# the folder's files, watched, and their memory counted
ring_tests   = $(patsubst %.c,build/ring/%.o,$(filter-out %/bench.c,$(wildcard tests/checks/ring/*.c)))
ring_watched = $(patsubst %,build/ring/watched/%.o,ring tree agree)
ring_support = $(filter-out build/tests/suites/versions.o $(CUDA_LIBRARY),$(support)) build/graded/versions.o \
               build/tests/grading/sentences.o
compile_watched = $(mpi_compile) $(FLASH_FLAGS) -I$(RING) -Dattention_flash=watched_flash -include tests/suites/counted.h
build/ring/watched/%.o: $(call folder,4)/ring/%.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(compile_watched) -c $< -o $@
build/ring/tests/%.o: tests/%.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(mpi_compile) $(TEST_FLAGS) -c $< -o $@
build/ring/test: $(ring_tests) $(ring_watched) $$(ring_support)
	$(call say,LINK $@) $(mpi_link) $^ -lm -o $@
build/ring/bench: $(patsubst %,build/ring/tests/checks/ring/%.o,bench watch) $(ring_watched) $$(ring_support)
	$(call say,LINK $@) $(mpi_link) $^ -lm -o $@
# what the scripts need to know
ring_environment = RING_COMPILE='$(compile_watched)' RING_LINK='$(mpi_link)' RING_RUN='$(run_ranks)' \
    RING_OBJECTS='$(ring_tests) $(ring_watched) $(ring_support)'
ifneq ($(MPICC),)
# MPI leaks; what the ring holds is counted by the tests
test-ring: export ASAN_OPTIONS = detect_leaks=0:allocator_may_return_null=1
test-ring: build/ring/test build/report       ## check: the ring on 1, 2, 3, 4 and 7 ranks (RANKS=), deaths, faults
	@for p in $(or $(RANKS),1 2 3 4 7); do $(run_ranks) -n $$p $< || exit; done
	@$(ring_environment) tests/checks/ring/deaths.sh
	$(if $(SANITIZE),,@$(ring_environment) tests/checks/ring/exercise.sh)
	$(if $(SANITIZE),,@$(ring_environment) tests/checks/ring/faults.sh)
test-ring-hosts: build/ring/test build/ring/bench   ## check: the ring between two network namespaces (root); RATE=400mbit
	@$(ring_environment) RATE='$(RATE)' tests/checks/ring/two_hosts.sh
build/exercise/stage-4-ring.c: | build/report
	@mkdir -p '$(@D)'
	@cp $(RING)/exercise/ring.c $@
	@build/report --say 'frame.copy|$@'; echo
exercise-4-ring: build/ring/test build/report ## write it yourself: the ring, on 1 to 4 ranks
exercise-4-ring: $(if $(FILE),,build/exercise/stage-4-ring.c)
	@$(ring_environment) tests/checks/ring/exercise.sh '$(or $(FILE),build/exercise/stage-4-ring.c)'
bench-ring: build/ring/bench                  ## measure: the longest sequence that fits, over ranks; CSV=FILE, BANDWIDTH=, PEAK=
	@$(ring_environment) CSV='$(CSV)' BANDWIDTH='$(BANDWIDTH)' PEAK='$(PEAK)' tests/checks/ring/bench.sh
else
test-ring test-ring-hosts bench-ring exercise-4-ring:
	@echo '$(NO_MPI)'
endif
