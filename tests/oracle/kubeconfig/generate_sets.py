# SPDX-License-Identifier: Apache-2.0
"""Random sets of kubeconfigs with the files they name, and options on top of them.

A set is {"files": {path: text or document}, "kubeconfig", "list", "home", "options"}; paths are
relative to the folder that the set is put into, "@/x" in a value stands for that folder. Documents
are written as JSON, as YAML in blocks or as YAML in flows, by the seed "style".
"""
import base64
import json
import random
import re

NAMES = ["a", "b", "dev", "prod", "x y", "kind-1", "é", ""]
SERVERS = ["https://a.example:6443", "https://10.0.0.1", "https://a.example/", "https://b/k8s/c-1/",
           "HTTPS://c.example:443/x", "https://[fd00::1]:6443", "https://d.example/a%20b//",
           "https://under_score.example"]
PLAIN = ["http://127.0.0.1:8080", "localhost:8080", "http://e/x/"]
BAD_SERVERS = ["https://me:pw@a", "https://a/p?q=1", "https://a:", "ftp://a", "a.example/prefix",
               "https://a b", "https://", "https://a:99999"]
PROXIES = ["http://proxy:3128", "https://me:pw@proxy", "socks5://10.0.0.2:1080"]
BAD_PROXIES = ["proxy:3128", "socks4://a", "http://pro xy", "http://", "http://a:99999"]
FILES = ["ca.crt", "certs/x", "../up", "./certs/../ca.crt", "@/abs"]  # they are there
GONE = ["gone", "../gone", "@/gone/x"]
API_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]
MODES = ["Never", "IfAvailable", "Always"]
EXEC_EXTENSION = "client.authentication.k8s.io/exec"
WRONG = [7, 1.5, True, [], {}, ["x"], {"x": 1}, "text"]  # values of some other type


class Writer:
    """What is odd is rare, and rarer with each thing in a set that is: most sets make sense."""

    def __init__(self, rng):
        self.rng = rng
        self.oddity = rng.choice([0, 0, 0.004, 0.02])

    def odd(self, times=1):
        return self.rng.random() < times * self.oddity

    def maybe(self, chance=0.4):
        return self.rng.random() < chance

    def word(self):
        return self.rng.choice(["v1", "v2", "long value", "ü", "0x10", "yes", "~", "a: b", "#c",
                                "line\nbreak", "'q\"", ""])

    def text(self, chance, *choices):
        """A text, nothing at all, or something odd."""
        if self.odd():
            return self.rng.choice([*WRONG, None, ""])
        return self.rng.choice(choices) if self.maybe(chance) else self

    def data(self, chance):
        value = base64.b64encode(self.word().encode()).decode()
        if self.odd():
            value = self.rng.choice([value + "=", "*", value[:-1] + "\n", "aGk"])
        return self.text(chance, value)

    def flag(self, chance):
        return self.text(chance, True, False)

    def file(self, chance):
        return self.text(chance, self.rng.choice(GONE if self.odd() else FILES))

    def map(self, **members):
        """Without those that are nothing; underscores are hyphens."""
        made = {name.replace("_", "-"): value for name, value in members.items() if value is not self}
        if self.odd():
            made[self.rng.choice(["unknown", "Server", "NAME"])] = self.rng.choice(WRONG)
        if self.odd():
            made["<<"] = {name: self.word() for name in members}
        return made

    def extensions(self, chance):
        if not self.maybe(chance):
            return self
        names = self.rng.sample([EXEC_EXTENSION, "other", "third"], self.rng.randint(0, 3))
        made = [{"name": n, "extension": self.rng.choice(
            [{"a": 1, "b": [None, 1.5, "x"], "c": {"d": {}}}, "text", [1, 2], {}, None, 7])} for n in names]
        if made and self.odd():
            made.append(dict(made[0]))
        return made

    # ---- entries

    def cluster(self):
        trust = self.rng.choice(["none", "none", "file", "data", "insecure"])
        if self.odd(3):
            trust = "all"
        server = self.rng.choice(SERVERS)
        if self.maybe(0.03):
            server = self.rng.choice(PLAIN)
        if self.odd(4):
            server = self.rng.choice(BAD_SERVERS)
        return self.map(
            server=self.text(0.98, server),
            tls_server_name=self.text(0.2, "sni.example"),
            insecure_skip_tls_verify=self.flag(1 if trust in ("insecure", "all") else 0),
            certificate_authority=self.file(trust in ("file", "all")),
            certificate_authority_data=self.data(trust in ("data", "all")),
            proxy_url=self.text(0.2, self.rng.choice(BAD_PROXIES if self.odd(10) else PROXIES)),
            disable_compression=self.flag(0.2),
            extensions=self.extensions(0.3))

    def texts(self, chance, count=3):
        if self.odd():
            return self.rng.choice([*WRONG, None])
        return [self.word() for _ in range(self.rng.randint(0, count))] if self.maybe(chance) else self

    def exec(self):
        version = self.rng.choice(API_VERSIONS)
        if self.odd(10):
            version = self.rng.choice(["client.authentication.k8s.io/v1alpha1", "v1", ""])
        env = [self.map(name=self.text(1, self.rng.choice("AB")), value=self.text(0.9, self.word()))
               for _ in range(self.rng.randint(0, 2))]
        made = {"apiVersion": version,
                "command": self.text(1, "get-token", "./bin/get", "/bin/get", "../get", "a/b/../get"),
                "args": self.texts(0.5), "env": env if self.maybe() else self,
                "installHint": self.text(0.2, "install\nit", "tab\there", "\x1b[1mbold"),
                "provideClusterInfo": self.flag(0.4),
                "interactiveMode": self.text(0 if version.endswith("beta1") and self.maybe() else 0.99, *MODES)}
        return {name: value for name, value in made.items() if value is not self}

    def user(self):
        way = self.rng.choice(["none", "token", "file", "both", "basic", "files", "data", "exec"])
        odd = self.odd()
        made = self.map(
            client_certificate=self.file(way == "files" or odd),
            client_key=self.file(way == "files" or self.odd()),
            client_certificate_data=self.data(way == "data"),
            client_key_data=self.data(way == "data" or self.odd()),
            token=self.text(way in ("token", "both") or odd, "t0k3n", "other"),
            username=self.text(way == "basic", "me"),
            password=self.text(way == "basic" or self.odd(), "pw", "12"),
            extensions=self.extensions(0.05))
        if way in ("file", "both"):
            made["tokenFile"] = self.file(1)
        if way == "exec":
            made["exec"] = self.exec()
        if self.maybe(0.2) or self.odd():
            made["as"] = "you"
        if ("as" in made and self.maybe()) or self.odd():
            made.update(self.map(as_uid=self.text(0.5, "7"), as_groups=self.texts(0.6)))
            if self.maybe():
                made["as-user-extra"] = {k: [self.word() for _ in range(self.rng.randint(0, 2))]
                                         for k in self.rng.sample(["k1", "k2", "k3"], 2)}
        if self.odd():
            made["auth-provider"] = {"name": "oidc", "config": {"a": "b"}}
        return {name: value for name, value in made.items() if value is not self}

    def context(self, names):
        """The pools of names are small, so that most are there."""
        return self.map(cluster=self.text(0.98, self.rng.choice(names)),
                        user=self.text(0.95, self.rng.choice(names)),
                        namespace=self.text(0.4, "team", "default"),
                        extensions=self.extensions(0.05))

    def entries(self, kind, names, make):
        made = []
        for name in names:
            entry = {"name": name, kind: make()}
            if self.odd():
                del entry[self.rng.choice(["name", kind])]
            made.append(entry)
        if made and self.odd():
            made.append(dict(made[0]))
        if self.odd():
            made.append(self.rng.choice([None, *WRONG]))
        self.rng.shuffle(made)
        return made

    def document(self, names):
        made = {"kind": "Config", "apiVersion": "v1"}
        if self.odd():
            made[self.rng.choice(list(made))] = self.rng.choice(["", None, "Pod", "v2", 7])
        if self.maybe(0.9):
            made["current-context"] = self.text(1, self.rng.choice(names))
        some = lambda: [n for n in names if self.maybe(0.97)]
        made["clusters"] = self.entries("cluster", some(), self.cluster)
        made["users"] = self.entries("user", some(), self.user)
        made["contexts"] = self.entries("context", some(), lambda: self.context(names))
        if self.maybe(0.1):
            made["preferences"] = self.rng.choice([{}, None, {"colors": True}])
        if self.odd():
            made["extensions"] = self.extensions(1)
        if self.odd():
            made[self.rng.choice(["clusters", "users", "contexts"])] = self.rng.choice([None, *WRONG])
        if self.odd():
            del made[self.rng.choice(["clusters", "users", "contexts", "kind"])]
        return {name: value for name, value in made.items() if value is not self}

    # ---- sets

    def options(self, names):
        chance = self.rng.choice([0, 0, 0.05, 0.2])
        name = lambda: self.rng.choice([*names, "none"] if self.odd() else names)
        file = lambda: "@/" + self.rng.choice(["gone"] if self.odd() else ["abs", "d0/ca.crt"])
        choices = {
            "context": name, "cluster": name, "user": name, "namespace": lambda: "own",
            "server": lambda: self.rng.choice(BAD_SERVERS if self.odd() else SERVERS),
            "tls_server_name": lambda: "own.example", "proxy_url": lambda: PROXIES[0],
            "ca_file": file, "ca_data": lambda: "own ca", "insecure": lambda: True,
            "no_compression": lambda: True, "token": lambda: "own-token", "token_file": file,
            "username": lambda: "own-me", "password": lambda: "own-pw",
            "certificate_file": file, "certificate_data": lambda: "own crt", "key_file": file,
            "key_data": lambda: "own key", "as": lambda: "own-you", "as_uid": lambda: "9",
            "as_groups": lambda: ["own-g"], "as_extra": lambda: {"k1": ["own"], "k9": []},
        }
        made = {key: make() for key, make in choices.items() if self.maybe(chance)}
        return made if self.maybe(0.1) else self.sensible(made)

    def sensible(self, options):
        """Without what cannot stand together, and with what has to."""
        for one, other in (("ca_file", "ca_data"), ("certificate_file", "certificate_data"),
                           ("key_file", "key_data"), ("token", "username"), ("token", "password")):
            if one in options:
                options.pop(other, None)
        if options.keys() & {"certificate_file", "certificate_data"} and "key_file" not in options:
            options["key_data"] = "own key"
        if options.keys() & {"ca_file", "ca_data"}:
            options.pop("insecure", None)
        if options.keys() & {"as_uid", "as_groups", "as_extra"}:
            options["as"] = "own-you"
        return options

    def make(self):
        names = self.rng.sample(NAMES, self.rng.randint(1, 3))
        count = self.rng.choice([1, 1, 2, 3])
        paths = [f"d{i}/config" for i in range(count)]
        files = {path: self.document(names) for path in paths}
        for i in range(count):
            for name in ("ca.crt", "certs/x"):
                files[f"d{i}/{name}"] = f"file {i} {name}"
        files["up"] = "file up"
        files["abs"] = "file abs"
        if self.odd():
            files[self.rng.choice(paths)] = self.rng.choice(["", "# nothing\n", "null", "---\n", "a: [", "- x",
                                                             "text", "{}", "clusters: &c []\nusers: *c\n"])
        made = {"files": files, "style": self.rng.random(), "options": self.options(names)}
        how = self.rng.choice(["file", "list", "list", "home"])
        if how == "file":
            made["kubeconfig"] = "@/" + self.rng.choice(["gone" if self.odd() else paths[0], paths[-1]])
        elif how == "list":
            listed = [f"@/{path}" for path in paths]
            if self.maybe(0.2):
                listed.insert(self.rng.randrange(len(listed) + 1), self.rng.choice(["", "@/gone", listed[0]]))
            made["list"] = ":".join(listed)
        else:
            made["home"] = "@/home"
            files["home/.kube/config"] = files.pop(paths[0])
            files["home/up"] = "file home"
            for name in ("ca.crt", "certs/x"):
                files[f"home/.kube/{name}"] = "file home"
        return made


def make_set(rng):
    return Writer(rng).make()


# ---- texts

PLAIN_SCALAR = re.compile(r"[a-z][a-zA-Z0-9./_-]*\Z")
WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


def scalar(value, rng):
    if isinstance(value, str):
        if PLAIN_SCALAR.match(value) and value not in WORDS and rng.random() < 0.7:
            return value
        if "'" not in value and value.isprintable() and value.isascii() and rng.random() < 0.3:
            return f"'{value}'"
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\x7f")
    if value is None:
        return rng.choice(["null", "~"])
    if isinstance(value, bool):
        return rng.choice(["true", "True", "yes", "on"] if value else ["false", "FALSE", "no", "off"])
    return json.dumps(value)


def flow(value, rng):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_text(k, rng)}: {flow(v, rng)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(v, rng) for v in value) + "]"
    return scalar(value, rng)


def key_text(key, rng):
    return key if key == "<<" else scalar(key, rng)


def block(value, rng, indent):
    """Lines of a map or list that is not empty."""
    pad = "  " * indent
    pairs = value.items() if isinstance(value, dict) else ((None, v) for v in value)
    for key, member in pairs:
        head = f"{pad}-" if key is None else f"{pad}{key_text(key, rng)}:"
        if isinstance(member, (dict, list)) and member and rng.random() < 0.9:
            yield head
            yield from block(member, rng, indent + 1)
        else:
            yield f"{head} {flow(member, rng)}"


def text_of(document, style):
    """A document as text; a text as it is."""
    if isinstance(document, str):
        return document
    rng = random.Random(style)
    if rng.random() < 0.3 or not document:
        return json.dumps(document, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1]))
    if rng.random() < 0.2:
        return flow(document, rng) + "\n"
    return rng.choice(["", "---\n", "# c\n"]) + "\n".join(block(document, rng, 0)) + "\n"
