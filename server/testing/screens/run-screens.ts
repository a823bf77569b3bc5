import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openBrowser } from "../browser/open-browser.ts";
import { openDemo } from "./open-demo.ts";
import { takeScreen } from "./take-screen.ts";

/** `npm run screenshots`: the pictures of the README and the operator's guide, from the demo with a fixed seed and time. */
if (process.argv.length > 2) {
  process.stdout.write(`usage: npm run screenshots

Writes the pictures of the README and the operator's guide to docs/screens. It has no options.
`);
  process.exit(process.argv[2] === "--help" ? 0 : 2);
}
const folder = fileURLToPath(new URL("../../../docs/screens/", import.meta.url));
const demo = await openDemo();
const { browser, close } = await openBrowser();
/** One more picture is one more line: its file, its path, and what of the page is shown. */
const SCREENS = [
  { name: "home", path: "/dashboard", height: 800 },
  { name: "order", path: `/dashboard/orders/${demo.orderId}`, height: 700 },
  { name: "console", path: "/", height: 1000, ...demo.console },
  { name: "unknown", path: "/unknown", height: 560, ...demo.console },
  { name: "proposal", path: "/money", height: 460, ...demo.console },
];
try {
  await mkdir(folder, { recursive: true });
  for (const { name, ...screen } of SCREENS) {
    const picture = await takeScreen(browser, { url: demo.url, cookie: demo.cookie, ...screen });
    await writeFile(`${folder}${name}.png`, picture);
    process.stdout.write(`docs/screens/${name}.png  ${Math.ceil(picture.length / 1_024)} KB\n`);
  }
} finally {
  await close();
  await demo.close();
}
