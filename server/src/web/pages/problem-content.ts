import type { Problem } from "../../lib/problem.ts";
import type { PageContent } from "../layout/frame.ts";
import { linkButton } from "../parts/button.ts";
import { type Html, html } from "../template/html.ts";

type Words = { title: string; body: string };

/** What a page says when it cannot show what was asked for: what happened, then what to do. */
const WORDS: Readonly<Record<number, Words>> = {
  400: {
    title: "This request could not be read",
    body: "Go back and try again. If a link brought you here, it may be incomplete.",
  },
  401: { title: "Sign in first", body: "Sign in, then open the page again." },
  403: {
    title: "You cannot do this",
    body: "If you need this, ask HELPER. If you came from a form, open its page again.",
  },
  404: {
    title: "Nothing here",
    body: "It does not exist, or you cannot see it. Check the address, and whether you are looking at live or test data.",
  },
  405: { title: "Nothing here", body: "This page is opened by a form. Go back and try again." },
  409: {
    title: "This was not done",
    body: "Something has changed since you opened the page. Look at it again, then decide.",
  },
  413: {
    title: "That is too much for one form",
    body: "Shorten what you typed or select fewer rows. Nothing was saved.",
  },
  415: {
    title: "This form takes text, not files",
    body: "Go back and type or paste what belongs into each field. Nothing was saved.",
  },
  429: { title: "Too many attempts", body: "Wait a moment, then try again." },
  500: {
    title: "Something broke on our side",
    body: "Nothing you did caused this. Try again; if it keeps happening, tell us the request id below.",
  },
  503: {
    title: "Not available for the moment",
    body: "We cannot reach our database. Nothing was changed. Try again in a few seconds.",
  },
};

const FALLBACK: Words = { title: "This was not done", body: "Go back and try again." };

/** Statuses whose detail was written for a person and says more than the general sentence. */
const SAYS_WHY = new Set([400, 401, 402, 403, 409, 422, 429]);

export function problemContent(
  problem: Problem,
  requestId: string,
  { home, signInPath, helper }: { home: string; signInPath: string; helper: string },
): PageContent {
  const { title, body } = WORDS[problem.status] ?? FALLBACK;
  const why = SAYS_WHY.has(problem.status) ? html`<p>${problem.message}</p>` : undefined;
  const wayOut =
    problem.status === 401
      ? linkButton("Sign in", signInPath, { kind: "main" })
      : linkButton("Go to the start page", home, { kind: "main" });
  return {
    title,
    body: html`<div class="stack"><div>${why}<p>${body.replace("HELPER", helper)}</p></div>${support(requestId)}<div class="row">${wayOut}</div></div>`,
  };
}

const support = (requestId: string): Html => html`<p class="quiet">Request id <code>${requestId}</code></p>`;
