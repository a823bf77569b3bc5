import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, before, test } from "node:test";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import { checkPage } from "../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../testing/browser/open-browser.ts";
import { fillGoods } from "../../testing/builders/console-goods.ts";
import { openConsoleOn } from "../../testing/people/console-desk.ts";

let scrip: TestApp;
let desk: Awaited<ReturnType<typeof openConsoleOn>>;
let browser: TestBrowser;
let url: string;
let cookie: { name: string; value: string };
let goods: Awaited<ReturnType<typeof fillGoods>>;

before(async () => {
  scrip = await createTestApp();
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
  [desk, browser] = await Promise.all([openConsoleOn(scrip, { url }), openBrowser()]);
  await desk.console.listen({ host: "127.0.0.1", port });
  const admin = await desk.enter("admin");
  cookie = { name: "scrip-console", value: admin.cookie };
  goods = await fillGoods(scrip, admin.accountId);
});
after(async () => {
  await Promise.all([browser?.close(), desk?.console.close()]);
  await scrip?.close();
});

const VIEWS = [
  { theme: "light", width: 1280 },
  { theme: "dark", width: 390 },
] as const;

test("alerts, jobs, products, suppliers and stock are sound in a browser, light and wide, dark and narrow", async () => {
  const { productId, upstream, jobs } = goods;
  for (const path of [
    ...["/alerts", "/guide", "/stock/import", `/products/${productId}`, `/suppliers/${upstream}`],
    `/jobs/${jobs.preview}`,
  ])
    assert.deepEqual(
      await checkPage(browser.browser, { url: `${url}${path}`, cookie, views: VIEWS }),
      [],
      path,
    );
});

test("a file of codes is imported through the form, with scripts and without", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.browser.newContext({ javaScriptEnabled });
    await context.addCookies([{ ...cookie, url }]);
    const page = await context.newPage();
    await page.goto(`${url}/stock/import?product=${goods.productId}`);
    await page.getByRole("button", { name: "Import codes" }).click();
    await page.getByText("Choose a file.").first().waitFor();
    const name = `codes-${javaScriptEnabled}.csv`;
    await page
      .getByLabel("File")
      .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from("code\nB-1\n") });
    await page.getByRole("button", { name: "Import codes" }).click();
    await page.getByText("The import has started").waitFor();
    assert.match(page.url(), /\/jobs\/job_/);
    await context.close();
  }
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
