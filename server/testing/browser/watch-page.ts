import type { Browser, Page } from "playwright-core";

/** A page, every address that it asked for, and everything that the browser complained of. */
export type WatchedPage = { page: Page; asked: string[]; complaints: string[] };

/** What a navigation of the test's own does to requests that the page before it no longer waits for. */
const CANCELLED = "net::ERR_ABORTED";

export async function openWatchedPage(browser: Browser): Promise<WatchedPage> {
  const page = await browser.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "for no reason that is known";
    if (reason !== CANCELLED) complaints.push(`${request.url()} failed: ${reason}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()} answered ${response.status()}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  return { page, asked, complaints };
}
