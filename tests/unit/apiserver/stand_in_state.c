/* SPDX-License-Identifier: Apache-2.0 */
/* A state without anything in it. */
#include "apiserver/state.h"
#include "base/error.h"
#include "base/memory.h"

struct kin__state {
    int nothing;
};

int kin__state_new(kin__state **ret, const kin__state_options *options, kin_error *err)
{
    (void)options;
    *ret = kin__calloc(1, sizeof(**ret));
    return *ret ? 0 : kin__error_no_memory(err);
}

void kin__state_free(kin__state *state)
{
    kin__free(state);
}

void kin__state_compact(kin__state *state)
{
    (void)state;
}

int kin__state_rewind(kin__state *state, uint64_t version, kin_error *err)
{
    (void)state;
    return version > 1 ? kin_error_set(err, KIN_ERANGE, "there is no version %llu yet",
                                       (unsigned long long)version)
                       : 0;
}
