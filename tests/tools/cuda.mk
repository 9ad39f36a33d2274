# Version 5 has a Makefile of its own. Where there is no C++ compiler, each says so in a line.
.PHONY: stage-5 check-5 traffic-5 try-5 cuda gpu-report
ifneq ($(CUDA),)
stage-5: build/ledger
	+@$(IN_CUDA) BUILD=../build/05_cuda run
	@echo
	+@$(IN_CUDA) BUILD=../build/05_cuda bytes
	@echo
	@build/ledger --versions 0-5
check-5:                                      ## learn: version 5's kernels on the CPU: races, illegal addresses, barriers
	+@$(IN_CUDA) BUILD=../build/05_cuda check
traffic-5:                                    ## learn: the same kernels: sectors per request, bank conflicts
	+@$(IN_CUDA) BUILD=../build/05_cuda traffic
try-5:                                        ## learn: any CUDA program, FILE=my.cu, on the CPU with all checks; ARGS, TRAFFIC=1
	+@$(IN_CUDA) BUILD=../build/05_cuda FROM='$(CURDIR)' try
cuda:                                         ## check: compile version 5 with nvcc, for three GPUs; no warnings, no spills
	+@$(IN_CUDA) BUILD=../build/05_cuda cuda
gpu-report:                                   ## measure: on a GPU: verify, time against PyTorch, write a CSV and a table
	+@$(IN_CUDA) BUILD=../build/05_cuda report
else
NO_CUDA = Version 5 needs a C++ compiler, and no sanitizers: left out.
stage-5 check-5 traffic-5 try-5 cuda gpu-report:
	@echo '$(NO_CUDA)'
endif
