/** The person's choice; `system` follows the machine. */
export type Theme = "system" | "light" | "dark";

export const THEMES: readonly Theme[] = ["system", "light", "dark"];

export const isTheme = (text: string | undefined): text is Theme => THEMES.some((theme) => theme === text);

/** It is written into the page by the server, so the first paint is in the right colours. */
export const THEME_COOKIE = "scrip-theme";
export const THEME_MAX_AGE_SECONDS = 365 * 24 * 60 * 60;
