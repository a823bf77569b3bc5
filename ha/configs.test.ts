import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { adaptHaproxyConfig, adaptPatroniConfig, memberEnvironment } from "./configs.ts";
import { describeMissing, isSafeWithEtcdV3 } from "./programs.ts";

const read = (name: string): Promise<string> =>
  readFile(new URL(`../deploy/patroni/${name}`, import.meta.url), "utf8");
const MEMBERS = [
  { name: "db1", postgresPort: 15_001, restPort: 16_001 },
  { name: "db2", postgresPort: 15_002, restPort: 16_002 },
  { name: "db3", postgresPort: 15_003, restPort: 16_003 },
];
const numberIn = (text: string, name: string): number =>
  Number(new RegExp(`^\\s+${name}: (\\d+)`, "m").exec(text)?.[1]);

test("the Patroni file keeps the rule between its times, and commits nothing without a standby", async () => {
  const text = await read("patroni.yml");
  const [ttl, loopWait, retryTimeout] = ["ttl", "loop_wait", "retry_timeout"].map((name) =>
    numberIn(text, name),
  );
  assert.ok(loopWait && retryTimeout && ttl && loopWait + 2 * retryTimeout <= ttl && ttl >= 20);
  for (const line of ["synchronous_mode: true", "synchronous_mode_strict: true", "mode: required"])
    assert.ok(text.includes(`  ${line}\n`), line);
});

test("the harness changes what a single machine needs, and nothing else of the Patroni file", async () => {
  const text = await read("patroni.yml");
  const adapted = adaptPatroniConfig(text, { etcdApi: "v3", isAsync: false });
  assert.deepEqual(changedLines(text, adapted), ["    unix_socket_directories: ''", '  mode: "off"']);
  const older = adaptPatroniConfig(text, { etcdApi: "v2", isAsync: true });
  assert.deepEqual(changedLines(adapted, older), [
    "etcd:",
    "    synchronous_mode: false",
    "    synchronous_mode_strict: false",
  ]);
});

test("a Patroni file that no longer has what the harness changes is refused", () => {
  assert.throws(
    () => adaptPatroniConfig("scope: scrip\n", { etcdApi: "v3", isAsync: false }),
    /mode: required/,
  );
});

test("HAProxy gets the ports of the run, and closes the connections of a member that is marked down", async () => {
  const text = await read("haproxy.cfg");
  assert.ok(text.includes("on-marked-down shutdown-sessions"));
  assert.deepEqual(changedLines(text, adaptHaproxyConfig(text, 15_000, MEMBERS)), [
    "    bind 127.0.0.1:15000",
    "    server db1 127.0.0.1:15001 check port 16001",
    "    server db2 127.0.0.1:15002 check port 16002",
    "    server db3 127.0.0.1:15003 check port 16003",
  ]);
});

test("a member is told everything of its own by environment, etcd by the API in use", () => {
  const given = { dataDir: "/data", postgresBin: "/bin", etcdPort: 2379, password: "secret" };
  const [member] = MEMBERS;
  assert.ok(member);
  const environment = memberEnvironment(member, { ...given, etcdApi: "v3" });
  assert.equal(environment.PATRONI_NAME, "db1");
  assert.equal(environment.PATRONI_POSTGRESQL_LISTEN, "127.0.0.1:15001");
  assert.equal(environment.PATRONI_ETCD3_HOSTS, "127.0.0.1:2379");
  assert.equal(memberEnvironment(member, { ...given, etcdApi: "v2" }).PATRONI_ETCD_HOSTS, "127.0.0.1:2379");
});

test("Patroni is trusted with the v3 API of etcd from 3.0.3 on", () => {
  const versions = ["2.1.9", "3.0.0", "3.0.2", "3.0.3", "3.1.0", "4.0.0"];
  assert.deepEqual(versions.filter(isSafeWithEtcdV3), ["3.0.3", "3.1.0", "4.0.0"]);
});

test("what is missing is named with the command that installs it", () => {
  assert.equal(
    describeMissing(["etcd", "haproxy"]),
    "npm run ha needs etcd, haproxy: apt-get install etcd-server haproxy",
  );
});

function changedLines(before: string, after: string): string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  assert.equal(old.length, now.length);
  return now.filter((line, index) => line !== old[index]);
}
