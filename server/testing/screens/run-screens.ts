import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openBrowser } from "../browser/open-browser.ts";
import { openDemo } from "./open-demo.ts";
import { takeScreen } from "./take-screen.ts";

/** `npm run screenshots`: the pictures of the README, from the demo with a fixed seed and time. */
const folder = fileURLToPath(new URL("../../../docs/screens/", import.meta.url));
const demo = await openDemo();
const { browser, close } = await openBrowser();
/** One more picture is one more line: its file, its path, and what of the page is shown. */
const SCREENS = [
  { name: "home", path: "/dashboard", height: 800 },
  { name: "order", path: `/dashboard/orders/${demo.orderId}`, height: 700 },
];
try {
  await mkdir(folder, { recursive: true });
  for (const { name, path, height } of SCREENS) {
    const picture = await takeScreen(browser, { ...demo, path, height });
    await writeFile(`${folder}${name}.png`, picture);
    process.stdout.write(`docs/screens/${name}.png  ${Math.ceil(picture.length / 1_024)} KB\n`);
  }
} finally {
  await close();
  await demo.close();
}
