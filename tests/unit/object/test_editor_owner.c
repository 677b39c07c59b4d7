/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_support.h"

#include "alloc.h"
#include "kinform/editor.h"
#include "kinform/metadata.h"
#include "oom.h"

#define DEPLOYMENT                                                                                 \
    "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'web','namespace':'a',"        \
    "'uid':'4cf0b3b8-7c39-4c17-8d3f-0a1b2c3d4e5f'}}"
#define NODE "{'apiVersion':'v1','kind':'Node','metadata':{'name':'n1','uid':'u2'}}"
#define CONTROLLED                                                                                 \
    "{'apiVersion':'apps/v1','kind':'Deployment','name':'web',"                                    \
    "'uid':'4cf0b3b8-7c39-4c17-8d3f-0a1b2c3d4e5f','controller':true,'blockOwnerDeletion':true}"
#define OWNED                                                                                      \
    "{'apiVersion':'apps/v1','kind':'Deployment','name':'web',"                                    \
    "'uid':'4cf0b3b8-7c39-4c17-8d3f-0a1b2c3d4e5f'}"
#define OWNED_BY_NODE "{'apiVersion':'v1','kind':'Node','name':'n1','uid':'u2'}"
#define IN_A(references) "{'metadata':{'namespace':'a','ownerReferences':[" references "]}}"

typedef int set_fn(kin_editor *ed, const kin_object *owner, kin_error *err);

/* One call on a document. NULL: the result is the same object. */
static void check_set(set_fn *set, const char *before, const char *owner_text, const char *after)
{
    const kin_object *base = doc(before);
    const kin_object *owner = doc(owner_text);
    const kin_object *made = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_editor *ed = NULL;

    assert_code(kin_editor_new(&ed, base, NULL), 0);
    if (set(ed, owner, &err) < 0)
        fail_msg("%s", err.message);
    kin_object_unref(owner); /* copied */
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    kin_editor_free(ed);
    if (after) {
        check_doc(made, after);
    } else {
        assert_ptr_equal(made, base);
        kin_object_unref(made);
    }
    kin_object_unref(base);
}

/* A call that fails, and changes nothing. */
static void check_fails(set_fn *set, const char *before, const char *owner_text, int code,
                        const char *says)
{
    const kin_object *base = doc(before);
    const kin_object *owner = doc(owner_text);
    const kin_object *made = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_editor *ed = NULL;

    assert_code(kin_editor_new(&ed, base, NULL), 0);
    assert_code(set(ed, owner, &err), code);
    if (!strstr(err.message, says))
        fail_msg("not in the message: %s: %s", says, err.message);
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    assert_ptr_equal(made, base);
    kin_object_unref(made);
    kin_editor_free(ed);
    kin_object_unref(owner);
    kin_object_unref(base);
}

static void a_controller_is_set(void **state)
{
    (void)state;
    check_set(kin_editor_set_controller, "{'metadata':{'namespace':'a'}}", DEPLOYMENT,
              IN_A(CONTROLLED));
    check_set(kin_editor_set_controller, IN_A(OWNED_BY_NODE), DEPLOYMENT,
              IN_A(OWNED_BY_NODE "," CONTROLLED));
    check_set(kin_editor_set_controller, "{'metadata':{'namespace':'a','ownerReferences':null}}",
              DEPLOYMENT, IN_A(CONTROLLED));
}

static void an_owner_is_added(void **state)
{
    (void)state;
    check_set(kin_editor_add_owner, "{'metadata':{'namespace':'a'}}", DEPLOYMENT, IN_A(OWNED));
    check_set(kin_editor_add_owner, IN_A(CONTROLLED), NODE, IN_A(CONTROLLED "," OWNED_BY_NODE));
}

static void the_same_owner_changes_nothing(void **state)
{
    (void)state;
    check_set(kin_editor_set_controller, IN_A(OWNED_BY_NODE "," CONTROLLED), DEPLOYMENT, NULL);
    check_set(kin_editor_add_owner, IN_A(OWNED), DEPLOYMENT, NULL);
    check_set(kin_editor_add_owner, IN_A(CONTROLLED), DEPLOYMENT, NULL);
}

static void a_reference_of_the_same_uid_is_updated(void **state)
{
    (void)state;
    /* An owner becomes the controller. */
    check_set(kin_editor_set_controller, IN_A(OWNED "," OWNED_BY_NODE), DEPLOYMENT,
              IN_A(CONTROLLED "," OWNED_BY_NODE));
    check_set(kin_editor_set_controller,
              IN_A("{'apiVersion':'v1','kind':'Node','name':'n1','uid':'u2','controller':false}"),
              NODE,
              IN_A("{'apiVersion':'v1','kind':'Node','name':'n1','uid':'u2','controller':true,"
                   "'blockOwnerDeletion':true}"));
    /* Another version of its API; flags and unknown members stay. */
    check_set(
        kin_editor_add_owner,
        IN_A("{'apiVersion':'v0','kind':'Node','name':'n1','uid':'u2','controller':true,'x':1}"),
        NODE,
        IN_A("{'apiVersion':'v1','kind':'Node','name':'n1','uid':'u2','controller':true,'x':1}"));
}

static void another_controller_is_in_the_way(void **state)
{
    (void)state;
    check_fails(kin_editor_set_controller, IN_A(CONTROLLED), NODE, KIN_EEXISTS,
                "another owner controls the object: Deployment web");
    /* The owner is there, but another one after it is the controller. */
    check_fails(kin_editor_set_controller, IN_A(OWNED_BY_NODE "," CONTROLLED), NODE, KIN_EEXISTS,
                "Deployment web");
    /* A deleted owner had the name. */
    check_fails(kin_editor_set_controller,
                IN_A("{'apiVersion':'apps/v1','kind':'Deployment','name':'web','uid':'old',"
                     "'controller':true}"),
                DEPLOYMENT, KIN_EEXISTS, "Deployment web");
    check_fails(kin_editor_set_controller, IN_A("{'controller':true}"), NODE, KIN_EEXISTS,
                "another owner");
    /* References that are not maps are nobody's. */
    check_set(kin_editor_add_owner, IN_A("1,null"), NODE, IN_A("1,null," OWNED_BY_NODE));
}

static void owners_are_in_the_same_namespace(void **state)
{
    set_fn *const fns[] = {kin_editor_set_controller, kin_editor_add_owner};

    (void)state;
    for (size_t i = 0; i < kin__array_len(fns); i++) {
        check_fails(fns[i], "{'metadata':{'namespace':'b'}}", DEPLOYMENT, KIN_EINVAL,
                    "in the namespace b cannot have the owner a/web");
        check_fails(fns[i], "{'metadata':{'name':'x'}}", DEPLOYMENT, KIN_EINVAL,
                    "without a namespace cannot have the owner a/web");
        check_fails(fns[i], "{}", DEPLOYMENT, KIN_EINVAL, "without a namespace");
        check_fails(fns[i], "{'metadata':{'namespace':''}}", DEPLOYMENT, KIN_EINVAL,
                    "without a namespace");
    }
    /* Owners of the whole cluster own any object. */
    check_set(kin_editor_add_owner, "{'metadata':{'namespace':'b'}}", NODE,
              "{'metadata':{'namespace':'b','ownerReferences':[" OWNED_BY_NODE "]}}");
    check_set(kin_editor_add_owner, "{'metadata':{'name':'x'}}", NODE,
              "{'metadata':{'name':'x','ownerReferences':[" OWNED_BY_NODE "]}}");
}

/* The namespace and the references that count are those of the editor. */
static void changes_of_the_editor_count(void **state)
{
    const kin_object *owner = doc(DEPLOYMENT);
    const kin_object *node = doc(NODE);
    const kin_object *made = NULL;
    kin_editor *ed = NULL;

    (void)state;
    assert_code(kin_editor_new(&ed, NULL, NULL), 0);
    assert_code(kin_editor_set_controller(ed, owner, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_string(ed, kin_str_of("metadata.namespace"), kin_str_of("a"), NULL),
                0);
    assert_code(kin_editor_add_owner(ed, owner, NULL), 0);
    assert_code(kin_editor_set_controller(ed, owner, NULL), 0);
    assert_code(kin_editor_set_controller(ed, node, NULL), KIN_EEXISTS);
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    check_doc(made, IN_A(CONTROLLED));
    kin_editor_free(ed);
    kin_object_unref(node);
    kin_object_unref(owner);
}

static void what_is_set_is_read(void **state)
{
    const kin_object *owner = doc(DEPLOYMENT);
    const kin_object *tombstone = NULL;
    const kin_object *made = NULL;
    kin_owner_reference read;
    kin_scratch scratch;
    kin_editor *ed = NULL;

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("a/web"), owner, NULL), 0);
    assert_code(kin_editor_new(&ed, NULL, NULL), 0);
    assert_code(kin_editor_set_string(ed, kin_str_of("metadata.namespace"), kin_str_of("a"), NULL),
                0);
    assert_code(kin_editor_set_controller(ed, tombstone, NULL), 0);
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    kin_editor_free(ed);
    assert_code(kin_object_controller(&read, made), 0);
    assert_true(kin_str_equal(read.kind, kin_str_of("Deployment")));
    assert_true(kin_str_equal(read.uid, kin_object_uid(owner, &scratch)));
    assert_true(read.controller && read.block_owner_deletion);
    kin_object_unref(made);
    kin_object_unref(tombstone);
    kin_object_unref(owner);
}

static void owners_have_all_that_a_reference_needs(void **state)
{
    kin_editor *ed = NULL;
    const kin_object *node = doc(NODE);

    (void)state;
    check_fails(kin_editor_add_owner, "{}", "{'kind':'Node','metadata':{'name':'n','uid':'u'}}",
                KIN_EINVAL, "the owner n lacks its apiVersion");
    check_fails(kin_editor_add_owner, "{}", "{'apiVersion':'v1','metadata':{'name':'n','uid':'u'}}",
                KIN_EINVAL, "lacks its kind");
    check_fails(kin_editor_add_owner, "{}",
                "{'apiVersion':'v1','kind':'Node','metadata':{'uid':'u'}}", KIN_EINVAL,
                "lacks its name");
    check_fails(kin_editor_add_owner, "{}",
                "{'apiVersion':'v1','kind':'Node','metadata':{'name':'n'}}", KIN_EINVAL,
                "lacks its uid");
    check_fails(kin_editor_add_owner, "{'metadata':1}", NODE, KIN_ETYPE, "metadata");
    check_fails(kin_editor_add_owner, "{'metadata':{'ownerReferences':{}}}", NODE, KIN_ETYPE,
                "metadata.ownerReferences[0]");
    assert_code(kin_editor_new(&ed, NULL, NULL), 0);
    assert_code(kin_editor_add_owner(ed, NULL, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_controller(NULL, node, NULL), KIN_EINVAL);
    kin_editor_free(ed);
    kin_object_unref(node);
}

/* --- memory --- */

struct both {
    const kin_object *base, *owner;
};

static int set_and_update(void *arg, kin_error *err)
{
    const struct both *both = arg;
    const kin_object *made = NULL;
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, both->base, err);

    if (code == 0)
        code = kin_editor_add_owner(ed, both->owner, err);
    if (code == 0)
        code = kin_editor_set_controller(ed, both->owner, err);
    if (code == 0)
        code = kin_editor_finish(ed, &made, err);
    kin_editor_free(ed);
    kin_object_unref(made);
    return code;
}

static void out_of_memory(void **state)
{
    struct both both = {doc(IN_A(OWNED_BY_NODE)), doc(DEPLOYMENT)};

    (void)state;
    kin_test_fail_each_allocation(set_and_update, &both);
    kin_object_unref(both.base);
    kin_object_unref(both.owner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_controller_is_set),
        cmocka_unit_test(an_owner_is_added),
        cmocka_unit_test(the_same_owner_changes_nothing),
        cmocka_unit_test(a_reference_of_the_same_uid_is_updated),
        cmocka_unit_test(another_controller_is_in_the_way),
        cmocka_unit_test(owners_are_in_the_same_namespace),
        cmocka_unit_test(changes_of_the_editor_count),
        cmocka_unit_test(what_is_set_is_read),
        cmocka_unit_test(owners_have_all_that_a_reference_needs),
        cmocka_unit_test(out_of_memory),
    };
    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
