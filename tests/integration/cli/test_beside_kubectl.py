#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What kinform prints beside what the kubectl on the PATH prints, of the same server.

    test_beside_kubectl.py --kinform PROGRAM [unittest's arguments]

Exit status: as unittest, or 77, skipped, if there is no kubectl (1 with KIN_STRICT=1).
"""
import json
import shutil
import sys

import command
from command import Case, SKIPPED, config_map, is_strict, pod, run

KUBECTL = shutil.which("kubectl")
SPACE = "/api/v1/namespaces/default"

OF_A_POD = [
    "{.metadata.name}", "{ .metadata.name }", "{$.kind}{@.kind}", "{.metadata['name']}", "{.nosuch}",
    "{.metadata.name.x}", "{.metadata.name .metadata.nosuch}", "hello", "{'a'}{\"b\\n\"}",
    "{\"a\\u00e9b\"}{'it\\'s'}", "{1} {1.5} {true}",
    "{.spec.containers[*].name}", "{.spec.containers[-1].name}", "{.spec.containers[-2:].name}",
    "{.spec.containers[0:1].name}", "{.spec.containers[:-1].name}", "{.spec.containers[::2].name}",
    "{.spec.containers[1:1].name}", "{.spec.containers[0,1].name}",
    "{.spec.containers[*]['name','image']}", "{.spec.containers[*].ports[0].containerPort}",
    "{.spec.containers[*].ports}", "{.spec.containers[1]}",
    "{.spec.containers[?(@.name==\"two\")].image}", "{.spec.containers[?(@.name=='two')].image}",
    "{.spec.containers[?(@.name!=\"two\")].name}", "{.spec.containers[?(@.name>\"one\")].name}",
    "{.spec.containers[?(@.name<=\"one\")].name}", "{.spec.containers[?(@.nosuch==\"x\")].name}",
    "{.spec.containers[?(@.ports)].image}",
    "{.spec.containers[?(@.ports[0].containerPort==80)].name}",
    "{.spec..name}", "{.spec.terminationGracePeriodSeconds} {.spec.hostNetwork}",
    "{range .spec.containers[*]}{.name}{\"\\t\"}{.image}{\"\\n\"}{end}",
    "{range .spec.containers[*]}{range .ports[*]}{.containerPort}{end};{end}",
    "{range .nosuch[*]}x{end}y", "{.metadata.labels.a\\.b/c} {.metadata.labels['a\\.b/c']}",
    "{.metadata.labels['a.b/c']}", "{.metadata.labels}", "{\"\\x41\\101\\U00000041\\xc3\\xa9\"}",
    "{.spec.containers[].name}", "{.spec.containers[?(@.ports[0].containerPort==9007199254740993)].name}",
]
OF_A_LIST = [
    "{.kind} {.apiVersion}", "{.items[*].metadata.name}", "{.items[1].metadata.name}",
    "{.items[-1:].kind}", "{.items[?(@.metadata.name==\"b\")].data}",
    "{range .items[*]}{.metadata.name}={.data.k}{\"\\n\"}{end}", "{.metadata} {.metadata.resourceVersion}",
    "{range .items[*]}{.metadata.name}", "{.items[].metadata.name}",
]
REFUSED = [
    "{.a", "{nosuch}", "{.spec.containers[a]}", "{.spec.containers[ 0 ].name}", "{end}",
    "{.spec.containers[5].name}", "{.spec.containers[0:5].name}", "{.metadata.name[0]}",
    "{.spec.containers[?(@.name==1)].name}", "{.spec....name}", "{.spec.containers[?(@.name=~\"t\")]}",
    "{.spec.containers[0:2:0].name}", "{.spec.containers[(@.length-1)]}", "",
]


class BesideKubectlTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.create(f"{SPACE}/pods", pod("p", labels={"a.b/c": "dotted", "app": "web"}))
        for name in "ab":
            cls.server.create(f"{SPACE}/configmaps", config_map(name))

    def both(self, *arguments):
        kubectl = run("get", *arguments, program=KUBECTL, KUBECONFIG=self.server.kubeconfig)
        return kubectl, self.run_it("get", *arguments)

    def same(self, *arguments):
        kubectl, own = self.both(*arguments)
        self.assertEqual((own.status, own.out), (kubectl.status, kubectl.out), own.err)

    def test_templates(self):
        for template in OF_A_POD:
            with self.subTest(template):
                self.same("pod", "p", "-o", f"jsonpath={template}")
        for template in OF_A_LIST:
            with self.subTest(template):
                self.same("cm", "-o", f"jsonpath={template}")

    def test_templates_that_are_refused(self):
        for template in REFUSED:
            with self.subTest(template):
                kubectl, own = self.both("pod", "p", "-o", f"jsonpath={template}")
                self.assertNotEqual(kubectl.status, 0)
                self.assertNotEqual(own.status, 0)
                self.assertEqual(len(own.err.splitlines()), 1)

    def test_columns(self):
        for columns in ("NAME:.metadata.name,IMAGES:.spec.containers[*].image,N:.nosuch",
                        "N:{.metadata.name},H:spec.hostNetwork"):
            self.same("pod", "-o", f"custom-columns={columns}")

    def test_names(self):
        for arguments in (["pods"], ["po,cm"], ["cm/a", "pod/p"], ["cm", "b", "a"], ["ns", "default"],
                          ["cm,configmaps"], ["po,cm,pods"], ["cm", "a", "a"], ["all"], ["api-extensions"], ["cm,all"]):
            self.same(*arguments, "-o", "name")

    def test_documents(self):
        for arguments in (["pods"], ["po,cm"], ["cm", "a"], ["cm", "-l", "none"]):
            kubectl, own = self.both(*arguments, "-o", "json")
            self.assertEqual(json.loads(own.out), json.loads(kubectl.out))

    def test_nothing_that_is_no_error(self):
        for output in ("json", "yaml", "name", "jsonpath={.kind}", "custom-columns=N:.metadata.name"):
            for names in (["nosuch"], ["nosuch", "neither"], ["-l", "none"]):
                self.same("cm", *names, "--ignore-not-found", "-o", output)

    def test_orders(self):
        space = "/api/v1/namespaces/orders"
        self.server.create("/api/v1/namespaces", {"metadata": {"name": "orders"}})
        for n, value in enumerate(("z10", "z9", "a", "Z2", "z02", "10", "9", "1Ki", "1")):
            self.server.create(f"{space}/configmaps", config_map(f"w{n + 3}", {"v": value}))
        for path in (".metadata.name", ".data.v", "{.metadata.creationTimestamp}"):
            self.same("cm", "-n", "orders", "--sort-by", path, "-o", "name")

    def test_exit_statuses(self):
        for arguments in (["cm", "nosuch"], ["nosuch"], ["cm", "a"], ["secrets"]):
            kubectl, own = self.both(*arguments)
            self.assertEqual(own.status == 0, kubectl.status == 0, arguments)


if __name__ == "__main__":
    if KUBECTL is None:
        print("skipped: there is no kubectl on the PATH", file=sys.stderr)
        sys.exit(1 if is_strict() else SKIPPED)
    command.main()
