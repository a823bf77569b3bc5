import assert from "node:assert/strict";
import { test } from "node:test";
import { compareFigures, keyOf, parseFigures, readCommittedFigures } from "./committed-figures.ts";

const DOCUMENT = `# Benchmarks

## orders

- a note | with a bar

| what | measured | goal | |
|---|---|---|---|
| one wallet, 64 callers | 2700 orders/s, p50 21.8 ms |  |  |
| one wallet against pgbench | 1.63× | ≥ 2.2× | **missed** |

## catalog

| what | measured | goal | |
|---|---|---|---|
| ratio of the two | 0.65 | ≥ 0.85 | **missed** |
`;

test("the figures of a document are found by benchmark and row", () => {
  const figures = parseFigures(DOCUMENT);
  assert.equal(figures.get(keyOf("orders", "one wallet, 64 callers")), "2700 orders/s, p50 21.8 ms");
  assert.equal(figures.get(keyOf("catalog", "ratio of the two")), "0.65");
  assert.equal(figures.get(keyOf("catalog", "one wallet, 64 callers")), undefined);
});

test("a figure is compared by its ratio, or else by its first number", () => {
  assert.equal(compareFigures("2700 orders/s, p50 21.8 ms", "2835 orders/s, p50 9 ms"), "1.05× of 2700");
  assert.equal(compareFigures("8.3 and 8.5 ms, 1.02×", "20.3 and 10.1 ms, 0.51×"), "0.50× of 1.02");
  assert.equal(compareFigures("0.65", "0.78"), "1.20× of 0.65");
  assert.equal(compareFigures(undefined, "0.78"), "");
  assert.equal(compareFigures("not on this machine", "1659 transactions/s"), "");
});

test("the committed document has figures of the main benchmarks", () => {
  const figures = readCommittedFigures();
  for (const name of ["catalog", "orders", "fulfilment", "webhooks"])
    assert.ok(
      [...figures.keys()].some((key) => key.startsWith(keyOf(name, ""))),
      name,
    );
});
