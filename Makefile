# `make help` lists the targets. Everything built goes to build/.

# ---- what the user may set ----
CC       ?= cc
CFLAGS   ?=
LDFLAGS  ?=
# SANITIZE=1: everything under AddressSanitizer and UndefinedBehaviorSanitizer
SANITIZE ?=
# WERROR=1: warnings are errors (continuous integration)
WERROR   ?=
# seconds that make fuzz runs
SECONDS  ?= 60

# ---- the ladder ----
STAGES   := 0 1 2 3 4
FOLDERS  := 00_loop 01_matrix 02_safe_softmax 03_blockwise_bug 04_online_softmax
folder    = $(filter 0$(1)_%,$(FOLDERS))

# ---- what this machine has ----
# $(call accepts,FLAG): FLAG, if the compiler knows it
accepts   = $(shell echo 'int x;' | $(CC) -Werror $(1) -x c -c - -o /dev/null 2>/dev/null && echo '$(1)')
package   = $(shell pkg-config --modversion $(1) 2>/dev/null)
program   = $(shell command -v $(1) 2>/dev/null)

HAVE_CHECK    := $(call package,check)
HAVE_OPENBLAS := $(call package,openblas)
HAVE_GNUPLOT  := $(call program,gnuplot)

# ---- flags ----
# Versions 0 to 4 print the same numbers everywhere: no -march, no contraction of a * b + c.
VERSION_FLAGS := -std=c11 -O3 $(call accepts,-ffp-contract=off)
TEST_FLAGS    := -std=c11 -O2 -D_POSIX_C_SOURCE=200809L
WARNINGS      := -Wall -Wextra $(if $(WERROR),-Werror)
ifneq ($(SANITIZE),)
# a width of zero is one of our edge cases: clang's vla-bound would refuse it
SANITIZERS := -g -fsanitize=address,undefined -fno-sanitize-recover=all $(call accepts,-fno-sanitize=vla-bound)
endif
COMPILE = $(CC) $(WARNINGS) $(CFLAGS) $(SANITIZERS) -MMD -MP
LINK    = $(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS)

# ---- objects: as a reader builds them, and counted for the tests ----
folder_objects  = $(patsubst %.c,build/plain/%.o,$(wildcard $(call folder,$(1))/*.c))
counted_objects = $(patsubst %.c,build/counted/%.o,$(filter-out %/main.c,$(wildcard $(FOLDERS:=/*.c))))
support         = $(patsubst %,build/%.o,tests/versions tests/reference tests/counted)
suites          = $(patsubst %.c,build/%.o,$(wildcard tests/test*.c))

.PHONY: all test ledger setup setup-dev fuzz clean help summary FORCE
all: $(STAGES:%=build/stage-%) build/ledger
	@for n in $(STAGES); do build/stage-$$n || exit; echo; done; build/ledger

# The flags of this build; objects depend on it, so that changed flags rebuild them.
build/flags: FORCE | summary
	@mkdir -p build
	@echo '$(COMPILE) $(VERSION_FLAGS) $(TEST_FLAGS) $(LDFLAGS)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

build/plain/%.o: %.c build/flags
	@mkdir -p $(@D)
	$(COMPILE) $(VERSION_FLAGS) -c $< -o $@
build/counted/%.o: %.c build/flags
	@mkdir -p $(@D)
	$(COMPILE) $(VERSION_FLAGS) -include tests/counted.h -c $< -o $@
build/tests/%.o: tests/%.c build/flags
	@mkdir -p $(@D)
	$(COMPILE) $(TEST_FLAGS) $(shell pkg-config --cflags check 2>/dev/null) -c $< -o $@

.SECONDEXPANSION:
$(STAGES:%=build/stage-%): build/stage-%: $$(call folder_objects,%)
	$(LINK) $^ -lm -o $@

build/ledger: build/tests/ledger.o build/tests/npy.o $(support) $(counted_objects)
	$(LINK) $^ -lm -o $@

build/run-tests: $(suites) build/tests/npy.o $(support) $(counted_objects)
	$(LINK) $^ $(shell pkg-config --libs check) -lm -o $@

-include $(wildcard build/*/*.d build/*/*/*.d)
