const SECRET = /(sc_live_|sc_test_|whsec_)[^\s"'\\/?&]+/g;

/** The text without the API keys and webhook secrets in it. People paste them where they do not belong. */
export const maskSecrets = (text: string): string => text.replaceAll(SECRET, "$1…");
