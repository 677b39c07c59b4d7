/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first program of docs/informer.md: what happens to the Pods of a cluster, until Enter is pressed.
 */
#include <kinform.h>
#include <stdio.h>

static void changed(const kin_event *event, void *arg)
{
    (void)arg;
    printf("%s %s\n", kin_event_type_name(event->type), kin_object_key(event->object));
}

int main(void)
{
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;
    kin_informer *pods = NULL;
    kin_registration *registration = NULL;
    int code = kin_client_new(&client, NULL, &err); /* the server that kubectl would ask */

    if (code == 0)
        code = kin_informer_new(&pods, client, "pods", NULL, &err);
    if (code == 0)
        code = kin_informer_add_handler(pods, &registration, changed, NULL, NULL, &err);
    if (code == 0)
        code = kin_informer_start(pods, &err);
    if (code == 0)
        code = kin_informer_wait_synced(pods, 30000, &err); /* says why, if it does not come */
    if (code == 0)
        code = kin_registration_wait_synced(registration, 30000, &err);
    if (code == 0) {
        printf("%zu pods; press Enter\n", kin_store_len(kin_informer_store(pods)));
        getchar();
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
    kin_registration_unref(registration);
    kin_informer_free(pods);
    kin_client_free(client);
    return code < 0;
}
