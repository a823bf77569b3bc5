import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { raw } from "sql-template-tag";
import {
  type ImportFault,
  type ImportResult,
  importCatalog,
} from "../../src/catalog/files/import-catalog.ts";
import type { Db } from "../../src/db/database.ts";
import { createTestDatabase } from "../database/test-database.ts";

export type Imported = { result: ImportResult; faults: ImportFault[] };

export type SampleProduct = { id: string; name?: string; [key: string]: unknown };

export type CatalogBench = {
  db: Db;
  /** The folder for the files. */
  folder: string;
  write(text: string, name: string): Promise<string>;
  importText(text: string, name?: string): Promise<Imported>;
  /** One product per line, the first on line 2. */
  importProducts(...products: SampleProduct[]): Promise<Imported>;
  clear(): Promise<void>;
  drop(): Promise<void>;
};

/** A separate database and folder for tests that import catalog files. */
export async function createCatalogBench(): Promise<CatalogBench> {
  const database = await createTestDatabase();
  const { db } = database;
  const folder = await mkdtemp(join(tmpdir(), "scrip-catalog-"));
  const write = async (text: string, name: string): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };
  const importText = async (text: string, name = "catalog.json"): Promise<Imported> => {
    const faults: ImportFault[] = [];
    const file = await write(text, name);
    const result = await importCatalog(db, { file, onFault: (fault) => faults.push(fault) });
    return { result, faults };
  };
  return {
    db,
    folder,
    write,
    importText,
    importProducts: (...products) => importText(toCatalogText(products)),
    clear: async () => {
      // A truncate reaches twenty tables and takes a third of a second of CPU.
      for (const table of [
        "list_prices",
        "reseller_prices",
        "unlisted_products",
        "product_supply",
        "products",
      ])
        await db.rows(raw(`delete from ${table}`));
    },
    drop: async () => {
      await rm(folder, { recursive: true, force: true });
      await database.drop();
    },
  };
}

const toCatalogText = (products: readonly SampleProduct[]): string =>
  `{"products": [\n${products.map((product) => JSON.stringify(withDefaults(product))).join(",\n")}\n]}`;

export const withDefaults = (product: SampleProduct): SampleProduct => ({
  name: "Nimbus 25 USD",
  faceValue: { amount: "25.00", currency: "USD" },
  ...product,
});
