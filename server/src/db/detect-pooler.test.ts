import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { createRandom, type Random, SEED } from "../../testing/seed.ts";
import { type AskConnection, keepBackends, refuseTransactionPooler } from "./detect-pooler.ts";

type Pooler = {
  backends: number;
  mode: "session" | "transaction";
  /** Selects one of the idle backends. */
  choose: (idle: number) => number;
};

/** Two connections through a pooler. */
function connectThrough({ backends, mode, choose }: Pooler): [AskConnection, AskConnection] {
  const idle = Array.from({ length: backends }, (_, index) => index);
  const open = (): AskConnection => {
    let held: number | undefined;
    let isInTransaction = false;
    return async (text) => {
      held ??= idle.splice(choose(idle.length), 1)[0];
      assert.notEqual(held, undefined, "it would block indefinitely");
      const pid = held as number;
      if (text === "begin") isInTransaction = true;
      if (text === "commit") isInTransaction = false;
      if (mode === "transaction" && !isInTransaction) {
        idle.push(pid);
        held = undefined;
      }
      return text.startsWith("select") ? pid : undefined;
    };
  };
  return [open(), open()];
}

const last = (idle: number): number => idle - 1;
const first = (): number => 0;
const any =
  (random: Random) =>
  (idle: number): number =>
    random.below(idle);

test("a pooler in transaction mode is detected, for any number and choice of backends", async () => {
  const random = createRandom(SEED);
  for (const choose of [last, first, any(random)])
    for (const backends of [1, 2, 3, 8])
      for (let run = 0; run < 20; run += 1)
        assert.equal(
          await keepBackends(...connectThrough({ backends, mode: "transaction", choose })),
          false,
          `${backends} backends, SEED=${SEED}`,
        );
});

test("a pooler in session mode is accepted", async () => {
  for (const choose of [last, first])
    assert.equal(await keepBackends(...connectThrough({ backends: 2, mode: "session", choose })), true);
});

test("PostgreSQL itself keeps backends", async () => {
  const database = await createTestDatabase();
  await refuseTransactionPooler(database.connectionString);
  await database.drop();
});

test("a pooler that refuses transactions is detected, for any choice of backends", async () => {
  const pids = [1, 2];
  const [one, another] = pids.map(
    (pid): AskConnection =>
      async (text) => {
        if (text !== "begin") return pid;
        throw Object.assign(new Error("transaction blocks not allowed"), { code: "08P01" });
      },
  );
  assert.ok(one && another);
  assert.equal(await keepBackends(one, another), false);
});
