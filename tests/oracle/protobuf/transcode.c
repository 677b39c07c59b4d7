/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's side: a line in is "kinds", or the type that is expected and a body in hexadecimal
 * digits. A line out is the kinds of the tables, "ok" and JSON, or the number and words of an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void answer(char *line, void *unused)
{
    kin_error err = KIN_ERROR_INIT;
    kin__protobuf_type expected;
    kin__protobuf_type found;
    kin__buf text;
    size_t len = 0;

    (void)unused;
    if (strcmp(line, "kinds") == 0) {
        list_kinds();
        return;
    }
    char *kind = cut_at(line, '|');
    char *body = cut_at(kind, ' ');
    expected.api_version = kin_str_of(line);
    expected.kind = kin_str_of(kind);
    for (const char *p = body; *p; p += 2)
        body[len++] = (char)(digit(p[0]) << 4 | digit(p[1]));
    kin__buf_init(&text, (size_t)64 << 20);
    int code = kin_test_protobuf_json(&text, kin_str_make(body, len), expected, &found, true, &err);
    if (code == 0)
        print_text(&text);
    else
        printf("error %d %s\n", code, err.message);
    kin__buf_done(&text);
}

int main(void)
{
    lines_serve(answer, NULL);
    return 0;
}
