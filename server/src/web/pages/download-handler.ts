import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { BaseSession, ReadDownload } from "./define-page.ts";
import type { FaceOptions } from "./face.ts";
import { assertSession } from "./form-handler.ts";
import { assertMay, PUBLIC, sendToSignIn } from "./page-handler.ts";
import { contextOf, keepWill, sessionOf } from "./page-state.ts";

const FILENAME = /^[A-Za-z0-9._-]{1,100}$/;

/** A file, or JSON for our module. It is sent as it is made, so a list of any size costs no memory. */
export const downloadHandler =
  <Session extends BaseSession, Permission extends string>(
    options: FaceOptions<Session, Permission>,
    download: ReadDownload<Session, Permission>,
  ) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isPublic = download.permission === PUBLIC;
    if (!isPublic && request.method === "GET" && !sessionOf(request))
      return sendToSignIn(options, request, reply);
    if (!isPublic) assertSession(request);
    const ctx = contextOf(options, request, reply);
    if (!isPublic) assertMay(options, ctx, download.permission);
    const { type, filename, body } = await download.load(ctx).catch(async (error: unknown) => {
      const { does } = download;
      if (request.method === "POST" && options.needsProof?.(error) === true)
        keepWill(request, {
          sentence: typeof does === "function" ? await does(undefined, ctx) : does,
          typed: [],
          isFile: true,
        });
      throw error;
    });
    if (filename !== undefined) {
      if (!FILENAME.test(filename)) throw new Error("a file's name holds a character that it must not hold");
      reply.header("content-disposition", `attachment; filename="${filename}"`);
    }
    return reply.type(type).send(typeof body === "string" ? body : Readable.from(body));
  };
