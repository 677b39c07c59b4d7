/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who we are, kept fresh.
 *
 * There are up to three sources of files (the token; the client certificate with its key; the CAs) and
 * a plugin. Whoever asks for an identity looks whether a source is due. If one is, and nobody is at
 * it, the asker reads it: without the lock, since a file may lie on a network. The others take what
 * was there before, and wait only if there is nothing. The plugin runs in a thread of its own,
 * "kin-exec", which lives as long as the run; all who need it wait for the same run, and a waiter that
 * gives up leaves it running for the others. Who must not wait is told: by that thread, when the run
 * has ended or their own time is up, since it is there exactly as long as there is one to be told.
 *
 * A source that was read once is not lost again: if it cannot be read later, or holds something
 * else, the old content stays, and that is logged once. The exception is a token that the server
 * refused.
 *
 * Two counters tell identities apart. `generation` moves with each refresh, whatever came out of it:
 * so that of many requests that are refused together only the first causes another refresh. The
 * material's generation moves with its content only: so that connections are kept.
 */
#include "client/credentials.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/process.h"
#include "base/str.h"
#include "base/thread.h"
#include "client/base64.h"
#include "client/certificates.h"
#include "client/credentials_check.h"
#include "client/exec_credential.h"
#include "client/exec_plugin.h"
#include "client/secret_file.h"

/* A token is read again at this age: a minute, less what a request may take, as client-go does. */
#define TOKEN_AGE_NS (50 * KIN__SECOND)
/* Certificates and CAs are compared with their files this often. */
#define CERTIFICATE_AGE_NS (10 * KIN__SECOND)
/* ... and not more often than this, however many connections fail. */
#define DISTRUST_NS (1 * KIN__SECOND)
/* After a file could not be used. */
#define FILE_RETRY_NS (10 * KIN__SECOND)
/* After only one of certificate and key had changed. */
#define HALF_CHANGE_NS (1 * KIN__SECOND)
/* Between runs of the plugin, whatever their outcome. */
#define PLUGIN_PAUSE_NS (1 * KIN__SECOND)
#define PLUGIN_TIMEOUT_NS (60 * KIN__SECOND)
#define PLUGIN_TALK_NS (600 * KIN__SECOND)

/* Something that is kept in files. All (lock), but `in_files`, which is const after new. */
struct source {
    int64_t due; /* of the clock: to be read then; INT64_MAX: never */
    bool in_files;
    bool known;   /* there is a content to go with */
    bool read;    /* and it came from the files */
    bool failing; /* the last reading failed, and that was logged */
};

/* The plugin's side. All (lock), but for what is const. */
struct plugin {
    bool used;          /* const after new */
    int64_t timeout_ns; /* const after the first get; 0: the default */
    kin__wakeup wakeup; /* the thread's, signalled by free */
    atomic_bool stop;
    kin__thread thread;
    bool running;
    bool known;      /* it gave something that was not refused since */
    int64_t ended;   /* of the clock: when its last run ended; 0: never ran */
    int64_t expires; /* wall time */
    int failed;      /* the code of the last run */
    kin_error failure;
    kin__list waiters; /* kin__credentials_waiter.link; none while it does not run */
    int64_t next_told; /* of the clock: when its thread looks at them by itself */
};

struct kin__credentials {
    kin_config *config; /* const after new, as are clock, logger and guard */
    kin_clock *clock;
    kin_logger *logger;
    kin__fork_guard guard;

    kin__mutex lock; /* rank KIN__RANK_CREDENTIALS */
    kin__cond changed;
    kin__secret authorization;   /* (lock) */
    uint64_t generation;         /* (lock) */
    kin__tls_material *material; /* (lock) SHARED; NULL: no TLS, or not read yet */
    bool reading;                /* (lock) somebody is at the sources that were due */
    int64_t looked;              /* (lock) of the clock: when certificates were read last */
    int64_t half_changed; /* (lock) since when only one of certificate and key is new; 0: not so */
    struct source token;
    struct source pair;
    struct source ca;
    struct plugin plugin;
};

void kin__identity_done(kin__identity *identity)
{
    kin__secret_done(&identity->authorization);
    kin__tls_material_unref(identity->tls);
    *identity = (kin__identity){KIN__SECRET_INIT, NULL, 0};
}

/* --- what is sent --- */

static int set_bearer(kin__secret *ret, kin_str token)
{
    const kin_str parts[] = {KIN__STR("Bearer "), token};

    return kin__secret_join(ret, parts, token.len > 0 ? 2 : 0);
}

static int set_basic(kin__secret *ret, const kin_config *config)
{
    const kin_str parts[] = {kin_str_of(config->username), KIN__STR(":"),
                             kin__secret_str(&config->password)};
    kin__secret plain = KIN__SECRET_INIT;
    kin__secret encoded = KIN__SECRET_INIT;
    int code = kin__secret_join(&plain, parts, 3);

    if (code == 0)
        code = kin__base64_encode(&encoded, kin__secret_str(&plain));
    if (code == 0) {
        const kin_str value[] = {KIN__STR("Basic "), kin__secret_str(&encoded)};

        code = kin__secret_join(ret, value, 2);
    }
    kin__secret_done(&plain);
    kin__secret_done(&encoded);
    return code;
}

/*
 * Other material if something in it is other; NULL keeps what is there. 0, KIN_ENOMEM: nothing has
 * changed.
 */
static int set_material_locked(kin__credentials *c, const kin__secret *certificate,
                               const kin__secret *key, const kin__secret *ca) KIN_REQUIRES(c->lock)
{
    static const kin__secret none;
    kin__tls_material *old = c->material;

    if (!certificate)
        certificate = old ? &old->certificate : &none;
    if (!key)
        key = old ? &old->key : &none;
    if (!ca)
        ca = old ? &old->ca : &none;
    if (old && kin__secret_equal(certificate, &old->certificate) &&
        kin__secret_equal(key, &old->key) && kin__secret_equal(ca, &old->ca))
        return 0;
    kin__tls_material *material = kin__tls_material_new(kin__secret_str(certificate),
                                                        kin__secret_str(key), kin__secret_str(ca));
    if (!material)
        return KIN_ENOMEM;
    c->material = material;
    kin__tls_material_unref(old);
    return 0;
}

/* --- files --- */

/*
 * A source was looked at. Whether to log it: the first failure after a success, where it stays
 * without a consequence otherwise.
 */
static bool note_reading(struct source *source, int code, int64_t now, int64_t age_ns)
{
    bool is_news = code < 0 && !source->failing && source->known;

    source->failing = code < 0;
    if (code == 0) {
        source->known = true;
        source->read = true;
    }
    if (!source->known)
        source->due = 0; /* whoever asks next tries again: there is nothing to wait for */
    else if (!source->in_files)
        source->due = INT64_MAX;
    else
        source->due = now + (code < 0 ? FILE_RETRY_NS : age_ns);
    return is_news;
}

/* An error of a source that has something to go with is for the log alone. */
static int finish_reading(kin__credentials *c, bool is_news, bool known, int code,
                          const kin_error *why, kin_error *err)
{
    if (is_news)
        kin__log(c->logger, KIN_LOG_WARN, "credentials",
                 "cannot be read any more, what was read before stays in use",
                 KIN__LOG_S("error", why->message));
    return known || code == 0 ? 0 : kin__error_pass(err, code, why);
}

/* 0, KIN_EDENIED, KIN_ESYSTEM, KIN_ELIMIT, KIN_ENOMEM. */
static int read_token(kin__secret *ret_authorization, const char *path, kin_error *err)
{
    kin__secret text = KIN__SECRET_INIT;
    int code = kin__secret_file_read(&text, path, err);

    if (code < 0)
        return kin_error_set(err, code, "token file: %s", err->message);
    kin_str token = kin__str_trim(kin__secret_str(&text));
    if (!kin__token_is_usable(token))
        code = kin_error_set(err, KIN_EDENIED, "token file: %s %s", path,
                             token.len == 0 ? "is empty" : "has control characters in it");
    else if (set_bearer(ret_authorization, token) < 0)
        code = kin__error_no_memory(err);
    kin__secret_done(&text);
    return code;
}

static int reload_token(kin__credentials *c, int64_t now, kin_error *err)
{
    kin__secret authorization = KIN__SECRET_INIT;
    kin_error why = KIN_ERROR_INIT;
    int code = read_token(&authorization, c->config->token_file, &why);

    kin__mutex_lock(&c->lock);
    if (code == 0) {
        kin__secret old = c->authorization;

        c->authorization = authorization;
        authorization = old;
        c->generation++;
    }
    bool is_news = note_reading(&c->token, code, now, TOKEN_AGE_NS);
    bool known = c->token.known;
    kin__mutex_unlock(&c->lock);
    kin__secret_done(&authorization);
    return finish_reading(c, is_news, known, code, &why, err);
}

/*
 * Whether a pair is to be taken. Certificate and key are two files: if only one is new, the other
 * may be about to be written, so that is believed only when it is still so a while later.
 */
static bool is_whole_locked(kin__credentials *c, const kin__secret *certificate,
                            const kin__secret *key, int64_t now) KIN_REQUIRES(c->lock)
{
    const kin__tls_material *old = c->material;
    bool is_half =
        c->pair.known && old &&
        kin__secret_equal(certificate, &old->certificate) != kin__secret_equal(key, &old->key);

    if (is_half && c->half_changed == 0)
        c->half_changed = now;
    if (is_half && now - c->half_changed < HALF_CHANGE_NS)
        return false;
    c->half_changed = 0;
    return true;
}

static int take_pair_locked(kin__credentials *c, const kin__secret *certificate,
                            const kin__secret *key, int64_t now) KIN_REQUIRES(c->lock)
{
    const kin__tls_material *old = c->material;

    if (!is_whole_locked(c, certificate, key, now))
        return 0;
    int code = set_material_locked(c, certificate, key, NULL);
    if (code == 0 && c->material != old)
        c->generation++;
    return code;
}

static int reload_pair(kin__credentials *c, int64_t now, kin_error *err)
{
    kin__secret certificate = KIN__SECRET_INIT;
    kin__secret key = KIN__SECRET_INIT;
    kin_error why = KIN_ERROR_INIT;
    int code = kin__read_pair(&certificate, &key, c->config, &why);

    kin__mutex_lock(&c->lock);
    if (code == 0)
        code = take_pair_locked(c, &certificate, &key, now);
    bool is_news =
        note_reading(&c->pair, code, now, c->half_changed ? HALF_CHANGE_NS : CERTIFICATE_AGE_NS);
    bool known = c->pair.known;
    kin__mutex_unlock(&c->lock);
    kin__secret_done(&certificate);
    kin__secret_done(&key);
    return finish_reading(c, is_news, known, code, &why, err);
}

static int reload_ca(kin__credentials *c, int64_t now, kin_error *err)
{
    kin__secret ca = KIN__SECRET_INIT;
    kin_error why = KIN_ERROR_INIT;
    int code = kin__read_ca(&ca, c->config, &why);

    kin__mutex_lock(&c->lock);
    if (code == 0)
        code = set_material_locked(c, NULL, NULL, &ca);
    bool is_news = note_reading(&c->ca, code, now, CERTIFICATE_AGE_NS);
    bool known = c->ca.known;
    kin__mutex_unlock(&c->lock);
    kin__secret_done(&ca);
    return finish_reading(c, is_news, known, code, &why, err);
}

static bool is_due_locked(const kin__credentials *c, int64_t now) KIN_REQUIRES(c->lock)
{
    return c->token.due <= now || c->pair.due <= now || c->ca.due <= now;
}

/* Read what is due, as the only one who does. */
static int reload_locked(kin__credentials *c, int64_t now, kin_error *err) KIN_REQUIRES(c->lock)
{
    bool token = c->token.due <= now;
    bool pair = c->pair.due <= now;
    bool ca = c->ca.due <= now;
    int code = 0;

    c->reading = true;
    if (pair || ca)
        c->looked = now;
    kin__mutex_unlock(&c->lock);
    if (ca)
        code = reload_ca(c, now, err);
    if (pair && code == 0)
        code = reload_pair(c, now, err);
    if (token && code == 0)
        code = reload_token(c, now, err);
    kin__mutex_lock(&c->lock);
    c->reading = false;
    kin__cond_broadcast(&c->changed);
    return code;
}

static bool all_known_locked(const kin__credentials *c) KIN_REQUIRES(c->lock)
{
    return (c->token.known || c->token.due == INT64_MAX) &&
           (c->pair.known || c->pair.due == INT64_MAX) && (c->ca.known || c->ca.due == INT64_MAX);
}

/* --- the plugin --- */

static void tell(kin__credentials_waiter *waiter)
{
    kin__list_remove(&waiter->link);
    waiter->wake(waiter);
}

/* Tell those whose time is up. When the next one's is. */
static int64_t tell_late(void *arg)
{
    kin__credentials *c = arg;
    int64_t now = kin_clock_now(c->clock);
    int64_t next_deadline = INT64_MAX;

    kin__mutex_lock(&c->lock);
    for (kin__list *link = c->plugin.waiters.next, *next; link != &c->plugin.waiters; link = next) {
        kin__credentials_waiter *waiter = kin__list_entry(link, kin__credentials_waiter, link);

        next = link->next;
        if (waiter->deadline <= now)
            tell(waiter);
        else if (waiter->deadline < next_deadline)
            next_deadline = waiter->deadline;
    }
    c->plugin.next_told = next_deadline;
    kin__mutex_unlock(&c->lock);
    return next_deadline;
}

static void tell_all_locked(kin__credentials *c) KIN_REQUIRES(c->lock)
{
    while (!kin__list_is_empty(&c->plugin.waiters))
        tell(kin__list_entry(c->plugin.waiters.next, kin__credentials_waiter, link));
}

/* Run it once. 0, or a code as kin__exec_plugin_run() has them. */
static int run_plugin(kin__credentials *c, kin__exec_credential *ret, kin_str ca, kin_error *err)
{
    const kin__exec_config *exec = c->config->exec;
    kin__secret info = KIN__SECRET_INIT;
    kin__secret output = KIN__SECRET_INIT;
    bool interactive;
    int code = kin__exec_plugin_interactive(exec, &interactive, err);

    if (code < 0)
        return code;
    if (kin__exec_info(&info, c->config, ca, interactive) < 0)
        return kin__error_no_memory(err);
    int64_t timeout = interactive ? PLUGIN_TALK_NS : PLUGIN_TIMEOUT_NS;
    if (c->plugin.timeout_ns > 0)
        timeout = c->plugin.timeout_ns;
    const kin__exec_run run = {
        .config = exec,
        .info = kin__secret_str(&info),
        .interactive = interactive,
        .clock = c->clock,
        .deadline = kin__clock_deadline(c->clock, timeout),
        .logger = c->logger,
        .wakeup = &c->plugin.wakeup,
        .stop = &c->plugin.stop,
        .tick = tell_late,
        .tick_arg = c,
    };
    code = kin__exec_plugin_run(&output, &run, err);
    if (code == 0) {
        code = kin__exec_credential_parse(ret, kin__secret_str(&output), exec->api_version, err);
        if (code == KIN_EPARSE || code == KIN_ELIMIT)
            code = kin_error_set(err, KIN_EDENIED, "what exec plugin %s wrote is of no use: %s",
                                 exec->command, err->message);
    }
    kin__secret_done(&output);
    kin__secret_done(&info);
    return code;
}

static int take_credential_locked(kin__credentials *c, const kin__exec_credential *credential)
    KIN_REQUIRES(c->lock)
{
    kin__secret authorization = KIN__SECRET_INIT;
    int code = set_bearer(&authorization, kin__secret_str(&credential->token));

    if (code == 0 && kin__uses_tls(c->config))
        code = set_material_locked(c, &credential->certificate, &credential->key, NULL);
    if (code == 0) {
        kin__secret_done(&c->authorization);
        c->authorization = authorization;
        c->generation++;
        c->plugin.known = true;
        c->plugin.expires = credential->expires;
    } else {
        kin__secret_done(&authorization);
    }
    return code;
}

static void log_run(const kin__credentials *c, int code, const kin_error *err,
                    const kin__exec_credential *credential)
{
    const char *command = c->config->exec->command;

    if (code == KIN_ECANCELED)
        return; /* nobody waits for it any more */
    if (code < 0)
        kin__log(c->logger, KIN_LOG_WARN, "credentials", "an exec plugin failed",
                 KIN__LOG_S("command", command), KIN__LOG_S("error", err->message));
    else if (credential->expires <= kin_clock_unix_now(c->clock))
        kin__log(c->logger, KIN_LOG_WARN, "credentials",
                 "an exec plugin gave a credential that has expired; is the clock right?",
                 KIN__LOG_S("command", command));
    else
        kin__log(c->logger, KIN_LOG_DEBUG, "credentials", "an exec plugin gave a credential",
                 KIN__LOG_S("command", command));
}

/* The thread of one run. Logs before it says that it has ended: whoever joins it holds the lock. */
static void run_plugin_thread(void *arg)
{
    kin__credentials *c = arg;
    kin__exec_credential credential = KIN__EXEC_CREDENTIAL_INIT;
    kin_error err = KIN_ERROR_INIT;

    kin__mutex_lock(&c->lock);
    kin__tls_material *material = c->material ? kin__tls_material_ref(c->material) : NULL;
    kin__mutex_unlock(&c->lock);
    int code = run_plugin(c, &credential,
                          material ? kin__secret_str(&material->ca) : kin_str_of(""), &err);
    kin__tls_material_unref(material);
    log_run(c, code, &err, &credential);
    /* Another run may do: that depends on why it failed, which we do not know. */
    if (code == KIN_EDENIED)
        err.flags = 0;

    kin__mutex_lock(&c->lock);
    if (code == 0 && (code = take_credential_locked(c, &credential)) < 0)
        kin__error_no_memory(&err);
    c->plugin.failed = code;
    c->plugin.failure = err;
    c->plugin.ended = kin_clock_now(c->clock);
    c->plugin.running = false;
    kin__exec_credential_done(&credential);
    kin__cond_broadcast(&c->changed);
    tell_all_locked(c);
    kin__mutex_unlock(&c->lock);
}

static bool has_paused_locked(const kin__credentials *c) KIN_REQUIRES(c->lock)
{
    return c->plugin.ended == 0 || kin_clock_now(c->clock) - c->plugin.ended >= PLUGIN_PAUSE_NS;
}

/*
 * Whether there is no need to run it. What has expired counts until it may run again: those who
 * waited for a credential that came too late take it, and the server decides.
 */
static bool is_fresh_locked(const kin__credentials *c) KIN_REQUIRES(c->lock)
{
    if (!c->plugin.used)
        return true;
    return c->plugin.known && c->plugin.failed == 0 &&
           (kin_clock_unix_now(c->clock) < c->plugin.expires || !has_paused_locked(c));
}

/* 0: it runs now; or the failure of its last run, which was just now. */
static int start_plugin_locked(kin__credentials *c, kin_error *err) KIN_REQUIRES(c->lock)
{
    if (c->plugin.failed < 0 && !has_paused_locked(c))
        return kin__error_pass(err, c->plugin.failed, &c->plugin.failure);
    /* The one before has ended: what it does after unlocking is to return. */
    kin__thread_join(&c->plugin.thread, NULL);
    c->plugin.next_told = INT64_MAX;
    int code = kin__thread_start(&c->plugin.thread, "kin-exec", run_plugin_thread, c, err);
    c->plugin.running = code == 0;
    return code;
}

/* --- getting one --- */

/* Do what can be done now. 0: all is fresh; 1: somebody is at it, wait; or a failure. */
static int advance_locked(kin__credentials *c, kin_error *err) KIN_REQUIRES(c->lock)
{
    int64_t now = kin_clock_now(c->clock);
    int code = 0;

    while (!c->reading && is_due_locked(c, now) && code == 0)
        code = reload_locked(c, now, err);
    if (code < 0)
        return code;
    if (!all_known_locked(c))
        return 1;
    if (is_fresh_locked(c))
        return 0;
    if (!c->plugin.running)
        code = start_plugin_locked(c, err);
    return code < 0 ? code : 1;
}

static int too_late_locked(const kin__credentials *c, kin_error *err) KIN_REQUIRES(c->lock)
{
    return kin_error_set(err, KIN_ETIMEOUT, "there were no credentials in time%s%s",
                         c->plugin.running ? "; waiting for exec plugin " : "",
                         c->plugin.running ? c->config->exec->command : "");
}

static int wait_locked(kin__credentials *c, int64_t deadline, const atomic_bool *cancelled,
                       kin_error *err) KIN_REQUIRES(c->lock)
{
    if (cancelled && atomic_load_explicit(cancelled, memory_order_acquire))
        return kin_error_set(err, KIN_ECANCELED, "cancelled while waiting for credentials");
    if (!kin__cond_wait_until(&c->changed, &c->lock, c->clock, deadline))
        return too_late_locked(c, err);
    return 0;
}

/* 1: the plugin's thread will tell; KIN_ETIMEOUT. */
static int remember_locked(kin__credentials *c, kin__credentials_waiter *waiter, kin_error *err)
    KIN_REQUIRES(c->lock)
{
    if (waiter->deadline <= kin_clock_now(c->clock))
        return too_late_locked(c, err);
    kin__list_push_back(&c->plugin.waiters, &waiter->link);
    if (waiter->deadline < c->plugin.next_told)
        kin__wakeup_signal(&c->plugin.wakeup);
    return 1;
}

static int copy_identity_locked(kin__credentials *c, kin__identity *ret, kin_error *err)
    KIN_REQUIRES(c->lock)
{
    kin__identity identity = {KIN__SECRET_INIT, NULL, c->generation};

    if (kin__secret_set(&identity.authorization, kin__secret_str(&c->authorization)) < 0)
        return kin__error_no_memory(err);
    if (c->material)
        identity.tls = kin__tls_material_ref(c->material);
    *ret = identity;
    return 0;
}

int kin__credentials_get(kin__credentials *credentials, kin__identity *ret, int64_t deadline,
                         const atomic_bool *cancelled, kin_error *err)
{
    kin__credentials *c = credentials;
    int code = kin__fork_guard_check(&c->guard, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&c->lock);
    while ((code = advance_locked(c, err)) > 0) {
        code = wait_locked(c, deadline, cancelled, err);
        if (code < 0)
            break;
    }
    if (code == 0)
        code = copy_identity_locked(c, ret, err);
    kin__mutex_unlock(&c->lock);
    return code;
}

int kin__credentials_ask(kin__credentials *credentials, kin__identity *ret,
                         kin__credentials_waiter *waiter, const atomic_bool *cancelled,
                         kin_error *err)
{
    kin__credentials *c = credentials;
    int code = kin__fork_guard_check(&c->guard, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&c->lock);
    /* What somebody else is reading is there soon. */
    while ((code = advance_locked(c, err)) > 0 && !c->plugin.running) {
        code = wait_locked(c, waiter->deadline, cancelled, err);
        if (code < 0)
            break;
    }
    if (code > 0)
        code = remember_locked(c, waiter, err);
    else if (code == 0)
        code = copy_identity_locked(c, ret, err);
    kin__mutex_unlock(&c->lock);
    return code;
}

bool kin__credentials_forget(kin__credentials *credentials, kin__credentials_waiter *waiter)
{
    kin__mutex_lock(&credentials->lock);
    bool was_remembered = !kin__list_is_empty(&waiter->link);
    kin__list_remove(&waiter->link);
    kin__mutex_unlock(&credentials->lock);
    return was_remembered;
}

void kin__credentials_wake(kin__credentials *credentials)
{
    if (kin__fork_guard_check(&credentials->guard, NULL) < 0)
        return;
    kin__mutex_lock(&credentials->lock);
    kin__cond_broadcast(&credentials->changed);
    kin__mutex_unlock(&credentials->lock);
}

/* Whether it can be had anew from somewhere; that is then due. */
static bool drop_locked(kin__credentials *c) KIN_REQUIRES(c->lock)
{
    bool is_due = false;

    if (c->plugin.used && (c->plugin.running || has_paused_locked(c))) {
        c->plugin.known = false;
        is_due = true;
    }
    if (c->token.in_files) {
        /* An inline token is all there is until the file was read. */
        c->token.known = !c->token.read;
        c->token.due = 0;
        is_due = true;
    }
    if (c->pair.in_files) {
        c->pair.due = 0;
        is_due = true;
    }
    return is_due;
}

bool kin__credentials_rejected(kin__credentials *credentials, const kin__identity *used)
{
    kin__credentials *c = credentials;

    if (kin__fork_guard_check(&c->guard, NULL) < 0)
        return false;
    kin__mutex_lock(&c->lock);
    /* If it is an old one, there is a newer one already. */
    bool again = used->generation != c->generation || drop_locked(c);
    kin__mutex_unlock(&c->lock);
    return again;
}

static void read_certificates_locked(kin__credentials *c) KIN_REQUIRES(c->lock)
{
    int64_t now = kin_clock_now(c->clock);
    kin_error ignored = KIN_ERROR_INIT;

    if (now - c->looked < DISTRUST_NS || !(c->pair.in_files || c->ca.in_files))
        return;
    if (c->pair.in_files)
        c->pair.due = 0;
    if (c->ca.in_files)
        c->ca.due = 0;
    /* What there was stays if this fails. */
    reload_locked(c, now, &ignored);
}

bool kin__credentials_distrusted(kin__credentials *credentials, const kin__identity *used)
{
    kin__credentials *c = credentials;

    if (!used->tls || kin__fork_guard_check(&c->guard, NULL) < 0)
        return false;
    kin__mutex_lock(&c->lock);
    while (c->reading)
        kin__cond_wait(&c->changed, &c->lock);
    if (c->material == used->tls)
        read_certificates_locked(c);
    bool again = c->material != used->tls;
    kin__mutex_unlock(&c->lock);
    return again;
}

/* --- life --- */

static void source_init(struct source *source, bool used, bool in_files)
{
    source->in_files = in_files;
    source->due = used ? 0 : INT64_MAX;
}

/* What needs neither files nor a plugin. */
static int init_fixed(kin__credentials *c, kin_error *err)
{
    const kin_config *config = c->config;
    bool uses_tls = kin__uses_tls(config);
    int code = 0;

    c->generation = 1;
    source_init(&c->token, config->token_file, config->token_file);
    source_init(&c->pair, uses_tls, uses_tls && kin__pair_is_in_files(config));
    source_init(&c->ca, uses_tls, uses_tls && kin__ca_is_in_file(config));
    if (config->token.len > 0) {
        code = set_bearer(&c->authorization, kin__secret_str(&config->token));
        c->token.known = true;
    } else if (config->username) {
        code = set_basic(&c->authorization, config);
    }
    return code == 0 ? 0 : kin__error_no_memory(err);
}

static int init_plugin(struct plugin *plugin, const kin_config *config, kin_error *err)
{
    plugin->thread = KIN__THREAD_INIT;
    plugin->wakeup.fd = -1;
    atomic_init(&plugin->stop, false);
    kin__list_init(&plugin->waiters);
    plugin->used = kin__uses_plugin(config);
    return plugin->used ? kin__wakeup_init(&plugin->wakeup, err) : 0;
}

static void release(kin__credentials *c)
{
    kin__wakeup_done(&c->plugin.wakeup);
    kin__secret_done(&c->authorization);
    kin__tls_material_unref(c->material);
    kin_logger_unref(c->logger);
    kin_clock_unref(c->clock);
    kin__free(c);
}

int kin__credentials_new(kin__credentials **ret, kin_config *config, kin_clock *clock,
                         kin_logger *logger, kin_error *err)
{
    int code = kin__credentials_check(config, err);

    if (code < 0)
        return code;
    kin__credentials *c = kin__calloc(1, sizeof(*c));
    if (!c)
        return kin__error_no_memory(err);
    c->config = config;
    c->clock = kin_clock_ref(clock);
    c->logger = kin_logger_ref(logger);
    code = init_plugin(&c->plugin, config, err);
    if (code == 0)
        code = init_fixed(c, err);
    if (code == 0)
        code = kin__fork_guard_init(&c->guard, err);
    if (code < 0) {
        release(c);
        return code;
    }
    kin__mutex_init(&c->lock, KIN__RANK_CREDENTIALS);
    kin__cond_init(&c->changed);
    *ret = c;
    return 0;
}

void kin__credentials_set_plugin_timeout(kin__credentials *credentials, int64_t ns)
{
    credentials->plugin.timeout_ns = ns;
}

void kin__credentials_free(kin__credentials *credentials)
{
    if (!credentials)
        return;
    if (kin__fork_guard_check(&credentials->guard, NULL) == 0) {
        if (credentials->plugin.used) {
            atomic_store_explicit(&credentials->plugin.stop, true, memory_order_release);
            kin__wakeup_signal(&credentials->plugin.wakeup);
        }
        kin__thread_join(&credentials->plugin.thread, NULL);
        kin__cond_done(&credentials->changed);
        kin__mutex_done(&credentials->lock);
    }
    release(credentials);
}
