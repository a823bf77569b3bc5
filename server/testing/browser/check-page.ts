import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { sizeFor } from "../full-size.ts";

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
  /** Whether its colours are judged. In `npm test` only those of the gallery are, which has every part of every page. */
  hasColours?: boolean;
};

const HEIGHT = 900;
const LOAD_TIMEOUT_MS = 60_000;
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * Opens a page in every view and answers with all that is wrong: what axe-core calls serious or critical, violations of the
 * policy, errors of the console, requests to other hosts, scrolling sideways. A page that is fine gives an empty list.
 */
export async function checkPage(browser: Browser, options: CheckOptions): Promise<string[]> {
  const { url, cookie, hasScripts = true } = options;
  const checker = await openChecker(browser, { url, hasScripts, ...(cookie ? { cookie } : {}) });
  try {
    return await checker.visit(url, options);
  } finally {
    await checker.close();
  }
}

type VisitOptions = Pick<CheckOptions, "views" | "look" | "status" | "hasColours">;

/** One person's browser that goes from page to page. What it has loaded once it keeps. */
export type Checker = {
  page: Page;
  /** Opens a page and says what is wrong with it. */
  visit(url: string, options?: VisitOptions): Promise<string[]>;
  /** Says what is wrong with the page that is open, and with what led to it. */
  judge(options?: VisitOptions): Promise<string[]>;
  /** From now on it has this cookie and no other. */
  become(cookie: CheckOptions["cookie"]): Promise<void>;
  /** The next answer has this status, and the browser notes it in its console. */
  expect(status: number): void;
  close(): Promise<void>;
};

export async function openChecker(
  browser: Browser,
  { url, cookie, hasScripts = true }: Pick<CheckOptions, "url" | "cookie" | "hasScripts">,
): Promise<Checker> {
  const { origin } = new URL(url);
  const context = await browser.newContext({ javaScriptEnabled: hasScripts, reducedMotion: "reduce" });
  if (cookie) await context.addCookies([{ ...cookie, url: origin }]);
  const page = await context.newPage();
  const watched: Watched = { status: 200, faults: [] };
  watch(page, origin, watched);
  let shown: View | undefined;
  const turnTo = async (view: View): Promise<void> => {
    await show(page, view, shown);
    shown = view;
  };

  const judge = async (options: VisitOptions = {}): Promise<string[]> => {
    const { views = VIEWS, look, hasColours = JUDGES_COLOURS } = options;
    if (hasScripts && views.length > 0) await page.evaluate(axe);
    // Themes and widths are matters of the style sheet: the page is loaded once and looked at several times.
    for (const view of views) {
      await turnTo(view);
      const found = hasScripts ? [...(await findWidth(page, view)), ...(await runAxe(page, hasColours))] : [];
      watched.faults.push(...found.map((fault) => `${view.theme} ${view.width}: ${fault}`));
      await look?.(page, view);
    }
    return watched.faults.splice(0);
  };
  return {
    page,
    judge,
    async visit(to, options = {}) {
      const [first = VIEWS[0] as View] = options.views ?? VIEWS;
      watched.status = options.status ?? 200;
      await turnTo(first);
      const reply = await page.goto(to, { waitUntil: "load", timeout: LOAD_TIMEOUT_MS });
      if (reply?.status() !== watched.status) watched.faults.push(`the status is ${reply?.status()}`);
      return judge(options);
    },
    async become(next) {
      await context.clearCookies();
      if (next) await context.addCookies([{ ...next, url: origin }]);
    },
    expect(status) {
      watched.status = status;
    },
    close: () => context.close(),
  };
}

/** Changes what differs: each change lays out the page that is open once more. */
async function show(page: Page, { theme, width }: View, before: View | undefined): Promise<void> {
  if (theme !== before?.theme) await page.emulateMedia({ colorScheme: theme });
  if (width !== before?.width) await page.setViewportSize({ width, height: HEIGHT });
}

async function findWidth(page: Page, { width }: View): Promise<string[]> {
  const widest = await page.evaluate<number>("document.documentElement.scrollWidth");
  return widest > width ? [`the page is ${widest} px wide`] : [];
}

/** What the next visit does to a live part of the page before it that is being read again. */
const CANCELLED = "net::ERR_ABORTED";

/** The status that is expected of the page, and what was wrong since the last look. */
type Watched = { status: number; faults: string[] };

function watch(page: Page, origin: string, watched: Watched): void {
  const { faults } = watched;
  page.on("request", (request) => {
    const isOurs = request.url().startsWith(`${origin}/`) || request.url().startsWith("data:");
    if (!isOurs) faults.push(`asks ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    if (request.failure()?.errorText !== CANCELLED) faults.push(`${request.url()} failed`);
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    // The browser notes an error status that was asked for.
    if (watched.status >= 400 && message.text().includes(`status of ${watched.status}`)) return;
    faults.push(message.text());
  });
}

type AxeResult = {
  violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[];
};

/** To judge the colours takes as long as all other rules together. */
const JUDGES_COLOURS = sizeFor("fuzz", { share: false, wide: true, full: true });

/** Rules of less impact are not run: they take half of the time, and what they find is not a fault here. */
const runAxeWith = (rules: Readonly<Record<string, { enabled: boolean }>>) => `axe.run(document, {
  resultTypes: ["violations"],
  preload: false,
  elementRef: false,
  rules: {
    ...Object.fromEntries(
      axe._audit.rules
        .filter(({ impact }) => ["minor", "moderate"].includes(impact))
        .map(({ id }) => [id, { enabled: false }]),
    ),
    ...${JSON.stringify(rules)},
  },
})`;

/** The judge came by the debugger's channel, which the policy of the page does not bind. */
async function runAxe(page: Page, hasColours: boolean): Promise<string[]> {
  const rules = runAxeWith({ "color-contrast": { enabled: hasColours } });
  const { violations } = (await page.evaluate(rules)) as AxeResult;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id} at ${node.target.join(" ")}: ${node.failureSummary}`),
    );
}
