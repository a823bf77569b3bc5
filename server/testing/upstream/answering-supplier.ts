import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { addSupplier } from "../../src/suppliers/add-supplier.ts";
import { type FakeKind, SECRETS } from "./supplier-fakes.ts";

type Deps = Parameters<typeof addSupplier>[0];

const TOKEN = JSON.stringify({ access_token: "t", expires_in: 5_183_944 });

/**
 * A supplier that is added, and whose server answers each path with the text that the test gives it, or with what the test makes of the
 * parameters of the address.
 */
export async function addAnsweringSupplier(deps: Deps, kind: FakeKind, name: string) {
  const answers: Record<string, string | ((query: URLSearchParams) => string)> = {};
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "http://supplier.example");
      const answer = url.pathname === "/oauth/token" ? TOKEN : (answers[url.pathname] ?? "");
      response.end(typeof answer === "string" ? answer : answer(url.searchParams));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configs: Record<FakeKind, Record<string, string | number>> = {
    reloadly: { clientId: "c", clientSecret: SECRETS.reloadly, baseUrl, authUrl: baseUrl },
    bamboo: { clientId: "c", clientSecret: SECRETS.bamboo, accountId: 17, baseUrl },
    dtone: { apiKey: "k", apiSecret: SECRETS.dtone, baseUrl },
  };
  const { id } = await addSupplier(deps, { kind, name, ratePerSecond: 1_000, config: configs[kind] });
  return { id, answers, close: () => server.close() };
}
