import { showPasskeyForm } from "./passkeys.js";
import { showPicks } from "./picks.js";

/** Unpoly replaces the main part of the page instead of loading the page again. Every page works without it. */
export function enhance(up) {
  if (!up || !document.body.matches(".framed")) return;
  // No code from attributes, and no scripts from fragments: the policy forbids both.
  Object.assign(up.script.config, { scriptElementPolicy: "block", evalCallbackPolicy: "block" });
  up.fragment.config.mainTargets = ["#main"];
  up.link.config.followSelectors.push("a[href]");
  up.link.config.noFollowSelectors.push("a[download]", "a[href^='#']", "[data-plain]");
  up.form.config.submitSelectors.push("form[method]");
  up.form.config.noSubmitSelectors.push(
    "form[data-themes]",
    "form[data-plain]",
    "form[method=dialog]",
    "form[data-passkey]",
  );
  up.log.config.banner = false;
  // A page that was kept could be older than what has just been done, or outlive its session.
  up.network.config.autoCache = () => false;
  up.form.config.groupSelectors.unshift(".field");
  // The server says which link is current.
  up.status.config.navSelectors = [];
  up.radio.config.pollInterval = 5_000;
  pollMovingPages(up);

  up.on("up:form:submit", ({ renderOptions }) => {
    // A page that says what went wrong comes in place of the whole main part, whichever page that is.
    renderOptions.failTarget = "#main";
  });
  // What is under the pointer or has the focus does not move.
  up.on("up:fragment:poll", (event) => {
    if (
      event.target.matches("[data-moving]")
        ? isInUse(event.target)
        : event.target.matches(":hover, :focus-within")
    )
      event.preventDefault();
  });
  up.on("up:fragment:loaded", leaveFrame);
  up.on("up:request:offline", sayOffline);
  up.on("up:link:follow", () => {
    const side = document.querySelector("#side");
    if (side?.matches(":popover-open")) side.hidePopover();
    for (const menu of document.querySelectorAll("details.person[open]")) menu.open = false;
  });
  up.on("up:fragment:inserted", (_event, fragment) => {
    for (const form of fragment.querySelectorAll("form[data-picks]")) showPicks(form);
    for (const form of fragment.querySelectorAll("form[data-passkey]")) showPasskeyForm(form);
  });
}

/** How soon a page that is moving is read again, counted from when a person opened it. The last one stays. */
const MOVING_POLLS_MS = [500, 1_000, 2_000, 5_000];

/** A moving page is read soon at first, because most of what moves takes less than a second. */
function pollMovingPages(up) {
  let reads = 0;
  let isPolled = false;
  up.on("up:fragment:loaded", ({ request }) => {
    isPolled = request.background;
  });
  up.macro("[data-moving]", (main) => {
    reads = isPolled ? reads + 1 : 0;
    main.setAttribute("up-interval", MOVING_POLLS_MS[Math.min(reads, MOVING_POLLS_MS.length - 1)]);
  });
}

/** A button that is pressed gets its click, and a field that is being filled in keeps what is typed. */
const isInUse = (main) => main.querySelector(":active, :is(input, select, textarea):focus") !== null;

/** An answer in another frame (signed out, another face, newer files) is loaded as a page. */
function leaveFrame(event) {
  const { request, response } = event;
  if (response.header("x-scrip-frame") === document.documentElement.dataset.frame) return;
  // What a form is answered itself, such as that its session has ended, is shown in its place.
  if (request.method !== "GET" && response.method !== "GET") return;
  event.preventDefault();
  if (request.method === "GET") request.loadPage();
  else location.assign(response.url);
}

/** A link that finds no server is for the browser to explain; a form stays as it is, and nothing typed is lost. */
function sayOffline({ request }) {
  if (request.background) return;
  if (request.method === "GET") {
    request.loadPage();
    return;
  }
  const said = document.createElement("p");
  said.className = "flash bad";
  said.textContent = "The server did not answer. Look whether it was done before you send the form again.";
  document.querySelector("#flash")?.replaceChildren(said);
}
