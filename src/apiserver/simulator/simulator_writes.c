/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's writes: through the sink, counted, and repeated on the newest state where
 * somebody else was quicker. What is known of an object is replaced only by what the sink answers.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <stdio.h>

#include "base/error.h"
#include "kinform/metadata.h"
#include "kinform/time.h"

/* Somebody who changes an object more often than that while we look is a program gone wild. */
#define TRIES 4

static void count(kin__simulator *sim, enum kin__simulated kind)
{
    sim->stats.writes++;
    sim->stats.kinds[kind]++;
}

static void replace(const kin_object **held, const kin_object *object)
{
    kin_object_unref(*held);
    *held = object;
}

static bool is_same(const kin_object *a, const kin_object *b)
{
    kin_scratch sa, sb;

    return kin_str_equal(kin_object_uid(a, &sa), kin_object_uid(b, &sb));
}

int kin__sim_refresh(kin__simulator *sim, enum kin__simulated kind, const kin_object **held,
                     kin_error *err)
{
    const kin_object *object = NULL;
    int code = sim->sink->sink_class->get(sim->sink, kind, kin_object_namespace(*held),
                                          kin_object_name(*held), &object, err);

    if (code < 0)
        return code;
    if (!is_same(*held, object)) {
        kin_object_unref(object);
        return kin_error_set(err, KIN_ENOTFOUND, "there is another one of that name");
    }
    replace(held, object);
    return 0;
}

static int make(const kin_object **ret, kin__simulator *sim, const kin_object *base,
                sim_edit_fn *edit, void *arg, kin_error *err)
{
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, base, err);

    if (code == 0)
        code = edit(sim, ed, arg, err);
    if (code == 0)
        code = kin_editor_finish(ed, ret, err);
    kin_editor_free(ed);
    return code;
}

static int update_once(kin__simulator *sim, enum kin__simulated kind, enum sim_part part,
                       const kin_object **held, sim_edit_fn *edit, void *arg, kin_error *err)
{
    const kin__simulator_sink_class *c = sim->sink->sink_class;
    const kin_object *object = NULL, *stored = NULL;
    int code = make(&object, sim, *held, edit, arg, err);

    if (code < 0)
        return code;
    code =
        (part == SIM_STATUS ? c->update_status : c->update)(sim->sink, kind, object, &stored, err);
    kin_object_unref(object);
    if (code == 0) {
        replace(held, stored);
        count(sim, kind);
    }
    return code;
}

int kin__sim_update(kin__simulator *sim, enum kin__simulated kind, enum sim_part part,
                    const kin_object **held, sim_edit_fn *edit, void *arg, kin_error *err)
{
    int code = KIN_ECONFLICT;

    for (int i = 0; i < TRIES && code == KIN_ECONFLICT; i++) {
        code = update_once(sim, kind, part, held, edit, arg, err);
        if (code == KIN_ECONFLICT) {
            sim->stats.conflicts++;
            int read = kin__sim_refresh(sim, kind, held, err);

            if (read < 0)
                code = read;
        }
    }
    sim->stats.lost += code == KIN_ENOTFOUND;
    return code;
}

int kin__sim_create(kin__simulator *sim, enum kin__simulated kind, const kin_object *object,
                    const kin_object **held, kin_error *err)
{
    const kin_object *stored = NULL;
    int code = sim->sink->sink_class->create(sim->sink, kind, object, &stored, err);

    if (code == 0) {
        replace(held, stored);
        count(sim, kind);
    }
    return code;
}

int kin__sim_create_text(kin__simulator *sim, enum kin__simulated kind, const kin_object **held,
                         kin_error *err)
{
    const kin_object *object = NULL;
    int code = sim->text.failed;

    if (code < 0)
        kin_error_set(err, code, "%s", kin_error_string(code));
    else
        code = kin_decoder_decode(sim->decoder, &object, kin__buf_str(&sim->text), err);
    kin__buf_reset(&sim->text);
    if (code < 0)
        return code;
    code = kin__sim_create(sim, kind, object, held, err);
    kin_object_unref(object);
    return code;
}

int kin__sim_remove(kin__simulator *sim, enum kin__simulated kind, const kin_object **held,
                    int64_t grace_s, kin_error *err)
{
    const kin_object *left = NULL;
    int code = sim->sink->sink_class->remove(sim->sink, kind, *held, grace_s, &left, err);

    if (code == 0)
        count(sim, kind);
    if (code == KIN_ENOTFOUND || code == KIN_ECONFLICT) {
        sim->stats.lost++;
        code = 0;
    }
    if (code == 0)
        replace(held, left);
    return code;
}

bool kin__sim_is_deleted(const kin_object *object)
{
    return kin_object_deletion_timestamp(NULL, object) == 0;
}

int64_t kin__sim_int(const kin_object *object, const char *path, int64_t absent)
{
    int64_t number = absent;

    (void)kin_value_int64(&number, kin_object_find(object, path));
    return number;
}

/* --- text --- */

void kin__sim_put(kin__simulator *sim, const char *text)
{
    kin__buf_append(&sim->text, kin_str_of(text));
}

void kin__sim_put_str(kin__simulator *sim, kin_str text)
{
    kin__buf_append(&sim->text, text);
}

void kin__sim_put_escaped(kin__simulator *sim, kin_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c < 0x20) {
            kin__buf_appendf(&sim->text, "\\u%04x", c);
            continue;
        }
        if (c == '"' || c == '\\')
            kin__buf_append_char(&sim->text, '\\');
        kin__buf_append_char(&sim->text, text.data[i]);
    }
}

void kin__sim_put_int(kin__simulator *sim, int64_t number)
{
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        digits[--at] = '-';
    kin__buf_append(&sim->text, kin_str_make(digits + at, sizeof(digits) - at));
}

kin_time kin__sim_time(const kin__simulator *sim, int64_t at)
{
    int64_t ns = at + sim->wall;
    kin_time t = {ns / KIN__SECOND, (int32_t)(ns % KIN__SECOND)};

    if (t.nanoseconds < 0) {
        t.nanoseconds += (int32_t)KIN__SECOND;
        t.seconds--;
    }
    return t;
}

static void put_time(kin__simulator *sim, int64_t at, unsigned digits)
{
    char text[KIN_TIME_TEXT_SIZE];
    size_t len = kin_time_format(text, sizeof(text), kin__sim_time(sim, at), digits);

    kin__buf_append_char(&sim->text, '"');
    kin__buf_append(&sim->text, kin_str_make(text, len));
    kin__buf_append_char(&sim->text, '"');
}

void kin__sim_put_time(kin__simulator *sim, int64_t at)
{
    put_time(sim, at, 0);
}

void kin__sim_put_micro_time(kin__simulator *sim, int64_t at)
{
    put_time(sim, at, 6);
}

int kin__sim_set_text(kin__simulator *sim, kin_editor *ed, const char *path, kin_error *err)
{
    int code = sim->text.failed;

    if (code < 0)
        kin_error_set(err, code, "%s", kin_error_string(code));
    else
        code = kin_editor_set_json(ed, kin_str_of(path), kin__buf_str(&sim->text), err);
    kin__buf_reset(&sim->text);
    return code;
}
