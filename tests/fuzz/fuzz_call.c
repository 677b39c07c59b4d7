/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call whose server is the input: what it says, how its answers are cut into pieces, where they
 * break off, and what comes at the next try. The call, its exchanges and the unfolding of compressed
 * bodies are the real ones; only the I/O thread is not there, and what it would do is done while the
 * call waits.
 *
 * Every call ends, with a code and a message; nothing is told behind a failure; what was called back
 * is never asked for again; a success is an answer that was whole; and none of it depends on the cuts.
 *
 * Three bytes say what is asked, how it is cut and what the callbacks do. The tries follow, separated
 * by lines "--": a byte for how it ends, then head and body as HTTP/1.1 has them.
 */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "client/call.h"
#include "client/transport_inside.h"
#include "fuzz.h"
#include "kinform/json.h"
#include "kinform/memory.h"

/* What the linker puts in the place of the library's. */
int start_try(kin__transport *transport, kin__exchange **ret, const kin__exchange_spec *spec,
              kin_error *err) __asm__("__wrap_kin__transport_start");
void obey(kin__exchange *exchange, unsigned commands) __asm__("__wrap_kin__transport_post");
int take_turn(kin__exchange *exchange, int64_t deadline) __asm__("__wrap_kin__exchange_wait");
int really_wait(kin__exchange *exchange, int64_t deadline) __asm__("__real_kin__exchange_wait");
bool may_refresh(kin__credentials *credentials,
                 const kin__identity *identity) __asm__("__wrap_kin__credentials_rejected");

enum {
    MAX_RETRIES = 3,
    /* How a try ends. */
    END_MASK = 3,
    END_WHOLE = 0,
    END_LOST = 1,
    END_TIMEOUT = 2,
    END_AT_START = 3,
    SENT = 4,      /* the request may have reached the server */
    REFRESHED = 8, /* after a 401 there are other credentials */
    NARROW = 16,   /* few bytes may wait for the consumer */
    SEPARATOR_LEN = 4,
};

/* One run of the script. */
static struct run {
    fuzz_input in; /* tries that have not begun */
    int64_t began;
    size_t most; /* bytes of a piece; 0: all at once */
    uint32_t seed;
    kin_clock *clock;
    kin_call *call;
    unsigned stop_at;   /* the callback fails then */
    unsigned cancel_at; /* cancels then */

    unsigned n_tries;
    unsigned n_refreshed;
    unsigned n_told;
    bool stopped;
    bool cancelled;
    bool any_damaged; /* compression; how much comes out before the damage depends on the pieces */
    bool any_lost;    /* an answer; whether malformed text was looked at before, too */
    kin__buf transcript;
    int code;

    /* The try that is under way. */
    kin__exchange *exchange;
    kin_str rest;
    uint8_t fate;
    bool paused;
} run;

/* --- the server --- */

/* The text of the next try, without the line behind it. */
static kin_str next_try(void)
{
    const uint8_t *end = memmem(run.in.data, run.in.len, "\n--\n", SEPARATOR_LEN);
    size_t len = end ? (size_t)(end - run.in.data) : run.in.len;
    kin_str text = kin_str_make((const char *)run.in.data, len);

    if (end)
        len += SEPARATOR_LEN;
    run.in.data += len;
    run.in.len -= len;
    return text;
}

static void leave_try(void)
{
    kin__exchange *exchange = run.exchange;

    run.exchange = NULL;
    if (!exchange)
        return;
    run.any_damaged |= exchange->broken.code != 0;
    run.any_lost |= exchange->answered && exchange->error.code < 0;
    /* As the I/O thread does at the end of a turn. */
    kin__list_remove(&exchange->telling);
    kin__exchange_put(exchange);
}

static void end_try(int code)
{
    if (code < 0)
        kin_error_set(&run.exchange->failure, code, "the script says so");
    kin__exchange_set_ended(run.exchange);
    run.paused = false;
}

int start_try(kin__transport *transport, kin__exchange **ret, const kin__exchange_spec *spec,
              kin_error *err)
{
    int64_t now = kin_clock_now(run.clock);

    /* What was called back is not asked for again, and nobody who has left asks for more. */
    FUZZ_CHECK(run.n_told == 0 && !run.cancelled);
    FUZZ_CHECK(++run.n_tries <= 2 + MAX_RETRIES &&
               run.n_tries <= 1 + MAX_RETRIES + run.n_refreshed);
    FUZZ_CHECK(spec->not_before < spec->deadline);
    leave_try();
    run.fate = fuzz_byte(&run.in);
    run.rest = next_try();
    if (spec->not_before > now)
        FUZZ_CHECK(kin_clock_advance(run.clock, spec->not_before - now, NULL) == 0);
    kin__buf_appendf(&run.transcript, "try at %lld\n",
                     (long long)(kin_clock_now(run.clock) - run.began));
    if ((run.fate & END_MASK) == END_AT_START)
        return kin_error_set(err, KIN_ECLOSED, "the script says so");
    FUZZ_CHECK(kin__exchange_new(&run.exchange, transport, spec, err) == 0);
    kin__ref_get(&run.exchange->ref);
    atomic_store(&run.exchange->was_sent, run.fate & SENT);
    if (run.fate & NARROW)
        run.exchange->buffer_limit = 8;
    *ret = run.exchange;
    return 0;
}

void obey(kin__exchange *exchange, unsigned commands)
{
    if (exchange != run.exchange || exchange->ended)
        return;
    if (commands & KIN__COMMAND_CANCEL)
        end_try(KIN_ECANCELED);
    else if (commands & KIN__COMMAND_RESUME)
        run.paused = false;
}

bool may_refresh(kin__credentials *credentials, const kin__identity *identity)
{
    (void)credentials;
    (void)identity;
    run.n_refreshed += (run.fate & REFRESHED) != 0;
    return run.fate & REFRESHED;
}

/* The whole head; what the I/O thread refuses is refused. */
static void say_head(void)
{
    kin__answer_reader *reader = &run.exchange->reader;
    int code = 0;

    while (code == 0 && run.rest.len > 0 && !reader->complete) {
        const char *end = memchr(run.rest.data, '\n', run.rest.len);
        size_t len = end ? (size_t)(end - run.rest.data) + 1 : run.rest.len;

        code = kin__answer_reader_line(reader, kin_str_make(run.rest.data, len));
        run.rest = kin_str_make(run.rest.data + len, run.rest.len - len);
    }
    if (code == 0 && !reader->complete)
        code = (run.fate & END_MASK) == END_TIMEOUT ? KIN_ETIMEOUT : KIN_ECONNECT;
    else if (code == 0 && (reader->is_encoded || kin__answer_is_redirect(reader)))
        code = KIN_EPROTOCOL;
    if (code < 0)
        end_try(code);
    else
        kin__exchange_set_answered(run.exchange);
}

/* The next number below `n`. */
static size_t below(size_t n)
{
    run.seed = run.seed * 1103515245u + 12345u;
    return (run.seed >> 16) % n;
}

static void say_piece(void)
{
    size_t len = run.most ? 1 + below(run.most) : run.rest.len;
    char *block;

    if (len > run.rest.len)
        len = run.rest.len;
    block = malloc(len);
    FUZZ_CHECK(block != NULL);
    memcpy(block, run.rest.data, len);
    switch (kin__exchange_feed(run.exchange, kin_str_make(block, len), false)) {
    case KIN__FEED_TAKEN:
        run.rest = kin_str_make(run.rest.data + len, run.rest.len - len);
        break;
    case KIN__FEED_PAUSE:
        run.paused = true;
        break;
    case KIN__FEED_NO_MEMORY:
        FUZZ_CHECK(false);
    }
    free(block);
}

static void say_more(void)
{
    static const int codes[] = {
        [END_WHOLE] = 0, [END_LOST] = KIN_ECONNECT, [END_TIMEOUT] = KIN_ETIMEOUT};

    if (!run.exchange->answered)
        say_head();
    else if (run.rest.len > 0)
        say_piece();
    else
        end_try(codes[run.fate & END_MASK]);
}

/* The consumer waits: the I/O thread has its turn. */
int take_turn(kin__exchange *exchange, int64_t deadline)
{
    FUZZ_CHECK(exchange == run.exchange && deadline == INT64_MAX);
    /* Nobody would ever wake it. */
    FUZZ_CHECK(!exchange->ended && !run.paused);
    do {
        say_more();
    } while (!exchange->ended && !run.paused && (run.most == 0 || below(4) > 0));
    FUZZ_CHECK(really_wait(exchange, 0) == 0);
    return 0;
}

/* --- the caller --- */

static void write_object(const char *what, const kin_object *object)
{
    char *json;
    size_t len;

    FUZZ_CHECK(kin_object_to_json(&json, &len, object, KIN_JSON_COMPACT, NULL) == 0);
    kin__buf_appendf(&run.transcript, "%s %.*s\n", what, (int)len, json);
    kin_free(json);
}

static int tell(const char *what, const kin_object *object, kin_error *err)
{
    FUZZ_CHECK(!run.stopped && !run.cancelled);
    run.n_told++;
    write_object(what, object);
    if (run.n_told == run.cancel_at) {
        run.cancelled = true;
        kin_call_cancel(run.call);
    }
    if (run.n_told != run.stop_at)
        return 0;
    run.stopped = true;
    return kin_error_set(err, KIN_ERANGE, "enough");
}

static int on_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)arg;
    return tell("item", object, err);
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    (void)arg;
    FUZZ_CHECK(type != KIN_WATCH_ERROR);
    return tell(kin_watch_type_name(type), object, err);
}

static void on_warning(kin_str text, void *arg)
{
    (void)arg;
    kin__buf_appendf(&run.transcript, "warning %.*s\n", (int)text.len, text.data);
}

static kin_client *client;
static kin_clock *client_clock;

/* One for many runs; its clock only goes forward, and must not reach the end of time. */
static void make_client(void)
{
    static kin_config *config;
    static unsigned n_runs;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;

    if (n_runs++ % 1024 != 0)
        return;
    kin_client_free(client);
    kin_clock_unref(client_clock);
    if (!config) {
        kin_config_options given = KIN_CONFIG_OPTIONS_INIT;

        given.server = "http://127.0.0.1:1";
        given.token = "secret";
        FUZZ_CHECK(kin_config_new(&config, &given, NULL) == 0);
    }
    FUZZ_CHECK(kin_clock_new_fake(&client_clock, 0, NULL) == 0);
    options.config = config;
    options.clock = client_clock;
    options.qps = -1;
    options.max_retries = MAX_RETRIES;
    options.warning = on_warning;
    FUZZ_CHECK(kin_client_new(&client, &options, NULL) == 0);
}

static kin_call *make_call(uint8_t what)
{
    static const enum kin_verb verbs[] = {
        [KIN__ANSWER_OBJECT] = KIN_VERB_GET,
        [KIN__ANSWER_LIST] = KIN_VERB_LIST,
        [KIN__ANSWER_WATCH] = KIN_VERB_WATCH,
        [KIN__ANSWER_TEXT] = KIN_VERB_GET,
    };
    const kin_call_handlers handlers = {
        .size = sizeof(handlers), .item = on_item, .event = on_event};
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    kin__call_spec spec = {
        .kind = what & 3,
        .verb = verbs[what & 3],
        .method = "GET",
        .target = "/api/v1/pods",
        .accept = "application/json",
        .decode = &decode,
        .timeout_ms = (what & 4) ? 5000 : -1,
        .handlers = &handlers,
    };
    kin_call *call = NULL;

    if (what & 8)
        decode.max_bytes = 64;
    if ((what & 16) && spec.kind == KIN__ANSWER_OBJECT) {
        spec.verb = (what & 32) ? KIN_VERB_CREATE : KIN_VERB_DELETE_COLLECTION;
        spec.method = (what & 32) ? "POST" : "DELETE";
    }
    FUZZ_CHECK(kin__call_new(&call, client, &spec, NULL) == 0);
    return call;
}

static void check_end(int code, const kin_error *err, unsigned kind)
{
    const kin__answer *answer = run.exchange ? &run.exchange->reader.answer : NULL;
    bool has_object = kin__call_object(run.call) != NULL;

    FUZZ_CHECK(code <= 0 && err->code == code && (code == 0 || err->message[0]));
    FUZZ_CHECK(!run.cancelled || code == KIN_ECANCELED);
    FUZZ_CHECK(run.cancelled || !run.stopped || code == KIN_ERANGE);
    FUZZ_CHECK(code != KIN_ENOMEM && code != KIN_ESYSTEM);
    if (code == 0) {
        FUZZ_CHECK(answer && answer->status >= 200 && answer->status < 300);
        FUZZ_CHECK(run.exchange->ended && run.exchange->error.code == 0);
        FUZZ_CHECK(!run.exchange->broken.code && run.rest.len == 0);
        FUZZ_CHECK(!run.exchange->gunzip || kin__gunzip_is_complete(run.exchange->gunzip));
        FUZZ_CHECK(has_object == (kind == KIN__ANSWER_OBJECT || kind == KIN__ANSWER_LIST));
        FUZZ_CHECK(kind == KIN__ANSWER_TEXT ||
                   strcmp(answer->content_type, "application/json") == 0);
        FUZZ_CHECK(!kin__call_status(run.call));
    }
    /* A failure of the server's has a Status, made up if need be. */
    FUZZ_CHECK(!err->http_status || code == KIN_EPROTOCOL || run.cancelled ||
               kin__call_status(run.call));
}

static void write_end(int code, const kin_error *err)
{
    kin_str text = kin__call_text(run.call);

    kin__buf_appendf(&run.transcript, "%d %d %lld %s %s\n", code, err->http_status,
                     (long long)err->retry_after_ms, err->reason, err->message);
    if (code == 0 && kin__call_object(run.call))
        write_object("object", kin__call_object(run.call));
    else if (code == 0)
        kin__buf_append(&run.transcript, text);
    if (kin__call_status(run.call))
        write_object("status", kin__call_status(run.call));
    FUZZ_CHECK(run.transcript.failed == 0);
}

/* Pieces of up to `most` bytes, 0: all at once. */
static void run_call(fuzz_input in, uint8_t what, uint8_t does, size_t most, uint32_t seed)
{
    kin_error err = KIN_ERROR_INIT;
    int code;

    make_client();
    memset(&run, 0, sizeof(run));
    run.in = in;
    run.most = most;
    run.seed = seed;
    run.stop_at = does & 7;
    run.cancel_at = does >> 3 & 7;
    kin__buf_init(&run.transcript, SIZE_MAX - 1);
    run.clock = client_clock;
    run.began = kin_clock_now(client_clock);
    run.call = make_call(what);
    code = run.code = kin__call_run(run.call, &err);
    check_end(code, &err, what & 3);
    write_end(code, &err);
    leave_try();
    kin_call_unref(run.call);
}

/* Of two runs of the same script. */
static bool may_differ(const struct run *a, const struct run *b)
{
    bool is_malformed = a->code == KIN_EPARSE || b->code == KIN_EPARSE;

    return a->any_damaged || b->any_damaged || (is_malformed && (a->any_lost || b->any_lost));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    uint8_t what = fuzz_byte(&in);
    uint8_t cut = fuzz_byte(&in);
    uint8_t does = fuzz_byte(&in);
    struct run whole;

    run_call(in, what, does, 0, 0);
    whole = run;
    run_call(in, what, does, 1 + cut % 64, cut);
    if (!may_differ(&whole, &run)) {
        if (!kin_str_equal(kin__buf_str(&whole.transcript), kin__buf_str(&run.transcript)))
            fprintf(stderr, "--- whole:\n%s\n--- in pieces:\n%s\n", whole.transcript.data,
                    run.transcript.data);
        FUZZ_CHECK(kin_str_equal(kin__buf_str(&whole.transcript), kin__buf_str(&run.transcript)));
    }
    kin__buf_done(&run.transcript);
    kin__buf_done(&whole.transcript);
    return 0;
}
