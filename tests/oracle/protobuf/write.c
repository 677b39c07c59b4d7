/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library as a writer: a line in is "kinds", or a type and the JSON of an object.
 * A line out is the kinds of the tables, "ok" and the body in hexadecimal digits, or the number and
 * words of an error.
 */
#include <stdio.h>
#include <string.h>

#include "kinform/json.h"
#include "object/limits.h"
#include "object/protobuf_tables.h"
#include "object/protobuf_write.h"
#include "side/lines.h"

/* End the text at a character; returns the rest. */
static char *cut_at(char *text, char c)
{
    char *found = strchr(text, c);

    if (found) {
        *found = '\0';
        return found + 1;
    }
    lines_die("malformed request", text);
}

static void list_kinds(void)
{
    printf("kinds");
    for (size_t i = 1; i < kin__pb_n_kinds; i++)
        printf(" %s|%s", kin__pb_name(kin__pb_kinds[i].api_version),
               kin__pb_name(kin__pb_kinds[i].kind));
    printf("\n");
}

static void print_body(kin_str body)
{
    printf("ok ");
    for (size_t i = 0; i < body.len; i++)
        printf("%02x", (unsigned char)body.data[i]);
    printf("\n");
}

/* Paths have the names of members, which have any characters. */
static void print_error(kin_error *err)
{
    for (char *p = err->message; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
    printf("error %d %s\n", err->code, err->message);
}

static void answer(char *line, void *arg)
{
    kin__pb_writer *writer = arg;
    kin_error err = KIN_ERROR_INIT;
    const kin_object *object = NULL;
    unsigned message = 0;
    size_t len = 0;
    kin__buf out;

    if (strcmp(line, "kinds") == 0) {
        list_kinds();
        return;
    }
    char *kind = cut_at(line, '|');
    char *json = cut_at(kind, ' ');
    if (!kin__pb_message_of(kin_str_of(line), kin_str_of(kind), &message))
        lines_die("what kind is this", kind);
    kin__buf_init(&out, KIN__TEXT_MAX);
    int code = kin_object_from_json(&object, kin_str_of(json), NULL, &err);
    if (code == 0)
        code = kin__pb_measure(writer, &len, message, kin_object_root(object), &err);
    if (code == 0)
        code = kin__pb_write_object(writer, &out, message, kin_str_of(line), kin_str_of(kind),
                                    kin_object_root(object), &err);
    if (code == 0 && writer->len != len)
        lines_die("its length is another one", kind);
    if (code == 0)
        print_body(kin__buf_str(&out));
    else
        print_error(&err);
    kin_object_unref(object);
    kin__buf_done(&out);
}

int main(void)
{
    kin__pb_writer writer;

    kin__pb_writer_init(&writer, KIN__TEXT_MAX);
    lines_serve(answer, &writer);
    kin__pb_writer_done(&writer);
    return 0;
}
