import assert from "node:assert/strict";
import { test } from "node:test";
import { createRateTable } from "./choose-rate.ts";
import { formatDecimal } from "./fraction.ts";
import type { FxRate } from "./fx-rate.ts";
import { REFERENCE_MAX_BYTES, readEcbRates } from "./read-ecb.ts";

const DAILY = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender>
		<gesmes:name>European Central Bank</gesmes:name>
	</gesmes:Sender>
	<Cube>
		<Cube time='2030-01-15'>
			<Cube currency='USD' rate='1.0852'/>
			<Cube currency="JPY" rate="169.27"/>
			<Cube currency='BGN' rate='1.9558'/>
		</Cube>
	</Cube>
</gesmes:Envelope>
`;

test("the daily file gives its day and its rates; a currency that is none any more is left out", () => {
  assert.deepEqual(readEcbRates(DAILY), {
    date: "2030-01-15",
    rates: [
      { base: "EUR", quote: "USD", rate: "1.0852" },
      { base: "EUR", quote: "JPY", rate: "169.27" },
    ],
  });
});

const BROKEN: readonly [string, string, RegExp][] = [
  ["an HTML page", "<!doctype html><html><body>Not found</body></html>", /not the XML/],
  ["an entity", DAILY.replace("<Cube>", "<!DOCTYPE x [<!ENTITY a 'b'>]><Cube>"), /not the XML/],
  ["half a file", DAILY.slice(0, 400), /not the XML|not one complete/],
  [
    "two days",
    DAILY.replace("</Cube>\n\t</Cube>", "</Cube><Cube time='2030-01-14'></Cube>\n\t</Cube>"),
    /several days/,
  ],
  ["a currency twice", DAILY.replace("JPY", "USD"), /USD twice/],
  ["a rate of zero", DAILY.replace("1.0852", "0"), /more than zero/],
  ["a rate with a sign", DAILY.replace("1.0852", "-1"), /is not a rate/],
  ["an exponent", DAILY.replace("1.0852", "1e5"), /is not a rate/],
  ["no rates", DAILY.replaceAll(/<Cube currency[^>]*>/g, ""), /no reference rates/],
  ["no such day", DAILY.replace("2030-01-15", "2030-02-31"), /is not a date/],
  ["a crossed end", DAILY.replace("</gesmes:Sender>", "</Cube>"), /closes nothing/],
  ["a huge file", DAILY + " ".repeat(REFERENCE_MAX_BYTES), /larger than/],
];

for (const [name, text, reason] of BROKEN)
  test(`${name} is refused as a whole`, () => {
    assert.throws(() => readEcbRates(text), reason);
  });

const NOW = new Date("2030-01-15T12:00:00Z");
const HOUR_MS = 3_600_000;
let lastId = 0n;
const rate = (
  pair: string,
  value: string,
  source: FxRate["source"],
  ageHours: number,
  until?: number,
): FxRate => {
  lastId += 1n;
  return {
    id: lastId,
    base: pair.slice(0, 3),
    quote: pair.slice(4),
    rate: value,
    source,
    supplierId: source === "supplier" ? "sup_one" : null,
    at: new Date(NOW.getTime() - ageHours * HOUR_MS),
    until: until === undefined ? null : new Date(NOW.getTime() + until * HOUR_MS),
  };
};
const ask = (rates: FxRate[], base: string, quote: string): string => {
  const answer = createRateTable(rates, NOW, 24 * HOUR_MS)(base, quote);
  return answer.kind === "rate" ? formatDecimal(answer.rate.value, 6) : answer.kind;
};

test("a pin is stronger than a feed, a feed than a reference; one that has ended gives way", () => {
  const [pin, feed, reference] = [
    rate("USD/EUR", "0.9", "pin", 30, 1),
    rate("USD/EUR", "0.8", "supplier", 1),
    rate("EUR/USD", "2", "reference", 2),
  ];
  assert.equal(ask([reference, feed, pin], "USD", "EUR"), "0.9", "a pin is as good as its end says");
  assert.equal(ask([reference, feed, { ...pin, until: NOW }], "USD", "EUR"), "0.8");
  assert.equal(ask([reference, rate("USD/EUR", "0.8", "supplier", 25)], "USD", "EUR"), "0.5");
  assert.equal(ask([rate("USD/EUR", "0.8", "supplier", 24)], "USD", "EUR"), "stale");
  assert.equal(ask([], "USD", "EUR"), "missing");
  assert.equal(ask([rate("USD/EUR", "7", "pin", 3, 5), rate("USD/EUR", "8", "pin", 1)], "USD", "EUR"), "8");
});

test("other pairs go over the euro, exactly; as old as the older of the two", () => {
  const rates = [rate("EUR/USD", "1.25", "reference", 1), rate("EUR/JPY", "160.5", "reference", 2)];
  assert.equal(ask(rates, "USD", "JPY"), "128.4");
  assert.equal(
    ask([rate("EUR/USD", "1.25", "reference", 1), rate("EUR/JPY", "160", "reference", 30)], "USD", "JPY"),
    "stale",
  );
  assert.equal(
    ask([...rates, rate("USD/JPY", "100", "reference", 5)], "USD", "JPY"),
    "100",
    "the pair itself comes first",
  );
  assert.equal(ask(rates, "USD", "KWD"), "missing");
  assert.equal(ask([], "KWD", "KWD"), "1");
});
