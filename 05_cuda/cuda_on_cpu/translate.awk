# From CUDA C to C++: launches, shared memory whose size the launch tells, variables in device memory, launch bounds.
# All else that CUDA C adds is macros and functions of cuda_runtime.h.
#
#     awk -f translate.awk FILE                        to standard output
#     awk -v to=FOLDER -f translate.awk FILE ...       each FILE, and what it includes by "...", to a file in FOLDER
#
# Lines keep their numbers. What the emulation has not is refused by a sentence that names it; exit status 2.

BEGIN {
    if (ours == "") ours = "cuda_on_cpu"
    lack("texture tex1D tex2D tex3D tex1Dfetch tex2DLod surf2Dread surf2Dwrite cudaTextureObject_t " \
         "cudaSurfaceObject_t cudaArray cudaArray_t cudaMallocArray cudaBindTexture cudaCreateTextureObject", \
         "textures and surfaces are")
    lack("cudaGraph_t cudaGraphExec_t cudaGraphCreate cudaGraphLaunch cudaStreamBeginCapture", "graphs are")
    lack("__cluster_dims__ this_cluster cluster_group cudaLaunchKernelEx cudaLaunchKernelExC", "clusters are")
    lack("this_multi_grid cudaLaunchCooperativeKernel", "a barrier for the whole grid is")
    lack("CUtensorMap cuTensorMapEncodeTiled", "tensor maps are")
    lack("asm __asm__ __asm", "PTX within C is")
    lack("cuInit cuLaunchKernel cuModuleLoad cuModuleLoadData", "the driver's interface is")
    lack("cudaLaunchKernel", "a launch other than kernel<<<grid, block>>>(...) is")
    Ours = "^(cuda|cuda_runtime_api|cuda_pipeline(_primitives)?|cuda_profiler_api|device_launch_parameters|" \
           "(driver|vector|builtin|device)_types|(vector|math|device|device_atomic)_functions|host_defines|" \
           "sm_[0-9_]*intrinsics|cu(blas|rand|fft|sparse|solver)[A-Za-z_0-9]*)\\.h$"
    Theirs = "^(cudnn|nccl|nvrtc|nvtx|nvToolsExt|npp|mma\\.h|thrust/|cub/|cuda/|" \
             "cute/|cutlass/|cuda_|cudaGL|cooperative_groups)"
    for (i = 1; i < ARGC; i++) translate(ARGV[i], "")
    exit
}
function lack(names, what,    n, name) {
    for (n = split(names, name, " "); n; n--) missing[name[n]] = what
}
function refuse(path, line, name, what) {
    printf "%s:%d: %s: %s not part of the emulation\n", path, line, name, what >"/dev/stderr"
    exit 2
}

# one file; the name of its translation. s: what is not written yet, and whether it is within a comment or a launch
function translate(path, prefix,    line, number, s, out) {
    if (path in done) return done[path]
    out = to == "" ? "/dev/stdout" : to "/" prefix last_part(path)
    done[path] = out
    s["text"] = s["comment"] = s["launch"] = s["braces"] = ""
    printf "#line 1 \"%s\"\n", last_part(path) >out
    while ((getline line <path) > 0) {
        sub(/\r$/, "", line)
        number++
        if (!s["comment"] && line ~ /^[ \t]*#[ \t]*include/) line = include(line, path, number)
        tokens(line "\n", s, path, number, out)
        if (line ~ /^[ \t]*#/ && line !~ /\\$/ && !s["comment"]) flush(s, out)
    }
    flush(s, out)
    close(path)
    return out
}
function flush(s, out) {
    printf "%s", s["text"] >out
    s["text"] = ""
}
function last_part(path) { sub(/.*\//, "", path); return path }
function there(path,    line, found) {
    found = (getline line <path) >= 0
    close(path)
    return found
}

# our own headers are found or not needed, and a library's names are missed where they are used; what lies beside the
# file is translated, too
function include(line, path, number,    name, folder) {
    name = line
    sub(/^[^<"]*[<"]/, "", name)
    sub(/[>"].*/, "", name)
    if (name ~ Ours) return ""
    if (there(ours "/" name)) return line
    if (name ~ Theirs) refuse(path, number, name, "this library is")
    folder = path
    if (!sub(/[^\/]*$/, "", folder)) folder = ""
    if (to == "" || line !~ /"/ || !there(folder name)) return line
    return "#include \"" last_part(translate(folder name, ++count ".")) "\""
}

function tokens(line, s, path, number, out,    t, end, alone) {
    while (line != "") {
        if (s["comment"]) {
            end = index(line, "*/")
            s["text"] = s["text"] (end ? substr(line, 1, end + 1) : line)
            line = end ? substr(line, end + 2) : ""
            if (s["comment"] == "alone") flush(s, out) # what stands in it is no code
            if (end) s["comment"] = ""
            continue
        }
        if (!match(line, /"|'|\/\/|\/\*|<<<|>>>|[;{}]|[A-Za-z_][A-Za-z_0-9]*|[0-9][A-Za-z_0-9.']*/)) {
            s["text"] = s["text"] line
            return
        }
        s["text"] = s["text"] substr(line, 1, RSTART - 1)
        t = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (t == ">>>" && s["launch"]) {
            t = ")"
            s["launch"] = ""
        }
        else if (t == "/*") s["comment"] = s["text"] ~ /[^ \t\n]/ ? "within" : "alone"
        else if (t == "//") {
            t = t line
            line = ""
        }
        else if (t == "\"" && match(line, /^([^"\\]|\\.)*"/) || t == "'" && match(line, /^([^'\\]|\\.)+'/)) {
            t = t substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        } else if (t == "<<<") t = launch(s)
        else if (t == "__noinline__") t = "__attribute__((noinline))" # a macro of this name breaks the C++ library
        else if (t in missing && (t != "texture" || line ~ /^[ \t]*</) && s["text"] !~ /(\.|->)[ \t]*$/)
            refuse(path, number, t, missing[t])
        else if (t ~ /[;{}]/) {
            if (t == "{") s["braces"] = s["braces"] (s["text"] ~ /namespace|extern[ \t]+"C"/ ? "n" : "b")
            if (t == "}") s["braces"] = substr(s["braces"], 1, length(s["braces"]) - 1)
            s["text"] = statement(s["text"], t, s["braces"] ~ /b/)
            flush(s, out)
            continue
        }
        alone = t ~ /^\/\// && s["text"] !~ /[^ \t\n]/
        s["text"] = s["text"] t
        if (alone) flush(s, out)
    }
}

# kernel<<< becomes CUDA_ON_CPU_LAUNCH((kernel), and >>> a parenthesis. A kernel of which not all template arguments
# are given has no address.
function launch(s,    text, from, kernel, name) {
    text = s["text"]
    from = begin_of_name(text)
    kernel = substr(text, from)
    s["text"] = substr(text, 1, from - 1)
    s["launch"] = 1
    name = kernel
    sub(/<.*/, "", name)
    sub(/.*:/, "", name)
    gsub(/[ \t\n]/, "", name)
    return (template[name] > items(kernel) ? "CUDA_ON_CPU_DEDUCED((" : "CUDA_ON_CPU_LAUNCH((") kernel "), "
}
# where the last name of a text begins: identifiers with :: and . between, behind it (...), [...] or <...>
function begin_of_name(text,    i, c, depth) {
    for (i = length(text); i > 0; i--) {
        c = substr(text, i, 1)
        if (c ~ /[])>]/) depth++
        else if (c ~ /[[(<]/) { if (--depth < 0) break }
        else if (!depth && c !~ /[A-Za-z_0-9:. \t\n]/) break
        else if (!depth && c ~ /[ \t\n]/ && substr(text, i + 1) ~ /^[ \t\n]*[A-Za-z_]/) break
    }
    return i + 1
}
# how many items stand in the first <...> of a text
function items(text,    i, c, depth, n) {
    i = index(text, "<")
    if (!i) return 0
    for (n = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c ~ /[<(]/) depth++
        else if (c ~ /[>)]/ && !--depth) return n
        else if (c == "," && depth == 1) n++
    }
    return n
}

# what ends with ; { or }, within a function or not
function statement(text, end, within,    bounds, name) {
    if (end == ";" && text ~ /extern/ && text ~ /__shared__/) return dynamic(text, within) end
    if (end != "}" && text ~ /__(device|constant|managed)__/) text = variable(text)
    if (end != "{" || text !~ /__global__/) return text end
    name = text
    if (match(name, /__launch_bounds__[ \t]*\(/)) {
        bounds = substr(name, RSTART + RLENGTH)
        bounds = substr(bounds, 1, closing(bounds) - 1)
        name = substr(name, 1, RSTART - 1) substr(name, RSTART + RLENGTH + length(bounds) + 1)
        end = "{ cuda_on_cpu_launch_bounds(" bounds ");"
    }
    sub(/[ \t\n]*\(.*/, "", name)
    sub(/.*[^A-Za-z_0-9]/, "", name)
    if (text ~ /template/) template[name] = items(text)
    return text end
}
# where the parenthesis closes that stands open before a text
function closing(text,    i, c, depth) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "(") depth++
        else if (c == ")" && depth-- == 0) return i
    }
    return i
}
# extern __shared__ T name[]: a pointer, or at file scope something that becomes one wherever it is used
function dynamic(text, within,    head, name) {
    if (!match(text, /[A-Za-z_][A-Za-z_0-9]*[ \t]*\[[ \t]*\]/)) return text
    head = substr(text, 1, RSTART - 1)
    name = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    sub(/[ \t]*\[.*/, "", name)
    sub(/extern[ \t]+/, "", head)
    sub(/__shared__[ \t]*/, "", head)
    if (within) return head (text ~ /\[/ ? "(*" name ")" : "*" name) text " = (decltype(" name "))cuda_on_cpu_shared()"
    return "extern " head name "_[]" text "; static cuda_on_cpu_dynamic<decltype(&" name "_[0])> " name
}
# __device__ int x; but not __device__ int f(...)
function variable(text,    rest) {
    if (text ~ /template|operator|constexpr|[^A-Za-z_0-9]const[^A-Za-z_0-9]/) return text
    match(text, /__(device|constant|managed)__/)
    rest = substr(text, RSTART)
    gsub(/(__align__|alignas)[ \t]*\([^)]*\)/, "", rest)
    sub(/=.*/, "", rest)
    if (rest ~ /\(/) return text
    sub(/__(device|constant|managed)__/, rest ~ /__managed__/ ? "CUDA_ON_CPU_MANAGED &" : "CUDA_ON_CPU_DEVICE &", text)
    return text
}
