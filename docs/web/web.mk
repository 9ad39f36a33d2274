# The lessons in the browser: static pages from the texts and the C files as they are, and the C files compiled to
# WebAssembly for the parts that run. README.md tells how it is made.

.PHONY: web serve test-web
WEB        := docs/web
WASM_CC    ?= clang
WASM        = $(WASM_CC) --target=wasm32-wasi -std=c11 -msimd128 -Wall -Wextra $(if $(WERROR),-Werror) -MMD -MP
# linked without -O: with it clang runs wasm-opt where there is one, and an old one refuses SIMD
WASM_LINK  := $(WASM_CC) --target=wasm32-wasi -Wl,-s
PANDOC     := $(call program,pandoc)
WEB_PYTHON := build/playwright/bin/python
# is there all that it takes to build a program that prints?
ifneq ($(filter web test-web serve build/web%,$(MAKECMDGOALS)),)
LIVE       := $(shell mkdir -p build && printf '\043include <stdio.h>\nint main(void) { return puts("") + 1.0L > 0; }' | \
                $(WASM_LINK) -x c - -lm -o build/wasm.probe 2>/dev/null && echo yes)
endif

# ---- the C files: as the ledger counts them, as a reader builds them, and the tools around them ----
wasm_contract  = -ffp-contract=$(if $(filter %/flash.c %/decode.c,$<),fast,off)
wasm_compile   = $(call say,WASM $<) mkdir -p '$(@D)' && $(WASM) $(1) -c $< -o $@
build/wasm/counted/%.o: %.c build/flags
	$(call wasm_compile,-O3 $(wasm_contract) -include tests/suites/counted.h)
build/wasm/plain/%.o: %.c build/flags
	$(call wasm_compile,-O3 $(wasm_contract))
build/wasm/tests/%.o: tests/%.c build/flags
	$(call wasm_compile,-O2 -D_WASI_EMULATED_GETPID)
# attention_loop, telling web.c what it does
build/wasm/told.c: $(call folder,0)/attention.c $(WEB)/web.mk
	@mkdir -p '$(@D)'
	@sed -e 's/^int attention_loop(/void tell_loop(int, size_t, size_t, size_t, double, double, double); &/' \
	    -e 's/ \(s += .*;\)/ { \1 tell_loop(0, i, j, k, s, 0, 0); }/' \
	    -e 's/sum += .*;/& tell_loop(1, i, j, 0, s * scale, w[j], sum);/' \
	    -e 's/\(O\[i\]\[c\] += .*;\)/{ \1 tell_loop(2, i, j, c, share, O[i][c], 0); }/' $< >$@
build/wasm/told.o: build/wasm/told.c build/flags
	$(call wasm_compile,-O2 -I$(call folder,0) -Dattention_loop=told_loop)
# flash.cu's own lines on which thread holds what
build/wasm/flash_layout.h: 05_cuda/flash.cu
	@mkdir -p '$(@D)'
	@sed -n -e '/^constexpr int Br/p' -e '/constexpr int keys_a_tile(/p' -e '/unsigned column(/p' $< >$@
build/wasm/web.o: $(WEB)/web.c build/wasm/flash_layout.h build/flags
	$(call wasm_compile,-O2 -Wno-ignored-qualifiers -Ibuild/wasm)

wasm_versions := $(patsubst %.c,build/wasm/counted/%.o,$(filter-out %/main.c %/tiles.c,$(wildcard $(FOLDERS:=/*.c))))
wasm_tests     = $(patsubst %,build/wasm/tests/%.o,suites/versions suites/reference suites/counted $(1))
build/wasm/ledger.wasm $(STAGES:%=build/wasm/stage-%.wasm): WASM_LINK += -Wl,--import-memory
build/wasm/attention.wasm: build/wasm/web.o build/wasm/told.o $(call wasm_tests) $(wasm_versions)
	$(call say,LINK $@) $(WASM_LINK) -mexec-model=reactor $^ -lm -o $@
build/wasm/ledger.wasm: $(call wasm_tests,$(addprefix tools/,ledger ledger_options ledger_input npy)) $(wasm_versions)
	$(call say,LINK $@) $(WASM_LINK) $^ -lm -lwasi-emulated-getpid -o $@
wasm_plain     = $(patsubst %.c,build/wasm/plain/%.o,$(wildcard $(call folder,$(1))/*.c))
$(STAGES:%=build/wasm/stage-%.wasm): build/wasm/stage-%.wasm: $$(call wasm_plain,%)
	$(call say,LINK $@) $(WASM_LINK) $^ -lm -o $@
-include $(wildcard build/wasm/*.d build/wasm/*/*/*.d)

# ---- the site ----
# every text and every source file, in the order of reading
web_find      := $(sort $(shell find 0*_* docs tests -type f -name Makefile -o -type f -name '*.*' | \
                   grep -E '\.(md|c|h|cu|cpp|awk|sh|py|mk|js|html|css|lua|yml|txt|gp)$$|/Makefile$$'))
web_lessons   := $(foreach t,README $(patsubst %,%/README,$(sort $(wildcard 0*_*)) docs),$t.md $t.zh-CN.md)
web_texts     := $(filter $(wildcard *.md) $(web_find),$(web_lessons)) \
                 $(filter-out $(web_lessons),$(filter %.md,$(wildcard *.md) $(web_find)))
web_sources   := $(web_texts) $(filter-out %.md docs/data/%.csv,$(web_find)) Makefile LICENSE
web_programs  := attention ledger $(STAGES:%=stage-%)
web_scripts   := $(wildcard $(WEB)/*.js) $(if $(LIVE),$(web_programs:%=build/web/%.wasm.js) build/web/article.js)

# a script, and not the file itself: a page opened from a disk may load scripts, but may not read files
build/web/%.wasm.js: build/wasm/%.wasm
	@mkdir -p '$(@D)'
	@{ printf 'programs["$*"] = "'; base64 <$< | tr -d '\n'; echo '";'; } >$@
build/web/article.js: $(wildcard tests/data/article/[QKV].npy)
	@mkdir -p '$(@D)'
	@{ echo 'const article = {'; for x in $^; do printf '"%s": bytes("' $$x; base64 <$$x | tr -d '\n'; \
	    echo '"),'; done; echo '};'; } >$@
build/pages/sources: FORCE
	@mkdir -p build/pages
	@printf '%s\n' 'live=$(LIVE)' $(web_sources) >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
build/pages/%.md.html: %.md $(wildcard $(WEB)/*.mk $(WEB)/*.lua $(WEB)/words* $(WEB)/parts/*) build/pages/sources
	$(call say,PAGE $<) mkdir -p '$(@D)' && LIVE=$(LIVE) pandoc --from gfm+east_asian_line_breaks --to html5 \
	    --wrap=preserve --toc --template $(WEB)/parts/fragment.template --lua-filter $(WEB)/page.lua -o $@ $<

web: build/web/index.html                     ## look: the lessons as pages in which their C files run: build/web
build/web/index.html: $(if $(PANDOC),$(web_texts:%=build/pages/%.html)) $(web_sources) $(web_scripts) \
    $(wildcard $(WEB)/*)
	$(if $(PANDOC),,$(error The pages are made by pandoc, which was not found: make setup-web installs it))
	$(if $(LIVE),,@echo 'clang with lld, wasi-libc and compiler-rt for wasm32 was not found: the pages are made' \
	    'without their live parts (make setup-web installs it)')
	@mkdir -p $(sort $(dir $(patsubst %,build/web/%,$(web_sources) $(patsubst %,zh/%,$(filter %.zh-CN.md,$(web_texts))))))
	@mkdir -p build/web/docs/figures && cp docs/figures/* build/web/docs/figures/
	@cp $(WEB)/*.js $(WEB)/style.css build/web/
	$(call say,PUT  $(@D)) tail -n +2 build/pages/sources | awk -v scripts='$(notdir $(web_scripts))' -f $(WEB)/pages.awk
	@touch $@

serve: web                                    ## look: the pages at an address of this machine alone, until Ctrl-C
	cd build/web && python3 -m http.server --bind 127.0.0.1 8000

test-web: web build/ledger $(STAGES:%=build/stage-%)   ## check: the pages in a real browser, used as a reader does
	@test -x $(WEB_PYTHON) || { echo 'test-web: playwright is not there: make setup-web installs it' >&2; exit 2; }
	@$(WEB_PYTHON) $(WEB)/test.py
