import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import fc from "fast-check";
import sql from "sql-template-tag";
import { anyCharacter } from "../../../testing/any-character.ts";
import { type CatalogBench, createCatalogBench } from "../../../testing/builders/catalog-files.ts";
import { isWide } from "../../../testing/full-size.ts";
import { isPlainText } from "../../lib/plain-text.ts";
import { exportCatalog } from "./export-catalog.ts";

let bench: CatalogBench;

before(async () => {
  bench = await createCatalogBench();
});
after(() => bench?.drop());
afterEach(() => bench.clear());

type FileFormat = "json" | "csv";

async function exportText(format: FileFormat): Promise<string> {
  let text = "";
  await exportCatalog(bench.db, {
    format,
    write(chunk) {
      text += chunk;
    },
  });
  return text;
}

async function importText(text: string, format: FileFormat) {
  const { result, faults } = await bench.importText(text, `catalog.${format}`);
  assert.deepEqual(faults, []);
  return result;
}

const importProducts = (products: readonly object[]) => importText(JSON.stringify({ products }), "json");

const crystals = {
  id: "arcadia-325",
  name: 'Arcadia "Legends", 325',
  type: "top_up",
  faceValue: { amount: "325", currency: "USD", unit: "Crystals", isMoney: false },
  bonus: "+25",
  minQuantity: 1,
  maxQuantity: 5,
  inputFields: [
    {
      key: "region",
      type: "select",
      required: true,
      regex: "",
      options: [{ value: "eu", label: "Europe", parentValue: "" }],
    },
    { key: "player", type: "text", required: true, regex: '^"?[0-9]+$', options: [] },
  ],
  active: false,
  hidden: true,
  brand: "Arcadia",
  category: "Games",
  country: "DE",
  description: "One line,\nanother line",
  redeemInstructions: "Sign in.",
  terms: "None.",
  imageUrl: "https://img.example/a.png",
};
const card = { id: "Nimbus-5", name: "Nimbus 5 USD", faceValue: { amount: "5", currency: "USD" } };

test("JSON has one product per line, by id, with members in the order of the contract", async () => {
  await importProducts([crystals, card]);
  assert.equal(
    await exportText("json"),
    '{"products": [\n' +
      '{"id":"Nimbus-5","name":"Nimbus 5 USD","type":"gift_card",' +
      '"faceValue":{"amount":"5","currency":"USD","unit":"USD","isMoney":true},"bonus":"",' +
      '"minQuantity":1,"maxQuantity":10,"inputFields":[],"active":true,"hidden":false},\n' +
      `${JSON.stringify(crystals)}\n]}\n`,
  );
});

test("CSV has the same content, quoted where necessary", async () => {
  await importProducts([crystals, card]);
  const quotedFields = JSON.stringify(crystals.inputFields).replaceAll('"', '""');
  assert.equal(
    await exportText("csv"),
    "id,name,type,faceValue.amount,faceValue.currency,faceValue.unit,faceValue.isMoney,bonus,minQuantity," +
      "maxQuantity,inputFields,active,hidden,brand,category,country,description,redeemInstructions,terms,imageUrl\n" +
      "Nimbus-5,Nimbus 5 USD,gift_card,5,USD,USD,true,,1,10,[],true,false,,,,,,,\n" +
      `arcadia-325,"Arcadia ""Legends"", 325",top_up,325,USD,Crystals,false,+25,1,5,"${quotedFields}",false,true,` +
      'Arcadia,Games,DE,"One line,\nanother line",Sign in.,None.,https://img.example/a.png\n',
  );
});

test("a file that does not name a detail keeps it, and empty text removes it, in both formats", async () => {
  await importProducts([crystals]);
  const bare = { ...card, id: crystals.id };
  const counts = (result: object) =>
    assert.deepEqual(result, { ok: true, created: 0, updated: 1, unchanged: 0 });
  counts(await importProducts([bare]));
  assert.match(await exportText("json"), /"hidden":true,"brand":"Arcadia","category":"Games","country":"DE"/);
  counts(await importProducts([{ ...bare, brand: "", country: "" }]));
  assert.match(await exportText("json"), /"hidden":true,"category":"Games","description"/);
  counts(
    await importText(
      `id,name,faceValue.amount,faceValue.currency,category,terms\n${bare.id},N,5,USD,,\n`,
      "csv",
    ),
  );
  assert.match(
    await exportText("json"),
    /"hidden":true,"description":.*"redeemInstructions":"Sign in.","imageUrl"/,
  );
});

test("an empty catalog exports to a file that imports nothing", async () => {
  for (const format of ["json", "csv"] as const) {
    const result = await importText(await exportText(format), format);
    assert.deepEqual(result, { ok: true, created: 0, updated: 0, unchanged: 0 });
  }
});

test("importing an export reports everything as unchanged, across many batches", async () => {
  const products = Array.from({ length: 2_345 }, (_, index) => ({
    ...card,
    id: `p${index}`,
    hidden: index % 2 === 0,
  }));
  await importProducts(products);
  for (const format of ["json", "csv"] as const) {
    const result = await importText(await exportText(format), format);
    assert.deepEqual(result, { ok: true, created: 0, updated: 0, unchanged: 2_345 });
  }
});

test("an export is a snapshot, regardless of concurrent writes", async () => {
  await importProducts(Array.from({ length: 2_500 }, (_, index) => ({ ...card, id: `p${index}` })));
  let isFirst = true;
  let text = "";
  await exportCatalog(bench.db, {
    format: "csv",
    async write(chunk) {
      if (isFirst) await bench.db.rows(sql`update products set name = 'Changed'`);
      isFirst = false;
      text += chunk;
    },
  });
  assert.doesNotMatch(text, /Changed/);
  assert.equal(text.split("\n").length, 2_502);
});

test("a writer that fails ends the export with its error", async () => {
  await importProducts([card]);
  const write = () => Promise.reject(new Error("no space left"));
  await assert.rejects(exportCatalog(bench.db, { format: "json", write }), /no space left/);
});

/** Text that products can contain: any character except control characters and U+FFFD. */
const text = (minLength: number, maxLength: number) =>
  fc
    .string({
      unit: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(..."a,\"';|\\ é=") }, anyCharacter),
      minLength,
      maxLength,
    })
    .filter(
      (value) =>
        value.length >= minLength &&
        value.length <= maxLength &&
        isPlainText(value) &&
        !value.includes("\uFFFD"),
    );

const fields = fc.uniqueArray(
  fc.record({
    key: fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/),
    type: fc.constantFrom("text", "number"),
    required: fc.boolean(),
    regex: fc.constantFrom("", "^[0-9]{1,5}$", '^"\\d,\\p{L}+$'),
  }),
  { maxLength: 3, selector: (field) => field.key },
);

const cascade = fc
  .record({
    regions: fc.uniqueArray(text(1, 8), { minLength: 1, maxLength: 3 }),
    servers: fc.uniqueArray(text(1, 8), { minLength: 1, maxLength: 3 }),
    label: text(1, 20),
  })
  .map(({ regions, servers, label }) => [
    { key: "region", type: "select", options: regions.map((value) => ({ value, label })) },
    {
      key: "server",
      type: "select",
      required: true,
      options: regions.flatMap((parentValue) => servers.map((value) => ({ value, parentValue }))),
    },
  ]);

const faceValues = fc.oneof(
  fc.record({ amount: fc.stringMatching(/^[0-9]{1,18}\.[0-9]{3}$/), currency: fc.constant("KWD") }),
  fc.record({
    amount: fc.stringMatching(/^[0-9]{1,18}(\.[0-9]{1,8})?$/),
    currency: fc.constantFrom("USD", "JPY"),
    unit: text(1, 32),
    isMoney: fc.constant(false),
  }),
);

const products = fc.uniqueArray(
  fc.record(
    {
      id: fc.stringMatching(/^[A-Za-z0-9._:-]{1,20}$/),
      name: text(1, 40).filter((name) => name.trim() !== ""),
      type: fc.constantFrom("gift_card", "top_up"),
      faceValue: faceValues,
      bonus: text(0, 30),
      minQuantity: fc.integer({ min: 1, max: 9 }),
      maxQuantity: fc.integer({ min: 9, max: 10_000 }),
      inputFields: fc.oneof(fields, cascade),
      active: fc.boolean(),
      hidden: fc.boolean(),
      brand: text(1, 20).filter((value) => value.trim() !== ""),
      country: fc.constantFrom("DE", "US"),
      description: fc.array(text(0, 10), { maxLength: 3 }).map((lines) => lines.join("\n")),
    },
    { requiredKeys: ["id", "name", "faceValue"] },
  ),
  { maxLength: 8, selector: (product) => product.id },
);

test("any products, exported and imported into an empty database, export to the same bytes", async () => {
  await fc.assert(
    fc.asyncProperty(products, fc.constantFrom<FileFormat>("json", "csv"), async (sample, format) => {
      await bench.clear();
      await importProducts(sample);
      const exported = await exportText(format);
      await bench.clear();
      const result = await importText(exported, format);
      assert.deepEqual(result, { ok: true, created: sample.length, updated: 0, unchanged: 0 });
      assert.equal(await exportText(format), exported);
    }),
    { numRuns: isWide() ? 60 : 20 },
  );
});
