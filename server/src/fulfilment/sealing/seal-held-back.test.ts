import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { Statement, Tx } from "../../db/database.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { publicBytesOf } from "../../vault/hpke.ts";
import { sealHeldBack } from "./seal-held-back.ts";

const CODES = 501;

test("many codes are stored in parts, so that the transaction is never silent for long, and other work runs in between", async () => {
  const publicKey = publicBytesOf(generateKeyPairSync("x25519").privateKey);
  const goods = Array.from({ length: CODES }, (_, unitIndex) => ({
    ...{ id: `cod_${unitIndex}`, orderId: "ord_1", lineIndex: 0, unitIndex, productId: "card" },
    ...{ type: "code", sealed: null, testCode: "TEST-1" },
  }));
  const stored: string[][] = [];
  const answers: readonly [RegExp, (values: readonly unknown[]) => unknown[]][] = [
    [/from orders o/, () => [{ orderId: "ord_1", kid: "k1", publicKey }]],
    [/select id, order_id/, () => goods],
    [
      /update codes/,
      ([ids]) => {
        stored.push(ids as string[]);
        return [];
      },
    ],
  ];
  const rows = async ({ text, values }: Statement) =>
    answers.find(([pattern]) => pattern.test(text))?.[1](values as unknown[]) ?? [];
  let others = 0;
  const timer = setInterval(() => {
    others += 1;
  }, 1);
  await sealHeldBack({ rows, isTransaction: true } as Tx, {} as CodeVault, ["ord_1"]);
  clearInterval(timer);
  assert.deepEqual(
    stored.map((ids) => ids.length),
    [500, 1],
  );
  assert.equal(new Set(stored.flat()).size, CODES);
  assert.ok(others > 1, `others ran ${others} times`);
});
