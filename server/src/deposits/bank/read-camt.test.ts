import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "./bank-line.ts";
import { readCamt } from "./read-camt.ts";

const IBAN = "DE89370400440532013000";

const entry = (amount: string, more = "", { status = "<Sts>BOOK</Sts>", kind = "CRDT" } = {}): string =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${kind}</CdtDbtInd>${status}
   <BookgDt><Dt>2030-01-02</Dt></BookgDt>${more}</Ntry>`;
const payment = (text: string, more = ""): string =>
  `<TxDtls>${more}<RltdPties><Dbtr><Nm>Ana &amp; Co</Nm></Dbtr></RltdPties><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`;
const details = (...payments: string[]): string => `<NtryDtls>${payments.join("")}</NtryDtls>`;

const statement = (entries: string, { iban = IBAN, summary = "", head = "" } = {}): string =>
  `<?xml version="1.0" encoding="UTF-8"?>${head}
   <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><GrpHdr/><Stmt>
   <Acct><Id><IBAN>${iban}</IBAN></Id></Acct>${summary}${entries}</Stmt></BkToCstmrStmt></Document>`;

const linesOf = (text: string) => readCamt(text).map((row) => ("line" in row ? row.line : row));

test("booked credits are read with account, reference, payer and all remittance texts", () => {
  const structured = "<RmtInf><Strd><CdtrRefInf><Ref>RF18D</Ref></CdtrRefInf></Strd></RmtInf>";
  const text = statement(
    entry("10.50", `<AcctSvcrRef>B1</AcctSvcrRef>${details(payment("In &lt;voice&gt; <![CDATA[<1>]]>"))}`) +
      entry("3", `<AcctSvcrRef>NONREF</AcctSvcrRef>${details(`<TxDtls>${structured}</TxDtls>`)}`, {
        status: "<Sts><Cd>BOOK</Cd></Sts>",
      }),
  );
  const shared = { account: IBAN, bookedOn: "2030-01-02", currency: "EUR" };
  assert.deepEqual(linesOf(text), [
    {
      ...shared,
      ...{
        row: 1,
        entryReference: "B1",
        amountMinor: 1_050n,
        payer: "Ana & Co",
        remittance: "In <voice> <1>",
      },
    },
    {
      ...shared,
      ...{ row: 2, entryReference: undefined, amountMinor: 300n, payer: "", remittance: "RF18D" },
    },
  ]);
});

test("debits, reversals and pending entries are skipped, and a prefix of names does not matter", () => {
  const text = statement(
    entry("1.00", "", { kind: "DBIT" }) +
      entry("1.00", "<RvslInd>true</RvslInd>") +
      entry("1.00", "<RvslInd> 1 </RvslInd>") +
      entry("1.00", "", { status: "<Sts>PDNG</Sts>" }),
  );
  const why = linesOf(text).map((row) => ("skipped" in row ? row.skipped : ""));
  assert.deepEqual(why, ["not an incoming payment", "a reversal", "a reversal", "not booked yet"]);
  for (const no of ["false", "0"])
    assert.ok("line" in (readCamt(statement(entry("1.00", `<RvslInd>${no}</RvslInd>`)))[0] ?? {}), no);
  const prefixed = statement(entry("1.00")).replaceAll(/<(\/?)([A-Z])/g, "<$1c:$2");
  assert.equal(linesOf(prefixed).length, 1);
});

test("a batch has one line for each payment, and each its own reference", () => {
  const amount = (value: string): string => `<AmtDtls><TxAmt><Amt Ccy="EUR">${value}</Amt></TxAmt></AmtDtls>`;
  const batch = (one: string, two: string) =>
    statement(entry("3.00", `<AcctSvcrRef>B2</AcctSvcrRef>${details(payment("x", one), payment("y", two))}`));
  const lines = linesOf(batch(amount("1.00"), amount("2.00")));
  assert.deepEqual(
    lines.map((line) =>
      "amountMinor" in line ? [line.amountMinor, line.entryReference, line.remittance] : line,
    ),
    [
      [100n, "B2/1", "x"],
      [200n, "B2/2", "y"],
    ],
  );
  assert.ok("fault" in (readCamt(batch("", ""))[0] ?? {}));
  const returned = `<CdtDbtInd>DBIT</CdtDbtInd>${amount("1.00")}`;
  const wrong: [one: string, two: string][] = [
    [amount("1.00"), amount("2.01")],
    [amount("2.00"), returned],
    [amount("4.00"), returned],
    [amount("1.00"), amount("2.00").replace("EUR", "USD")],
    [amount("1.00"), amount("2,00")],
  ];
  for (const [one, two] of wrong)
    for (const row of readCamt(batch(one, two)))
      assert.match("fault" in row ? row.fault : "", /do not add up to what arrived/);
});

test("batches without a reference of the bank are separate payments, whichever placeholder they have", () => {
  const reference = (text: string): string => `<AcctSvcrRef>${text}</AcctSvcrRef>`;
  const batch = (text: string, ofEntry: string, ofPayment: string): string => {
    const one = `<Amt Ccy="EUR">1.00</Amt>${ofPayment && `<Refs>${reference(ofPayment)}</Refs>`}`;
    return entry("2.00", reference(ofEntry) + details(payment(`${text} x`, one), payment(`${text} y`, one)));
  };
  const identitiesIn = (...batches: string[]): string[] => {
    const rows = readCamt(statement(batches.join("")));
    return identify(rows.flatMap((row) => ("line" in row ? [row.line] : []))).map(({ identity }) =>
      identity.toString("hex"),
    );
  };
  const differing = (...identities: string[]): number => new Set(identities).size;
  for (const none of ["NONREF", "NOTPROVIDED", "0000", "-", "\n nonref "])
    for (const ofPayment of ["", none, "N/A"]) {
      const first = batch("first", none, ofPayment);
      const second = batch("second", none, ofPayment);
      const about = JSON.stringify([none, ofPayment]);
      assert.equal(differing(...identitiesIn(first, second)), 4, `${about} in one file`);
      assert.equal(differing(...identitiesIn(first, first)), 4, `${about}, equal payments in one file`);
      assert.equal(differing(...identitiesIn(first), ...identitiesIn(second)), 4, `${about} in two files`);
      assert.equal(
        differing(...identitiesIn(first), ...identitiesIn(first, second)),
        4,
        `${about} in a file that overlaps`,
      );
    }
  // A real reference of the batch names its payments, whatever else a file says about them.
  for (const ofPayment of ["", "B3", "NONREF"])
    assert.deepEqual(
      identitiesIn(batch("once", "B3", ofPayment)),
      identitiesIn(batch("again", "B3", ofPayment)),
    );
});

test("a statement with wrong check digits, count or sum is refused", () => {
  assert.throws(() => readCamt(statement(entry("1.00"), { iban: "DE88370400440532013000" })), /check digits/);
  const summary = (count: string, sum: string) =>
    `<TxsSummry><TtlNtries><NbOfNtries>${count}</NbOfNtries><Sum>${sum}</Sum></TtlNtries></TxsSummry>`;
  const two = entry("1.00") + entry("2.00", "", { kind: "DBIT" });
  assert.equal(readCamt(statement(two, { summary: summary("2", "3.00") })).length, 2);
  assert.throws(() => readCamt(statement(two, { summary: summary("3", "3.00") })), /3 entries, but it has 2/);
  assert.throws(
    () => readCamt(statement(two, { summary: summary("2", "4.00") })),
    /sum is 4\.00, but it is 3\.00/,
  );
});

test("hostile and broken XML is refused, quickly", () => {
  const doctype = '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
  for (const [text, message] of [
    [statement(entry("1.00"), { head: doctype }), /document types and entities/],
    [statement(entry("1.00", "<X>&b;</X>")), /an unknown entity/],
    [statement(entry("1.00", "<X>&#0;</X>")), /an unknown entity/],
    [statement(entry("1.00", "<X>a & b</X>")), /an unknown entity/],
    [statement(entry("1.00"), { head: '<?xml-stylesheet href="file:///etc/passwd"?>' }), /processing/],
    ['<?xml version="1.0" encoding="UTF-16"?><Document/>', /UTF-16; save it as UTF-8/],
    [statement("<a><b></a></b>"), /closes nothing/],
    [statement(entry("1.00")).slice(0, -5), /ends too early/],
    [`${statement(entry("1.00"))}<x/>`, /more than one root/],
    ["<a>".repeat(100), /nested more than 32 deep/],
    ["<html><body/></html>", /not a camt\.053 statement/],
    ["<Document><BkToCstmrDbtCdtNtfctn/></Document>", /not a camt\.053 statement/],
    [statement(`<a ${" ".repeat(100_000)}x`), /./],
    [statement(entry("1.00", "<a/>".repeat(200_001))), /more than 200000 elements/],
    [statement("<x a='1' ".repeat(20_000)), /./],
  ] as const)
    assert.throws(() => readCamt(text), message);
});

test("entries with a comma, without a currency or with a wrong date are named", () => {
  const text = statement(
    entry("1,00") +
      "<Ntry><Amt>1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Ntry>" +
      entry("1.00").replace("2030-01-02", "2030-13-02"),
  );
  assert.deepEqual(
    readCamt(text).map((row) => "fault" in row),
    [true, true, true],
  );
});
