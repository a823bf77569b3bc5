import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "../../lib/problem.ts";
import { FORM_MAX_BYTES, parseFormBody } from "../form/parse-form-body.ts";
import { readUpload } from "../form/read-upload.ts";
import { keepFiles, sessionOf } from "./page-state.ts";

/** Bodies of pages are forms of text, and of files where an action takes one. Any other file is not read. */
export function readForms(child: FastifyInstance): void {
  child.removeAllContentTypeParsers();
  child.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer", bodyLimit: FORM_MAX_BYTES },
    (_request, body, done) => {
      try {
        done(null, parseFormBody(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    },
  );
  child.addContentTypeParser(
    "multipart/form-data",
    async (request: FastifyRequest, payload: IncomingMessage) => {
      // A stranger's file is not read either: the guard has found who is asking.
      if (!takesFiles(request) || !sessionOf(request))
        throw new Problem("unsupported_media_type", "This form takes text, not files.");
      const { fields, files } = await readUpload(payload, request.headers["content-type"] ?? "");
      keepFiles(request, files);
      return fields;
    },
  );
  child.addContentTypeParser("*", (_request, _body, done) =>
    done(new Problem("unsupported_media_type", "This form takes text, not files.")),
  );
}

/** The mark of a route whose form takes files. */
export const TAKES_FILES: object = { takesFiles: true };

const takesFiles = ({ routeOptions }: FastifyRequest): boolean =>
  (routeOptions.config as { takesFiles?: boolean }).takesFiles === true;
