# What Check runs, and the yardsticks: the suites' objects, the versions counted by the allocator, version 5 counted.

counted_objects = $(patsubst %.c,build/counted/%.o,$(filter-out %/main.c,$(wildcard $(FOLDERS:=/*.c))))
support         = $(patsubst %,build/tests/%.o,suites/versions suites/reference suites/counted tools/npy) \
                  $(counted_objects) $(CUDA_LIBRARY)
suites          = $(patsubst %.c,build/%.o,$(wildcard tests/suites/test*.c)) \
                  $(patsubst %,build/tests/%.o,suites/expect $(LIKELY:%=grading/%))

build/counted/%.o: %.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(VERSION_FLAGS) -include tests/suites/counted.h -c $< -o $@
build/tests/%.o: tests/%.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(COMPILE) $(TEST_FLAGS) $(TEST_CFLAGS) -c $< -o $@
ifneq ($(CUDA),)
$(CUDA_LIBRARY): FORCE
	+@$(IN_CUDA) BUILD=../build/05_cuda/counted CXXFLAGS='-include ../tests/suites/counted.h' library
endif

$(STAGES:%=test-%) test-5: test-%: build/run-tests
	@STAGE=$* CK_TIMEOUT_MULTIPLIER=5 build/run-tests
test-%:                                       ## learn: ask version N alone what every version is asked, in seconds
	$(error There is no test '$*'. make help lists them)

ifneq ($(CHECK),)
$(suites): TEST_CFLAGS = $(shell pkg-config --cflags check)
build/run-tests: $(suites) $(support)
	$(call say,LINK $@) $(LINK_ALL) $^ $(shell pkg-config --libs check) $(CUDA_LIBS) -lm -o $@
else
build/run-tests:
	$(error The tests need the library Check and pkg-config, which were not found: make setup installs them)
endif
