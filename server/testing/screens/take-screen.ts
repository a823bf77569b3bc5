import type { Browser } from "playwright-core";

export type Screen = {
  url: string;
  path: string;
  cookie: { name: string; value: string };
  height: number;
};

const WIDTH = 1_280;
/** A picture for the README must load fast. */
export const SCREEN_MAX_BYTES = 150_000;

/** The upper part of a page in the light theme, as PNG. */
export async function takeScreen(browser: Browser, { url, path, cookie, height }: Screen): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: { width: WIDTH, height },
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  try {
    await context.addCookies([{ ...cookie, url }]);
    const page = await context.newPage();
    await page.goto(`${url}${path}`, { waitUntil: "networkidle" });
    const picture = await page.screenshot({ type: "png" });
    if (picture.length > SCREEN_MAX_BYTES)
      throw new Error(`the picture of ${path} has ${picture.length} bytes, more than ${SCREEN_MAX_BYTES}`);
    return picture;
  } finally {
    await context.close();
  }
}
