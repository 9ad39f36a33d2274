# Attention over several machines, on MPI. Where there is none, make ring says so.
#
#     make ring RANKS=4 HOSTS=a,b        HOSTS may also be a file with a host a line

RING    := $(call folder,4)/ring
MPIRUN  ?= $(subst mpicc,mpirun,$(MPICC))
NO_MPI  := MPI was not found: the ring is left out (make setup-ring installs it).

# mpicc calls our compiler. Open MPI runs as root only when told, twice, and in a container reads no other's memory.
export OMPI_CC  = $(CC)
export MPICH_CC = $(CC)
export OMPI_ALLOW_RUN_AS_ROOT         = 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = 1
export OMPI_MCA_btl_vader_single_copy_mechanism = none
# seconds, for both MPIs: a job that hangs ends with a sentence
export MPIEXEC_TIMEOUT ?= 60

open_mpi  = $(findstring Open MPI,$(shell $(MPIRUN) --version 2>/dev/null))
# more ranks than cores are welcome, and no rank is tied to a core
MPI_FLAGS = $(if $(open_mpi),--oversubscribe --bind-to none) \
            $(if $(HOSTS),$(if $(wildcard $(HOSTS)),$(if $(open_mpi),--hostfile,-f),$(if $(open_mpi),--host,-hosts)) \
            $(HOSTS))
run_ranks   = $(MPIRUN) $(strip $(MPI_FLAGS))
# MPICH's header makes gcc warn, wrongly, wherever MPI_STATUSES_IGNORE stands
mpi_compile = $(MPICC) $(filter-out $(CC),$(COMPILE)) $(if $(open_mpi),,$(call accepts,-Wno-stringop-overflow))
mpi_link    = $(MPICC) $(filter-out $(CC),$(LINK))

.PHONY: ring
ifneq ($(MPICC),)
ring: build/ring/ring                         ## learn: attention over RANKS=4 ranks of MPI, or machines: HOSTS=a,b
	@$(run_ranks) -n $(or $(RANKS),4) build/ring/ring
else
ring:
	@echo '$(NO_MPI)'
endif
build/ring/ring: $(patsubst $(RING)/%.c,build/ring/%.o,$(wildcard $(RING)/*.c)) \
                 $(patsubst %,build/plain/$(call folder,4)/%.o,flash decode)
	$(call say,LINK $@) $(mpi_link) $^ -lm -o $@
build/ring/%.o: $(RING)/%.c build/flags
	@mkdir -p '$(@D)'
	$(call say,CC   $<) $(mpi_compile) $(FLASH_FLAGS) -c $< -o $@
