/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers that begin with a file, against the embedded API server: its log of requests says whether
 * anything was listed, and a list of another client what there is.
 */
#include "client_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "fast_clock.h"
#include "folder.h"
#include "kinform/apiserver.h"
#include "kinform/informer.h"
#include "kinform/metadata.h"
#include "kinform/snapshot.h"
#include "oom.h"

typedef struct fixture {
    kin_apiserver *server;
    kin_client *writer;
    kin_resource *maps;
    kin_resource *namespaces;
    char folder[64];
    char kubeconfig[128];
    char path[128];
    uint64_t seen;    /* the last request that does not count */
    kin_clock *clock; /* of clients that are made; NULL: the system's */
    kin_test_fast_clock fast;
    bool is_fast; /* `clock` is its */
} fixture;

static kin_client *client_of(const fixture *f)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_client *client = NULL;

    config.kubeconfig = f->kubeconfig;
    options.qps = -1;
    options.clock = f->clock;
    assert_code(kin_config_load(&options.config, &config, NULL), 0);
    assert_code(kin_client_new(&client, &options, NULL), 0);
    kin_config_unref(options.config);
    return client;
}

static kin_resource *resource_of(const char *plural, const char *kind, bool is_cluster_wide)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *resource = NULL;

    spec.version = "v1";
    spec.resource = plural;
    spec.kind = kind;
    spec.cluster_wide = is_cluster_wide;
    assert_code(kin_resource_new(&resource, &spec, NULL), 0);
    return resource;
}

static void open_server(fixture *f)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    memset(f, 0, sizeof(*f));
    snprintf(f->folder, sizeof(f->folder), "/tmp/kin-warm-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->kubeconfig, sizeof(f->kubeconfig), "%s/kubeconfig", f->folder);
    snprintf(f->path, sizeof(f->path), "%s/snapshot", f->folder);
    options.bookmark_ms = 20;
    assert_code(kin_apiserver_new(&f->server, &options, NULL), 0);
    assert_code(kin_apiserver_start(f->server, NULL), 0);
    assert_code(kin_apiserver_write_kubeconfig(f->server, f->kubeconfig, NULL), 0);
    f->writer = client_of(f);
    f->maps = resource_of("configmaps", "ConfigMap", false);
    f->namespaces = resource_of("namespaces", "Namespace", true);
}

static void close_server(fixture *f)
{
    kin_client_free(f->writer);
    kin_resource_unref(f->maps);
    kin_resource_unref(f->namespaces);
    kin_apiserver_free(f->server);
    assert_int_equal(kin_test_folder_remove(f->folder), 0);
    if (f->is_fast)
        kin_test_fast_clock_done(&f->fast);
    else
        kin_clock_unref(f->clock);
}

/* A warm start takes a second that nothing comes in for an answer. That second need not be a real one. */
static void hasten(fixture *f)
{
    enum { SPEED = 10 };

    kin_test_fast_clock_start(&f->fast, SPEED);
    f->is_fast = true;
    f->clock = f->fast.clock;
}

/* --- changes --- */

typedef char version_text[32];

static void note_version(const kin_object *object, version_text ret)
{
    snprintf(ret, sizeof(version_text), "%" KIN_STR_FMT,
             KIN_STR_ARG(kin_object_resource_version(object)));
}

static void create(fixture *f, const char *namespace_, const char *name, version_text ret)
{
    char json[256];
    const kin_object *made = NULL;

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
             "\"labels\":{\"app\":\"%s\"}},\"data\":{\"k\":\"1\"}}",
             name, name);
    const kin_object *object = client_object(json);

    assert_code(kin_client_create(f->writer, &made, f->maps, namespace_, object, NULL, NULL), 0);
    note_version(made, ret);
    kin_object_unref(made);
    kin_object_unref(object);
}

static void change(fixture *f, const char *namespace_, const char *name)
{
    assert_code(kin_client_patch(f->writer, NULL, f->maps, namespace_, name, KIN_PATCH_MERGE,
                                 kin_str_of("{\"data\":{\"k\":\"2\"}}"), NULL, NULL),
                0);
}

static void delete_one(fixture *f, const char *namespace_, const char *name)
{
    assert_code(kin_client_delete(f->writer, NULL, f->maps, namespace_, name, NULL, NULL), 0);
}

static void create_namespace(fixture *f, const char *name)
{
    char json[128];

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\"}}", name);
    const kin_object *object = client_object(json);

    assert_code(kin_client_create(f->writer, NULL, f->namespaces, NULL, object, NULL, NULL), 0);
    kin_object_unref(object);
}

/* --- what was asked for --- */

static bool note_request(const kin_request_record *record, void *arg)
{
    uint64_t *last = arg;

    *last = record->id > *last ? record->id : *last;
    return true;
}

static void forget_requests(fixture *f)
{
    kin_request_filter all = KIN_REQUEST_FILTER_INIT;

    assert_code(kin_apiserver_requests(f->server, &all, note_request, &f->seen, NULL), 0);
}

static bool count_request(const kin_request_record *record, void *arg)
{
    (void)record;
    ++*(unsigned *)arg;
    return true;
}

/* Of ConfigMaps, since forget_requests(). */
static unsigned count(fixture *f, const char *verb, const char *query)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    unsigned n = 0;

    filter.verb = verb;
    filter.path = "*configmaps";
    filter.query = query;
    filter.after_id = f->seen;
    assert_code(kin_apiserver_requests(f->server, &filter, count_request, &n, NULL), 0);
    return n;
}

/* All that brings what there is. */
static unsigned count_lists(fixture *f)
{
    return count(f, "list", NULL) + count(f, "watch", "*sendInitialEvents=true*");
}

/* --- informers --- */

struct run {
    kin_client *client;
    kin_informer *informer;
    pthread_mutex_t lock;
    char text[1024];     /* (lock) "+a! ~b -c -d? " */
    size_t len;          /* (lock) */
    kin_test_latch told; /* raised for each */
};

static void on_event(const kin_event *event, void *arg)
{
    struct run *run = arg;
    const kin_object *last = NULL;
    bool is_tombstone = kin_object_is_tombstone(event->object, &last);

    /* That nothing has changed is not looked for here. */
    if (event->is_sync)
        return;
    pthread_mutex_lock(&run->lock);
    run->len += (size_t)snprintf(run->text + run->len, sizeof(run->text) - run->len,
                                 "%c%" KIN_STR_FMT "%s%s ", " +~-"[event->type],
                                 KIN_STR_ARG(kin_object_name(event->object)),
                                 event -> is_initial ? "!" : "", is_tombstone ? "?" : "");
    pthread_mutex_unlock(&run->lock);
    kin_test_latch_raise(&run->told);
}

static void make(fixture *f, struct run *run, const kin_informer_options *options)
{
    memset(run, 0, sizeof(*run));
    pthread_mutex_init(&run->lock, NULL);
    kin_test_latch_init(&run->told);
    run->client = client_of(f);
    assert_code(kin_informer_new(&run->informer, run->client, "configmaps", options, NULL), 0);
}

static void begin(fixture *f, struct run *run, const kin_informer_options *options)
{
    make(f, run, options);
    assert_code(kin_informer_add_handler(run->informer, NULL, on_event, run, NULL, NULL), 0);
    assert_code(kin_informer_start(run->informer, NULL), 0);
}

static void end(struct run *run)
{
    kin_informer_free(run->informer);
    kin_client_free(run->client);
    kin_test_latch_done(&run->told);
    pthread_mutex_destroy(&run->lock);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The words of a text in order: objects of one list come in any. */
static void sort_words(char *text)
{
    char *words[64] = {NULL};
    char copy[1024];
    char *rest = NULL;
    size_t n = 0;

    snprintf(copy, sizeof(copy), "%s", text);
    for (char *word = strtok_r(copy, " ", &rest); word && n < 64; word = strtok_r(NULL, " ", &rest))
        words[n++] = word;
    qsort(words, n, sizeof(words[0]), compare_words);
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), 1024 - strlen(text), "%s%s", i ? " " : "", words[i]);
}

/* In any order: so many, and these. */
static void expect_told(struct run *run, const char *sorted)
{
    char text[1024];
    unsigned n = 1;

    for (const char *c = sorted; *c; c++)
        n += *c == ' ';
    kin_test_latch_wait(&run->told, n);
    pthread_mutex_lock(&run->lock);
    memcpy(text, run->text, sizeof(text));
    pthread_mutex_unlock(&run->lock);
    sort_words(text);
    assert_string_equal(text, sorted);
}

struct truth {
    kin_store *store;
    size_t n;
    unsigned n_wrong;
};

static int compare_item(const kin_object *object, void *arg, kin_error *err)
{
    struct truth *truth = arg;
    const kin_object *known = NULL;

    truth->n++;
    if (kin_store_get(truth->store, &known, kin_str_of(kin_object_key(object)), err) < 0 ||
        !kin_str_equal(kin_object_resource_version(known), kin_object_resource_version(object)))
        truth->n_wrong++;
    kin_object_unref(known);
    return 0;
}

/* The store has what the server has. */
static void expect_truth(fixture *f, struct run *run, const char *const *namespaces, size_t n)
{
    struct truth truth = {.store = kin_informer_store(run->informer)};

    for (size_t i = 0; i < n; i++)
        assert_code(kin_client_list(f->writer, NULL, f->maps, namespaces[i], compare_item, &truth,
                                    NULL, NULL),
                    0);
    assert_int_equal(truth.n_wrong, 0);
    assert_int_equal(truth.n, kin_store_len(truth.store));
}

static const char *const only_default[] = {"default"};

static void save(fixture *f, const kin_informer_options *options, const char *version)
{
    kin_informer_options all = *options;
    struct run run;

    all.snapshot_path = NULL;
    begin(f, &run, &all);
    assert_code(kin_informer_wait_synced(run.informer, -1, NULL), 0);
    assert_code(kin_informer_wait_version(run.informer, version, -1, NULL), 0);
    assert_code(kin_informer_save(run.informer, f->path, NULL), 0);
    end(&run);
    forget_requests(f);
}

/* --- tests --- */

typedef void test_fn(fixture *f, kin_informer_options *options);

static void with_each_queue(test_fn *test)
{
    for (int queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++) {
        kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
        fixture f;

        open_server(&f);
        options.queue = (kin_informer_queue)queue;
        options.snapshot_path = f.path;
        test(&f, &options);
        close_server(&f);
    }
}

/* A file of "a", "b" and "c". */
static void save_three(fixture *f, kin_informer_options *options)
{
    version_text version;

    create(f, "default", "a", version);
    create(f, "default", "b", version);
    create(f, "default", "c", version);
    save(f, options, version);
}

/* What happens while nobody looks: "a" is changed, "b" goes, "d" comes, at this version. */
static void change_all(fixture *f, version_text version)
{
    change(f, "default", "a");
    delete_one(f, "default", "b");
    create(f, "default", "d", version);
}

static void differences(fixture *f, kin_informer_options *options)
{
    version_text version;
    struct run run;

    save_three(f, options);
    /* The server goes and comes again, and does not forget. */
    assert_code(kin_apiserver_restart(f->server, false, NULL), 0);
    change_all(f, version);
    begin(f, &run, options);
    assert_code(kin_informer_wait_synced(run.informer, -1, NULL), 0);
    assert_code(kin_informer_wait_version(run.informer, version, -1, NULL), 0);
    expect_truth(f, &run, only_default, 1);
    assert_int_equal(count(f, "watch", NULL), 1);
    expect_told(&run, "+a! +b! +c! +d -b ~a");
    end(&run);
    /* What expect_truth() did. */
    assert_int_equal(count_lists(f), 1);
}

static void a_warm_start_sees_the_differences_without_a_list(void **state)
{
    (void)state;
    with_each_queue(differences);
}

/* Nothing has changed, and nothing comes: the answer to the watch is enough. */
static void quiet(fixture *f, kin_informer_options *options)
{
    kin_fault silence = {.size = sizeof(silence)};
    version_text version;
    struct run run;

    hasten(f);
    create(f, "default", "a", version);
    save(f, options, version);
    silence.type = KIN_FAULT_WATCH_NO_BOOKMARKS;
    silence.times = KIN_FAULT_ALWAYS;
    assert_code(kin_apiserver_inject(f->server, &silence, NULL, NULL), 0);
    begin(f, &run, options);
    assert_code(kin_informer_wait_synced(run.informer, -1, NULL), 0);
    expect_told(&run, "+a!");
    end(&run);
    assert_int_equal(count_lists(f), 0);
}

static void a_warm_start_is_synced_by_the_answer(void **state)
{
    (void)state;
    with_each_queue(quiet);
}

/* What it waits for before it tries again passes at once. */
static void hurry(kin_informer *informer, void *arg)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    kin_informer_get_status(informer, &status, NULL);
    if (status.state == KIN_INFORMER_WAITING)
        kin_clock_advance(arg, 61000000000, NULL);
}

/* On a clock that stands: the watch has not stood for a second, however slow the machine is. */
static void compacted(fixture *f, kin_informer_options *options)
{
    version_text version;
    struct run run;

    save_three(f, options);
    assert_code(kin_clock_new_fake(&f->clock, kin_clock_unix_now(kin_clock_system()), NULL), 0);
    options->changed = hurry;
    options->changed_arg = f->clock;
    change_all(f, version);
    assert_code(kin_apiserver_compact(f->server, NULL), 0);
    begin(f, &run, options);
    assert_code(kin_informer_wait_synced(run.informer, -1, NULL), 0);
    /* Not by the watch, which the server agrees to before it says that the version is gone. */
    assert_int_equal(count_lists(f), 1);
    assert_code(kin_informer_wait_version(run.informer, version, -1, NULL), 0);
    expect_truth(f, &run, only_default, 1);
    /* What was found by the list is told so. */
    expect_told(&run, "+a! +b! +c! +d! -b? ~a");
    end(&run);
}

static void a_version_that_is_gone_is_listed(void **state)
{
    (void)state;
    with_each_queue(compacted);
}

static void several(fixture *f, kin_informer_options *options)
{
    static const char *const wanted[] = {"x", "y"};
    static const char *const turned[] = {"y", "x"};
    kin_snapshot *snapshot = NULL;
    version_text version;
    struct run run;

    create_namespace(f, "x");
    create_namespace(f, "y");
    create_namespace(f, "z");
    create(f, "x", "a", version);
    create(f, "y", "b", version);
    create(f, "z", "c", version);
    options->namespaces = wanted;
    options->n_namespaces = 2;
    save(f, options, version);
    assert_code(kin_snapshot_open(&snapshot, f->path, NULL), 0);
    assert_int_equal(kin_snapshot_get_info(snapshot)->n_versions, 2);
    assert_int_equal(kin_snapshot_get_info(snapshot)->objects, 2);
    kin_snapshot_free(snapshot);
    change(f, "x", "a");
    delete_one(f, "y", "b");
    create(f, "z", "d", version);
    create(f, "y", "e", version);
    options->namespaces = turned;
    begin(f, &run, options);
    assert_code(kin_informer_wait_synced(run.informer, -1, NULL), 0);
    assert_code(kin_informer_wait_version(run.informer, version, -1, NULL), 0);
    assert_int_equal(count_lists(f), 0);
    assert_int_equal(count(f, "watch", NULL), 2);
    expect_truth(f, &run, wanted, 2);
    expect_told(&run, "+a! +b! +e -b ~a");
    end(&run);
}

static void each_namespace_goes_on_from_its_own_version(void **state)
{
    (void)state;
    with_each_queue(several);
}

/* Saved with one namespace less, or with other selectors, or of less of each object: it lists. */
static void other_scopes(fixture *f, kin_informer_options *options)
{
    static const char *const namespaces[] = {"default"};
    const kin_projection *projection = NULL;
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    kin_informer_options others[5];
    version_text version;

    hasten(f);
    create(f, "default", "a", version);
    save(f, options, version);
    assert_code(kin_projection_drop(&projection, kin_str_of("data"), NULL), 0);
    decode.projection = projection;
    for (size_t i = 0; i < 5; i++)
        others[i] = *options;
    others[0].namespaces = namespaces;
    others[0].n_namespaces = 1;
    others[1].label_selector = "app=a";
    others[2].field_selector = "metadata.name=a";
    others[3].content = KIN_CONTENT_METADATA;
    others[4].decode = &decode;
    for (size_t i = 0; i < 5; i++) {
        struct run run;

        forget_requests(f);
        begin(f, &run, &others[i]);
        assert_code(kin_informer_wait_synced(run.informer, -1, NULL), 0);
        assert_true(count_lists(f) > 0);
        end(&run);
    }
    /* And with the same, it does not. */
    for (size_t i = 1; i < 5; i++) {
        struct run run;

        save(f, &others[i], version);
        begin(f, &run, &others[i]);
        assert_code(kin_informer_wait_synced(run.informer, -1, NULL), 0);
        assert_int_equal(count_lists(f), 0);
        expect_told(&run, "+a!");
        end(&run);
    }
    kin_projection_unref(projection);
}

static void a_file_of_another_scope_is_not_used(void **state)
{
    (void)state;
    with_each_queue(other_scopes);
}

/* Loaded, and then told to look elsewhere: what is not looked at goes when the rest is there. */
static void moved(fixture *f, kin_informer_options *options)
{
    static const char *const before[] = {"x", "y"};
    static const char *const after[] = {"y", "z"};
    static const char *const less[] = {"z"};
    version_text version;
    struct run run;

    hasten(f);
    create_namespace(f, "x");
    create_namespace(f, "y");
    create_namespace(f, "z");
    create(f, "x", "a", version);
    create(f, "y", "b", version);
    create(f, "z", "c", version);
    options->namespaces = before;
    options->n_namespaces = 2;
    save(f, options, version);
    options->snapshot_path = NULL;
    make(f, &run, options);
    assert_code(kin_informer_load(run.informer, f->path, NULL), 0);
    assert_code(kin_informer_set_namespaces(run.informer, after, 2, NULL), 0);
    assert_code(kin_informer_add_handler(run.informer, NULL, on_event, &run, NULL, NULL), 0);
    assert_code(kin_informer_start(run.informer, NULL), 0);
    assert_code(kin_informer_wait_synced(run.informer, -1, NULL), 0);
    expect_told(&run, "+a! +b! +c! -a?");
    assert_int_equal(count_lists(f), 1);
    expect_truth(f, &run, after, 2);
    /* One that goes and comes again begins with nothing: the file's version is no use to it. */
    assert_code(kin_informer_set_namespaces(run.informer, less, 1, NULL), 0);
    expect_told(&run, "+a! +b! +c! -a? -b?");
    assert_code(kin_informer_set_namespaces(run.informer, after, 2, NULL), 0);
    expect_told(&run, "+a! +b +b! +c! -a? -b?");
    expect_truth(f, &run, after, 2);
    end(&run);
}

static void namespaces_may_change_before_the_start(void **state)
{
    (void)state;
    with_each_queue(moved);
}

/* --- a restored backup --- */

/* The versions of the server have passed this one. */
static void pass_version(fixture *f, const char *namespace_, const char *version)
{
    version_text now = "0";

    for (unsigned i = 0; strtoull(now, NULL, 10) <= strtoull(version, NULL, 10); i++) {
        char name[32];

        snprintf(name, sizeof(name), "new-%u", i);
        create(f, namespace_, name, now);
    }
}

/* The store has what the server has, as soon as the informer has listed. Time passes as fast as it may. */
static void await_truth(fixture *f, struct run *run, const char *const *namespaces, size_t n)
{
    int64_t deadline = kin_test_deadline();

    for (;;) {
        struct truth truth = {.store = kin_informer_store(run->informer)};

        for (size_t i = 0; i < n; i++)
            assert_code(kin_client_list(f->writer, NULL, f->maps, namespaces[i], compare_item,
                                        &truth, NULL, NULL),
                        0);
        if (truth.n_wrong == 0 && truth.n == kin_store_len(truth.store))
            return;
        if (!kin_test_wait_turn(deadline))
            fail_msg("%zu objects instead of %zu, %u differ", kin_store_len(truth.store), truth.n,
                     truth.n_wrong);
    }
}

/*
 * "lost" is in the file, but not in the backup; "kept" is in both. The server counts on beyond the version of the file,
 * so that a watch from there is agreed to.
 */
static void restore_backup(fixture *f, kin_informer_options *options, const char *namespace_)
{
    version_text backup;
    version_text version;

    create(f, namespace_, "kept", backup);
    create(f, namespace_, "lost", version);
    save(f, options, version);
    assert_code(kin_apiserver_rewind(f->server, strtoull(backup, NULL, 10), NULL), 0);
    pass_version(f, namespace_, version);
    forget_requests(f);
}

/* Begin with the file, without a list: the lost object is there. */
static void begin_diverged(fixture *f, struct run *run, kin_informer_options *options,
                           const char *key)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    begin(f, run, options);
    assert_code(kin_informer_wait_synced(run->informer, -1, NULL), 0);
    assert_code(kin_informer_get_status(run->informer, &status, NULL), 0);
    assert_true(status.is_warm);
    if (status.lists == 0)
        assert_code(kin_store_get(kin_informer_store(run->informer), NULL, kin_str_of(key), NULL),
                    0);
}

/* Without lists it stays so, from start to start; with them it is put right, and stays so. */
static void restored(fixture *f, kin_informer_options *options)
{
    struct run run;

    hasten(f);
    restore_backup(f, options, "default");
    options->relist_ms = -1;
    for (int i = 0; i < 2; i++) {
        begin_diverged(f, &run, options, "default/lost");
        assert_code(kin_informer_save(run.informer, f->path, NULL), 0);
        end(&run);
    }
    assert_int_equal(count_lists(f), 0);
    options->relist_ms = 10000;
    begin_diverged(f, &run, options, "default/lost");
    await_truth(f, &run, only_default, 1);
    assert_true(kin_informer_has_synced(run.informer));
    assert_int_equal(count(f, "list", "*resourceVersion=0*"), 0);
    assert_code(kin_informer_save(run.informer, f->path, NULL), 0);
    end(&run);
    options->relist_ms = -1;
    begin(f, &run, options);
    assert_code(kin_informer_wait_synced(run.informer, -1, NULL), 0);
    expect_truth(f, &run, only_default, 1);
    end(&run);
}

static void a_restored_backup_is_found_by_a_list(void **state)
{
    (void)state;
    with_each_queue(restored);
}

/* The same by plain lists. */
static void restored_without_streams(fixture *f, kin_informer_options *options)
{
    options->no_streaming_list = true;
    restored(f, options);
}

static void a_restored_backup_is_found_without_streaming_lists(void **state)
{
    (void)state;
    with_each_queue(restored_without_streams);
}

/* Each namespace has its own reflector, and lists by itself. */
static void restored_namespaces(fixture *f, kin_informer_options *options)
{
    static const char *const wanted[] = {"x", "y"};
    struct run run;

    hasten(f);
    create_namespace(f, "x");
    create_namespace(f, "y");
    options->namespaces = wanted;
    options->n_namespaces = 2;
    restore_backup(f, options, "y");
    options->relist_ms = 10000;
    begin_diverged(f, &run, options, "y/lost");
    await_truth(f, &run, wanted, 2);
    assert_true(kin_informer_has_synced(run.informer));
    end(&run);
}

static void each_namespace_is_listed(void **state)
{
    (void)state;
    with_each_queue(restored_namespaces);
}

/* --- names --- */

static void save_as(fixture *f, const char *name)
{
    kin_client *client = client_of(f);
    kin_informer *informer = NULL;

    assert_code(kin_informer_new(&informer, client, name, NULL, NULL), 0);
    assert_code(kin_informer_start(informer, NULL), 0);
    assert_code(kin_informer_wait_synced(informer, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_informer_save(informer, f->path, NULL), 0);
    kin_informer_free(informer);
    kin_client_free(client);
}

static void assert_info(fixture *f, const char *asked_as, const char *resource,
                        const char *api_version, const char *kind)
{
    kin_snapshot *snapshot = NULL;
    const kin_snapshot_info *info;

    assert_code(kin_snapshot_open(&snapshot, f->path, NULL), 0);
    info = kin_snapshot_get_info(snapshot);
    assert_string_equal(info->asked_as, asked_as);
    assert_string_equal(info->resource, resource);
    assert_string_equal(info->api_version, api_version);
    assert_string_equal(info->kind, kind);
    kin_snapshot_free(snapshot);
}

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

/* `resolves`: the client knows what there is. `words`: of the reason why the file is not used; NULL: it is. */
static void expect_load(fixture *f, const char *name, bool resolves, const char *words)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_client *client = client_of(f);
    kin_informer *informer = NULL;
    kin_resource *any = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_logger_new(&options.logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    if (resolves)
        assert_code(kin_client_resolve(client, &any, "pods", NULL), 0);
    assert_code(kin_informer_new(&informer, client, name, &options, NULL), 0);
    assert_code(kin_informer_load(informer, f->path, &err), words ? KIN_EMISMATCH : 0);
    if (words && !strstr(err.message, words))
        fail_msg("\"%s\" does not say \"%s\"", err.message, words);
    kin_informer_free(informer);
    kin_resource_unref(any);
    kin_client_free(client);
    kin_logger_unref(options.logger);
}

static void a_file_has_what_the_name_turned_out_to_mean(void **state)
{
    fixture f;

    (void)state;
    open_server(&f);
    save_as(&f, "cm");
    assert_info(&f, "cm", "configmaps", "v1", "ConfigMap");
    /* Names of the core group mean the same everywhere. */
    expect_load(&f, "configmaps", false, NULL);
    expect_load(&f, "ConfigMap", true, NULL);
    expect_load(&f, "secrets", false,
                "another resource: \"configmaps.v1.\" instead of \"secrets.v1.\"");

    save_as(&f, "deploy");
    assert_info(&f, "deploy", "deployments", "apps/v1", "Deployment");
    /* As long as nobody knows what a name means, the same one does. */
    expect_load(&f, "deploy", false, NULL);
    expect_load(&f, "deployments", false,
                "another resource: \"deploy\" instead of \"deployments\"");
    expect_load(&f, "deployments", true, NULL);
    expect_load(&f, "deployments.v1.apps", true, NULL);
    expect_load(&f, "replicasets", true,
                "another resource: \"deployments.v1.apps\" instead of \"replicasets.v1.apps\"");
    close_server(&f);
}

/* Those of before, which have the name that was asked for and no more; and one that was tampered with. */
static void what_a_file_lacks_is_not_compared(void **state)
{
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;
    kin_store *store = NULL;
    fixture f;

    (void)state;
    open_server(&f);
    options.kubeconfig = f.kubeconfig;
    assert_code(kin_config_load(&config, &options, NULL), 0);
    assert_code(kin_store_new(&store, NULL, NULL), 0);
    info.cluster = kin_config_server(config);
    info.projection = "whole";
    info.resource = "deploy";
    info.resource_version = "1";
    assert_code(kin_snapshot_write(f.path, store, &info, NULL, NULL), 0);
    expect_load(&f, "deploy", false, NULL);
    expect_load(&f, "deploy", true, NULL);
    expect_load(&f, "deployments", true, "another resource: \"deploy\" instead of");
    info.resource = "deployments";
    info.asked_as = "deploy";
    info.api_version = "apps/v1";
    info.kind = "Pod";
    assert_code(kin_snapshot_write(f.path, store, &info, NULL, NULL), 0);
    expect_load(&f, "deploy", true, "another kind: \"Pod\" instead of \"Deployment\"");
    kin_store_unref(store);
    kin_config_unref(config);
    close_server(&f);
}

struct loading {
    fixture *f;
    kin_client *client;
};

static int load_one(void *arg, kin_error *err)
{
    const struct loading *loading = arg;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_informer *informer = NULL;
    int code = kin_logger_new(&options.logger, KIN_LOG_ERROR, no_log, NULL, NULL, err);

    if (code == 0)
        code = kin_informer_new(&informer, loading->client, "configmaps", &options, err);
    if (code == 0)
        code = kin_informer_load(informer, loading->f->path, err);
    kin_informer_free(informer);
    kin_logger_unref(options.logger);
    return code;
}

static void names_are_compared_without_memory(void **state)
{
    struct loading loading;
    fixture f;

    (void)state;
    open_server(&f);
    save_as(&f, "cm");
    /* Nobody else is to allocate anything. */
    kin_client_free(f.writer);
    f.writer = NULL;
    kin_apiserver_free(f.server);
    f.server = NULL;
    loading = (struct loading){&f, client_of(&f)};
    /* The client keeps the room that alarms of its informers need. */
    assert_code(load_one(&loading, NULL), 0);
    kin_test_fail_each_allocation(load_one, &loading);
    kin_client_free(loading.client);
    close_server(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warm_start_sees_the_differences_without_a_list),
        cmocka_unit_test(a_warm_start_is_synced_by_the_answer),
        cmocka_unit_test(a_version_that_is_gone_is_listed),
        cmocka_unit_test(each_namespace_goes_on_from_its_own_version),
        cmocka_unit_test(a_file_of_another_scope_is_not_used),
        cmocka_unit_test(namespaces_may_change_before_the_start),
        cmocka_unit_test(a_restored_backup_is_found_by_a_list),
        cmocka_unit_test(a_restored_backup_is_found_without_streaming_lists),
        cmocka_unit_test(each_namespace_is_listed),
        cmocka_unit_test(a_file_has_what_the_name_turned_out_to_mean),
        cmocka_unit_test(what_a_file_lacks_is_not_compared),
        cmocka_unit_test(names_are_compared_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
