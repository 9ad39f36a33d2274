# The programs that a person runs: ledger, experiment, bench, peers, the twin of version 1 on OpenBLAS, the tiles in a
# terminal.

.PHONY: bench peers steps watch
build/ledger: $(patsubst %,build/tests/tools/%.o,ledger ledger_options ledger_input) $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(CUDA_LIBS) -lm -o $@

build/experiment: $(patsubst %.c,build/%.o,$(wildcard tests/tools/experiment*.c)) $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(CUDA_LIBS) -lm -o $@

bench: build/bench                            ## measure: times of all versions over n; QUICK=1: half a minute; CSV=FILE
	@build/bench $(if $(QUICK),--quick) $(if $(CSV),--csv '$(CSV)')
bench_objects = $(patsubst %.c,build/%.o,$(wildcard tests/tools/bench*.c))
$(bench_objects): TEST_FLAGS = $(FLASH_FLAGS) -D_POSIX_C_SOURCE=200809L \
    -DFLAGS='"$(shell $(CC) --version | head -n 1), $(FLASH_FLAGS) $(CFLAGS)"'
build/bench: $(bench_objects) $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(CUDA_LIBS) -lm -o $@

# flash.c with one register where its micro-kernel has many: another line in common.h
steps: build/steps/steps                      ## measure: what flash.c's steps gain over tiled.c
	@build/steps/steps
build/steps/lanes.o: $(wildcard $(call folder,4)/*.h) $(call folder,4)/flash.c build/flags
	@mkdir -p $(@D) && cp $(filter %.h %.c,$^) $(@D)
	@sed 's/ROWS = [0-9]*, WIDE = [0-9]*/ROWS = 1, WIDE = 1/' $(call folder,4)/common.h >$(@D)/common.h
	$(call say,CC   $@) $(COMPILE) $(FLASH_FLAGS) -Dattention_flash=attention_flash_lanes -c $(@D)/flash.c -o $@
build/tests/tools/steps.o: TEST_FLAGS = $(FLASH_FLAGS) -D_POSIX_C_SOURCE=200809L
build/steps/steps: build/tests/tools/steps.o build/steps/lanes.o \
                   $(patsubst %,build/plain/$(call folder,4)/%.o,tiled flash decode)
	$(call say,LINK $@) $(LINK) $^ -lm -o $@

peers: build/peers/libflash.so                ## measure: attention_flash beside NumPy, PyTorch, ...; YES=1: don't ask; CSV=FILE
	@YES='$(YES)' tests/peers/install.sh build/peers/venv
	@build/peers/venv/bin/python tests/peers/peers.py $(if $(CSV),--csv '$(CSV)')
build/peers/libflash.so: $(patsubst %,$(call folder,4)/%,*.h flash.c decode.c) build/flags
	@mkdir -p build/peers
	$(call say,LINK $@) $(COMPILE) $(FLASH_FLAGS) -fPIC -shared $(filter %.c,$^) -lm -o $@

ifneq ($(OPENBLAS),)
stage-1: build/blas-twin
stage-1: AFTER = echo; build/blas-twin
else
stage-1: AFTER = echo; echo 'OpenBLAS was not found: the twin of version 1 is left out (make setup installs it).'
endif
build/tests/tools/blas_twin.o: TEST_FLAGS = $(VERSION_FLAGS) -D_POSIX_C_SOURCE=200809L \
    $(shell $(PKG_CONFIG) --cflags openblas)
build/blas-twin: build/tests/tools/blas_twin.o build/plain/00_loop/attention.o build/plain/01_matrix/attention.o
	$(call say,LINK $@) $(LINK) $^ $(shell $(PKG_CONFIG) --libs openblas) -lm -o $@

# make watch WALK=dense SPEED=10
WALK ?= causal
walk  = $(if $(filter $(WALK),$(WALKS)),build/data/$(WALK).csv,\
    $(error There is no walk '$(WALK)'. The walks are: $(WALKS)))
watch: build/watch $$(walk)                  ## learn: the tiles at work in this terminal: SPEED=4 tiles a second, WALK=dense
	@SPEED='$(SPEED)' build/watch $(walk)
build/watch: build/tests/tools/watch.o
	$(call say,LINK $@) $(LINK) $^ -o $@
