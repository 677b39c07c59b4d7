/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first program of README.md: what happens to the Pods of a cluster, until Enter is pressed.
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

    kin_set_default_log_level(KIN_LOG_WARN, NULL); /* warnings go to standard error */
    if (kin_client_new(&client, NULL, &err) < 0 || /* the server that kubectl would ask */
        kin_informer_new(&pods, client, "pods", NULL, &err) < 0 ||
        kin_informer_add_handler(pods, NULL, changed, NULL, NULL, &err) < 0 ||
        kin_informer_start(pods, &err) < 0 ||
        kin_informer_wait_synced(pods, 30000, &err) < 0) /* says why, if it does not come */
        fprintf(stderr, "%s\n", err.message);
    else
        getchar(); /* meanwhile the handler is told of all that changes */
    kin_informer_free(pods);
    kin_client_free(client);
    return err.code < 0;
}
