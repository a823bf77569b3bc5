import assert from "node:assert/strict";
import { after, test } from "node:test";
import { addProducts } from "../../../testing/builders/builders.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { openConsoleDesk } from "../../../testing/people/console-desk.ts";
import { createReseller } from "../../resellers/create-reseller.ts";

const desk = await openConsoleDesk();
after(desk.close);
const { db, clock } = desk;

test("an empty installation is told what is missing, one thing after the other, and not that all is fine", async () => {
  const viewer = await desk.enter("viewer");
  const missing = async (): Promise<string[]> => {
    const { body } = await viewer.get("/");
    return [...body.matchAll(/href="(\/\w+)">(No \w+ yet)</g)].map(([, path, what]) => `${what} ${path}`);
  };
  const all = ["No supplier yet /suppliers", "No product yet /products", "No price yet /prices"];
  assert.deepEqual(await missing(), [...all, "No reseller yet /resellers"]);
  const empty = (await viewer.get("/")).body;
  assert.match(empty, /4 things need you\./);
  assert.doesNotMatch(empty, /are fine/);
  await addSupplierRow(db, { name: "Warehouse" });
  assert.deepEqual((await missing())[0], all[1]);
  await addProducts(db, [{ id: "card" }]);
  await createReseller(db, clock, { name: "Corner", currency: "USD", email: "owner@corner.example" });
  const { body } = await viewer.get("/");
  assert.doesNotMatch(body, /No (supplier|product|reseller) yet/);
});
