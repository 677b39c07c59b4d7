/* SPDX-License-Identifier: Apache-2.0 */
/* Starts an API server and says where it is. */
#include <kinform/apiserver.h>
#include <stdio.h>

int main(void)
{
    kin_error err = KIN_ERROR_INIT;
    kin_apiserver *server = NULL;
    int code = kin_apiserver_new(&server, NULL, &err);

    if (code == 0)
        code = kin_apiserver_start(server, &err);
    printf("%s\n", code == 0 ? kin_apiserver_url(server) : err.message);
    kin_apiserver_free(server);
    return code == 0 ? 0 : 1;
}
