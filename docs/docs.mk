# The texts are held to what they show, and their pictures are drawn.

TEXTS   := $(filter-out %.zh-CN.md,$(wildcard *.md 0*/README.md 0*/ring/README.md docs/*.md docs/*/README.md tests/*/README.md tests/data/*/README.md))
# the texts with a Chinese twin beside them
TWINNED := $(patsubst %.zh-CN.md,%.md,$(wildcard *.zh-CN.md 0*/*.zh-CN.md 0*/*/*.zh-CN.md 0*/*/*/*.zh-CN.md docs/*.zh-CN.md))
FIGURES := $(patsubst docs/plots/%.gp,%,$(filter-out %/style.gp %/tiles.gp,$(wildcard docs/plots/*.gp)))
WALKS   := dense causal
TABLES  := hot blocks account storage rows tokens weights overflow size bench peers traffic ring ring_schedule $(WALKS)
DATA    := $(TABLES:%=build/data/%.csv)

.PHONY: test-lessons chinese-seen test-figures plots figures record animation
# The commands in the texts are run as a reader types them: without the options of this make.
test-lessons: $(STAGES:%=build/stage-%) build/ledger build/experiment   ## check: run what the texts show, and compare
	+@$(if $(CUDA),$(IN_CUDA) BUILD=../build/05_cuda programs)
	@MAKEFLAGS= MAKELEVEL=0 awk -v without_5=$(if $(CUDA),,1) -v without_ring=$(if $(MPICC),,1) -f tests/checks/lessons.awk $(TEXTS)
	@awk -f tests/checks/glossary.awk docs/glossary.md $(wildcard 0*/README.md)
	@sed '/^| warp /d' docs/glossary.md >build/no-warp.md # a term that is gone must be missed
	@! awk -f tests/checks/glossary.awk build/no-warp.md $(wildcard 0*/README.md) | grep -q ', 0 not found'
	@tests/checks/twins.sh $(TWINNED)

chinese-seen:                                 ## check: the Chinese texts are as new as the English ones are now
	@tests/checks/twins.sh --seen $(TWINNED) >docs/zh-CN.seen.new && mv docs/zh-CN.seen.new docs/zh-CN.seen

test-figures: $(DATA)                          ## check: the figures are drawn without a display, whatever the data
	@tests/checks/figures.sh $(GNUPLOT)

plots: $(FIGURES:%=build/plots/%.svg)         ## look: draw all figures from this machine's runs into build/plots
figures: $(FIGURES:%=docs/figures/%.svg) $(WALKS:%=docs/figures/%.gif)   ## look: draw docs/figures from the recorded runs
record: $(DATA)                                ## measure: make this machine's runs the recorded ones (minutes)
	cp $(filter-out %/bench.csv %/peers.csv %/ring.csv,$(DATA)) docs/data/
	@tests/checks/record.sh $(filter-out %/peers.txt,$(wildcard docs/data/*.txt))

animation: $(WALKS:%=build/plots/%.gif)       ## look: draw attention_flash's tiles as moving pictures

# $(call draw,FOLDER): the script $< reads the CSV files of FOLDER and writes $@
draw = $(if $(GNUPLOT),$(GNUPLOT) -e "data='$(1)'; name='$(*F)'; picture='$@'" $<,\
    $(error Figures are drawn by gnuplot, which was not found: make setup installs it))
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
# A table is there whole or not at all.
build/data/%.csv: build/experiment
	@mkdir -p build/data
	@build/experiment $* >$@.part || { rm -f $@.part; exit 2; }
	@mv $@.part $@
# minutes, so it is not run by itself
build/data/bench.csv: docs/data/bench.csv
	@mkdir -p build/data
	@echo '  The recorded bench is drawn. make bench CSV=$@ puts your own in its place.'
	@cp $< $@
build/data/peers.csv: docs/data/peers.csv
	@mkdir -p build/data
	@echo '  The recorded peers are drawn. make peers CSV=$@ puts your own in its place.'
	@cp $< $@
build/data/ring.csv: docs/data/ring.csv
	@mkdir -p build/data
	@echo '  The recorded ring is drawn. make bench-ring CSV=$@ puts your own in its place.'
	@cp $< $@
ifneq ($(MPICC),)
build/data/ring_schedule.csv: build/ring/ring
	@mkdir -p build/data
	@$(run_ranks) -n 4 $< --schedule >$@.part && mv $@.part $@
else
build/data/ring_schedule.csv: docs/data/ring_schedule.csv
	@mkdir -p build/data
	@cp $< $@
endif
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
