import { setTimeout as wait } from "node:timers/promises";
import { createRandom } from "../../server/testing/seed.ts";
import { call } from "../call.ts";
import type { Recorder, Wanted } from "../recorder.ts";
import type { Actor } from "./placers.ts";

/** As many callers place orders while one reads. */
const PLACERS_PER_READER = 8;
const PAUSE_MAX_MS = 100;

/** The statuses that can follow each status, after any number of steps. */
const LATER: Record<string, readonly string[]> = {
  pending: ["pending", "processing", "completed", "failed", "refunded"],
  processing: ["processing", "completed", "failed", "refunded"],
  completed: ["completed", "refunded"],
  failed: ["failed", "refunded"],
  refunded: ["refunded"],
};

/** Readers that check acknowledged orders: they always exist, never go back, and their codes never change. */
export const readBack: Actor = async (world, accounts, recorder, weather) => {
  const seen = new Map<string, string>();
  const reader = async (number: number) => {
    const random = createRandom(weather.seed + 2_000 + number);
    while (weather.isStormy) {
      await wait(random.below(PAUSE_MAX_MS * (weather.slowness ?? 1)));
      if (recorder.acknowledged.length === 0) continue;
      const order = random.pick(recorder.acknowledged);
      const account = accounts.find(
        ({ resellerId, environment }) => resellerId === order.resellerId && environment === order.environment,
      );
      if (!account) continue;
      const { id } = order.told;
      const before = seen.get(id) ?? "pending";
      const ask = (path: string) =>
        call(random.pick(world.apis).port, account.key, "GET", path).catch(() => undefined);
      const read = await ask(`/v1/orders/${id}`);
      if (read && isAnswer(read.status)) noteStatus(recorder, seen, order, before, read);
      const codes = await ask(`/v1/orders/${id}/codes`);
      if (codes && isAnswer(codes.status)) noteCodes(recorder, id, codes);
    }
  };
  const readers = Math.ceil(weather.placers / PLACERS_PER_READER);
  await Promise.all(Array.from({ length: readers }, (_, number) => reader(number)));
};

/** An outage is 503, and the key might just have been revoked. */
const isAnswer = (status: number): boolean => status !== 503 && status !== 401;

function noteStatus(
  recorder: Recorder,
  seen: Map<string, string>,
  { told }: Wanted,
  before: string,
  { status, body }: { status: number; body: string },
): void {
  const id = told?.id ?? "";
  recorder.counts.reads += 1;
  if (status !== 200) {
    recorder.contradictions.push(`${id} was told and is ${status} ${body}`);
    return;
  }
  const { order } = JSON.parse(body) as { order: { status: string; total: { amount: number } } };
  if (order.total.amount !== told?.totalMinor)
    recorder.contradictions.push(`${id} was told as ${told?.totalMinor} and reads ${order.total.amount}`);
  if (!LATER[before]?.includes(order.status))
    recorder.contradictions.push(`${id} went from ${before} to ${order.status}`);
  if (LATER[seen.get(id) ?? "pending"]?.includes(order.status)) seen.set(id, order.status);
}

/** Codes are added while units are delivered; codes that were read stay. */
function noteCodes(recorder: Recorder, id: string, { status, body }: { status: number; body: string }): void {
  const before = recorder.codes.get(id) ?? new Map<string, string>();
  if (status === 409 && before.size === 0) return;
  if (status !== 200) {
    recorder.contradictions.push(`the codes of ${id} are ${status} ${body}`);
    return;
  }
  const { data } = JSON.parse(body) as { data: { id: string; code: string }[] };
  const now = new Map(data.map((one) => [one.id, one.code]));
  for (const [codeId, code] of before)
    if (now.get(codeId) !== code)
      recorder.contradictions.push(`a code of ${id} is gone or has become another`);
  recorder.codes.set(id, new Map([...before, ...now]));
}
