import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandClock } from "../../../testing/hand-clock.ts";
import type { Json } from "../../lib/strict-json.ts";
import { readBambooWords } from "../bamboo/judge-bamboo.ts";
import { readDtoneWords } from "../dtone/judge-dtone.ts";
import { readReloadlyWords } from "../reloadly/judge-reloadly.ts";
import type { LookUpOutcome } from "../supplier.ts";
import { hearAnswers, plainWord, type ReadWords } from "./hear-answers.ts";
import type { HttpAnswer } from "./supplier-http.ts";
import { limitFor } from "./throttle.ts";

const limit = limitFor(createHandClock(new Date("2030-01-01T00:00:00Z")), 1_000);
const nonsense: LookUpOutcome = { kind: "unknown", reason: "nonsense" };

/** What is kept when a supplier answers one call after another. */
async function hear(read: ReadWords, ...bodies: [status: number, body: Json][]) {
  const answers = bodies.map(
    ([status, body]): HttpAnswer => ({ kind: "answer", status, body, isEmpty: false, headers: {} }),
  );
  const client = { call: async () => answers.shift() ?? ({ kind: "not_sent" } as const) };
  const { said } = await hearAnswers(client, read, async (heard) => {
    for (const _ of bodies) await heard.call({}, limit);
    return nonsense;
  });
  return said;
}

test("a status word, the HTTP status and the id are kept, also of an answer that is not believed", async () => {
  const transaction = { transactionId: "70006", status: "SUCCESSFUL", customIdentifier: "another" };
  const kept = { httpStatus: 200, word: "SUCCESSFUL", upstreamId: "70006" };
  assert.deepEqual(await hear(readReloadlyWords, [200, transaction]), kept);
  assert.deepEqual(await hear(readReloadlyWords, [200, transaction], [500, {}]), kept);
  const dtone = [{ id: "9", status: { message: "ON-HOLD", class: { id: "6", message: "HELD" } } }];
  const onHold = { httpStatus: 200, word: "ON-HOLD", upstreamId: "9" };
  assert.deepEqual(await hear(readDtoneWords, [200, dtone]), onHold);
  const bamboo = { orderId: "91", status: "Succeeded", items: [{ cards: [{ status: "Succeeded" }] }] };
  const succeeded = { httpStatus: 200, word: "Succeeded", upstreamId: "91" };
  assert.deepEqual(await hear(readBambooWords, [200, bamboo]), succeeded);
  assert.equal(await hear(readReloadlyWords), undefined);
});

test("a status that is a code, a pin or an account is not kept", async () => {
  const statusOf = async (read: ReadWords, ...bodies: [number, Json][]) =>
    (await hear(read, ...bodies))?.word;
  const sold = (status: string) => ({ transactionId: "7", status });
  const cards = [{ cardNumber: "6120-2003-ABCD", pinCode: "PIN8506" }];
  for (const secret of ["6120-2003-ABCD", "61202003abcd", "SOLD 6120 2003 ABCD", "PIN8506"])
    assert.equal(await statusOf(readReloadlyWords, [200, sold(secret)], [200, cards]), undefined, secret);
  const voucher = [{ id: "1", status: { message: "VOUCH-1" }, pin: { code: "VOUCH-1" } }];
  assert.equal(await statusOf(readDtoneWords, [200, voucher]), undefined);
  const account = [
    { id: "1", status: { message: "acct77" }, credit_party_identifier: { account_number: "ACCT77" } },
  ];
  assert.equal(await statusOf(readDtoneWords, [200, account]), undefined);
  const order = { orderId: "1", status: "AQFH-DZ8X", items: [{ cards: [{ cardCode: "AQFH-DZ8X" }] }] };
  assert.equal(await statusOf(readBambooWords, [200, order]), undefined);
});

test("only a short plain word is one", () => {
  for (const word of ["SUCCESSFUL", "ON HOLD-2", "1006001", "a_b", "x".repeat(40)])
    assert.equal(plainWord(word, ["Gift card", ""]), word, word);
  for (const odd of [
    "",
    " ",
    "x".repeat(41),
    "Fehler für",
    "a\nb",
    "<b>",
    "mail@x.example",
    "no 49170123456",
  ])
    assert.equal(plainWord(odd, []), undefined, odd);
  assert.equal(plainWord("SUCCESSFUL", ["success", "SUCC"]), undefined, "part of it is another text");
  assert.equal(plainWord("SUCCESSFUL", ["SUCC"]), "SUCCESSFUL");
});
