/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kinform/json.h>

void lines_die(const char *what, const char *detail)
{
    fprintf(stderr, "oracle: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
    exit(1);
}

void lines_serve(void (*answer)(char *line, void *arg), void *arg)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t len;

    while ((len = getline(&line, &size, stdin)) > 0) {
        if (line[len - 1] == '\n')
            line[len - 1] = '\0';
        answer(line, arg);
        if (fflush(stdout) != 0)
            lines_die("the answer cannot be written", NULL);
    }
    free(line);
    if (ferror(stdin))
        lines_die("the requests cannot be read", NULL);
}

struct json_side {
    kin_decoder *decoder;
    void (*answer)(kin_value request);
};

static void answer_json(char *line, void *arg)
{
    struct json_side *side = arg;
    const kin_object *request = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_decoder_decode(side->decoder, &request, kin_str_of(line), &err) < 0)
        lines_die("no request", err.message);
    side->answer(kin_object_root(request));
    kin_object_unref(request);
}

void lines_serve_json(void (*answer)(kin_value request))
{
    struct json_side side = {NULL, answer};
    kin_error err = KIN_ERROR_INIT;

    if (kin_decoder_new(&side.decoder, NULL, &err) < 0)
        lines_die("no decoder", err.message);
    lines_serve(answer_json, &side);
    kin_decoder_free(side.decoder);
}
