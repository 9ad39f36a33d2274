/* The runtime's functions that the host calls. There is one device and every stream is in order: a call is done when
 * it returns. */
#ifndef CUDA_API_H
#define CUDA_API_H

#define CUDART_VERSION 12000

/* ---- errors ---- */
#define CUDA_ON_CPU_ERRORS(E)                                                                                          \
    E(cudaSuccess, 0, "no error")                                                                                      \
    E(cudaErrorInvalidValue, 1, "invalid argument")                                                                    \
    E(cudaErrorMemoryAllocation, 2, "out of memory")                                                                   \
    E(cudaErrorInitializationError, 3, "initialization error")                                                         \
    E(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                              \
    E(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                             \
    E(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                        \
    E(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                                    \
    E(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                           \
    E(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                                  \
    E(cudaErrorNotReady, 600, "device not ready")                                                                      \
    E(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                                        \
    E(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                                   \
    E(cudaErrorAssert, 710, "device-side assert triggered")                                                            \
    E(cudaErrorMisalignedAddress, 716, "misaligned address")                                                           \
    E(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                                       \
    E(cudaErrorNotSupported, 801, "operation not supported")                                                           \
    E(cudaErrorUnknown, 999, "unknown error")
#define CUDA_ON_CPU_ENUMERATOR(name, number, text) name = number,
enum cudaError_t { CUDA_ON_CPU_ERRORS(CUDA_ON_CPU_ENUMERATOR) };
typedef cudaError_t cudaError;

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

/* ---- the device ---- */
struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount;
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalConstMem;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor;
    int maxThreadsDim[3], maxGridSize[3];
    int clockRate, memoryClockRate, memoryBusWidth, l2CacheSize; /* kHz, bits, bytes: 0, for there is no such thing */
    int canMapHostMemory, unifiedAddressing, managedMemory, concurrentManagedAccess, concurrentKernels, integrated;
    int cooperativeLaunch, computeMode, asyncEngineCount, deviceOverlap, ECCEnabled, maxBlocksPerMultiProcessor;
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13, cudaDevAttrMultiProcessorCount = 16, cudaDevAttrIntegrated = 18,
    cudaDevAttrComputeMode = 20, cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrManagedMemory = 83, cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
enum { cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
       cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
                         cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100, cudaSharedmemCarveoutMaxL1 = 0 };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
                     cudaFuncCachePreferEqual };

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
static inline cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
static inline cudaError_t cudaDriverGetVersion(int *version) { return *version = 12000, cudaSuccess; }
static inline cudaError_t cudaRuntimeGetVersion(int *version) { return *version = 12000, cudaSuccess; }
static inline cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
static inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
static inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
static inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
cudaError_t cuda_on_cpu_set_attribute(const void *kernel, cudaFuncAttribute attribute, int value);
template <class Kernel> cudaError_t cudaFuncSetAttribute(Kernel *kernel, cudaFuncAttribute attribute, int value)
{
    return cuda_on_cpu_set_attribute((const void *)kernel, attribute, value);
}
template <class Kernel> cudaError_t cudaFuncSetCacheConfig(Kernel *, cudaFuncCache) { return cudaSuccess; }

/* ---- memory ---- */
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
                      cudaMemcpyDefault };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4,
       cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2,
       cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaCpuDeviceId = -1 };

cudaError_t cuda_on_cpu_malloc(void **p, size_t bytes, bool host); /* host: it may use the memory, too */
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *to, int byte, size_t bytes);
cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *p);
template <class T> cudaError_t cudaMalloc(T **p, size_t bytes) { return cuda_on_cpu_malloc((void **)p, bytes, false); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned = 0)
{
    return cuda_on_cpu_malloc((void **)p, bytes, true);
}
template <class T> cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned) { return cudaMallocHost(p, bytes); }
template <class T> cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned = 1) { return cudaMallocHost(p, bytes); }
template <class T> cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned)
{
    return *device = (T *)host, cudaSuccess;
}
template <class T> cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t) { return cudaMalloc(p, bytes); }
static inline cudaError_t cudaFreeAsync(void *p, cudaStream_t) { return cudaFree(p); }
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t = NULL)
{
    return cudaMemcpy(to, from, bytes, kind);
}
static inline cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t = NULL)
{
    return cudaMemset(to, byte, bytes);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpy((char *)&symbol + offset, from, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpy(to, (const char *)&symbol + offset, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t = NULL)
{
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T> cudaError_t cudaGetSymbolAddress(void **p, T &symbol) { return *p = (void *)&symbol, cudaSuccess; }
static inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = NULL) { return cudaSuccess; }

/* ---- streams and events ---- */
typedef double *cudaEvent_t; /* milliseconds */
enum { cudaEventDefault, cudaEventBlockingSync, cudaEventDisableTiming, cudaStreamDefault = 0, cudaStreamNonBlocking };

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned) { return cudaStreamCreate(s); }
static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned, int) { return cudaStreamCreate(s); }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaStreamQuery(cudaStream_t) { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = NULL);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventDestroy(cudaEvent_t event);
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) { return cudaEventCreate(event); }
static inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaDeviceSynchronize(); }

#endif
