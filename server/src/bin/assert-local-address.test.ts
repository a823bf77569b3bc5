import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLocalAddress } from "./assert-local-address.ts";

test("an address of this machine is accepted, another one stops the start with a line that names the setting", async () => {
  await assertLocalAddress("WEBHOOK_LOCAL_ADDRESS", "127.0.0.1");
  await assert.rejects(assertLocalAddress("WEBHOOK_LOCAL_ADDRESS", "203.0.113.9"), {
    message: "WEBHOOK_LOCAL_ADDRESS 203.0.113.9 is not an address of this machine",
  });
});
