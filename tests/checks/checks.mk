# Checks that Check can't make: folders alone, flash.c in every build, version 5's planted faults, fuzzing.

.PHONY: test-bare test-arm test-mac-build test-tools test-folders test-flash test-cuda fuzz fuzz-5
test-folders: | summary                       ## check: every numbered folder, copied out, builds alone
	@tests/checks/folders.sh $(FOLDERS) $(if $(CUDA),05_cuda)

test-flash: build/run-tests build/stage-4     ## check: attention_flash in every build: compilers, vector widths, threads
	@tests/checks/flash_builds.sh $(call folder,4) $(filter %.o,$(suites) $(support))

ifneq ($(CUDA),)
test-cuda: build/run-tests                    ## check: check-5, byte counts, planted faults, the PTX
	+@$(IN_CUDA) BUILD=../build/05_cuda programs
	+@$(IN_CUDA) BUILD=../build/05_cuda cuda
	@CXX='$(CXX)' tests/checks/cuda.sh
# how many, and from where
KERNELS ?= 500
SEED    ?= 1
fuzz-5:                                       ## check: races in KERNELS=500 random kernels from SEED=1, against a graph
	+@$(IN_CUDA) BUILD=../build/05_cuda emulation
	@CXX='$(CXX)' tests/checks/order.sh $(KERNELS) $(SEED)
else
test-cuda fuzz-5:
	@echo '$(NO_CUDA)'
endif

test-bare:                                    ## check: README's commands on a fresh Debian (as root; makes one with debootstrap)
	@tests/checks/bare.sh

native = $(STAGES:%=build/stage-%) build/ledger
test-arm: $(native)                           ## check: the ladder and SUITES=flash (or all) on arm64, under qemu
	@SUITES='$(SUITES)' tests/checks/arm.sh
test-mac-build: $(native)                     ## check: zig compiles and links it for macOS, musl and Windows
	@tests/checks/mac_build.sh
test-tools:                                   ## check: lessons, suites, a class with busybox, bash, other awks (as root)
	@tests/checks/tools.sh $(KIND)

# how long make fuzz runs
SECONDS ?= 60
fuzz: build/fuzz_npy                          ## check: feed the .npy reader broken files for SECONDS=60 (needs clang)
	@mkdir -p build/corpus
	build/fuzz_npy -max_total_time=$(SECONDS) -max_len=12288 -timeout=5 -malloc_limit_mb=1 -artifact_prefix=build/ \
	    build/corpus tests/data/npy
build/fuzz_npy: tests/checks/fuzz_npy.c tests/tools/npy.c tests/tools/npy.h build/flags
	$(if $(call program,clang),,$(error Fuzzing needs clang with its sanitizers: make setup-dev installs it))
	$(call say,LINK $@) clang -std=c11 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined \
	    -fno-sanitize-recover=all $(filter %.c,$^) -lm -o $@
