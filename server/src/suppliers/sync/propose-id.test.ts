import assert from "node:assert/strict";
import { test } from "node:test";
import type { SupplierOffer } from "../supplier.ts";
import { hideNames, proposeId, takeId, withoutNames } from "./propose-id.ts";

const HIDDEN = hideNames(["reloadly", "dtone", "DT One", "Acme Cards GmbH"]);
const offer = (changes: Partial<SupplierOffer>): SupplierOffer => ({
  sku: "4521",
  name: "Nimbus US",
  brand: "Nimbus",
  country: "US",
  face: { amount: "10", currency: "USD" },
  cost: { amountMinor: 975n, currency: "USD" },
  ...changes,
});

test("an id has brand, country and value, and never the supplier, its kind or its number", () => {
  const { brand: _, ...unbranded } = offer({});
  const { country: __, ...worldwide } = offer({});
  const cases: [SupplierOffer, string][] = [
    [offer({}), "nimbus-us-10"],
    [offer({ face: { amount: "12.50", currency: "USD" } }), "nimbus-us-12-50"],
    [worldwide, "nimbus-10"],
    [{ ...unbranded, name: "Zephyr Play US 10 USD" }, "zephyr-play-us-10"],
    [{ ...unbranded, name: "Nimbus 4521" }, "nimbus-us-10"],
    [offer({ brand: "Reloadly Nimbus" }), "nimbus-us-10"],
    [offer({ brand: "DT-ONE: Gems" }), "gems-us-10"],
    [offer({ brand: "Gems by Acme Cards GmbH" }), "gems-by-us-10"],
    [offer({ brand: "xreloadlyx" }), "xx-us-10"],
    [offer({ brand: "relo reloadly adly" }), "nimbus-us-10"],
    [offer({ brand: "4521" }), "nimbus-us-10"],
    [offer({ brand: "Ñandú & L'Été" }), "nandu-lete-us-10"],
    [offer({ brand: "腾讯", name: "腾讯" }), "card-us-10"],
    [offer({ brand: "<img src=x onerror=alert(1)>" }), "img-src-x-onerror-alert-1-us-10"],
    [offer({ brand: "very ".repeat(1_000) }), "very-very-very-very-very-very-ve-us-10"],
  ];
  for (const [given, expected] of cases) assert.equal(proposeId(given, HIDDEN), expected);
});

test("names are hidden from texts however they are spaced, and the rest stays as it is", () => {
  assert.equal(withoutNames("Reloadly – Nimbus (US)", HIDDEN), "Nimbus (US)");
  assert.equal(withoutNames("Gems, dt one", HIDDEN), "Gems,");
  assert.equal(withoutNames("Nimbus   Gold", HIDDEN), "Nimbus   Gold");
  assert.equal(withoutNames("DT One", HIDDEN), "");
});

test("a taken id gets a number, and stays taken", () => {
  const taken = new Set(["nimbus-us-10", "nimbus-us-10-2"]);
  assert.deepEqual(
    [takeId("nimbus-us-10", taken), takeId("nimbus-us-10", taken)],
    ["nimbus-us-10-3", "nimbus-us-10-4"],
  );
});
