import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";

/** Each way in which a page is looked at. */
export type View = { theme: "light" | "dark"; width: number };

export const VIEWS: readonly View[] = [
  { theme: "light", width: 1280 },
  { theme: "light", width: 390 },
  { theme: "dark", width: 1280 },
  { theme: "dark", width: 390 },
];

export type CheckOptions = {
  url: string;
  views?: readonly View[];
  /** Sent with every request: `scrip=…`. */
  cookie?: { name: string; value: string };
  /** Whether scripts run. Without them no accessibility is judged, because the judge is a script. */
  hasScripts?: boolean;
  /** Called with the page as it is judged, for a picture or a look at its parts. */
  look?: (page: Page, view: View) => Promise<void>;
  /** The status that the page is expected to have. */
  status?: number;
};

const HEIGHT = 900;
const LOAD_TIMEOUT_MS = 15_000;
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * Opens a page in every view and answers with all that is wrong: what axe-core calls serious or critical, violations of the
 * policy, errors of the console, requests to other hosts, scrolling sideways. A page that is fine gives an empty list.
 */
export async function checkPage(browser: Browser, options: CheckOptions): Promise<string[]> {
  const { url, cookie, status = 200, hasScripts = true, look, views = VIEWS } = options;
  const { origin } = new URL(url);
  const context = await browser.newContext({ javaScriptEnabled: hasScripts, reducedMotion: "reduce" });
  if (cookie) await context.addCookies([{ ...cookie, url: origin }]);
  const page = await context.newPage();
  const faults: string[] = [];
  try {
    watch(page, origin, status, faults);
    const [first = VIEWS[0] as View] = views;
    await show(page, first);
    const reply = await page.goto(url, { waitUntil: "load", timeout: LOAD_TIMEOUT_MS });
    if (reply?.status() !== status) faults.push(`the status is ${reply?.status()}`);
    if (hasScripts) await page.evaluate(axe);
    // Themes and widths are matters of the style sheet: the page is loaded once and looked at several times.
    for (const view of views) {
      await show(page, view);
      const found = hasScripts ? [...(await findWidth(page, view)), ...(await runAxe(page))] : [];
      faults.push(...found.map((fault) => `${view.theme} ${view.width}: ${fault}`));
      await look?.(page, view);
    }
  } finally {
    await context.close();
  }
  return faults;
}

async function show(page: Page, { theme, width }: View): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width, height: HEIGHT });
}

async function findWidth(page: Page, { width }: View): Promise<string[]> {
  const widest = await page.evaluate<number>("document.documentElement.scrollWidth");
  return widest > width ? [`the page is ${widest} px wide`] : [];
}

function watch(page: Page, origin: string, status: number, faults: string[]): void {
  page.on("request", (request) => {
    const isOurs = request.url().startsWith(`${origin}/`) || request.url().startsWith("data:");
    if (!isOurs) faults.push(`asks ${request.url()}`);
  });
  page.on("requestfailed", (request) => faults.push(`${request.url()} failed`));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    // The browser notes an error status that was asked for.
    if (status >= 400 && message.text().includes(`status of ${status}`)) return;
    faults.push(message.text());
  });
}

type AxeResult = {
  violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[];
};

/** The judge came by the debugger's channel, which the policy of the page does not bind. */
async function runAxe(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'], preload: false, elementRef: false })",
  )) as AxeResult;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id} at ${node.target.join(" ")}: ${node.failureSummary}`),
    );
}
