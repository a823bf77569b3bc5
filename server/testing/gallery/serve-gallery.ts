import { createSecretKey } from "node:crypto";
import Fastify, { type FastifyInstance } from "fastify";
import { notFound, Problem } from "../../src/lib/problem.ts";
import { createAssets } from "../../src/web/assets/create-assets.ts";
import { serveAssets } from "../../src/web/assets/serve-assets.ts";
import { serveIcons } from "../../src/web/docs/icons.ts";
import { defineForm } from "../../src/web/form/define-form.ts";
import { passkeyForm } from "../../src/web/form/passkey-form.ts";
import { hiddenField } from "../../src/web/form/text-fields.ts";
import { type RegisteredPage, redirect, showOnce } from "../../src/web/pages/define-page.ts";
import { type Face, serveFace } from "../../src/web/pages/serve-face.ts";
import { panel } from "../../src/web/parts/panel.ts";
import { csvFile } from "../../src/web/table/csv-file.ts";
import type { Html } from "../../src/web/template/html.ts";
import { type GallerySession, galleryFrame, galleryOrders, NOW } from "./gallery-data.ts";
import { galleryForm, galleryFormPage, gallerySignIn, signInForm } from "./gallery-form.ts";
import { galleryHome } from "./gallery-home.ts";
import { galleryEmpty, galleryKeys, galleryOrdersPage, galleryUnknown } from "./gallery-lists.ts";
import { galleryOrder } from "./gallery-order.ts";
import { galleryHostile, galleryParts } from "./gallery-parts.ts";

export const GALLERY_COOKIE = "gallery-session";
export const GALLERY_TOKEN = "gallery-token";

export type Gallery = {
  app: FastifyInstance;
  pages: readonly RegisteredPage[];
  /** What the forms were run with. */
  ran: unknown[];
};

type GalleryOptions = { publicUrl?: string; isDatabaseAway?: () => boolean };
type GalleryFace = Face<GallerySession, "read" | "write" | "never">;

/** A face that has every part in every state and no database. It is for tests and for looking at, and is never deployed. */
export function createGallery(options: GalleryOptions = {}): Gallery {
  const app = Fastify({ logger: false, bodyLimit: 64 * 1024 });
  serveIcons(app);
  serveAssets(app, createAssets());
  return { app, ...addGallery(app, options) };
}

/** The same on an app that serves the assets, and other routes too. */
export function addGallery(
  app: FastifyInstance,
  { publicUrl, isDatabaseAway = () => false }: GalleryOptions = {},
): Omit<Gallery, "app"> {
  const assets = createAssets();
  const formIds = new Set<string>();
  const ran: unknown[] = [];
  const pages = serveFace<GallerySession, "read" | "write" | "never">(
    app,
    {
      base: "/gallery",
      signInPath: "/gallery/sign-in",
      helper: "an owner of your team",
      assets,
      clock: { now: () => NOW },
      flashKey: createSecretKey(Buffer.alloc(32, 1)),
      publicUrl: () => publicUrl,
      addressOf: (request) => request.ip,
      async authenticate(cookie) {
        if (isDatabaseAway()) throw new Problem("service_unavailable", "The database is away.");
        return cookie === GALLERY_COOKIE
          ? { formToken: GALLERY_TOKEN, email: "dev@northwind.example" }
          : undefined;
      },
      may: (_session, permission) => permission !== "never",
      frame: (session, ctx) => galleryFrame(session, ctx.query.env, ctx.url),
      claimFormId: async (_session, formId) => formIds.size !== formIds.add(formId).size,
    },
    (face) => {
      addPages(face);
      addForms(face, ran);
    },
  );
  return { pages, ran };
}

function addPages(face: GalleryFace): void {
  const load = async () => undefined;
  face.page({ path: "/gallery", permission: "read", load, render: galleryHome });
  face.page({ path: "/gallery/parts", permission: "read", load, render: galleryParts });
  face.page({ path: "/gallery/order", permission: "read", load, render: galleryOrder });
  face.page({ path: "/gallery/empty", permission: "read", load, render: galleryEmpty });
  face.page({ path: "/gallery/keys", permission: "read", load, render: galleryKeys });
  face.page({ path: "/gallery/hostile", permission: "read", load, render: galleryHostile });
  face.page({
    path: "/gallery/unknown",
    permission: "read",
    load,
    render: (_data, ctx) => galleryUnknown(ctx.hidden({ once: true })),
  });
  face.page({
    path: "/gallery/orders",
    permission: "read",
    load: async (ctx) => ctx.query.status ?? "",
    render: (status, ctx) => galleryOrdersPage(status, ctx.hidden()),
  });
  let reads = 0;
  face.page({
    path: "/gallery/live",
    permission: "read",
    load: async () => ++reads,
    render: (count) => ({
      title: "Live",
      body: panel({ title: "Progress", id: "progress", live: true }, `read ${count} times`),
    }),
  });
  face.page({ path: "/gallery/never", permission: "never", load, render: galleryHome });
  face.page({
    path: "/gallery/hidden/:id",
    permission: "read",
    load: async () => {
      throw notFound();
    },
    render: galleryHome,
  });
  face.download({
    path: "/gallery/orders.csv",
    permission: "read",
    load: async () =>
      csvFile(
        "orders.csv",
        ["id", "reference"],
        galleryOrders(3).map(({ id, reference }) => [id, `=${reference}`]),
      ),
  });
}

function addForms(face: GalleryFace, ran: unknown[]): void {
  face.page({
    path: "/gallery/form",
    permission: "write",
    load: async () => galleryForm.start({ environment: "test", ends: "now", scopes: ["orders:read"] }),
    render: (state, ctx) => galleryFormPage(state, ctx.hidden()),
  });
  face.action({
    path: "/gallery/form",
    permission: "write",
    form: galleryForm,
    async run(values) {
      ran.push(values);
      if (values.name === "taken")
        throw new Problem("invalid_request", "A key has this name.", {
          errors: [{ pointer: "/name", code: "taken", detail: "Another key has this name." }],
        });
      if (values.name === "conflict")
        throw new Problem("webhook_limit_reached", "There are 16 of them already.");
      return values.name === "once"
        ? showOnce(galleryKeys())
        : redirect("/gallery/keys", `Key ${values.name} was created.`);
    },
    again: async (state, ctx) => galleryFormPage(state, ctx.hidden()),
  });
  const nothing = defineForm({});
  face.action({
    path: "/gallery/bulk",
    permission: "write",
    form: nothing,
    once: true,
    async run() {
      ran.push("bulk");
      return redirect("/gallery/unknown", "1 unit was written off.");
    },
    again: async () => galleryEmpty(),
  });
  face.action({
    path: "/gallery/sign-out",
    permission: "read",
    form: nothing,
    async run(_values, ctx) {
      ctx.setSession(undefined);
      return redirect("/gallery/sign-in");
    },
    again: async () => galleryEmpty(),
  });
  addPasskeys(face, ran);
  face.open.page({
    path: "/gallery/sign-in",
    permission: "public",
    load: async () => signInForm.start(),
    render: (state, ctx) => gallerySignIn(state, ctx.hidden()),
  });
  face.open.action({
    path: "/gallery/sign-in",
    permission: "public",
    form: signInForm,
    async run(_values, ctx) {
      ctx.setSession(GALLERY_COOKIE);
      return redirect("/gallery", "Welcome back.");
    },
    again: async (state, ctx) => gallerySignIn(state, ctx.hidden()),
  });
}

/** What a browser makes of the options is only kept, and judged by nobody. */
function addPasskeys(face: GalleryFace, ran: unknown[]): void {
  const page = (hidden: Html) => ({
    title: "Passkeys",
    body: passkeyForm({
      kind: "create",
      optionsAction: "/gallery/passkey-options",
      action: "/gallery/passkey",
      hidden,
      submit: "Add passkey",
    }),
  });
  face.page({
    path: "/gallery/passkey",
    permission: "write",
    load: async () => undefined,
    render: (_data, ctx) => page(ctx.hidden()),
  });
  face.download({
    method: "POST",
    path: "/gallery/passkey-options",
    permission: "write",
    load: async () => ({ type: "application/json", body: JSON.stringify(CREATION_OPTIONS) }),
  });
  face.action({
    path: "/gallery/passkey",
    permission: "write",
    form: defineForm({ credential: hiddenField("Passkey") }),
    async run({ credential }) {
      ran.push(JSON.parse(credential));
      return redirect("/gallery/passkey", "The passkey was added.");
    },
    again: async (_state, ctx) => page(ctx.hidden()),
  });
}

const CREATION_OPTIONS = {
  challenge: Buffer.alloc(32, 9).toString("base64url"),
  rp: { id: "localhost", name: "Scrip" },
  user: { id: Buffer.from("usr_1").toString("base64url"), name: "dev", displayName: "dev" },
  pubKeyCredParams: [
    { type: "public-key", alg: -7 },
    { type: "public-key", alg: -257 },
  ],
  timeout: 10_000,
};
