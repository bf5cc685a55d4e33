/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the kernel that finds the tokens: the first one in a table that this
 * processor can run. The choice costs a few loads, so it is made for every
 * document and never stored. -DSURETY_KERNEL=NAME fixes the choice (tests). */
#include "json/index.h"

#ifdef INDEX_X86
static bool index_avx512_here(void)
{
    return __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}

static bool index_avx2_here(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}
#endif

static bool index_anywhere(void)
{
    return true;
}

static const struct surety__kernel index_kernels[] = {
#ifdef INDEX_X86
    {"avx512", surety__kernel_avx512, index_avx512_here},
    {"avx2", surety__kernel_avx2, index_avx2_here},
    {"sse2", surety__kernel_sse2, index_anywhere},
#endif
#ifdef INDEX_NEON
    {"neon", surety__kernel_neon, index_anywhere},
#endif
    {"portable", surety__kernel_portable, index_anywhere},
    {"short", surety__kernel_short, index_anywhere},
};

enum { INDEX_KERNELS = sizeof(index_kernels) / sizeof(*index_kernels) };

const struct surety__kernel *surety__kernel_at(size_t i)
{
    for (size_t k = 0; k < INDEX_KERNELS; k++)
        if (index_kernels[k].runs_here() && i-- == 0)
            return &index_kernels[k];
    return NULL;
}

const struct surety__kernel *surety__kernel_best(void)
{
#ifdef SURETY_KERNEL
#define INDEX_TEXT(name) #name
#define INDEX_NAME(name) INDEX_TEXT(name)
    for (size_t k = 0; k < INDEX_KERNELS; k++)
        if (!strcmp(index_kernels[k].name, INDEX_NAME(SURETY_KERNEL)))
            return &index_kernels[k];
#elif defined(INDEX_X86)
    if (index_avx512_here()) /* the most frequent case, without a call */
        return &index_kernels[0];
#endif
    return surety__kernel_at(0);
}
