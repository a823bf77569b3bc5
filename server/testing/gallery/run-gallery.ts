import { createGallery, GALLERY_COOKIE } from "./serve-gallery.ts";

/** `npm run gallery`: every part of the web kit in every state, on this machine alone. */
const { app } = createGallery();
const address = await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 8090) });
process.stdout.write(`${address}/gallery/sign-in (any email and password; cookie scrip=${GALLERY_COOKIE})\n`);
