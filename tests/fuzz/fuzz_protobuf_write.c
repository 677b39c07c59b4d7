/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any document as any kind's protobuf: it is refused, or written as a message that is as long
 * as was measured. The first two bytes of the input are which kind, the rest is JSON.
 */
#include "fuzz.h"
#include "kinform/json.h"
#include "object/protobuf_index.h"
#include "object/protobuf_tables.h"
#include "object/protobuf_write.h"

#define LIMIT ((size_t)1 << 20)

static void check_message(unsigned message, kin_str bytes)
{
    kin__pb_index index;

    kin__pb_index_init(&index, bytes);
    FUZZ_CHECK(kin__pb_index_all(&index, NULL) == 0);
    FUZZ_CHECK(kin__pb_index_message(&index, &kin__pb_messages[message], 0, 1, NULL) == 0);
    kin__pb_index_done(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin__pb_writer writer;
    kin_str bytes;
    size_t len = 0;

    if (size < 2 || kin_object_from_json(&object, kin_str_make((const char *)data + 2, size - 2),
                                         NULL, NULL) < 0)
        return 0;
    unsigned message = kin__pb_kinds[(data[0] | (size_t)data[1] << 8) % kin__pb_n_kinds].message;
    kin__pb_writer_init(&writer, LIMIT);
    int code = kin__pb_write(&writer, &bytes, message, kin_object_root(object), &err);
    FUZZ_CHECK(code == 0 || code == KIN_ETYPE || code == KIN_EINVAL || code == KIN_ELIMIT);
    FUZZ_CHECK(code == 0 || err.message[0]);
    if (code == 0)
        check_message(message, bytes);
    size_t written = code == 0 ? bytes.len : 0;
    FUZZ_CHECK(kin__pb_measure(&writer, &len, message, kin_object_root(object), &err) == code);
    FUZZ_CHECK(code < 0 || len == written);
    kin__pb_writer_done(&writer);
    kin_object_unref(object);
    return 0;
}
