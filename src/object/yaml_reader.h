/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two passes of reading YAML share: the nodes of a document, in document order, as
 * yaml_nodes.c makes them of libyaml's events and yaml_read.c makes an object of them.
 */
#ifndef KIN_OBJECT_YAML_READER_H
#define KIN_OBJECT_YAML_READER_H

#include <yaml.h>

#include "base/map.h"
#include "base/stack.h"
#include "kinform/yaml.h"
#include "object/draft.h"

enum kin__yaml_node_type {
    KIN__YAML_NODE_NULL,
    KIN__YAML_NODE_FALSE,
    KIN__YAML_NODE_TRUE,
    KIN__YAML_NODE_NUMBER,
    KIN__YAML_NODE_STRING,
    KIN__YAML_NODE_INFINITE, /* only while it may be a key yet */
    KIN__YAML_NODE_ARRAY,
    KIN__YAML_NODE_MAP,
    KIN__YAML_NODE_ALIAS, /* of a map or an array */
    KIN__YAML_NODE_MERGE, /* the key of a member that is merged */
    KIN__YAML_NODE_VALUE, /* an argument of a template: a value of some object, or KIN_NONE */
};

/* A place in the text, all from 0; the index counts characters. */
struct kin__yaml_mark {
    uint32_t line;
    uint32_t column;
    uint32_t index;
};

/* In a map keys and values alternate. */
struct kin__yaml_node {
    uint8_t type;
    bool is_float; /* NUMBER: as a key it is written as a float */
    struct kin__yaml_mark mark;
    uint32_t span;   /* MAP, ARRAY: nodes of the subtree, itself included; others 1 */
    uint32_t target; /* ALIAS: the node it names; VALUE: the argument */
    kin_str text;    /* NUMBER, STRING, INFINITE; in the draft's arena */
};

struct kin__yaml_anchor;

/* A map or array that is being read. */
struct kin__yaml_frame {
    uint32_t node;
    uint32_t members;
    bool is_map;
    bool want_key;
    uint64_t values; /* of the document, when it began */
    uint64_t bytes;
    struct kin__yaml_anchor *anchor; /* or NULL */
};

/* Part of the second pass: elements of a map or array that are still to be written. */
struct kin__yaml_step {
    uint32_t next;
    uint32_t end;
    uint32_t depth;
    bool is_map;
    bool is_merged; /* into a map that is open already */
};

struct kin__make;

struct kin_yaml_reader {
    yaml_parser_t parser;
    kin_str text;           /* without byte order mark */
    kin_str source;         /* as many characters; offsets in errors count its bytes */
    struct kin__make *make; /* whose marks are in the text; NULL: none's */
    size_t skipped;         /* bytes of the byte order mark */
    kin_yaml_options options;
    bool is_secret; /* its texts are wiped before they are freed, and no error repeats them */
    bool is_done;
    bool has_failed;
    kin__draft *draft;
    struct kin__yaml_node *nodes;
    size_t len;
    size_t cap;
    kin__map anchors;
    uint64_t values; /* of the document so far, aliases expanded */
    uint64_t bytes;
    uint64_t alias_values; /* those among them that came from aliases */
    uint64_t alias_bytes;
    kin__stack steps;    /* struct kin__yaml_step */
    kin__map_node *keys; /* scratch of the search for duplicates */
    size_t keys_cap;
    size_t depth;       /* of open frames */
    size_t flow_depth;  /* of those among them in flow style */
    uint64_t flow_work; /* the flow depth of each event, added up over the whole text */
    struct kin__yaml_frame frames[KIN__DEPTH_MAX];
};

static inline uint32_t kin__yaml_after(const kin_yaml_reader *r, uint32_t at)
{
    return at + r->nodes[at].span;
}

/* Report what is wrong at a place, by line, column and byte. Returns the code. */
int kin__yaml_fail(const kin_yaml_reader *r, int code, struct kin__yaml_mark mark, kin_error *err,
                   const char *fmt, ...) KIN_PRINTF(5, 6);

/* The nodes of the next document. None, and is_done, at the end. Codes as kin__yaml_read_nodes(). */
int kin__yaml_read_document(kin_yaml_reader *r, kin_error *err);

/*
 * The nodes of the next document that has content; it is a map. None, and is_done, at the end.
 * 0, KIN_EPARSE, KIN_ELIMIT, KIN_ENOMEM.
 */
int kin__yaml_read_nodes(kin_yaml_reader *r, kin_error *err);

void kin__yaml_free_anchors(kin_yaml_reader *r);

/*
 * Add the value of a node to a draft, aliases followed and merge keys replaced. The draft BORROWS
 * its texts from the reader. 0, KIN_EPARSE, KIN_ELIMIT, KIN_ENOMEM.
 */
int kin__yaml_put_value(kin_yaml_reader *r, kin__draft *into, uint32_t at, kin_error *err);

/* The only document of a text. Codes as kin_object_from_yaml(). */
int kin__yaml_read_object(kin_yaml_reader *r, const kin_object **ret, kin_error *err);

/*
 * The same for a document of any type. The value lives as long as the holder, which is the caller's
 * to unref. Codes as kin_object_from_yaml(); KIN_EINVAL (KIN_NONE).
 */
int kin__yaml_read_value(kin_yaml_reader *r, const kin_object **ret_holder, kin_value *ret,
                         kin_error *err);

#endif
