import assert from "node:assert/strict";
import { test } from "node:test";
import { type IpRange, parseIpRange } from "../../lib/ip.ts";
import { LOOKUP_TIMEOUT_MS, resolveWebhookHost } from "./resolve-webhook-host.ts";

const PUBLIC = ["93.184.215.14", "2606:4700::1111"];
const LOOPBACK = rangesOf("127.0.0.0/8", "::1");

/** Hostname, answers, allowed networks, and what comes of it. */
const CASES: readonly (readonly [string, readonly string[], readonly IpRange[], "addresses" | "refused"])[] =
  [
    ["hook.example.com", PUBLIC, [], "addresses"],
    ["hook.example.com", PUBLIC, LOOPBACK, "addresses"],
    ["hook.example.com", ["127.0.0.1"], [], "refused"],
    ["hook.example.com", ["127.0.0.1", "::1"], LOOPBACK, "addresses"],
    // Into the allowed networks alone, or not at all.
    ["hook.example.com", ["127.0.0.1", "10.0.0.1"], LOOPBACK, "refused"],
    ["hook.example.com", ["127.0.0.1", ...PUBLIC], LOOPBACK, "refused"],
    ["hook.example.com", [...PUBLIC, "127.0.0.1"], LOOPBACK, "refused"],
    ["hook.example.com", ["10.0.0.1"], LOOPBACK, "refused"],
    ["hook.example.com", ["::ffff:127.0.0.1"], LOOPBACK, "refused"],
    // A network of public addresses takes nothing away from them.
    ["hook.example.com", PUBLIC, rangesOf("93.184.215.0/24"), "addresses"],
    // Reserved names have no business outside the allowed networks.
    ["localhost", ["127.0.0.1", "::1"], LOOPBACK, "addresses"],
    ["localhost", ["127.0.0.1", "::1"], rangesOf("127.0.0.0/8"), "refused"],
    ["hook.test", ["127.0.0.1"], LOOPBACK, "addresses"],
    ["hook.test", PUBLIC, LOOPBACK, "refused"],
    ["hook.test", PUBLIC, [], "refused"],
    ["db", PUBLIC, LOOPBACK, "refused"],
    ["localhost", PUBLIC, [], "refused"],
  ];

test("a name gives its addresses when all are public or all are in allowed networks, else it is refused", async () => {
  for (const [hostname, answers, allowNetworks, kind] of CASES) {
    const resolved = await resolveWebhookHost(hostname, { allowNetworks, lookup: async () => answers });
    const expected = kind === "addresses" ? { kind, addresses: answers } : { kind };
    assert.deepEqual(resolved, expected, JSON.stringify([hostname, answers, allowNetworks.length]));
  }
});

test("a literal is checked without a lookup", async () => {
  const lookup = async (): Promise<string[]> => assert.fail("a literal was looked up");
  for (const address of [...PUBLIC, "8.8.8.8"]) {
    assert.deepEqual(await resolveWebhookHost(address, { allowNetworks: [], lookup }), {
      kind: "addresses",
      addresses: [address],
    });
  }
  for (const address of [
    "10.0.0.1",
    "::",
    "fe80::1%eth0",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
  ]) {
    const resolved = await resolveWebhookHost(address, { allowNetworks: LOOPBACK, lookup });
    assert.deepEqual(resolved, { kind: "refused" }, address);
  }
  const inside = await resolveWebhookHost("::1", { allowNetworks: LOOPBACK, lookup });
  assert.deepEqual(inside, { kind: "addresses", addresses: ["::1"] });
});

test("a reserved name is not looked up while no network is allowed", async () => {
  const lookup = async (): Promise<string[]> => assert.fail("a reserved name was looked up");
  for (const hostname of ["localhost", "db", "a.internal"]) {
    const resolved = await resolveWebhookHost(hostname, { allowNetworks: [], lookup });
    assert.deepEqual(resolved, { kind: "refused" }, hostname);
  }
});

test("a name without answers, or with an error, is unresolved", async () => {
  const lookups = [
    async () => [],
    () => Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" })),
    () => {
      throw new Error("thrown at once");
    },
  ];
  for (const lookup of lookups) {
    const resolved = await resolveWebhookHost("hook.example.com", { allowNetworks: [], lookup });
    assert.deepEqual(resolved, { kind: "unresolved" });
  }
});

test("a lookup that takes too long is unresolved, and its late answer or error is ignored", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const timeoutMs of [undefined, 700]) {
    const late = Promise.withResolvers<string[]>();
    const state = { settled: false };
    const resolving = resolveWebhookHost("hook.example.com", {
      allowNetworks: [],
      lookup: () => late.promise,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }).finally(() => {
      state.settled = true;
    });
    t.mock.timers.tick((timeoutMs ?? LOOKUP_TIMEOUT_MS) - 1);
    await turn();
    assert.equal(state.settled, false);
    t.mock.timers.tick(1);
    assert.deepEqual(await resolving, { kind: "unresolved" });
    late.reject(new Error("too late"));
    await turn();
  }
});

test("an answer in time leaves no timer behind", async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  await resolveWebhookHost("hook.example.com", { allowNetworks: [], lookup: async () => PUBLIC });
  assert.equal(timers(), before);
});

test("the system's resolver is used if no other is given", async () => {
  const resolved = await resolveWebhookHost("localhost", { allowNetworks: LOOPBACK });
  assert.ok(resolved.kind === "addresses" && resolved.addresses.length > 0, JSON.stringify(resolved));
  assert.deepEqual(await resolveWebhookHost("localhost", { allowNetworks: rangesOf("10.0.0.0/8") }), {
    kind: "refused",
  });
});

/** One turn of the event loop, after which every promise that could settle has. */
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

function rangesOf(...texts: string[]): IpRange[] {
  return texts.map((text) => {
    const range = parseIpRange(text);
    assert.ok(range, text);
    return range;
  });
}
