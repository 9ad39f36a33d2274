# Registers a thread that ptxas gave the fused kernels, from the logs of `make cuda`: one line a kernel and width.
/Compiling entry function/ {
    kernel = ""
    if (match($0, /flash_kernelILi[0-9]+/)) kernel = "flash float32"
    else if (match($0, /flash_mma_kernelI6__halfLi[0-9]+/)) kernel = "flash_mma float16"
    else if (match($0, /flash_mma_kernelI13__nv_bfloat16Li[0-9]+/)) kernel = "flash_mma bfloat16"
    width = substr($0, RSTART, RLENGTH)
    sub(/.*Li/, "", width)
    match($0, /sm_[0-9]+/)
    arch = substr($0, RSTART, RLENGTH)
}
/Used [0-9]+ registers/ && kernel {
    match($0, /[0-9]+ registers/)
    line[kernel, width] = line[kernel, width] sprintf("  %s %3d", arch, substr($0, RSTART))
}
END {
    print "registers a thread:"
    split("flash float32,flash_mma float16,flash_mma bfloat16", kernels, ",")
    for (k = 1; k <= 3; k++)
        for (width = 16; width <= 256; width++)
            if ((kernels[k], width) in line) printf "%-18s %3d %s\n", kernels[k], width, line[kernels[k], width]
}
