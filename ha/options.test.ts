import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULT_NAMES, FAULT_TITLES } from "./fault-names.ts";
import { FAULTS } from "./faults.ts";
import { type HaOptions, HELP, type ParsedOptions, parseOptions } from "./options.ts";

const SEED = 7;
const parse = (...args: string[]): ParsedOptions => parseOptions(args, () => SEED);

function optionsOf(...args: string[]): HaOptions {
  const parsed = parse(...args);
  assert.ok("options" in parsed, JSON.stringify(parsed));
  return parsed.options;
}

test("without options every fault runs, both ways, with a random seed", () => {
  const { faults, vias, seed, isAsync, etcdApi } = optionsOf();
  assert.deepEqual(
    { faults, vias, seed, isAsync, etcdApi },
    { faults: FAULT_NAMES, vias: ["hosts", "haproxy"], seed: SEED, isAsync: false, etcdApi: undefined },
  );
});

test("the options choose faults in their order, the way, the calm, the seed and the API of etcd", () => {
  const { faults, vias, calmSeconds, seed, etcdApi, keep, write } = optionsOf(
    ...["--faults", "kill-etcd,switchover", "--via", "haproxy", "--seconds", "1.5", "--seed", "3"],
    ...["--etcd", "v3", "--keep", "--write"],
  );
  assert.deepEqual(faults, ["kill-etcd", "switchover"]);
  assert.deepEqual(vias, ["haproxy"]);
  assert.deepEqual(
    { calmSeconds, seed, etcdApi, keep, write },
    { calmSeconds: 1.5, seed: 3, etcdApi: "v3", keep: true, write: true },
  );
});

test("--async kills the leader while its standbys lag, one way", () => {
  const { faults, vias, isAsync } = optionsOf("--async");
  assert.deepEqual({ faults, vias, isAsync }, { faults: ["kill-both"], vias: ["hosts"], isAsync: true });
});

test("a mistake is named in one line", () => {
  for (const [args, words] of [
    [["--faults", "flood"], "flood"],
    [["--faults", ""], "--faults"],
    [["--via", "telnet"], "--via"],
    [["--seconds", "0"], "--seconds"],
    [["--seconds", "soon"], "--seconds"],
    [["--seed", "1.5"], "--seed"],
    [["--etcd", "v4"], "--etcd"],
    [["--async", "--write"], "--write"],
    [["--volume"], "--volume"],
    [["more"], "more"],
  ] as const) {
    const parsed = parse(...args);
    assert.ok("mistake" in parsed, args.join(" "));
    assert.ok(parsed.mistake.includes(words) && !parsed.mistake.includes("\n"), parsed.mistake);
  }
});

test("--help names every fault, and every fault has a title and a way to strike", () => {
  assert.deepEqual(parse("--help"), { help: HELP });
  assert.ok(FAULT_NAMES.every((name) => HELP.includes(name)));
  assert.deepEqual(Object.keys(FAULT_TITLES).sort(), [...FAULT_NAMES].sort());
  assert.deepEqual(Object.keys(FAULTS).sort(), [...FAULT_NAMES].sort());
});
