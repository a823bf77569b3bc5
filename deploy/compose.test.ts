import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { readConfig } from "../server/src/config.ts";
import { decodeMasterKey } from "../server/src/lib/settings/decode-master-key.ts";
import { runProgram } from "./image/run-program.ts";

type Service = {
  image: string;
  command?: string[];
  environment: Record<string, string>;
  read_only: boolean;
  cap_drop: string[];
  cap_add?: string[];
  security_opt: string[];
  secrets?: string[];
  networks: string[];
  ports?: string[];
  stop_grace_period?: string;
  healthcheck: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string }>;
};
type Compose = {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  networks: Record<string, { ipam?: { config: { subnet: string }[] } } | null>;
  volumes: Record<string, unknown>;
};

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const TEXT = readFileSync(join(FOLDER, "compose.yaml"), "utf8");
const { services, secrets, networks } = parse(TEXT, { merge: true }) as Compose;
const SCRIP = ["api-1", "api-2", "worker-1", "worker-2", "migrate"];
const get = (name: string): Service => services[name] ?? assert.fail(`there is no service ${name}`);

test("there are two API processes, two workers, a database, a proxy and a migration that runs first", () => {
  assert.deepEqual(Object.keys(services).sort(), [...SCRIP, "postgres", "proxy"].sort());
  for (const name of SCRIP) assert.equal(get(name).image, get("api-1").image, name);
  for (const name of ["api-1", "api-2"]) assert.deepEqual(get(name).command, ["start", "--role", "api"]);
  for (const name of ["worker-1", "worker-2"])
    assert.deepEqual(get(name).command, ["start", "--role", "worker"]);
  assert.deepEqual(get("migrate").command, ["migrate"]);
  for (const name of SCRIP.slice(0, 4))
    assert.equal(get(name).depends_on?.migrate?.condition, "service_completed_successfully", name);
  assert.equal(get("migrate").depends_on?.postgres?.condition, "service_healthy");
  assert.equal(get("proxy").environment.SCRIP_UPSTREAMS, "api-1:8080 api-2:8080");
});

test("every service is confined, is watched and has time to stop", () => {
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ["ALL"], name);
    assert.deepEqual(service.cap_add ?? [], name === "proxy" ? ["NET_BIND_SERVICE"] : [], name);
    assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
    assert.ok(service.healthcheck.test ?? service.healthcheck.disable, name);
    assert.ok(Number.parseInt(service.stop_grace_period ?? "0", 10) >= 45, name);
    assert.equal(
      service.ports === undefined,
      name !== "proxy",
      `${name}: only the proxy is open to the outside`,
    );
  }
  for (const name of SCRIP.slice(0, 4))
    assert.deepEqual(get(name).healthcheck.test?.slice(1, 3), [
      "node",
      "/app/deploy/container/health-check.mjs",
    ]);
});

test("no secret is in the file: each comes from a file that make-secrets.sh writes", async (t) => {
  assert.doesNotMatch(TEXT, /(?:PASSWORD|MASTER_KEY|DATABASE_URL):/);
  const folder = await mkdtemp(join(tmpdir(), "scrip secrets "));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const make = () => runProgram(join(FOLDER, "make-secrets.sh"), [folder]);
  await make();
  const value = (name: string) => readFileSync(join(folder, name), "utf8").trim();
  const first = Object.keys(secrets).map(value);
  for (const [name, { file }] of Object.entries(secrets)) assert.equal(file, `./secrets/${name}`);
  assert.equal(statSync(folder).mode & 0o777, 0o700, "others cannot enter the folder");
  assert.ok(decodeMasterKey(value("master_key")));
  assert.match(value("database_url"), new RegExp(`:${value("postgres_password")}@postgres:5432/scrip$`));
  assert.match(await make(), /^master_key: kept$/m);
  assert.deepEqual(Object.keys(secrets).map(value), first, "what is there stays");

  for (const name of SCRIP) {
    const { DATABASE_URL_FILE, SCRIP_MASTER_KEY_FILE, ...plain } = get(name).environment;
    for (const path of [DATABASE_URL_FILE, SCRIP_MASTER_KEY_FILE])
      assert.ok(get(name).secrets?.includes(path?.replace("/run/secrets/", "") ?? ""), `${name}: ${path}`);
    const files = {
      DATABASE_URL_FILE: join(folder, "database_url"),
      SCRIP_MASTER_KEY_FILE: join(folder, "master_key"),
    };
    const environment = { ...plain, ...files, PUBLIC_URL: "https://localhost", LOG_LEVEL: "info" };
    assert.equal(readConfig(environment).masterKeys.length, 1);
  }
});

test("the network that the proxy and the API share is the one whose addresses are trusted", () => {
  const subnet = networks.front?.ipam?.config[0]?.subnet;
  assert.equal(get("api-1").environment.TRUSTED_PROXIES, subnet);
  const onFront = Object.entries(services).filter(([, service]) => service.networks.includes("front"));
  assert.deepEqual(
    onFront.map(([name]) => name),
    ["proxy", "api-1", "api-2"],
  );
  assert.deepEqual(get("postgres").networks, ["back"]);
  assert.ok(existsSync(join(FOLDER, "Caddyfile")));
});
