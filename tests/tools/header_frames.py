# SPDX-License-Identifier: Apache-2.0
"""What samples in the comments of public headers take for granted: who they belong to, and what is declared there.

A line that begins with "..." stands for code that is left out. What begins a function or a struct is put outside of
functions, the rest into one.
"""
import re

ALL = """
extern kin_error err;
extern int code;
extern kin_client *client;
extern kin_store *store;
extern const kin_object *object, *pod, *deployment, *replica_set;
int report(const kin_error *);
"""

# By header, and the place of the sample in it.
FRAMES = {
    "call": "extern kin_resource *pods;",
    "controller": "struct broom; int sweep(struct broom *, const kin_object *); extern struct broom *broom;"
                  "extern kin_delta_fifo *fifo; extern kin_controller *controller; extern kin_list_watch *source;",
    "delta_fifo": "extern kin_delta_fifo *fifo;",
    "diff": "extern const kin_object *before, *after;",
    "editor": "extern const kin_object *old;",
    "expiring_store": "extern const kin_object *lease;",
    "factory": "void changed(const kin_event *, void *);",
    "fifo": "extern kin_fifo *fifo; struct world; extern struct world *world; int reconcile(struct world *, const char *);",
    "heap": "int priority(const kin_object *); void schedule(const kin_object *);",
    "informer": "extern kin_informer *pods;",
    "make": "extern const char *name, *namespace_, *reason; extern int size; extern bool ready; extern kin_editor *ed;",
    "mutation_cache": "extern kin_mutation_cache *cache; extern kin_str answer;",
    "mutation_detector": "extern kin_mutation_detector *detector;",
    "ordered_fifo": "extern kin_ordered_fifo *fifo;",
    "owner": "extern kin_informer *informer;",
    "path": "extern size_t i, n; extern const kin_object **pods; void look_at(kin_value);",
    "queue": "extern int (*my_add)(const kin_object *, void *, kin_error *); extern struct my_queue *my_queue;"
             "int my_pop_batch(kin_process_batch_fn *, void *, size_t, int64_t, void *, kin_error *);",
    "reconciler": "extern kin_reconciler *reconciler; extern struct program *program;"
                  "extern kin_informer *deployments, *replica_sets; extern kin_factory *factory;",
    "reflector": "extern kin_list_watch *source;",
    "replace": "struct list; extern struct list *list; const kin_object *next(struct list *);"
               "int give_up(kin_replace *, const kin_error *);",
    "retry": "extern int mine;",
    "snapshot": "extern kin_snapshot *snapshot; extern const char *path; extern const kin_snapshot_info *info;"
                "extern kin_replace *replace; int list_instead(const kin_error *);",
    "stream": "#include <unistd.h>\nextern kin_list_decoder *decoder; extern ssize_t n; extern int fd; extern char bytes[4096];"
              "extern const kin_object *list; int store_put(void *, const kin_object *, kin_error *);",
    "work_queue": "bool reconcile(kin_str);",
}
# The second sample of selector.h goes on with what the first has declared.
SECOND = {"selector": "extern const kin_label_selector *sel;"}


def samples_of(text):
    """(line, sample) of each in a header."""
    for match in re.finditer(r"^ \* (?:@code|```)\n(.*?)^ \* (?:@endcode|```)$", text, re.M | re.S):
        yield text[:match.start()].count("\n") + 1, re.sub(r"^ \* ?", "", match.group(1), flags=re.M)


def parts_of(sample):
    """(what is outside of functions, what is inside of one)."""
    parts = [[]]
    depth = 0
    for line in sample.splitlines():
        if line.lstrip().startswith("..."):
            if depth == 0:
                parts.append([])
            continue
        parts[-1].append(line)
        depth += line.count("{") - line.count("}")
        if depth == 0 and line.startswith("}"):
            parts.append([])
    outside, inside = [], []
    for part in parts:
        text = "\n".join(part)
        (outside if re.match(r"\s*(static\b|struct \w+ \{|typedef\b)", text) else inside).append(text)
    return "\n".join(outside), "\n".join(inside)


def framed(name, place, sample):
    """A file that can be compiled, of the sample at a place, from 0, of the header NAME.h."""
    outside, inside = parts_of(sample)
    around = FRAMES.get(name, "") + (SECOND.get(name, "") if place else "")
    return f"{ALL}{around}\n{outside}\nint sample(void);\nint sample(void)\n{{\n{inside}\nreturn 0;\n}}\n"
