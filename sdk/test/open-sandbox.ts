import { createTestApp } from "../../server/testing/app/test-app.ts";
import { addListPrice, addProducts } from "../../server/testing/builders/builders.ts";
import { type ForkedNode, forkNode } from "../../server/testing/processes/fork-node.ts";

/** A real server in a process of its own, API and worker, with a catalog. */
export type Sandbox = {
  server: ForkedNode;
  /** The test key of a new reseller, whose sandbox is empty. */
  newKey(): Promise<string>;
  close(): Promise<void>;
};

const PRICE_MINOR = 250;

export async function openSandbox(productIds: readonly string[]): Promise<Sandbox> {
  const scrip = await createTestApp();
  await addProducts(
    scrip.db,
    productIds.map((id) => ({ id })),
  );
  for (const productId of productIds) {
    await addListPrice(scrip.db, { productId, amountMinor: BigInt(PRICE_MINOR) });
  }
  const { connectionString } = scrip;
  const server = await forkNode("server", { connectionString, port: 0, limits: {} });
  return {
    server,
    async newKey() {
      const { id } = await scrip.addReseller();
      return (await scrip.addKey(id, { env: "test" })).key;
    },
    async close() {
      await server.stop();
      await scrip.close();
    },
  };
}
