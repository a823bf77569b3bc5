import assert from "node:assert/strict";
import { test } from "node:test";
import { isDatabaseUnavailable } from "./database-errors.ts";
import { type Hosts, NoPrimaryError, openHosts } from "./hosts.ts";

const PASSWORD = "hunter2-correct-horse";
const SEVERAL = `postgres://u:${PASSWORD}@a:1,b:2,c:3/d`;

/** The hosts that a search asks before it finds one of the good ones. */
async function search(hosts: Hosts, good: readonly number[]): Promise<number[]> {
  const asked: number[] = [];
  await hosts
    .tryEach(async (index) => {
      asked.push(index);
      if (!good.includes(index)) throw new Error(`${index} is down`);
    })
    .catch(() => {});
  return asked;
}

test("a search starts with the last good host and goes around", async () => {
  const hosts = openHosts(SEVERAL);
  assert.deepEqual(await search(hosts, [0, 1]), [0]);
  assert.deepEqual(await search(hosts, [1]), [0, 1]);
  assert.deepEqual(await search(hosts, [0, 1]), [1], "the last good one");
  assert.deepEqual(await search(hosts, [0]), [1, 2, 0]);
});

test("a suspected host is asked last, whether or not it was in use", async () => {
  const hosts = openHosts(SEVERAL);
  hosts.suspect(0);
  assert.deepEqual(await search(hosts, [0, 1]), [1]);
  hosts.suspect(0);
  assert.deepEqual(await search(hosts, [0, 1]), [1], "it was not in use");
});

test("if no host is good, the error has each host's reason, counts as an outage, and has no password", async () => {
  const failing = openHosts(SEVERAL).tryEach(async (index) => {
    throw index === 1 ? new AggregateError([], "") : new Error(`reason ${index}`);
  });
  await assert.rejects(failing, (error: Error) => {
    assert.ok(error instanceof NoPrimaryError && isDatabaseUnavailable(error));
    assert.match(error.message, /: a:1: reason 0; b:2: AggregateError; c:3: reason 2$/);
    return !`${error.message} ${error.stack}`.includes(PASSWORD);
  });
});

test("right after a failed search no host is asked again, and soon after every host is", async (t) => {
  let nowMs = 1_000;
  t.mock.method(performance, "now", () => nowMs);
  const hosts = openHosts(SEVERAL);
  assert.deepEqual(await search(hosts, []), [0, 1, 2]);
  assert.deepEqual(await search(hosts, [0]), []);
  nowMs += 200;
  assert.deepEqual(await search(hosts, [0]), [0]);
  assert.deepEqual(await search(hosts, [0]), [0], "a successful search is not followed by a pause");
});

test("a failed search blocks no one if another has succeeded meanwhile", async () => {
  const hosts = openHosts(SEVERAL);
  const isSilent = Promise.withResolvers<never>();
  const slow = hosts.tryEach(() => isSilent.promise);
  assert.deepEqual(await search(hosts, [0]), [0]);
  isSilent.reject(new Error("silent"));
  await assert.rejects(slow, NoPrimaryError);
  assert.deepEqual(await search(hosts, [0]), [0]);
});

test("a host that is suspected while it responds is not where the next search starts", async () => {
  const hosts = openHosts(SEVERAL);
  await hosts.tryEach(async (index) => hosts.suspect(index));
  assert.equal(hosts.first(), 1);
  assert.deepEqual(await search(hosts, [0, 1]), [1]);
});

test("if all hosts refuse the login for the same reason, the error is theirs and not an outage", async () => {
  const refuse = (...codes: string[]) =>
    openHosts(SEVERAL)
      .tryEach(async (index) => {
        throw Object.assign(new Error("refused"), { code: codes[index] });
      })
      .catch((error) => error);
  for (const code of ["28P01", "3D000"]) {
    const error = await refuse(code, code, code);
    assert.equal(error.code, code);
    assert.equal(error.cause.code, code);
    assert.equal(isDatabaseUnavailable(error), false);
  }
  for (const codes of [
    ["28P01", "3D000", "28P01"],
    ["28P01", "28P01", "ECONNREFUSED"],
    ["57P03", "57P03", "57P03"],
  ]) {
    assert.equal((await refuse(...codes)).code, "08001", codes.join());
  }
});

test("a pool without a free connection says nothing about its host, so the search ends", async () => {
  const hosts = openHosts(SEVERAL);
  const asked: number[] = [];
  const searching = hosts.tryEach(async (index) => {
    asked.push(index);
    throw new Error("timeout exceeded when trying to connect");
  });
  await assert.rejects(searching, (error) => isDatabaseUnavailable(error));
  assert.deepEqual(asked, [0]);
  assert.deepEqual(await search(hosts, [0]), [0], "and it delays no one");
});

test("with a single host its own error is thrown, and each search asks it", async () => {
  const hosts = openHosts(`postgres://u:${PASSWORD}@a/d`);
  const failure = new Error("away");
  for (let time = 0; time < 2; time += 1) {
    hosts.suspect(0);
    await assert.rejects(
      hosts.tryEach(() => Promise.reject(failure)),
      (error) => error === failure,
    );
  }
});
