# What CUDA C has and C++ has not: launches, and shared memory whose size the launch tells. Each on one line.
s/([A-Za-z_][A-Za-z0-9_]*(<[^<>]*>)?)<<</cuda_on_cpu_launcher((\1), /g
s/>>>/)/g
s/extern __shared__ (.*[^A-Za-z0-9_])([A-Za-z_][A-Za-z0-9_]*)\[\];/\1*\2 = (decltype(\2))cuda_on_cpu_shared();/
