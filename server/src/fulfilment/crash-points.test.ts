import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { balanceOf } from "../../testing/builders/buyers.ts";
import { openOrdersStory } from "../../testing/crash/crash-orders.ts";
import { type CrashStory, readEnd, soldFor } from "../../testing/crash/crash-story.ts";
import { type CrashTrack, openCrashTracks } from "../../testing/crash/crash-track.ts";
import { sizeFor } from "../../testing/full-size.ts";
import type { WorkerEnd } from "../../testing/processes/start-worker-process.ts";
import { SEED } from "../../testing/seed.ts";
import { sale } from "../../testing/upstream/upstream-faults.ts";
import { after as heard, before as unheard } from "../../testing/upstream/upstream-steps.ts";
import { wideTest } from "../../testing/wide-test.ts";
import { refundOrder } from "./refund/refund-order.ts";

/** Each has a database and a worker. Fewer of them die at the same points, in more turns. */
const TRACKS = sizeFor("chaos", { share: 2, wide: 5, full: 5 });
const AUDIT_EVERY = 10;
/** Every so many points is the end of a run; where it begins is drawn, so that in time each has its turn. */
const POINT_EVERY = sizeFor("chaos", { share: 48, wide: 24, full: 1 });

let tracks: CrashTrack[];
before(async () => {
  tracks = await openCrashTracks(TRACKS);
});
after(async () => {
  await Promise.all(tracks.map((track) => track.close()));
});

test(`kill -9 between any two statements or calls of fulfilment: every order ends as it should, nothing is bought, delivered or paid twice (SEED=${SEED})`, (t) =>
  killAtEachPoint(t, openOrdersStory, 150));

wideTest(
  `kill -9 between any two statements or calls of an operator's refund: it is paid once, and what arrives late goes to quarantine (SEED=${SEED})`,
  (t) => killAtEachPoint(t, openRefundStory, 40),
);

/**
 * The first run of each track is not killed and tells the points; with fewer than so many it was not the whole story. Then
 * each chosen point is the end of a run of its own. As many runs as there are tracks are killed together, each at its own point.
 */
async function killAtEachPoint(
  t: TestContext,
  openStory: (track: CrashTrack) => Promise<CrashStory>,
  pointsMin: number,
): Promise<void> {
  const stories = await Promise.all(tracks.map(async (track) => ({ track, story: await openStory(track) })));
  const tellAll = (killAts: readonly number[]): Promise<WorkerEnd[]> =>
    Promise.all(stories.map(({ track, story }, index) => tell(track, story, killAts[index] ?? 0)));

  const [points = [], ...others] = (await tellAll([])).map(({ points: passed, ...rest }) => {
    assert.deepEqual(rest, { wasKilled: false, logged: "" });
    return passed;
  });
  for (const other of others) assert.deepEqual(other, points);
  assert.ok(points.length >= pointsMin, points.join("\n"));
  const chosen = choosePoints(points.length);
  for (let next = 0; next < chosen.length; next += tracks.length) {
    // Lanes for which none is left die at the last one too.
    const killAts = tracks.map((_, index) => chosen[next + index] ?? points.length);
    const ends = await tellAll(killAts);
    // It was the same story until there, so that no point is left out.
    for (const [index, killAt] of killAts.entries())
      assert.deepEqual(ends[index], { points: points.slice(0, killAt), wasKilled: true, logged: "" });
  }
  for (const { shop } of tracks) await shop.assertHealthy();
  t.diagnostic(`killed at ${chosen.length} of ${points.length} points`);
}

function choosePoints(count: number): number[] {
  const first = SEED % POINT_EVERY;
  return Array.from({ length: count }, (_, index) => index + 1).filter(
    (point) => point % POINT_EVERY === first,
  );
}

async function tell(track: CrashTrack, story: CrashStory, killAt: number): Promise<WorkerEnd> {
  const end = await story.crash(killAt);
  try {
    await track.worker.workUntilDone();
    await story.check();
    if (killAt % AUDIT_EVERY === 0) await track.shop.assertHealthy();
  } catch (cause) {
    throw new Error(`killed at point ${killAt}, ${end.points.at(-1)}`, { cause });
  }
  return end;
}

/** Two purchases without an answer: one was made, and the other never reached the supplier. */
async function openRefundStory(track: CrashTrack): Promise<CrashStory> {
  const { shop, worker } = track;
  const { db } = shop.scrip;
  const stages = ["pending", "completed"] as const;
  const answerLost = await track.addBought(sale(stages, { place: [heard("reset")] }));
  const requestLost = await track.addBought(sale(stages, { place: [unheard("reset")] }));
  let orderId: string;
  let balance: number;

  return {
    async crash(killAt) {
      balance = await balanceOf(db, shop.buyer);
      orderId = await track.place(() => shop.order([answerLost, 1], [requestLost, 1]));
      await worker.fulfiller.step();
      await worker.fulfiller.idle();
      assert.equal((await readEnd(track, orderId))?.attempts, "open, open");
      const refund = { orderId, lines: undefined, reason: "the supplier does not answer" };
      const end = await track.crash(killAt, refund);
      // The operator's terminal is gone, so the operator asks for it once more.
      await refundOrder(db, shop.clock, refund).catch((error) =>
        assert.match(error.message, /has been refunded already/),
      );
      return end;
    },
    async check() {
      assert.deepEqual(await readEnd(track, orderId), {
        status: "refunded",
        units: "refunded, refunded",
        failureCodes: "temporarily_unavailable, temporarily_unavailable",
        attempts: "quarantined, refused",
        codes: "quarantined late",
      });
      const sold = soldFor(track, orderId).map((of) => of.length);
      assert.deepEqual(sold, [1, 0]);
      assert.equal(await balanceOf(db, shop.buyer), balance);
    },
  };
}
