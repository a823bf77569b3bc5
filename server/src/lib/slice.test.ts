import assert from "node:assert/strict";
import { test } from "node:test";
import { type LookedRow, lookInSteps } from "./slice.ts";

type Row = { id: string };

/** A thousand rows, newest first, of which every nth matches, and how many each look examined. */
function rowsWith(everyNth: number, limit: number) {
  const ids = Array.from({ length: 1_000 }, (_, index) => String(999 - index).padStart(4, "0"));
  const looks: number[] = [];
  const look = async (examinedMax: number): Promise<LookedRow<Row>[]> => {
    looks.push(examinedMax);
    const examined = ids.slice(0, examinedMax);
    const counted = { examined: examined.length, lastExaminedId: examined.at(-1) ?? null };
    const found = examined.filter((id) => Number(id) % everyNth === 0).slice(0, limit + 1);
    return found.length === 0 ? [{ ...counted, id: null }] : found.map((id) => ({ ...counted, id }));
  };
  return { looks, slice: lookInSteps<Row>(limit, 300, look) };
}

test("a page that the first rows fill examines no more of them", async () => {
  const { looks, slice } = rowsWith(2, 10);
  const { rows, nextBeforeId } = await slice;
  assert.deepEqual([looks, rows.length, nextBeforeId], [[22], 10, "0980"]);
});

test("a page with rare matches examines as many rows as it may, and the next one continues there", async () => {
  const { looks, slice } = rowsWith(100, 10);
  const { rows, nextBeforeId } = await slice;
  assert.deepEqual(
    [looks, rows.map(({ id }) => id), nextBeforeId],
    [[22, 300], ["0900", "0800", "0700"], "0700"],
  );
});

test("a large page looks once too, if its first rows fill it", async () => {
  const { looks, slice } = rowsWith(2, 100);
  assert.equal((await slice).rows.length, 100);
  assert.deepEqual(looks, [202]);
});
