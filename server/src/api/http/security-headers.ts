/** For every answer of the dashboard's origin, whatever it is. */
export const commonHeaders = (secure: boolean): Readonly<Record<string, string>> => ({
  "x-content-type-options": "nosniff",
  // With no-referrer, forms would send `Origin: null` and be refused.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  ...(secure ? { "strict-transport-security": "max-age=31536000" } : {}),
});

/** Data is never a page. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** The dashboard: its own files and nothing else. The one foreign address is where it probes for workspace origins. */
export const pagePolicy = (probeOrigin: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self'${probeOrigin === null ? "" : ` ${probeOrigin}`}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
