# Installing: make setup, setup-dev, setup-ring, setup-web. `make setup test`: what is asked for beside a setup is made
# by a second make, which sees what the first has installed.

.DEFAULT_GOAL := all
.PHONY: setup setup-dev setup-ring
setup:                                        ## learn: install compiler, make, Check, gnuplot, OpenBLAS where missing
	@tests/tools/setup.sh
setup-dev:                                    ## check: install what .ci/run needs: clang, sanitizers, valgrind
	@tests/tools/setup.sh --dev
setup-ring:                                   ## check: install Open MPI, for make ring and test-ring
	@tests/tools/setup.sh --ring
ifneq ($(wildcard docs/web),)
.PHONY: setup-web
setup-web:                                    ## check: install clang for WebAssembly, pandoc, and a browser to test in
	@tests/tools/setup.sh --web
	@tests/peers/install.sh build/playwright docs/web/requirements.txt
endif

SETUPS := $(filter setup setup-%,$(MAKECMDGOALS))
LATER  := $(if $(SETUPS),$(filter-out $(SETUPS),$(MAKECMDGOALS)))
ifneq ($(LATER),)
.NOTPARALLEL:
.PHONY: $(LATER)
$(LATER): $(SETUPS)
	+@$(MAKE) --no-print-directory $@
endif

# Two libraries that brew puts where neither pkg-config nor Apple's clang looks; that clang takes -fopenmp in two words.
BREW       ?= $(firstword $(HOMEBREW_PREFIX) $(wildcard /opt/homebrew) /usr/local)
PKG_CONFIG  = PKG_CONFIG_PATH="$$PKG_CONFIG_PATH:$(BREW)/opt/openblas/lib/pkgconfig" pkg-config
BREW_OPENMP = -Xpreprocessor -fopenmp -I$(BREW)/opt/libomp/include -L$(BREW)/opt/libomp/lib -lomp \
              -Wno-unused-command-line-argument
