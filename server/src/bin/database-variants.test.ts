import { after, before, type TestContext, test } from "node:test";
import { raw } from "sql-template-tag";
import { freshName, smoke } from "../../testing/app/smoke.ts";
import { openTestServer } from "../../testing/database/test-server.ts";
import { connectDatabase, type Db } from "../db/database.ts";
import type { EmbeddedDatabase } from "../db/embedded/open-embedded.ts";

/** A database and a role as others have made them. The role is never a superuser, and owns its database alone. */
type Variant = {
  name: string;
  /** How the database is created. */
  locale?: string;
  settings?: Readonly<Record<string, string>>;
  /** The only schema that the role looks into. */
  schema?: string;
};

const VARIANTS: readonly Variant[] = [
  { name: "Turkish collation", locale: "locale_provider icu icu_locale 'tr-TR' locale 'C'" },
  { name: "a schema of its own", schema: "shop" },
  { name: "row security off", settings: { row_security: "off" } },
  { name: "a timezone of quarters of an hour", settings: { timezone: "Asia/Kathmandu" } },
  { name: "serializable by default", settings: { default_transaction_isolation: "serializable" } },
  { name: "identifiers that are always quoted", settings: { quote_all_identifiers: "on" } },
  { name: "American collation", locale: "locale_provider icu icu_locale 'en-US' locale 'C'" },
  { name: "dates as day, month, year", settings: { datestyle: "SQL, DMY" } },
  { name: "intervals as ISO 8601 writes them", settings: { intervalstyle: "iso_8601" } },
  { name: "strings with backslashes", settings: { standard_conforming_strings: "off" } },
  { name: "bytes that are escaped", settings: { bytea_output: "escape" } },
  { name: "LATIN1 for clients", settings: { client_encoding: "LATIN1" } },
  { name: "a tenth of a second for a statement", settings: { statement_timeout: "100ms" } },
  { name: "a millisecond for a lock", settings: { lock_timeout: "1ms" } },
  {
    name: "JIT for every plan",
    settings: { jit: "on", jit_above_cost: "0", jit_inline_above_cost: "0", jit_optimize_above_cost: "0" },
  },
];

/** Two databases have them all. SCRIP_TEST_VARIANTS=each has each of them alone, to find out which one it was. */
const CASES: readonly (readonly Variant[])[] =
  process.env.SCRIP_TEST_VARIANTS === "each"
    ? VARIANTS.map((variant) => [variant])
    : [VARIANTS.slice(0, 6), VARIANTS.slice(6)];

let server: EmbeddedDatabase;
let admin: Db;
before(async () => {
  server = await openTestServer();
  admin = connect(server.connectionString);
});
after(async () => {
  await admin.close();
  await server.close();
});

const connect = (connectionString: string): Db =>
  connectDatabase({
    connectionString,
    applicationName: "scrip variants",
    poolSize: 1,
    onConnectionLost: () => {},
  });

/** The way to a database of this kind, as its role. Both are gone after the test. */
async function createVariant(t: TestContext, variants: readonly Variant[]): Promise<string> {
  const name = freshName();
  const locale = variants.find((variant) => variant.locale)?.locale ?? "";
  await admin.rows(raw(`create role ${name} login password '${name}'`));
  await admin.rows(raw(`create database ${name} owner ${name} template template0 encoding 'UTF8' ${locale}`));
  t.after(async () => {
    await admin.rows(raw(`drop database ${name} with (force)`));
    await admin.rows(raw(`drop role ${name}`));
  });
  const url = new URL(server.connectionString);
  url.pathname = name;
  const schema = variants.find((variant) => variant.schema)?.schema;
  if (schema) await createSchema(url.href, name, schema);
  for (const [setting, value] of variants.flatMap(({ settings = {} }) => Object.entries(settings)))
    await admin.rows(
      raw(`alter role ${name} set ${setting} to ${value.includes(", ") ? value : `'${value}'`}`),
    );
  [url.username, url.password] = [name, name];
  return url.href;
}

/** Next to a schema that has a migrations table of another program. */
async function createSchema(connectionString: string, role: string, schema: string): Promise<void> {
  const db = connect(connectionString);
  await db.rows(raw(`create schema ${schema} authorization ${role}`));
  await db.rows(raw("create table schema_migrations (version bigint)"));
  await db.close();
  await admin.rows(raw(`alter role ${role} set search_path to ${schema}, public`));
}

for (const variants of CASES) {
  test(`everything works with ${variants.map(({ name }) => name).join(", ")}`, async (t) => {
    await smoke(await createVariant(t, variants));
  });
}
