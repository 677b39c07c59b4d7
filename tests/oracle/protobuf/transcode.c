/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's side: a line in is "kinds", or how to decode, the type that is expected and a body in hexadecimal
 * digits. A line out is the kinds of the tables, "ok" and JSON, or the number and words of an error.
 *
 * A decoder is strict, or passes over unknown fields; a new one, or one that is kept for all lines of its sort: it takes
 * parts of an object from those that it has read before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object/json.h"
#include "protobuf_json.h"
#include "side/lines.h"

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c) : NULL;

    if (found)
        return (int)(found - digits);
    lines_die("no hexadecimal digit", NULL);
}

/* End the text at a character; what is behind it. */
static char *cut_at(char *text, char c)
{
    char *found = strchr(text, c);

    if (found) {
        *found = '\0';
        return found + 1;
    }
    lines_die("what is this", text);
}

static void list_kinds(void)
{
    printf("kinds");
    for (size_t i = 1; i < kin__pb_n_kinds; i++)
        printf(" %s|%s", kin__pb_name(kin__pb_kinds[i].api_version),
               kin__pb_name(kin__pb_kinds[i].kind));
    printf("\n");
}

static void print_text(kin__buf *text)
{
    /* A line's end can only lie between the values of JSON that the body holds. */
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] == '\n' || text->data[i] == '\r')
            text->data[i] = ' ';
    printf("ok %s\n", text->data);
}

struct decoders {
    kin_decoder *kept[2]; /* strict, lenient */
};

static kin_decoder *new_decoder(bool is_lenient)
{
    kin_decoder *decoder = NULL;

    if (kin_decoder_new(&decoder, NULL, NULL) < 0)
        lines_die("no decoder", NULL);
    if (is_lenient)
        kin__decoder_skip_unknown(decoder);
    return decoder;
}

/* "strict", "lenient", "strict-kept" or "lenient-kept". *ret_is_kept: it is not the caller's. */
static kin_decoder *decoder_of(struct decoders *decoders, const char *how, bool *ret_is_kept)
{
    bool is_lenient = strncmp(how, "lenient", 7) == 0;
    kin_decoder **kept = &decoders->kept[is_lenient];

    *ret_is_kept = strcmp(how, is_lenient ? "lenient-kept" : "strict-kept") == 0;
    if (!*ret_is_kept && strcmp(how, is_lenient ? "lenient" : "strict") != 0)
        lines_die("how to decode", how);
    if (!*ret_is_kept)
        return new_decoder(is_lenient);
    if (!*kept)
        *kept = new_decoder(is_lenient);
    return *kept;
}

static void answer(char *line, void *arg)
{
    kin_error err = KIN_ERROR_INIT;
    kin__protobuf_type expected;
    kin__protobuf_type found;
    kin__buf text;
    size_t len = 0;

    if (strcmp(line, "kinds") == 0) {
        list_kinds();
        return;
    }
    char *version = cut_at(line, ' ');
    char *kind = cut_at(version, '|');
    char *body = cut_at(kind, ' ');
    bool is_kept;
    kin_decoder *decoder = decoder_of(arg, line, &is_kept);
    expected.api_version = kin_str_of(version);
    expected.kind = kin_str_of(kind);
    for (const char *p = body; *p; p += 2)
        body[len++] = (char)(digit(p[0]) << 4 | digit(p[1]));
    kin__buf_init(&text, (size_t)64 << 20);
    int code =
        kin_test_protobuf_json_by(decoder, &text, kin_str_make(body, len), expected, &found, &err);
    if (code == 0)
        print_text(&text);
    else
        printf("error %d %s\n", code, err.message);
    kin__buf_done(&text);
    if (!is_kept)
        kin_decoder_free(decoder);
}

int main(void)
{
    struct decoders decoders = {{NULL, NULL}};

    lines_serve(answer, &decoders);
    for (size_t i = 0; i < 2; i++)
        kin_decoder_free(decoders.kept[i]);
    return 0;
}
