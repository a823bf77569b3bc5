import assert from "node:assert/strict";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findMissing, runProgram } from "./image/run-program.ts";

const FOLDER = fileURLToPath(new URL("systemd/", import.meta.url));
const SERVICES = ["scrip-api.service", "scrip-worker.service", "scrip-audit.service"];
const UNITS = [...SERVICES, "scrip.target", "scrip-audit.timer"];
/** systemd's own scale: below 2 is well confined. What is left is the network, which the server is there for. */
const EXPOSURE_MAX = 1.5;

/** Every line of a unit that sets something, as `section.name` with its values in order. */
function read(unit: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  let section = "";
  for (const line of readFileSync(join(FOLDER, unit), "utf8").split("\n")) {
    if (line.startsWith("#") || line === "") continue;
    const header = /^\[(\w+)\]$/.exec(line)?.[1];
    if (header) {
      section = header;
      continue;
    }
    const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(line) ?? assert.fail(`${unit}: ${line}`);
    settings.set(`${section}.${name}`, [...(settings.get(`${section}.${name}`) ?? []), value]);
  }
  return settings;
}

test("every unit file is known", () => {
  assert.deepEqual(readdirSync(FOLDER).sort(), [...UNITS, "scrip.env.example"].sort());
});

test("each service is confined, takes its secrets as credentials and has no state that it needs", () => {
  for (const unit of SERVICES) {
    const settings = read(unit);
    const only = (name: string) => settings.get(`Service.${name}`)?.join(" ");
    assert.equal(only("DynamicUser"), "yes", unit);
    assert.equal(only("ProtectSystem"), "strict", unit);
    assert.equal(only("NoNewPrivileges"), "yes", unit);
    assert.equal(only("CapabilityBoundingSet"), "", unit);
    assert.equal(only("MemoryDenyWriteExecute"), "no", `${unit}: V8 needs it`);
    assert.equal(only("StateDirectory"), "scrip", unit);
    const credentials = settings.get("Service.LoadCredential")?.map((value) => value.split(":")[0]);
    assert.deepEqual(credentials, ["master_key", "database_url"], unit);
    const environment = only("Environment") ?? "";
    assert.match(
      environment,
      /SCRIP_MASTER_KEY_FILE=%d\/master_key DATABASE_URL_FILE=%d\/database_url/,
      unit,
    );
    assert.doesNotMatch(environment, /(?:DATABASE_URL|MASTER_KEY)=/, unit);
  }
});

test("API and worker start what they say, come back when they end, and have time to stop", () => {
  for (const role of ["api", "worker"]) {
    const settings = read(`scrip-${role}.service`);
    assert.match(
      settings.get("Service.ExecStart")?.[0] ?? "",
      new RegExp(`scrip\\.ts start --role ${role}$`),
    );
    assert.deepEqual(settings.get("Service.Restart"), ["always"]);
    // `scrip start` ends itself after 40 s.
    assert.deepEqual(settings.get("Service.TimeoutStopSec"), ["45"]);
    assert.match(read("scrip.target").get("Unit.Wants")?.[0] ?? "", new RegExp(`scrip-${role}\\.service`));
  }
});

test("API and worker on one machine share no port, and the common settings do not undo that", () => {
  const portsOf = (unit: string) =>
    [...(read(unit).get("Service.Environment") ?? []).join(" ").matchAll(/(?:PORT)=(\d+)/g)].map(
      ([, port]) => port,
    );
  const ports = [...portsOf("scrip-api.service"), ...portsOf("scrip-worker.service")];
  assert.equal(ports.length, 4);
  assert.equal(new Set(ports).size, 4);
  // What a file says takes precedence over Environment=.
  assert.doesNotMatch(
    readFileSync(join(FOLDER, "scrip.env.example"), "utf8"),
    /^(?:HOST|PORT|METRICS_PORT)=/m,
  );
});

test("systemd accepts the units and finds them well confined", async (t) => {
  if ((await findMissing(["systemd-analyze"])).length > 0) {
    t.diagnostic("systemd-analyze is not on this machine: only the structure of the units was checked");
    return;
  }
  const root = await mkdtemp(join(tmpdir(), "scrip-units-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  const system = join(root, "etc/systemd/system");
  mkdirSync(system, { recursive: true });
  for (const unit of UNITS) copyFileSync(join(FOLDER, unit), join(system, unit));
  // It looks whether what is to be executed is there.
  mkdirSync(join(root, "opt/scrip/bin"), { recursive: true });
  writeFileSync(join(root, "opt/scrip/bin/node"), "#!/bin/sh\n");
  chmodSync(join(root, "opt/scrip/bin/node"), 0o755);
  const paths = UNITS.map((unit) => join(system, unit));
  await runProgram("systemd-analyze", ["verify", `--root=${root}`, "--recursive-errors=no", ...paths]);
  for (const unit of SERVICES) {
    const report = await runProgram("systemd-analyze", ["security", "--offline=yes", `--root=${root}`, unit]);
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(report)?.[1]);
    assert.ok(exposure <= EXPOSURE_MAX, `${unit}: ${exposure}`);
  }
});
