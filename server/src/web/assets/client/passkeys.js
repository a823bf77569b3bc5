const CALL_TIMEOUT_MS = 15_000;

/**
 * A form with `data-passkey="create"` or `"get"` asks the server for options (`data-options`, by POST with the form's token),
 * lets the browser make or use a passkey, and sends the result in the form's field `credential`. The form is otherwise an
 * ordinary one: the server answers it with a page.
 */
export function startPasskeys() {
  for (const form of document.querySelectorAll("form[data-passkey]")) showPasskeyForm(form);
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      if (!form.matches("form[data-passkey]") || form.elements.credential.value !== "") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      usePasskey(form).catch((error) => sayPasskeyError(form, error));
    },
    true,
  );
}

/** Hidden until now, because it does nothing without JavaScript or where the browser has no passkeys. */
export function showPasskeyForm(form) {
  form.hidden = typeof PublicKeyCredential === "undefined";
}

async function usePasskey(form) {
  const reply = await fetch(form.dataset.options, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(new FormData(form)),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  if (!reply.ok) throw new Error("The server did not answer. Try again in a moment.");
  const options = await reply.json();
  const credential =
    form.dataset.passkey === "create"
      ? await navigator.credentials.create({ publicKey: readCreationOptions(options) })
      : await navigator.credentials.get({ publicKey: readRequestOptions(options) });
  form.elements.credential.value = JSON.stringify(toPlainCredential(credential));
  form.requestSubmit();
}

function readCreationOptions(options) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON)
    return PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return {
    ...options,
    challenge: toBytes(options.challenge),
    user: { ...options.user, id: toBytes(options.user.id) },
    excludeCredentials: (options.excludeCredentials ?? []).map(withBytes),
  };
}

function readRequestOptions(options) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON)
    return PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return {
    ...options,
    challenge: toBytes(options.challenge),
    allowCredentials: (options.allowCredentials ?? []).map(withBytes),
  };
}

const withBytes = (one) => ({ ...one, id: toBytes(one.id) });

/** What `toJSON` gives, for browsers that lack it. */
function toPlainCredential(credential) {
  if (credential.toJSON) return credential.toJSON();
  const { response } = credential;
  const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]
    .filter((name) => response[name])
    .map((name) => [name, toText(response[name])]);
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: { ...Object.fromEntries(parts), transports: response.getTransports?.() },
  };
}

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );

const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

function sayPasskeyError(form, error) {
  const said = form.querySelector("[data-passkey-error]");
  if (!said) return;
  const isCancelled = error.name === "NotAllowedError" || error.name === "AbortError";
  said.textContent = isCancelled ? "No passkey was used. Try again, or sign in another way." : error.message;
}
