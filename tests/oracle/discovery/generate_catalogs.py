# SPDX-License-Identifier: Apache-2.0
"""Random servers and names: scripts of discovery documents and questions, from a seed.

Names are few, so that they collide: between groups, and between short names, singulars and plurals.
What is left out, since client-go gives no answer or one by chance: two resources of one group version
with a name or a kind in common; a short name that means two resources of one group; in aggregated
documents, a short name of two groups.
"""
import json

GROUPS = ["apps", "apps.example.com", "batch", "batch.example.com", "stable.example.com", "v1",
          "v1.apps", "a", "events.k8s.io"]
VERSIONS = ["v1", "v2", "v1beta1", "v2alpha1"]
STEMS = ["pod", "widget", "foo", "foos", "box", "policy", "event", "bar", "po"]
SHORT_NAMES = ["po", "w", "f", "foo", "ev", "pods", "b", "events", "wid"]
VERBS = ["get", "list", "watch"]


def compact(value):
    return json.dumps(value, separators=(",", ":"))


class Server:
    def __init__(self, rng):
        self.rng = rng
        self.aggregated = rng.random() < 0.3
        self.short_names = {}  # (group, or all if aggregated; short name): (group, plural)
        self.groups = [("", self.make_group(""))]
        for group in rng.sample(GROUPS, rng.randint(1, 4)):
            self.groups.append((group, self.make_group(group)))

    def make_group(self, group):
        """[(version, resources or None if it is stale)], as listed, and the preferred one."""
        rng = self.rng
        names = rng.sample(VERSIONS, rng.choice([1, 1, 2, 3]))
        if not group:
            names = ["v1"]  # client-go asks for no other at /api
        versions = [(name, None if rng.random() < 0.1 else self.make_resources(group))
                    for name in names]
        # In aggregated documents, and in the core group, the first one is.
        preferred = names[0]
        if not self.aggregated and group and rng.random() < 0.4:
            preferred = rng.choice(names + [None, "v9"])
        return versions, preferred

    def make_resources(self, group):
        rng = self.rng
        made, taken = [], set()
        for stem in rng.sample(STEMS, rng.randint(0, 4)):
            kind = rng.choice([stem.capitalize(), stem.capitalize(), stem.capitalize() + "Entry"])
            plural = rng.choice([stem + "s", stem + "s", stem + "s", stem, stem + "es"])
            singular = rng.choice([stem, stem, "", "one" + stem])
            names = {plural, singular or kind.lower(), kind.lower() + " (kind)"}
            if taken & names:
                continue
            taken |= names
            made.append({"name": plural, "singularName": singular, "kind": kind,
                         "namespaced": rng.random() < 0.7, "verbs": VERBS,
                         "shortNames": self.make_short_names(group, plural)})
            if rng.random() < 0.2:
                made.append({"name": plural + "/status", "singularName": "", "kind": kind,
                             "namespaced": made[-1]["namespaced"], "verbs": ["get"]})
        return made

    def make_short_names(self, group, plural):
        names = []
        for name in self.rng.sample(SHORT_NAMES, self.rng.choice([0, 0, 1, 2])):
            key = (None if self.aggregated else group, name)
            if self.short_names.setdefault(key, (group, plural)) == (group, plural):
                names.append(name)
        return names

    # ---- documents

    def documents(self):
        return self.aggregated_documents() if self.aggregated else self.plain_documents()

    def plain_documents(self):
        core = self.groups[0][1][0]
        yield "/api", {"kind": "APIVersions", "versions": [name for name, _ in core]}
        groups = []
        for group, (versions, preferred) in self.groups[1:]:
            entry = {"name": group, "versions": [{"groupVersion": f"{group}/{name}", "version": name}
                                                 for name, _ in versions]}
            if preferred:
                entry["preferredVersion"] = {"groupVersion": f"{group}/{preferred}",
                                             "version": preferred}
            groups.append(entry)
        yield "/apis", {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
        for group, (versions, _) in self.groups:
            for name, resources in versions:
                if resources is not None:
                    prefix = f"{group}/" if group else ""
                    yield (f"/apis/{group}/{name}" if group else f"/api/{name}",
                           {"kind": "APIResourceList", "apiVersion": "v1",
                            "groupVersion": prefix + name, "resources": resources})

    def aggregated_documents(self):
        for path, groups in (("/api", self.groups[:1]), ("/apis", self.groups[1:])):
            yield path, {"kind": "APIGroupDiscoveryList",
                         "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {},
                         "items": [self.aggregated_group(*group) for group in groups]}

    def aggregated_group(self, group, content):
        versions = []
        for name, resources in content[0]:
            if resources is None:
                versions.append({"version": name, "freshness": "Stale"})
                continue
            versions.append({"version": name, "freshness": "Current", "resources": [
                {"resource": item["name"], "singularResource": item["singularName"],
                 "responseKind": {"group": group, "version": name, "kind": item["kind"]},
                 "scope": "Namespaced" if item["namespaced"] else "Cluster",
                 "verbs": item["verbs"], "shortNames": item["shortNames"],
                 "subresources": [{"subresource": "status", "verbs": ["get"], "responseKind": {
                     "group": group, "version": name, "kind": item["kind"]}}]}
                for item in resources if "/" not in item["name"]]})
        return {"metadata": {"name": group} if group else {}, "versions": versions}

    # ---- names

    def base(self):
        """A name without a group; whether it can be a short name."""
        rng = self.rng
        everything = [item for _, (versions, _) in self.groups for _, resources in versions
                      for item in resources or [] if "/" not in item["name"]]
        if not everything or rng.random() < 0.2:
            return rng.choice(STEMS + SHORT_NAMES + [stem + "s" for stem in STEMS])
        item = rng.choice(everything)
        name = rng.choice([item["name"], item["singularName"], item["kind"], item["kind"].lower(),
                           *item["shortNames"]]) or item["name"]
        return rng.choice([name, name, name, name, name.upper(), name.capitalize()])

    def name(self):
        """A question; and the difference that it may show, if any."""
        rng = self.rng
        base = self.base()
        group = rng.choice([group for group, _ in self.groups] + GROUPS[:3])
        part = group[:rng.randint(0, len(group))]
        version = rng.choice(VERSIONS)
        name = rng.choice([base, base, f"{base}.{group}", f"{base}.{group}", f"{base}.{part}",
                           f"{base}.{version}.{group}", f"{base}.{version}.{group}",
                           f"{base}.{version}.{part}"])
        is_short = base in SHORT_NAMES and name.count(".") >= 2
        return name, "short-name-with-version" if is_short else None


def make_script(rng):
    server = Server(rng)
    script = ["script discovery"]
    script += [f"document {path} {compact(value)}" for path, value in server.documents()]
    for _ in range(rng.randint(5, 30)):
        name, note = server.name()
        script.append(f"ask {name}" + (f" #{note}" if note else ""))
    return script
