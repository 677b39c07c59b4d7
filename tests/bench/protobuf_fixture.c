/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf_fixture.h"

#include "bench_test.h"

#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "object/protobuf_write.h"

enum { LIMIT = 1 << 30 };

struct conversion {
    kin__pb_writer writer;
    kin_decoder *decoder;
    unsigned pod; /* the message */
};

static void conversion_init(struct conversion *c)
{
    kin__pb_writer_init(&c->writer, LIMIT);
    c->decoder = kin_bench_decoder_new(NULL);
    assert_true(kin__pb_message_of(kin_str_of("v1"), kin_str_of("Pod"), &c->pod));
}

static void conversion_done(struct conversion *c)
{
    kin__pb_writer_done(&c->writer);
    kin_decoder_free(c->decoder);
}

/* Write a buffer to a file, and release it. */
static void save(kin__buf *out, const char *dir, const char *name)
{
    kin_str bytes = kin__buf_str(out);

    write_file(dir, name, bytes.data, bytes.len);
    kin__buf_done(out);
}

/* Append a Pod as an item of a list. */
static void append_item(struct conversion *c, kin__buf *out, kin_str text)
{
    const kin_object *pod = kin_bench_decode_one(c->decoder, text);
    kin_error err = KIN_ERROR_INIT;
    kin_str message;

    if (kin__pb_write(&c->writer, &message, c->pod, kin_object_root(pod), &err) < 0)
        fail_msg("%s", err.message);
    kin__pb_append_head(out, 2, message.len);
    kin__buf_append(out, message);
    kin_object_unref(pod);
}

static void convert_list(struct conversion *c, const char *dir)
{
    static const char metadata[] = "\x0a\x05\x12\x03"
                                   "100"; /* the resource version */
    struct kin_bench_items items;
    kin__buf list;
    kin__buf out;
    char *path = join_path(dir, "pods.json");

    kin_bench_items_load(&items, path);
    kin__buf_init(&list, LIMIT);
    kin__buf_init(&out, LIMIT);
    kin__buf_append(&list, kin_str_make(metadata, sizeof(metadata) - 1));
    for (size_t i = 0; i < items.n; i++)
        append_item(c, &list, items.texts[i]);
    kin__pb_envelope_head(&out, kin_str_of("v1"), kin_str_of("PodList"), kin__buf_str(&list).len);
    kin__buf_append(&out, kin__buf_str(&list));
    kin__buf_append(&out, kin__pb_envelope_tail());
    kin__buf_done(&list);
    kin_bench_items_done(&items);
    free(path);
    save(&out, dir, "pods.pb");
}

/* A frame: its length, and a message with the type of the event and the object in its envelope. */
static void append_frame(struct conversion *c, kin__buf *out, struct span line)
{
    struct span type = json_get(line, "type");
    struct span text = json_get(line, "object");
    const kin_object *pod = kin_bench_decode_one(c->decoder, kin_str_make(text.data, text.len));
    kin_error err = KIN_ERROR_INIT;
    char wrapped[KIN__PB_HEAD_MAX];
    kin__buf object;
    kin__buf event;

    kin__buf_init(&object, LIMIT);
    kin__buf_init(&event, LIMIT);
    if (kin__pb_write_object(&c->writer, &object, c->pod, kin_str_of("v1"), kin_str_of("Pod"),
                             kin_object_root(pod), &err) < 0)
        fail_msg("%s", err.message);
    kin__pb_append_text(&event, 1, kin_str_make(type.data + 1, type.len - 2));
    kin__pb_append_head(
        &event, 2, kin__pb_head(wrapped, 1, kin__buf_str(&object).len) + kin__buf_str(&object).len);
    kin__pb_append_head(&event, 1, kin__buf_str(&object).len);
    kin__buf_append(&event, kin__buf_str(&object));
    for (int shift = 24; shift >= 0; shift -= 8)
        kin__buf_append_char(out, (char)(kin__buf_str(&event).len >> shift));
    kin__buf_append(out, kin__buf_str(&event));
    kin__buf_done(&object);
    kin__buf_done(&event);
    kin_object_unref(pod);
}

static void convert_frames(struct conversion *c, const char *dir, const char *from, const char *to)
{
    struct span file = read_file(dir, from);
    struct span rest = file;
    struct span line;
    kin__buf out;

    kin__buf_init(&out, LIMIT);
    while (next_line(&rest, &line))
        append_frame(c, &out, line);
    free_span(file);
    save(&out, dir, to);
}

void make_protobuf_files(const char *dir)
{
    struct conversion c;

    conversion_init(&c);
    if (file_exists(dir, "pods.json"))
        convert_list(&c, dir);
    if (file_exists(dir, "stream.jsonl"))
        convert_frames(&c, dir, "stream.jsonl", "stream.pbs");
    if (file_exists(dir, "events.jsonl"))
        convert_frames(&c, dir, "events.jsonl", "events.pbs");
    conversion_done(&c);
}
