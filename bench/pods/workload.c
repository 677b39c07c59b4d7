/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a workload gets its properties.
 *
 * Both variants use the same code with the same statistics: the templated one builds 250 workloads
 * once, the singleton one builds workload i for Pod i. Names, images, arguments, values and paths
 * all carry the workload's suffix or random digits, so nothing of them occurs in two workloads but
 * the words of Kubernetes itself.
 *
 * The shape (owner, number of containers, init container) is dealt out, not drawn: any 250
 * consecutive workloads have the same mixture, so that the mean size does not depend on the seed.
 * Namespaces of templated workloads are dealt out likewise, in Zipf's proportions.
 */
#include "workload.h"

#include "text.h"

#include <errno.h>

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))

#define DAY UINT64_C(86400)

/* 27 characters to the power of five: how many suffixes there are. */
#define SUFFIXES UINT64_C(14348907)
_Static_assert(KIN_BENCH_PODS_MAX <= SUFFIXES, "every Pod needs a suffix of its own");

const struct kin_bench__priority_class kin_bench__priority_classes[4] = {
    {NULL, 0},
    {"service-standard", 1000},
    {"service-critical", 10000},
    {"platform-critical", 1000000},
};

/* The alphabet of Kubernetes' own name suffixes: no vowels, no words by accident. */
static const char suffix_alphabet[] = "bcdfghjklmnpqrstvwxz2456789";

/* Ascending, see make_container_name() and make_env(). */
static const char *const words[] = {
    "account", "anchor",  "archive",  "balance",  "beacon",  "billing",  "bridge",  "broker",
    "canvas",  "catalog", "channel",  "checkout", "cluster", "compass",  "courier", "crystal",
    "delta",   "digest",  "dispatch", "edge",     "ember",   "engine",   "fabric",  "falcon",
    "feed",    "forge",   "gateway",  "geo",      "harbor",  "identity", "index",   "ingest",
    "invoice", "journal", "kernel",   "lantern",  "ledger",  "market",   "matrix",  "media",
    "meter",   "mirror",  "notify",   "orbit",    "order",   "parcel",   "payment", "pricing",
    "profile", "quota",   "ranking",  "relay",    "report",  "router",   "search",  "session",
    "signal",  "storage", "stream",   "summit",   "ticket",  "tracker",  "vault",   "vector",
};

static const char *const teams[] = {"payments", "search",   "media",    "identity", "logistics",
                                    "data",     "platform", "commerce", "insights", "partners"};
static const char *const stages[] = {"prod", "canary", "staging", "batch", "tools"};
_Static_assert(sizeof(teams) / sizeof(teams[0]) * (sizeof(stages) / sizeof(stages[0])) ==
                   KIN_BENCH_NAMESPACES,
               "the two lists make the namespaces");

static const char *const flags[] = {
    "listen-address", "log-format",   "leader-elect", "shard-key",   "cache-dir", "max-inflight",
    "upstream-url",   "trace-target", "tenant",       "config-file", "topic",     "sync-interval",
};

static const char *const components[] = {"api-",   "worker-",  "frontend-", "cache-",
                                         "store-", "gateway-", "exporter-", "scheduler-"};

/* Strings under construction: they end up, terminated, in the workload's arena. */
struct builder {
    struct kin_bench__text text;
    struct kin_bench__rng rng;
    char suffix[KIN_BENCH__SUFFIX_LEN + 1];
};

void kin_bench__suffix(char ret[KIN_BENCH__SUFFIX_LEN], uint64_t offset, uint64_t n)
{
    /* The factor has no divisor in common with 27^5, so that this is a permutation. */
    uint64_t v = (n * UINT64_C(5882353) + offset % SUFFIXES) % SUFFIXES;

    for (int i = KIN_BENCH__SUFFIX_LEN - 1; i >= 0; i--) {
        ret[i] = suffix_alphabet[v % 27];
        v /= 27;
    }
}

static size_t begin(const struct builder *b)
{
    return b->text.len;
}

static const char *finish(struct builder *b, size_t start)
{
    put_char(&b->text, '\0');
    return b->text.overflow ? "" : b->text.data + start;
}

static void put_word(struct builder *b)
{
    put_str(&b->text, words[kin_bench__rng_below(&b->rng, COUNT(words))]);
}

/* Random characters as in names. */
static void put_token(struct builder *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_char(&b->text, suffix_alphabet[kin_bench__rng_below(&b->rng, 27)]);
}

/* before + the workload's suffix + after */
static const char *make(struct builder *b, const char *before, const char *after)
{
    size_t start = begin(b);

    put_str(&b->text, before);
    put_str(&b->text, b->suffix);
    put_str(&b->text, after);
    return finish(b, start);
}

static const char *join(struct builder *b, const char *head, const char *tail)
{
    size_t start = begin(b);

    put_str(&b->text, head);
    put_str(&b->text, tail);
    return finish(b, start);
}

/* word-XXXXX with the workload's suffix */
static const char *make_word(struct builder *b)
{
    size_t start = begin(b);

    put_word(b);
    put_char(&b->text, '-');
    put_str(&b->text, b->suffix);
    return finish(b, start);
}

/*
 * The same for container number nth, from a part of the list that is its own: the names of one
 * Pod's containers differ, and ascend as managedFields wants them.
 */
static const char *make_container_name(struct builder *b, unsigned nth)
{
    const uint32_t part = COUNT(words) / KIN_BENCH__CONTAINERS_MAX;
    size_t start = begin(b);

    put_str(&b->text, words[nth * part + kin_bench__rng_below(&b->rng, part)]);
    put_char(&b->text, '-');
    put_str(&b->text, b->suffix);
    return finish(b, start);
}

static const char *make_token(struct builder *b, size_t n)
{
    size_t start = begin(b);

    put_token(b, n);
    return finish(b, start);
}

static const char *make_version(struct builder *b)
{
    size_t start = begin(b);

    put_u64(&b->text, kin_bench__rng_below(&b->rng, 10));
    put_char(&b->text, '.');
    put_u64(&b->text, kin_bench__rng_below(&b->rng, 40));
    put_char(&b->text, '-');
    put_hex(&b->text, kin_bench__rng_next(&b->rng), 6);
    return finish(b, start);
}

/* An argument: mostly plain, some with the characters that JSON and Go escape. */
static const char *make_arg(struct builder *b, unsigned nth)
{
    struct kin_bench__text *t = &b->text;
    size_t start = begin(b);

    put_str(t, "--");
    put_str(t, flags[(kin_bench__rng_below(&b->rng, COUNT(flags) / KIN_BENCH__ARGS_MAX) *
                          KIN_BENCH__ARGS_MAX +
                      nth) %
                     COUNT(flags)]);
    put_char(t, '=');
    put_word(b);
    switch (kin_bench__rng_below(&b->rng, 8)) {
    case 0:
        put_str(t, "\\u003e=");
        put_digits(t, kin_bench__rng_below(&b->rng, 100000), 5);
        put_str(t, "\\u0026\\u0026ok");
        break;
    case 1:
        put_str(t, "{\\\"id\\\":\\\"");
        put_hex(t, kin_bench__rng_next(&b->rng), 8);
        put_str(t, "\\\"}");
        break;
    default:
        put_char(t, '.');
        put_token(b, 6);
        put_char(t, '/');
        put_hex(t, kin_bench__rng_next(&b->rng), 8);
        break;
    }
    return finish(b, start);
}

static const char *make_env_value(struct builder *b)
{
    struct kin_bench__text *t = &b->text;
    size_t start = begin(b);

    switch (kin_bench__rng_below(&b->rng, 8)) {
    case 0:
        put_str(t, "{\\\"level\\\":\\\"");
        put_token(b, 6);
        put_str(t, "\\\",\\\"n\\\":");
        put_u64(t, kin_bench__rng_below(&b->rng, 1000000));
        put_char(t, '}');
        break;
    case 1:
        put_str(t, "Prüfstelle ");
        put_token(b, 6);
        put_str(t, " → ");
        put_token(b, 6);
        break;
    case 2:
        put_str(t, "mode: ");
        put_token(b, 6);
        put_str(t, "\\nlimit: ");
        put_u64(t, kin_bench__rng_below(&b->rng, 1000000));
        put_str(t, "\\n");
        break;
    default:
        put_str(t, "tcp://");
        put_word(b);
        put_char(t, '-');
        put_token(b, 6);
        put_str(t, ".svc:");
        put_u64(t, 1024 + kin_bench__rng_below(&b->rng, 60000));
        break;
    }
    return finish(b, start);
}

static void add_env(struct kin_bench__container *c, const char *name, const char *value,
                    enum kin_bench__env_type type)
{
    if (c->env_len < KIN_BENCH__ENV_MAX)
        c->env[c->env_len++] = (struct kin_bench__env){name, value, type};
}

static void put_upper(struct kin_bench__text *t, const char *s)
{
    for (; *s; s++) {
        char c = *s;

        if (c >= 'a' && c <= 'z')
            c = (char)(c & ~0x20);
        put_char(t, c);
    }
}

/* Some variables with the workload's suffix, perhaps one from its secret, perhaps a field. */
static void make_env(struct builder *b, struct kin_bench__container *c, unsigned count)
{
    struct kin_bench__text *t = &b->text;
    unsigned part = COUNT(words) / count;
    unsigned secret = kin_bench__rng_below(&b->rng, 2);

    for (unsigned i = 0; i < count; i++) {
        size_t start = begin(b);
        const char *name;
        const char *value;

        put_upper(t, words[i * part + kin_bench__rng_below(&b->rng, part)]);
        put_char(t, '_');
        put_upper(t, b->suffix);
        name = finish(b, start);
        value = i == secret ? make(b, "key-", "") : make_env_value(b);
        add_env(c, name, value, i == secret ? KIN_BENCH__ENV_SECRET : KIN_BENCH__ENV_VALUE);
    }
    switch (kin_bench__rng_below(&b->rng, 4)) {
    case 0:
        add_env(c, "POD_IP", "status.podIP", KIN_BENCH__ENV_FIELD);
        break;
    case 1:
        add_env(c, "POD_NAME", "metadata.name", KIN_BENCH__ENV_FIELD);
        break;
    default:
        break;
    }
}

static void make_image(struct builder *b, const struct kin_bench__workload *w,
                       struct kin_bench__container *c)
{
    struct kin_bench__text *t = &b->text;
    size_t start = begin(b);
    size_t len;

    put_str(t, "acme/");
    put_str(t, c->name);
    len = t->len - start;
    put_char(t, ':');
    put_str(t, w->version);
    c->image = finish(b, start);
    if (t->overflow)
        return;
    start = begin(b);
    put_bytes(t, c->image, len);
    put_str(t, "@sha256:");
    kin_bench__text_put_digest(t, kin_bench__rng_next(&b->rng));
    c->image_id = finish(b, start);
}

/* A container as sidecars and init containers are: no port, no probes, the scratch volume. */
static void make_container(struct builder *b, const struct kin_bench__workload *w,
                           struct kin_bench__container *c, const char *name)
{
    memset(c, 0, sizeof(*c));
    c->name = name;
    c->image_id = "";
    make_image(b, w, c);
    c->cpu = 10 + kin_bench__rng_below(&b->rng, 990);
    c->memory = 16 + kin_bench__rng_below(&b->rng, 984);
    c->limits = w->guaranteed ? 1 : 0;
    c->scratch = w->has_scratch;
}

static void make_main_container(struct builder *b, const struct kin_bench__workload *w,
                                struct kin_bench__container *c)
{
    make_container(b, w, c, make_container_name(b, 0));
    for (; c->args_len < 2; c->args_len++)
        c->args[c->args_len] = make_arg(b, c->args_len);
    make_env(b, c, 1 + kin_bench__rng_below(&b->rng, 2));
    if (!w->guaranteed && kin_bench__rng_below(&b->rng, 2) > 0)
        c->limits = 2 + kin_bench__rng_below(&b->rng, 3);
    c->port = 1024 + kin_bench__rng_below(&b->rng, 30000);
    if (w->owner != KIN_BENCH__JOB)
        c->probe = make(b, "/healthz/", "");
    c->period = 5 + kin_bench__rng_below(&b->rng, 90);
    c->config = true;
    c->secret = w->has_secret;
    c->secured = kin_bench__rng_below(&b->rng, 3) == 0;
}

/* Zipf with exponent 1 in integers: weight of the k-th namespace is 1 / (k + 1). */
static uint32_t pick_namespace(uint64_t fraction32)
{
    uint64_t total = 0;
    uint64_t at;
    uint32_t k;

    for (k = 0; k < KIN_BENCH_NAMESPACES; k++)
        total += 1000000 / (k + 1);
    at = total * fraction32 >> 32;
    for (k = 0; k < KIN_BENCH_NAMESPACES - 1; k++) {
        uint64_t weight = 1000000 / (k + 1);

        if (at < weight)
            break;
        at -= weight;
    }
    return k;
}

static const char *make_namespace(struct builder *b, const struct kin_bench_pods_options *options,
                                  uint64_t id)
{
    size_t start = begin(b);
    uint64_t fraction =
        options->variant == KIN_BENCH_TEMPLATED
            ? ((2 * id + 1) << 32) / UINT64_C(2) / KIN_BENCH_WORKLOADS
            : kin_bench__hash3(options->seed, KIN_BENCH__DOMAIN_NAMESPACE, id) >> 32;
    uint32_t k = pick_namespace(fraction);

    put_str(&b->text, teams[k % COUNT(teams)]);
    put_char(&b->text, '-');
    put_str(&b->text, stages[k / COUNT(teams)]);
    return finish(b, start);
}

static void make_names(struct builder *b, struct kin_bench__workload *w)
{
    struct kin_bench__rng *rng = &b->rng;
    size_t start = begin(b);

    put_word(b);
    put_char(&b->text, '-');
    put_str(&b->text, b->suffix);
    w->name = finish(b, start);
    w->revision = make_token(b, 10);
    w->owner_name = w->name;
    if (w->owner == KIN_BENCH__REPLICASET) {
        start = begin(b);
        put_str(&b->text, w->name);
        put_char(&b->text, '-');
        put_str(&b->text, w->revision);
        w->owner_name = finish(b, start);
    }
    w->generate_name = join(b, w->owner_name, "-");
    w->owner_uid[0] = kin_bench__rng_next(rng);
    w->owner_uid[1] = kin_bench__rng_next(rng);
    w->version = make_version(b);
    w->component = make(b, components[kin_bench__rng_below(rng, COUNT(components))], "");
    w->product = make_word(b);
    w->deployer = make(b, "deployer-", "");
    w->service_account = make(b, "sa-", "");
    w->config_map = make(b, "config-", "");
    w->secret = make(b, "secret-", "");
    w->config_volume = make(b, "cfg-", "");
    w->secret_volume = make(b, "tls-", "");
    w->scratch_volume = make(b, "tmp-", "");
    w->config_path = make(b, "/etc/", "");
    w->secret_path = make(b, "/run/tls/", "");
    w->scratch_path = make(b, "/var/tmp/", "");
}

int kin_bench__workload_init(struct kin_bench__workload *w,
                             const struct kin_bench_pods_options *options, uint64_t id)
{
    struct builder b;
    uint64_t shape = kin_bench__permute(kin_bench__hash3(options->seed, KIN_BENCH__DOMAIN_SHAPE, 0),
                                        KIN_BENCH_WORKLOADS, id % KIN_BENCH_WORKLOADS);

    memset(w, 0, offsetof(struct kin_bench__workload, arena));
    kin_bench__text_init(&b.text, w->arena, sizeof(w->arena));
    kin_bench__rng_init(&b.rng, options->seed, KIN_BENCH__DOMAIN_WORKLOAD, id);
    kin_bench__suffix(b.suffix, kin_bench__hash3(options->seed, KIN_BENCH__DOMAIN_WORKLOAD_NAME, 0),
                      id);
    b.suffix[KIN_BENCH__SUFFIX_LEN] = '\0';

    if (shape < 175)
        w->owner = KIN_BENCH__REPLICASET;
    else if (shape < 205)
        w->owner = KIN_BENCH__STATEFULSET;
    else if (shape < 230)
        w->owner = KIN_BENCH__DAEMONSET;
    else
        w->owner = KIN_BENCH__JOB;
    w->has_init = shape % 14 == 1;
    w->guaranteed = shape % 7 == 2;
    w->has_secret = shape % 3 == 2;
    w->has_scratch = shape % 5 == 3;
    w->ns = make_namespace(&b, options, id);
    make_names(&b, w);
    w->config_digest[0] = kin_bench__rng_next(&b.rng);
    w->config_digest[1] = kin_bench__rng_next(&b.rng);
    w->release = make_token(&b, 8);
    w->rollout = KIN_BENCH__NOW - 90 * DAY + kin_bench__rng_below(&b.rng, 80 * (uint32_t)DAY);
    w->suffix_offset = kin_bench__rng_next(&b.rng);
    w->user = 1000 + kin_bench__rng_below(&b.rng, 60000);
    w->grace = 10 + kin_bench__rng_below(&b.rng, 90);
    if (kin_bench__rng_below(&b.rng, 2))
        w->priority = 1 + kin_bench__rng_below(&b.rng, 3);
    w->scratch_size = 16 + kin_bench__rng_below(&b.rng, 984);

    w->containers_len = shape % 15 == 0 ? 3 : 2;
    make_main_container(&b, w, &w->containers[0]);
    for (unsigned i = 1; i < w->containers_len; i++)
        make_container(&b, w, &w->containers[i], make_container_name(&b, i));
    if (w->has_init)
        make_container(&b, w, &w->init, make(&b, "init-", ""));
    return b.text.overflow ? -ENOBUFS : 0;
}
