#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""truth.py: what servers have. Each line of input is a URL and paths, the answer a line per object: path's number, key,
version, "n", odd; and then "end".
truth.py --post URL PATH BODY: a request.

Nothing of the library is used: http.client and json read it. See truth.h.
"""
import http.client
import json
import sys


def ask(url, method, path, body=None):
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    connection.request(method, path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status >= 300:
        sys.exit(f"{method} {path}: {answer.status}")
    return text


def tell(url, paths):
    for number, path in enumerate(paths):
        for item in json.loads(ask(url, "GET", path))["items"]:
            metadata = item["metadata"]
            namespace = metadata.get("namespace")
            key = (namespace + "/" if namespace else "") + metadata["name"]
            n = (metadata.get("annotations") or {}).get("n", 0)
            odd = int((metadata.get("labels") or {}).get("odd") == "1")
            print(number, key, metadata["resourceVersion"], n, odd)
    print("end", flush=True)


if sys.argv[1:2] == ["--post"]:
    ask(sys.argv[2], "POST", sys.argv[3], sys.argv[4])
else:
    for line in sys.stdin:
        url, *paths = line.split()
        tell(url, paths)
