import type { FastifyInstance, FastifyRequest } from "fastify";
import type { By } from "../../activity/record-activity.ts";
import { callerOf } from "../../http/caller.ts";
import { jsonReply } from "../../http/json-reply.ts";
import { named } from "../../http/named-schema.ts";
import { Type } from "../../http/openapi/type.ts";
import {
  base64urlOf,
  getEncryptionKey,
  registerEncryptionKey,
  removeEncryptionKey,
  type SealingDeps,
} from "./change-encryption-key.ts";
import type { EncryptionKeyRow } from "./sealing-queries.ts";

const PUBLIC_KEY_MAX_CHARACTERS = 64;
const EXAMPLE = "OUjP4K0d22ldeA5ZB3GV2mxWUGsCcyl5SrAryoCBXE0";

const RegisterEncryptionKeyRequest = named(
  "RegisterEncryptionKeyRequest",
  Type.Object(
    {
      publicKey: Type.String({
        minLength: 1,
        maxLength: PUBLIC_KEY_MAX_CHARACTERS,
        description: "An X25519 public key: 32 bytes in base64url.",
      }),
    },
    { additionalProperties: false, examples: [{ publicKey: EXAMPLE }] },
  ),
);

const EncryptionKey = named(
  "EncryptionKey",
  Type.Object({
    kid: Type.String({
      description: "The key's id: the first 16 bytes of SHA-256 of the public key, in base64url.",
    }),
    publicKey: Type.String({ description: "32 bytes in base64url.", examples: [EXAMPLE] }),
    registeredAt: Type.String({ format: "date-time" }),
  }),
);

const RegisteredKeyReply = Type.Object({ encryptionKey: EncryptionKey });
const EncryptionKeyReply = Type.Object({ encryptionKey: Type.Optional(EncryptionKey) });

/** A key that only reads must not decide who can read codes from now on. */
const scope = "orders:write";
const tags = ["Orders"];

export function sealingRoutes(app: FastifyInstance, deps: SealingDeps): void {
  app.put<{ Body: { publicKey: string } }>("/v1/encryption-key", {
    config: { scope, problems: ["encryption_key_limit_reached"] },
    schema: {
      operationId: "registerEncryptionKey",
      tags,
      summary: "Register an encryption key",
      description:
        "From now on, codes are sealed to this X25519 public key when they are delivered (HPKE, RFC 9180: base mode, DHKEM X25519-HKDF-SHA256, HKDF-SHA256, AES-256-GCM). Only your private key opens them: if you lose it, they are lost. Codes that were delivered before stay as they are, also those sealed to an earlier key. Keys of live and test are separate. Registering another key replaces the current one.",
      body: RegisterEncryptionKeyRequest,
      response: { 200: jsonReply("The current key.", RegisteredKeyReply) },
    },
    handler: async (request) =>
      toReply(await registerEncryptionKey(deps, callerOf(request), request.body.publicKey, byOf(request))),
  });
  app.get("/v1/encryption-key", {
    config: { scope: "orders:read" },
    schema: {
      operationId: "getEncryptionKey",
      tags,
      summary: "Get the encryption key",
      description:
        "Returns the public key that codes are sealed to. `encryptionKey` is absent if there is none.",
      response: { 200: jsonReply("The current key.", EncryptionKeyReply) },
    },
    handler: async (request) => {
      const key = await getEncryptionKey(deps.db, callerOf(request));
      return key ? toReply(key) : {};
    },
  });
  app.delete("/v1/encryption-key", {
    config: { scope, problems: ["payload_too_large", "unsupported_media_type"] },
    schema: {
      operationId: "removeEncryptionKey",
      tags,
      summary: "Remove the encryption key",
      description:
        "Codes that are delivered from now on are not sealed. Codes that were sealed before stay sealed. Succeeds also if there is no key.",
      response: { 200: jsonReply("An empty object.", Type.Object({})) },
    },
    handler: async (request) => {
      await removeEncryptionKey(deps, callerOf(request), byOf(request));
      return {};
    },
  });
}

const byOf = (request: FastifyRequest): By => ({
  actor: callerOf(request).actor,
  address: request.callerAddress,
});

const toReply = ({ kid, publicKey, registeredAt }: EncryptionKeyRow) => ({
  encryptionKey: { kid, publicKey: base64urlOf(publicKey), registeredAt: registeredAt.toISOString() },
});
