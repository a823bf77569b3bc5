import { setTimeout as wait } from "node:timers/promises";
import { isDatabaseUnavailable } from "../../server/src/db/database-errors.ts";
import { refundOrder } from "../../server/src/fulfilment/refund/refund-order.ts";
import { revokeKey } from "../../server/src/keys/revoke-key.ts";
import { systemClock } from "../../server/src/lib/clock.ts";
import { moveFunds } from "../../server/src/wallet/move-funds.ts";
import { createRandom } from "../../server/testing/seed.ts";
import { call } from "../call.ts";
import type { Recorder } from "../recorder.ts";
import { newKey, PAYMENT_NOTE } from "../shopfront.ts";
import type { Actor } from "./placers.ts";

const PAUSE_MAX_MS = 2_000;
const RETRY_PAUSE_MS = 100;
const TRIES_MAX = 200;

/** The operator credits wallets. A payment with an unknown outcome is not repeated, as the command says. */
export const payIn: Actor = async (world, accounts, recorder, weather) => {
  const random = createRandom(weather.seed + 3_000);
  for (let count = 0; weather.isStormy; count += 1) {
    await wait(random.below(PAUSE_MAX_MS));
    const { resellerId, environment } = random.pick(accounts);
    const amountMinor = 100 + random.below(900);
    const payment = {
      resellerId,
      environment,
      note: `${PAYMENT_NOTE} ${count}`,
      amountMinor,
      acknowledged: false,
    };
    recorder.payments.push(payment);
    const amount = `${Math.floor(amountMinor / 100)}.${String(amountMinor % 100).padStart(2, "0")}`;
    const input = { direction: "credit", amount, note: payment.note } as const;
    await moveFunds(world.db, systemClock, payment, input).then(
      () => {
        payment.acknowledged = true;
      },
      (error) => noteUnforeseen(recorder, error),
    );
  }
};

/** The operator refunds orders of any status. */
export const refundSome: Actor = async (world, _accounts, recorder, weather) => {
  const random = createRandom(weather.seed + 4_000);
  while (weather.isStormy) {
    await wait(random.below(PAUSE_MAX_MS));
    if (recorder.acknowledged.length === 0) continue;
    const orderId = random.pick(recorder.acknowledged.slice(-200)).told.id;
    await refundOrder(world.db, systemClock, { orderId, lines: undefined, reason: "chaos" }).then(
      () => recorder.refunded.add(orderId),
      (error) => noteUnforeseen(recorder, error),
    );
  }
};

/** Keys are replaced. Once a revocation is acknowledged, every process refuses the old key. */
export const replaceKeys: Actor = async (world, accounts, recorder, weather) => {
  const random = createRandom(weather.seed + 5_000);
  while (weather.isStormy) {
    await wait(random.below(2 * PAUSE_MAX_MS));
    const account = random.pick(accounts);
    const fresh = await newKey(world, account).catch((error) => noteUnforeseen(recorder, error));
    if (!fresh) continue;
    const old = { id: account.keyId, key: account.key };
    [account.keyId, account.key] = [fresh.id, fresh.key];
    const isRevoked = await revokeKey(world.db, systemClock, old.id).then(
      () => true,
      (error) => noteUnforeseen(recorder, error),
    );
    if (!isRevoked) continue;
    recorder.counts.revocations += 1;
    for (const { port } of world.apis) await tryRevoked(recorder, port, old);
  }
};

/** Asks until the process responds. Only 401 is allowed. */
async function tryRevoked(
  recorder: Recorder,
  port: number,
  { id, key }: { id: string; key: string },
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await call(port, key, "GET", "/v1/balance").catch(() => undefined);
    if (answer?.status === 401) return;
    if (answer && answer.status !== 503) {
      recorder.contradictions.push(`${id} was revoked and gets ${answer.status} ${answer.body}`);
      return;
    }
    await wait(RETRY_PAUSE_MS);
  }
}

/** A refusal with a reason, or an outage, is expected. */
export function noteUnforeseen(recorder: Recorder, error: unknown): undefined {
  const isOutage =
    isDatabaseUnavailable(error) || (error instanceof Error && isDatabaseUnavailable(error.cause));
  if (!isOutage && !(error instanceof RangeError)) recorder.contradictions.push(`the operator: ${error}`);
}

/**
 * Signing secrets are rotated. A secret whose response was lost is unknown: the next rotation ends it at once. If its response is lost
 * as well, nothing but an unknown secret can be there until a rotation is answered.
 */
export const rotateSecrets: Actor = async (world, accounts, recorder, weather) => {
  const random = createRandom(weather.seed + 6_000);
  while (weather.isStormy) {
    await wait(random.below(4 * PAUSE_MAX_MS));
    const account = random.pick(accounts);
    const path = `/v1/webhooks/${account.endpointId}/rotate`;
    let unknownFromMs = Number.POSITIVE_INFINITY;
    for (let gracePeriodSeconds = 3_600; ; gracePeriodSeconds = 0) {
      const sentAtMs = Date.now();
      const { port } = random.pick(world.apis);
      const body = { gracePeriodSeconds };
      const answer = await call(port, account.key, "POST", path, body).catch(() => undefined);
      if (answer?.status === 200) {
        const { secret } = JSON.parse(answer.body) as { secret: string };
        recorder.secrets.get(account.name)?.push(secret);
        recorder.counts.rotations += 1;
      }
      // 409: there are three, and none was made.
      if (answer?.status === 200 || answer?.status === 409) break;
      if (gracePeriodSeconds === 0) unknownFromMs = Math.min(unknownFromMs, sentAtMs);
      if (answer && answer.status !== 503 && answer.status !== 401)
        recorder.contradictions.push(`a rotation gets ${answer.status} ${answer.body}`);
      await wait(RETRY_PAUSE_MS);
    }
    if (unknownFromMs < Number.POSITIVE_INFINITY)
      recorder.unknownSecrets.push({ name: account.name, fromMs: unknownFromMs, toMs: Date.now() });
  }
};
