import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** `npm run dev`: what is not the dashboard's own is the server's, with the names that the browser used. */
const server = `http://127.0.0.1:${process.env["PORT"] ?? 8000}`;

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: {
    // light-dark() and native dialogs are used as they are: older browsers lack other things the pages need as well.
    target: ["chrome123", "firefox121", "safari17.5"],
    // Inlined assets would be data: addresses, which the content security policy of the server refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What a browser has of the libraries stays good when only our own code has changed.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: "libraries", test: /node_modules\/(react-dom|@base-ui)\// }],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(["/api", "/w/", "/healthz", "/readyz"].map((path) => [path, { target: server }])),
  },
});
