import { startCopyButtons } from "./copy.js";
import { enhance } from "./enhance.js";
import { startFloatingTip } from "./floating-tip.js";
import { startPasskeys } from "./passkeys.js";
import { startPicks } from "./picks.js";
import { startShortcuts } from "./shortcuts.js";
import { startThemes } from "./themes.js";
import { startTimes } from "./times.js";

document.documentElement.classList.add("js");
startCopyButtons();
startThemes();
startFloatingTip();
startTimes();
startPicks();
startShortcuts();
startPasskeys();
enhance(globalThis.up);
