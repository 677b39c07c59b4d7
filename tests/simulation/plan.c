/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Swarm testing: each seed leaves out a random half of the kinds of actions. A plan in which everything happens all
 * the time rarely lets one thing happen often.
 */
#include "plan.h"

#include <stdio.h>
#include <string.h>

#include "rng.h"

static const struct {
    unsigned weight;
    sim_actor actor;
    const char *text;
} kinds[SIM_N_DO] = {
#define SIM_ROW(name, weight, actor, text) {weight, actor, text},
    SIM_ACTION_LIST(SIM_ROW)
#undef SIM_ROW
};

static bool chance(kin_test_rng *rng, unsigned one_of)
{
    return kin_test_below(rng, one_of) == 0;
}

/* From a microsecond to minutes, each order of magnitude as likely as the others. */
static int64_t pause_ns(kin_test_rng *rng)
{
    int64_t scale = 1000;

    for (uint64_t n = kin_test_below(rng, 9); n > 0; n--)
        scale *= 10;
    return scale + (int64_t)kin_test_below(rng, (uint64_t)scale * 9);
}

static sim_do choose(kin_test_rng *rng, const bool *allowed)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < SIM_N_DO; i++)
        sum += allowed[i] ? kinds[i].weight : 0;
    uint64_t at = kin_test_below(rng, sum);
    for (unsigned i = 0; i < SIM_N_DO; i++) {
        if (!allowed[i])
            continue;
        if (at < kinds[i].weight)
            return (sim_do)i;
        at -= kinds[i].weight;
    }
    return SIM_DO_PUT;
}

static unsigned subjects_of(sim_do what)
{
    switch (what) {
    case SIM_DO_JOIN:
    case SIM_DO_LEAVE:
    case SIM_DO_LEAVE_WAIT:
    case SIM_DO_SYNC:
        return SIM_HANDLERS;
    case SIM_DO_FAIL:
        return SIM_WAYS;
    case SIM_DO_LAG:
    case SIM_DO_CATCH_UP:
        return SIM_REPLICAS;
    case SIM_DO_SCOPE:
        return SIM_SCOPES;
    default:
        return SIM_KEYS;
    }
}

static bool is_of_object(sim_do what)
{
    return what != SIM_DO_FAIL && subjects_of(what) == SIM_KEYS;
}

static void make_schedule(sim_schedule *schedule, kin_test_rng *rng)
{
    static const unsigned often[] = {0, 4, 32, 128, 400};

    *schedule = (sim_schedule){
        .seed = kin_test_random(rng),
        .switch_of_1024 = often[kin_test_below(rng, sizeof(often) / sizeof(often[0]))],
        .by_priority = chance(rng, 3),
        .max_switches = UINT64_MAX,
        .start_ns = INT64_C(3600) * 1000000000,
        .start_unix_ns = INT64_C(1700000000) * 1000000000,
    };
}

static void make_config(sim_config *config, kin_test_rng *rng)
{
    static const int64_t latencies[] = {0, 10000, 10000000, 5000000000};

    bool scopes = chance(rng, 4);

    *config = (sim_config){
        .ordered = chance(rng, 2),
        .streaming = chance(rng, 2),
        .page_size = chance(rng, 2) ? 0 : 1 + (int64_t)kin_test_below(rng, 4),
        .resync_ms = chance(rng, 3) ? 1000 + (int64_t)kin_test_below(rng, 60000) : 0,
        .latency_ns = latencies[kin_test_below(rng, sizeof(latencies) / sizeof(latencies[0]))],
        .max_queued = chance(rng, 2) ? 0 : 1 + (unsigned)kin_test_below(rng, 4),
        .rejects = chance(rng, 4),
        .slow_index = chance(rng, 3),
        .reconciler = chance(rng, 5),
        .relist_ms = chance(rng, 6) ? 1800000 : 0,
        .snapshot = chance(rng, scopes ? 1 + (unsigned)kin_test_below(rng, 2) : 3),
        .scopes = scopes,
        .own_key = chance(rng, 6),
        .controller = chance(rng, 2),
    };
    /* It maps objects to requests by their names. */
    config->reconciler &= !config->own_key;
    config->unversioned = !config->scopes && chance(rng, 6);
    config->scope = config->scopes ? (unsigned)kin_test_below(rng, SIM_SCOPES) : 0;
    config->dies_at_end = config->snapshot && (scopes || chance(rng, 2));
    for (unsigned i = 0; i < 2 && chance(rng, config->snapshot ? 2 : 6); i++)
        config->dies_at[i] = 1 + kin_test_below(rng, UINT64_C(1) << (4 + kin_test_below(rng, 11)));
}

void sim_plan_make(sim_plan *plan, uint64_t seed)
{
    kin_test_rng rng = {seed};
    bool allowed[SIM_N_DO];
    bool bursts = chance(&rng, 3);
    unsigned keys = 1 + (unsigned)kin_test_below(&rng, SIM_KEYS);

    memset(plan, 0, sizeof(*plan));
    plan->seed = seed;
    make_schedule(&plan->schedule, &rng);
    make_config(&plan->config, &rng);
    for (unsigned i = 0; i < SIM_N_DO; i++)
        allowed[i] =
            i == SIM_DO_PUT || (i == SIM_DO_SAVE && plan->config.snapshot) || chance(&rng, 2);
    /* While the server forgets nothing, a watch goes on from a snapshot, and no list puts it right. */
    if (plan->config.snapshot && chance(&rng, 2))
        allowed[SIM_DO_COMPACT] = allowed[SIM_DO_RESTART] = allowed[SIM_DO_RESTORE] = false;
    allowed[SIM_DO_SCOPE] = plan->config.scopes;
    allowed[SIM_DO_DIE] = plan->config.snapshot;
    /* Races with each other are what they are for. */
    allowed[SIM_DO_QUEUE_RESYNC] = allowed[SIM_DO_QUEUE_PUT];
    plan->n = 10 + (unsigned)kin_test_below(&rng, chance(&rng, 4) ? SIM_ACTIONS - 10 : 70);
    for (unsigned i = 0; i < plan->n; i++) {
        sim_do what = choose(&rng, allowed);
        unsigned n = subjects_of(what);

        plan->actions[i] = (sim_action){
            .after_ns =
                bursts && !chance(&rng, 8) ? (int64_t)kin_test_below(&rng, 20000) : pause_ns(&rng),
            .what = what,
            .subject = (unsigned)kin_test_below(&rng, is_of_object(what) ? keys : n),
            .detail = (unsigned)kin_test_random(&rng),
        };
    }
}

sim_actor sim_actor_of(sim_do what)
{
    return kinds[what].actor;
}

/* " 0 1": the numbers of the bits. */
static void bits_text(unsigned bits, char ret[8])
{
    unsigned n = 0;

    for (unsigned i = 0; i < SIM_COLORS; i++) {
        if (bits >> i & 1) {
            ret[n++] = ' ';
            ret[n++] = (char)('0' + i);
        }
    }
    ret[n] = '\0';
}

void sim_scope_text(unsigned scope, char *ret, unsigned long size)
{
    char namespaces[8];
    char colors[8];

    bits_text(sim_scope_namespaces(scope), namespaces);
    bits_text(sim_scope_colors(scope), colors);
    snprintf(ret, size, "namespaces%s, colors%s", namespaces[0] ? namespaces : " all",
             colors[0] ? colors : " all");
}

void sim_action_text(const sim_action *action, char *ret, unsigned long size)
{
    static const char *const ways[SIM_WAYS] = {
        "lost", "refused", "500",       "503", "429",
        "410",  "403",     "timed out", "422", "503, retry after a day"};
    /* The texts are of this file, with at most one place. */
    const char *text = kinds[action->what].text;
    const char *at = strchr(text, '%');
    char scope[48];

    sim_scope_text(action->subject, scope, sizeof(scope));
    if (action->what == SIM_DO_SCOPE)
        snprintf(ret, size, "%.*s%s", (int)(at - text), text, scope);
    else if (action->what == SIM_DO_FAIL)
        snprintf(ret, size, "%.*s%s", (int)(at - text), text, ways[action->subject]);
    else if (at)
        snprintf(ret, size, "%.*s%u%s", (int)(at - text), text, action->subject, at + 2);
    else
        snprintf(ret, size, "%s", text);
}

void sim_config_text(const sim_config *config, char *ret, unsigned long size)
{
    char pages[32] = "";

    if (config->page_size)
        snprintf(pages, sizeof(pages), ", pages of %d", (int)config->page_size);
    snprintf(ret, size, "%s%s%s%s%s%s%s%s%s%s%s%s%s",
             config->ordered ? "ordered FIFO" : "DeltaFIFO",
             config->streaming ? ", streaming lists" : "", pages,
             config->resync_ms ? ", resyncs" : "", config->latency_ns ? ", slow network" : "",
             config->rejects ? ", transformer that rejects" : "",
             config->slow_index ? ", slow index function" : "",
             config->max_queued ? ", short handler queues" : "",
             config->relist_ms ? ", repeated lists" : "", config->scopes ? ", scopes" : "",
             config->unversioned ? ", no versions" : "", config->own_key ? ", no names" : "",
             config->controller ? ", controller" : "");
}
