import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../server/src/config.ts";

type Labels = Record<string, string>;
type Probe = { httpGet: { path: string; port: string } };
type Container = {
  name: string;
  image: string;
  args: string[];
  envFrom: { configMapRef: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  resources: { requests: Labels; limits: Labels };
  securityContext: {
    allowPrivilegeEscalation: boolean;
    readOnlyRootFilesystem: boolean;
    capabilities: { drop: string[] };
  };
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
};
type PodTemplate = {
  metadata: { labels: Labels };
  spec: {
    automountServiceAccountToken: boolean;
    enableServiceLinks: boolean;
    securityContext: { runAsNonRoot: boolean; runAsUser: number; seccompProfile: { type: string } };
    terminationGracePeriodSeconds?: number;
    containers: Container[];
    volumes: { name: string; secret?: { secretName: string; items?: { key: string }[] } }[];
  };
};
type Selector = { matchLabels: Labels };
/** The members that the tests look at, of all kinds together. */
type Spec = {
  replicas: number;
  selector: Selector;
  podSelector: Selector;
  template: PodTemplate;
  jobTemplate: { spec: { template: PodTemplate } };
  ports: { name: string }[];
  rules: { host: string; http: { paths: { backend: { service: Backend } }[] } }[];
  tls: { hosts: string[] }[];
  instances: number;
  postgresql: { synchronous: object };
  affinity: { podAntiAffinityType: string };
};
type Backend = { name: string; port: { name: string } };
type Manifest = {
  file: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  spec: Spec;
};

const FOLDER = fileURLToPath(new URL("kubernetes/", import.meta.url));
const NAMESPACE = "scrip";
const CLUSTER = "scrip-db";
/** `scrip start` ends itself after 40 s. */
const STOP_SECONDS = 40;

const manifests = globSync("*.yaml", { cwd: FOLDER }).flatMap((file): Manifest[] =>
  parseAllDocuments(readFileSync(join(FOLDER, file), "utf8")).map((document) => {
    assert.deepEqual(document.errors, [], file);
    return { ...document.toJS(), file };
  }),
);
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
const settings = ofKind("ConfigMap")[0]?.data ?? {};
const pods: { name: string; template: PodTemplate }[] = [
  ...[...ofKind("Deployment"), ...ofKind("Job")].map(({ metadata, spec }) => ({
    name: metadata.name,
    template: spec.template,
  })),
  ...ofKind("CronJob").map(({ metadata, spec }) => ({
    name: metadata.name,
    template: spec.jobTemplate.spec.template,
  })),
];
const get = (kind: string, name: string): Manifest =>
  ofKind(kind).find(({ metadata }) => metadata.name === name) ?? assert.fail(`there is no ${kind} ${name}`);
const fits = (selector: Labels, labels: Labels) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

test("everything is in the namespace, and the kustomization names files that are there", () => {
  for (const { file, kind, metadata } of manifests)
    if (!["Namespace", "Kustomization"].includes(kind)) assert.equal(metadata.namespace, NAMESPACE, file);
  const { resources } = parse(readFileSync(join(FOLDER, "kustomization.yaml"), "utf8")) as {
    resources: string[];
  };
  const files = new Set(manifests.map(({ file }) => file));
  for (const resource of resources) assert.ok(files.has(resource), resource);
  // Secrets are made by hand, a job is run by hand, and a PodMonitor needs an operator that not everyone has.
  const byHand = ["kustomization.yaml", "migrate-job.yaml", "pod-monitor.yaml", "secret.example.yaml"];
  assert.deepEqual([...files].filter((file) => !resources.includes(file)).sort(), byHand);
});

test("every pod runs the same image, confined, with the same settings", () => {
  assert.deepEqual(pods.map(({ name }) => name).sort(), [
    "scrip-api",
    "scrip-audit",
    "scrip-migrate",
    "scrip-worker",
  ]);
  for (const { name, template } of pods) {
    const { spec } = template;
    assert.equal(spec.automountServiceAccountToken, false, name);
    assert.equal(spec.enableServiceLinks, false, name);
    assert.equal(spec.securityContext.runAsNonRoot, true, name);
    assert.equal(spec.securityContext.runAsUser, 10_001, name);
    assert.equal(spec.securityContext.seccompProfile.type, "RuntimeDefault", name);
    const [container, ...others] = spec.containers as [Container, ...Container[]];
    assert.deepEqual(others, []);
    assert.equal(container.image, "registry.example.com/scrip", name);
    assert.equal(container.securityContext.readOnlyRootFilesystem, true, name);
    assert.equal(container.securityContext.allowPrivilegeEscalation, false, name);
    assert.deepEqual(container.securityContext.capabilities.drop, ["ALL"], name);
    assert.deepEqual(container.envFrom, [{ configMapRef: { name: "scrip-settings" } }], name);
    assert.ok(container.resources.requests.memory && container.resources.limits.memory, name);
    const volumes = spec.volumes.map((volume) => volume.name).sort();
    assert.deepEqual(container.volumeMounts.map((mount) => mount.name).sort(), volumes, name);
  }
});

test("the settings are what the server takes, and every file that they name is mounted", () => {
  const files = ["DATABASE_URL_FILE", "SCRIP_MASTER_KEY_FILE", "NODE_EXTRA_CA_CERTS"] as const;
  const { DATABASE_URL_FILE: _url, SCRIP_MASTER_KEY_FILE: _key, ...plain } = settings;
  const config = readConfig({ ...plain, NODE_ENV: "production" });
  assert.equal(config.metricsHost, "0.0.0.0");
  for (const { name, template } of pods) {
    const mounted = template.spec.containers[0]?.volumeMounts.map(({ mountPath }) => mountPath) ?? [];
    for (const file of files)
      assert.ok(mounted.includes((settings[file] ?? "").replace(/\/[^/]*$/, "")), `${name}: ${file}`);
  }
  const secrets = pods.flatMap(({ template }) =>
    template.spec.volumes.map(({ secret }) => secret?.secretName),
  );
  // CloudNativePG names its secrets after the cluster.
  const known = ["scrip-master-key", `${CLUSTER}-app`, `${CLUSTER}-ca`];
  assert.deepEqual([...new Set(secrets.filter((name) => name !== undefined))].sort(), known.sort());
  assert.equal(ofKind("Secret")[0]?.metadata.name, "scrip-master-key");
});

test("API and worker are watched, have time to stop, and never all go at once", () => {
  for (const role of ["api", "worker"]) {
    const { replicas, selector, template } = get("Deployment", `scrip-${role}`).spec;
    assert.ok(replicas >= 2);
    assert.ok(fits(selector.matchLabels, template.metadata.labels));
    const [container] = template.spec.containers as [Container];
    assert.deepEqual(container.args, ["start", "--role", role]);
    // Not /readyz: a database that is away must not make the kubelet kill what would come back by itself.
    assert.equal(container.livenessProbe?.httpGet.path, "/healthz");
    assert.equal(container.startupProbe?.httpGet.path, "/healthz");
    assert.equal(container.readinessProbe?.httpGet.path, "/readyz");
    assert.ok((template.spec.terminationGracePeriodSeconds ?? 0) > STOP_SECONDS);
    const ports = Object.fromEntries((container.ports ?? []).map((port) => [port.name, port.containerPort]));
    assert.deepEqual(ports, { http: Number(settings.PORT), metrics: Number(settings.METRICS_PORT) });
    const budget = get("PodDisruptionBudget", `scrip-${role}`);
    assert.ok(fits(budget.spec.selector.matchLabels, template.metadata.labels));
  }
});

test("a request finds its way: ingress, service, pods", () => {
  const service = get("Service", "scrip-api");
  const { rules, tls } = get("Ingress", "scrip").spec;
  // A service's selector is the labels themselves.
  const selector = service.spec.selector as unknown as Labels;
  const fronted = pods.filter(({ template }) => fits(selector, template.metadata.labels));
  assert.deepEqual(
    fronted.map(({ name }) => name),
    ["scrip-api"],
  );
  const [rule] = rules;
  const backend = rule?.http.paths[0]?.backend.service;
  assert.deepEqual(backend, { name: "scrip-api", port: { name: service.spec.ports[0]?.name } });
  assert.equal(`https://${rule?.host}`, settings.PUBLIC_URL);
  assert.deepEqual(tls[0]?.hosts, [rule?.host]);
});

test("each network policy and the monitor choose pods that are there", () => {
  const labels: Labels[] = [
    ...pods.map(({ template }) => template.metadata.labels),
    { "cnpg.io/cluster": CLUSTER },
  ];
  const policies = ofKind("NetworkPolicy");
  assert.equal(policies.length, 4);
  for (const { metadata, spec } of [...policies, ...ofKind("PodMonitor")]) {
    const selector = (spec.podSelector ?? spec.selector).matchLabels;
    assert.ok(
      labels.some((those) => fits(selector, those)),
      metadata.name,
    );
  }
});

test("the database acknowledges nothing that a single machine could lose", () => {
  const { instances, postgresql, affinity } = get("Cluster", CLUSTER).spec;
  assert.ok(instances >= 3);
  assert.deepEqual(postgresql.synchronous, {
    method: "any",
    number: 1,
    dataDurability: "required",
    failoverQuorum: true,
  });
  assert.equal(affinity.podAntiAffinityType, "required");
});
